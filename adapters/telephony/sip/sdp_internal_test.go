package sip

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const plain = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0 96\r\n" +
	"a=rtpmap:96 telephone-event/8000\r\n"

func TestReadingADescription(t *testing.T) {
	at := netip.MustParseAddrPort("192.0.2.1:4000")
	key := strings.Repeat("A", 40)
	for name, c := range map[string]struct {
		text string
		want description
	}{
		"plain": {plain, description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: both}},
		"lines that end as they like": {strings.ReplaceAll(plain, "\r\n", "\n"),
			description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: both}},
		"an address of the stream's own, and a direction": {plain + "c=IN IP6 2001:db8::1\r\na=sendonly\r\n",
			description{at: netip.MustParseAddrPort("[2001:db8::1]:4000"), codecs: []string{"PCMA", "PCMU"}, events: 96, direction: sending}},
		"a direction of the session": {strings.Replace(plain, "t=0 0", "t=0 0\r\na=inactive", 1),
			description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: inactive}},
		"pictures before it, and sound that is refused": {strings.Replace(plain, "m=audio 4000", "m=video 5000 RTP/AVP 0\r\na=recvonly\r\n"+
			"m=audio 0 RTP/AVP 0\r\nm=audio 4000", 1), description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: both}},
		"a key": {strings.Replace(plain, "AVP", "SAVP", 1) + "a=crypto:1 AEAD_AES_256_GCM inline:xx\r\na=crypto:2 " + cryptoName + " inline:" +
			key + "|2^20|1:4\r\n", description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: both, secure: true,
			key: make([]byte, 30), keyTag: "2"}},
		"a key that is none": {plain + "a=crypto:1 " + cryptoName + " inline:short\r\n",
			description{at: at, codecs: []string{"PCMA", "PCMU"}, events: 96, direction: both}},
		"ours is what we say of it": {
			string(offered{at: at, id: 1, version: 1, codecs: []string{"PCMU"}, events: 101, direction: hearing}.text()),
			description{at: at, codecs: []string{"PCMU"}, events: 101, direction: hearing}},
	} {
		got, err := readSDP([]byte(c.text))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestDescriptionsThatCannotBeTaken(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":             {"", errTornSDP},
		"no line":             {"v=0\r\nnonsense\r\n", errTornSDP},
		"torn":                {plain[:40], errTornSDP},
		"too long":            {plain + strings.Repeat("a=x\r\n", 5000), errTornSDP},
		"no address":          {strings.Replace(plain, "c=IN IP4 192.0.2.1", "c=IN IP4 nowhere", 1), errTornSDP},
		"sound refused":       {strings.Replace(plain, "4000", "0", 1), errNoSound},
		"no sound":            {strings.Replace(plain, "m=audio", "m=image", 1), errNoSound},
		"another codec":       {strings.Replace(plain, "8 0 96", "9 96", 1), errNoCodec},
		"another rate":        {plain + "a=rtpmap:0 PCMU/16000\r\na=rtpmap:8 L16/8000\r\n", errNoCodec},
		"a port that is none": {strings.Replace(plain, "4000", "99999", 1), errNoSound},
	} {
		_, err := readSDP([]byte(c.text))
		require.ErrorIs(t, err, c.want, name)
	}
}

// Whatever a peer sends, reading it ends, and what is taken has an address and a codec.
func TestAnyTextIsReadOrRefused(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.OneOf(rapid.SampledFrom(strings.Split(plain, "\r\n")), rapid.StringMatching(`[a-z]=.{0,40}`))
		lines := rapid.SliceOf(line).Draw(r, "lines")
		d, err := readSDP([]byte(strings.Join(lines, "\r\n")))
		if err == nil && (!d.at.IsValid() || len(d.codecs) == 0) {
			r.Fatalf("%+v", d)
		}
	})
}

func TestDigitsOfINFO(t *testing.T) {
	for body, want := range map[string]string{"Signal=5\r\nDuration=160": "5", "signal = *": "*", "Signal=11": "#", "Signal=a": "A",
		"Signal=x": "", "Signal=55": "", "": ""} {
		digit, ok := infoDigit("application/dtmf-relay; charset=x", []byte(body))
		require.Equal(t, want != "", ok, body)
		if ok {
			require.Equal(t, want, digit)
		}
	}
	_, ok := infoDigit("text/plain", []byte("5"))
	require.False(t, ok)
}
