package sip_test

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a source of a trunk that begins calls as fast as it can, then most of them are told to come again, and a call from another
// source is taken meanwhile as on any day.
func TestAFloodOfCalls(t *testing.T) {
	t.Parallel()
	const flood = 3_000
	flooding := 0
	d := newDesk(t, func(in *sip.Incoming, o calls.Offer) string {
		if o.Person == "tel:+15550000001" {
			_ = in.Answer(t.Context(), answersTo)
			return (&heardLeg{t: t, Leg: in.Leg}).over()
		}
		_ = in.Reject(t.Context(), 486, "Busy Here")
		return "flood"
	})
	go func() { // nobody waits for each of them
		for range d.done {
		}
	}()
	from, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)})
	require.NoError(t, err)
	defer func() { _ = from.Close() }()
	go func() { // reads what it is told
		buf := make([]byte, 4096)
		for {
			if _, err := from.Read(buf); err != nil {
				return
			}
		}
	}()
	sdp := "v=0\r\no=- 1 1 IN IP4 127.0.0.2\r\ns=-\r\nc=IN IP4 127.0.0.2\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n"
	began, to := time.Now(), &net.UDPAddr{IP: net.ParseIP(Host), Port: d.Port()}
	for n := range flood {
		_, err := fmt.Fprintf(udpTo{from, to}, "INVITE sip:+15550100@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP %[1]s;branch=z9hG4bKf%[2]d\r\n"+
			"From: <sip:flood@127.0.0.2>;tag=%[2]d\r\nTo: <sip:+15550100@127.0.0.1>\r\nCall-ID: flood-%[2]d\r\nCSeq: 1 INVITE\r\n"+
			"Contact: <sip:flood@%[1]s>\r\nMax-Forwards: 70\r\nContent-Type: application/sdp\r\nContent-Length: %[3]d\r\n\r\n%[4]s",
			from.LocalAddr(), n, len(sdp), sdp)
		require.NoError(t, err)
	}
	peer := Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), MayBeTold(180), Told(200), SaysACK(ann, ""),
		Pause(300), Asks("BYE", ann, 2, ""), Told(200))
	peer.Satisfied()
	seconds := int(time.Since(began).Seconds()) + 2
	require.Eventually(t, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		flooding = 0
		for _, story := range d.stories {
			if story == "flood" {
				flooding++
			}
		}
		return len(d.stories) == flooding+1 && len(d.stories) == len(d.offers)
	}, 20*time.Second, 20*time.Millisecond)
	require.Contains(t, d.story(), "answered, established, hung-up")
	require.Positive(t, flooding)
	require.LessOrEqual(t, flooding, 100*seconds)
}

// udpTo writes to somebody.
type udpTo struct {
	*net.UDPConn
	to *net.UDPAddr
}

func (u udpTo) Write(p []byte) (int, error) { return u.WriteToUDP(p, u.to) }

// Given a trunk that has one call ring at more and more callees, all of whom answer, then as many are acknowledged as a call forks to,
// the others are not heard, and the call is that of who answered first.
func TestACallThatForksWithoutEnd(t *testing.T) {
	t.Parallel()
	const flood, most = 200, 32
	peer := Listens(t)
	c := callerWith(t, func(*sip.Config) {}, peer.LocalAddr().String())
	leg, to := c.dials(t), netip.MustParseAddrPort(c.Address())
	invite := peer.Hears("INVITE")
	says := func(tag, line, more string) {
		_, err := peer.WriteToUDPAddrPort(fmt.Appendf(nil, "SIP/2.0 %s\r\nVia: %s\r\nFrom: %s\r\nTo: %s;tag=%s\r\nCall-ID: %s\r\nCSeq: %s\r\n"+
			"Contact: <sip:%s@%s>\r\n%sContent-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s", line, invite.Get("Via"),
			invite.Get("From"), invite.Get("To"), tag, invite.Get("Call-ID"), invite.Get("CSeq"), tag, peer.LocalAddr(), more, len(pcmu), pcmu), to)
		require.NoError(t, err)
	}
	asked := func(method string) int { // within a moment
		all := map[string]bool{}
		require.NoError(t, peer.SetReadDeadline(time.Now().Add(time.Second)))
		for {
			headers, err := peer.Next()
			if err != nil {
				return len(all)
			}
			if strings.HasSuffix(headers.Get("CSeq"), method) {
				all[headers.Get("To")] = true
				peer.Answers("200 OK", "", "")
			}
		}
	}
	for i := range flood {
		says(fmt.Sprintf("rings-%d", i), "183 Session Progress", "Require: 100rel\r\nRSeq: 1\r\n")
	}
	require.Equal(t, most, asked("PRACK"))
	says("callee", "200 OK", "")
	leg.until(calls.FactEstablished)
	for i := range flood {
		says(fmt.Sprintf("late-%d", i), "200 OK", "")
	}
	require.Equal(t, most, asked("BYE"))
	require.NoError(t, leg.HangUp(t.Context()))
	require.Equal(t, "ringing, answered, established", leg.over())
}
