package sip_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// words waits until the callee was heard to speak.
func (l *heardLeg) words() { l.until(calls.FactWords) }

// Given a soft phone that wants its sound encrypted, by TLS, then it is heard, digits go both ways, and another name on
// the certificate, or one that nobody signed, is not believed.
func TestAPhoneByTLSWithSRTP(t *testing.T) {
	t.Parallel()
	certificate, authority := Authority(t)
	file := filepath.Join(t.TempDir(), "phone.pem")
	require.NoError(t, os.WriteFile(file, []byte(certificate), 0o600))
	phone := Baresip(t, "<sip:callee@127.0.0.1:PORT;transport=tls>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1;mediaenc=srtp-mand",
		"Hello, this is the telephone speaking.", "sip_certificate "+file, "module stdio.so")
	address := fmt.Sprintf("%s:%d", Host, phone.Port+1)
	secure := func(ca string, srtp trunks.SRTP) func(*sip.Trunk) {
		return func(tr *sip.Trunk) { tr.Transport, tr.CA, tr.SRTP, tr.RTPNAT = trunks.TLS, ca, srtp, true }
	}
	leg := newCaller(t, address, secure(authority, trunks.SRTPRequire)).dialsURI(t, "sip:callee@"+address)
	leg.until(calls.FactAnswered)
	established := leg.until(calls.FactEstablished)
	require.True(t, established.Dialog.Secure)
	leg.words()
	phone.Do("sndcode", "7")
	require.Equal(t, "7", leg.until(calls.FactDigit).Digit)
	require.NoError(t, leg.Press(t.Context(), "4#"))
	for _, key := range []string{"4", "#"} {
		phone.Told(`"param":"` + key + `"`)
	}
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()

	_, stranger := Authority(t)
	for name, change := range map[string]func(*sip.Trunk){"signed by nobody we know": secure(stranger, trunks.SRTPRequire),
		"this machine's authorities": secure("", trunks.SRTPRequire)} {
		require.Equal(t, "rejected 503 ", newCaller(t, address, change).dialsURI(t, "sip:callee@"+address).over(), name)
	}
	refused := newCaller(t, address, secure(authority, trunks.SRTPOff)).dialsURI(t, "sip:callee@"+address)
	require.Contains(t, refused.over(), "rejected 488", "it takes no sound in the clear")
}

// Given a phone that speaks A-law and no encryption, where one is wanted if there can be, then it is heard in the clear.
func TestAPhoneByALaw(t *testing.T) {
	t.Parallel()
	phone := Baresip(t, "<sip:callee@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=PCMA/8000/1", "Hello, this is the telephone.")
	behindNAT := func(tr *sip.Trunk) { tr.RTPNAT = true }
	leg := newCaller(t, at(phone.Peer), behindNAT).dialsURI(t, "sip:callee@"+at(phone.Peer))
	require.Equal(t, "PCMA", leg.until(calls.FactEstablished).Dialog.Codec)
	leg.words()
	require.NoError(t, leg.HangUp(t.Context()))
	require.Equal(t, "answered, established", strings.TrimPrefix(strings.TrimPrefix(leg.over(), "trying, "), "ringing, "))
}

// Given a call of a node that is gone, whose dialog was recorded, then another asks the phone what became of it, ends it, and is told
// that it is over.
func TestACallOfAnotherNode(t *testing.T) {
	t.Parallel()
	phone := Baresip(t, "<sip:callee@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1", "Hello, this is the telephone.")
	behindNAT := func(tr *sip.Trunk) { tr.RTPNAT = true }
	leg := newCaller(t, at(phone.Peer), behindNAT).dialsURI(t, "sip:callee@"+at(phone.Peer))
	dialog := leg.until(calls.FactEstablished).Dialog
	counts := &counting{}
	other := callerWith(t, func(cfg *sip.Config) { cfg.Together = counts }, at(phone.Peer), behindNAT, func(tr *sip.Trunk) { tr.MaxCalls = 1 })
	query := calls.LegQuery{SID: "s-1", Node: "gone", TenantID: "acme", Trunk: "main", Dialog: dialog}
	look := func() calls.LegStatus {
		report, err := other.Lookup(t.Context(), query)
		require.NoError(t, err)
		return report.Status
	}
	require.Equal(t, calls.LegTalking, look())
	require.NoError(t, other.Cut(t.Context(), "s-1"))
	phone.Told("CALL_CLOSED")
	require.Equal(t, calls.LegOver, look())
	_, status, err := other.Adopt(t.Context(), calls.LegRequest{SID: "s-1", TenantID: "acme", Trunk: "main"}, query)
	require.NoError(t, err)
	require.Equal(t, calls.LegOver, status)
	require.Eventually(t, func() bool {
		counts.mu.Lock()
		defer counts.mu.Unlock()
		return slices.Equal(slices.Repeat([]string{"over acme/main s-1"}, 3), counts.all) // hung up, and found over twice
	}, 20*time.Second, 20*time.Millisecond, "its place is free, whichever node had it")
	query.Dialog = nil
	require.Equal(t, calls.LegUntold, look(), "without its dialog nobody knows")
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
}
