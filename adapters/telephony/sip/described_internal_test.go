package sip

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// describedTo is a leg that has described itself to a peer on a trunk.
func describedTo(t *testing.T, trunk Trunk) *Leg {
	t.Helper()
	a := &Agent{host: "127.0.0.1", book: legs.NewBook(), ports: newPortRange("127.0.0.1", 20_000, 24_999), cfg: Config{Log: slog.Default(),
		Pacer: voice.NewPacer(voice.PacerOptions{}), Allow: func(a netip.Addr) bool { return !a.IsPrivate() }}}
	l := newLeg(a, calls.LegRequest{})
	l.trunk, l.history = trunk, a.book.Enter("s-1", l)
	var err error
	l.media, err = a.openMedia(trunk.RTPNAT)
	require.NoError(t, err)
	t.Cleanup(l.silence)
	l.describe(trunk)
	l.dialog = &dialog{agent: a, trunk: trunk, of: calls.Dialog{Transport: "udp"}}
	return l
}

// Given a peer behind a NAT, when it names an address of its own network, then the description is taken, first and again, and
// nobody is told an address that is none.
func TestAPeerBehindANATDescribesItself(t *testing.T) {
	l := describedTo(t, Trunk{Settings: trunks.Settings{RTPNAT: true, Codecs: []string{trunks.PCMA}}})
	l.establish() // by a peer that moves before it says anything
	require.Empty(t, l.Facts())
	inward := []byte("v=0\r\no=- 1 1 IN IP4 192.168.1.5\r\ns=-\r\nc=IN IP4 192.168.1.5\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8\r\n")
	for _, changes := range []bool{true, false} {
		_, changed, err := l.described(inward, peer.Addr())
		require.NoError(t, err)
		require.Equal(t, changes, changed)
	}
	l.establish()
	require.Empty(t, (<-l.Facts()).Dialog.RTP)
}

// Given a description that names the port of a call of this node, then the sound of that one is not sent there.
func TestADescriptionThatNamesAPortOfOurs(t *testing.T) {
	trunk := Trunk{Settings: trunks.Settings{Codecs: []string{trunks.PCMU}}}
	l, other := describedTo(t, trunk), describedTo(t, trunk)
	l.agent.ports.used[other.media.port] = true
	naming := func(port int) error {
		_, _, err := l.described(fmt.Appendf(nil, "v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio %d RTP/AVP 0\r\n", port), peer.Addr())
		return err
	}
	require.ErrorIs(t, naming(l.media.port), errOwnPort)
	require.ErrorIs(t, naming(other.media.port), errOwnPort)
	require.NoError(t, naming(19_998))
}

// encrypted is a description with a key, in a codec.
func encrypted(key []byte, format string) []byte {
	return fmt.Appendf(nil, "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/SAVP %s\r\n"+
		"a=crypto:7 %s inline:%s\r\n", format, cryptoName, keyText(key))
}

func keyOf(t *testing.T, body []byte) []byte {
	t.Helper()
	d, err := readSDP(body)
	require.NoError(t, err)
	return d.key
}

// Given sound that is encrypted, when another key comes with a description that is refused, then both keys are what they were;
// with one that is taken, ours is another one, too, and without a key the sound goes in the clear.
func TestAKeyIsReplacedWhenItsDescriptionIsTaken(t *testing.T) {
	l := describedTo(t, Trunk{Settings: trunks.Settings{SRTP: trunks.SRTPOffer, Codecs: []string{trunks.PCMU}}})
	first, second := newKey(), newKey()
	body, _, err := l.described(encrypted(first, "0"), peer.Addr())
	require.NoError(t, err)
	ours := keyOf(t, body)
	_, _, err = l.described(encrypted(second, "8"), peer.Addr())
	require.ErrorIs(t, err, errNoCodec)
	body, _, err = l.described(encrypted(first, "0"), peer.Addr())
	require.NoError(t, err)
	require.Equal(t, ours, keyOf(t, body))
	body, _, err = l.described(encrypted(second, "0"), peer.Addr())
	require.NoError(t, err)
	require.NotEqual(t, ours, keyOf(t, body))
	_, _, err = l.described([]byte("v=0\r\nc=IN IP4 192.0.2.1\r\nm=audio 4000 RTP/AVP 0\r\n"), peer.Addr())
	require.NoError(t, err)
	require.Nil(t, l.media.sealing)
}
