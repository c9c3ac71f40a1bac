package sip_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a call with a telephone, when its node is gone, then another one goes on with it by its dialog
// alone: the telephone's sound comes there, and it is hung up from there. Afterwards there is none.
func TestACallIsTakenOverFromANodeThatIsGone(t *testing.T) {
	t.Parallel()
	phone := Telephone(t, "+15550000001")
	first := newCaller(t, at(phone), behindNAT)
	leg := first.dials(t)
	dialog := leg.until(calls.FactEstablished).Dialog
	leg.Abandon()
	require.Equal(t, "answered, established", strings.TrimPrefix(leg.over(), "ringing, "))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_ = first.Close(gone)

	next := newCaller(t, at(phone), behindNAT)
	take := func(ahead uint32) (*sip.Leg, calls.LegStatus, error) {
		d := *dialog
		d.CSeq += ahead
		return next.Adopt(t.Context(), calls.LegRequest{SID: "s-1", TenantID: "acme", Trunk: "main"}, calls.LegQuery{SID: "s-1",
			TenantID: "acme", Trunk: "main", Dialog: &d})
	}
	adopted, status, err := take(1000)
	require.NoError(t, err)
	require.Equal(t, calls.LegTalking, status)
	l := &heardLeg{t: t, Leg: adopted}
	moved := l.until(calls.FactEstablished).Dialog
	require.Greater(t, moved.CSeq, dialog.CSeq+1000)
	require.Eventually(t, func() bool { return adopted.Line().Quality().Received > 20 }, 20*time.Second, 20*time.Millisecond,
		"its sound comes here")
	require.NoError(t, adopted.HangUp(t.Context()))
	require.Equal(t, "answered, established", l.over())
	require.Eventually(t, func() bool { return strings.Contains(phone.Output(), "session closed") }, 20*time.Second, 20*time.Millisecond,
		"the telephone is told")
	_, status, err = take(3000)
	require.NoError(t, err)
	require.Equal(t, calls.LegOver, status)
}

// Given a call that another node began, when this one goes on with it, then it is the peer's call as before: what the peer asks in the
// dialog is done here, though our tag is the other node's; a node that has not the call sends who goes on with it here, and so does
// the node that began it, if it is there. A BYE ends it.
func TestAPeerGoesOnWithTheNodeThatTookOver(t *testing.T) {
	t.Parallel()
	const sdpType = "Content-Type: application/sdp\r\n"
	peer := Listens(t)
	address := peer.LocalAddr().String()
	var nodes []sip.Neighbour
	open := func(name string) *caller {
		c := callerWith(t, func(cfg *sip.Config) {
			cfg.Node, cfg.Nodes = name, func(context.Context) ([]sip.Neighbour, error) { return nodes, nil }
		}, address, local)
		nodes = append(nodes, sip.Neighbour{Node: name, At: c.Address()})
		return c
	}
	began, next, third := open("node-1"), open("node-2"), open("node-3")
	leg := began.dials(t)
	peer.Hears("INVITE")
	peer.Answers("200 OK", sdpType, pcmu)
	peer.Hears("ACK")
	d := *leg.until(calls.FactEstablished).Dialog
	leg.Abandon()
	leg.over()
	peer.Asks("INVITE", sdpType, pcmu)
	peer.Hears("SIP/2.0 491") // the call is not over, and its sound is not ours
	require.Empty(t, began.Taken())

	taken := make(chan *sip.Leg, 1)
	go func() {
		of := d
		of.CSeq += 1000
		adopted, _, _ := next.Adopt(t.Context(), calls.LegRequest{SID: "s-1", TenantID: "acme", Trunk: "main"}, calls.LegQuery{SID: "s-1",
			TenantID: "acme", Trunk: "main", Dialog: &of})
		taken <- adopted
	}()
	peer.Hears("INVITE")
	peer.Answers("200 OK", sdpType, pcmu)
	peer.Hears("ACK")
	adopted := &heardLeg{t: t, Leg: <-taken}
	require.NotNil(t, adopted.Leg)
	for _, asked := range []struct{ method, kind, body, answer string }{
		{"OPTIONS", "", "", "200"}, {"INVITE", sdpType, pcmu, "200"}, {"UPDATE", "", "", "200"}, {"REFER", "", "", "603"},
		{"INFO", "Content-Type: application/dtmf-relay\r\n", "Signal=5\r\nDuration=160\r\n", "200"},
	} {
		peer.Asks(asked.method, asked.kind, asked.body)
		told := peer.Hears("SIP/2.0 " + asked.answer)
		require.Contains(t, told.Get("CSeq"), asked.method)
	}

	tag := func(of string) string { _, tag, _ := strings.Cut(of, ";tag="); return tag }
	nodes[1].Taken = next.Taken()
	require.Equal(t, []string{tag(d.Local)}, nodes[1].Taken)
	for i, at := range []*caller{third, began} {
		by := connects(t, at)
		by.more = fmt.Sprintf("Replaces: %s;from-tag=%s;to-tag=%s\r\n", d.CallID, tag(d.Remote), tag(d.Local))
		by.asks("INVITE", "", pcmu, i+1)
		require.Contains(t, by.hears("SIP/2.0 302").Get("Contact"), next.Address())
	}
	peer.Asks("BYE", "", "")
	peer.Hears("SIP/2.0 200")
	require.Equal(t, "answered, established, digit 5, hung-up", adopted.over())
	require.Empty(t, next.Taken(), "it is over")
}

// behindNAT is a trunk whose peer may name another address for its sound, as a telephone of this machine does.
func behindNAT(tr *sip.Trunk) { tr.RTPNAT = true }

// scan sends a request from a socket that no trunk has, and tells the first line of what comes back.
func scan(t *testing.T, from net.PacketConn, d *desk, method string, n int, changed ...string) string {
	t.Helper()
	message := fmt.Sprintf("%[1]s sip:100@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP %[2]s;branch=z9hG4bK%[3]d\r\nFrom: <sip:x@x>;tag=%[3]d\r\n"+
		"To: <sip:100@127.0.0.1>\r\nCall-ID: scan-%[3]d\r\nCSeq: 1 %[1]s\r\nContact: <sip:x@%[2]s>\r\nMax-Forwards: 70\r\n"+
		"Content-Length: 0\r\n\r\n", method, from.LocalAddr(), n)
	message = strings.NewReplacer(changed...).Replace(message)
	to, err := net.ResolveUDPAddr("udp", fmt.Sprintf("%s:%d", Host, d.Port()))
	require.NoError(t, err)
	_, err = from.WriteTo([]byte(message), to)
	require.NoError(t, err)
	require.NoError(t, from.SetReadDeadline(time.Now().Add(700*time.Millisecond)))
	buf := make([]byte, 4096)
	got, _, err := from.ReadFrom(buf)
	if err != nil {
		return "nothing"
	}
	line, _ := bufio.NewReader(strings.NewReader(string(buf[:got]))).ReadString('\n')
	return strings.TrimSpace(line)
}

// Who comes from nowhere that a trunk is, is told so three times, whatever is asked, and then nothing.
func TestScannersGetNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, picksUp(t), func(tr *sip.Trunk) { tr.Sources = []string{"192.0.2.0/24"} })
	from, err := net.ListenPacket("udp", Host+":0")
	require.NoError(t, err)
	defer func() { _ = from.Close() }()
	var told []string
	for n, method := range []string{"OPTIONS", "REGISTER", "REFER", "OPTIONS", "REGISTER", "BYE", "REFER"} {
		told = append(told, scan(t, from, d, method, n))
	}
	require.Equal(t, []string{"SIP/2.0 403 Forbidden", "SIP/2.0 403 Forbidden", "SIP/2.0 603 Decline", "nothing", "nothing", "nothing",
		"nothing"}, told)
	require.Equal(t, "nothing", scan(t, from, d, "SUBSCRIBE", 10), "what nobody does here")
	require.Equal(t, "nothing", scan(t, from, d, "OPTIONS", 11, "100@127.0.0.1>", "100@127.0.0.1>;tag=x"), "within no call")
	require.Equal(t, "nothing", scan(t, from, d, "INVITE", 12, "CSeq:", "Cseek:"), "torn")
	require.Empty(t, d.offered())
}

// Given a peer that was asked to call somebody by a node that is gone, then the one that goes on with the call hears what comes of it: what
// is told by itself, and what is told when it is asked.
func TestWhatCameOfARequestOfANodeThatIsGone(t *testing.T) {
	const sdpType = "Content-Type: application/sdp\r\n"
	for name, c := range map[string]struct {
		does   func(peer *Callee)
		want   string
		former bool // it was asked for somebody who is not wanted any more
	}{
		"told by itself, before it is asked": {func(peer *Callee) {
			peer.Notifies(ended, "SIP/2.0 200 OK")
			peer.Hears("SIP/2.0 200")
		}, "transferred 200 OK", false},
		"told when it is asked": {func(peer *Callee) {
			asked := peer.Hears("SUBSCRIBE")
			require.Equal(t, []string{"refer", "60"}, []string{asked.Get("Event"), asked.Get("Expires")})
			peer.Answers("200 OK", "Expires: 60\r\n", "")
			peer.Notifies(active, "SIP/2.0 180 Ringing")
			peer.Hears("SIP/2.0 200")
			peer.Notifies(ended, "SIP/2.0 486 Busy Here")
			peer.Hears("SIP/2.0 200")
		}, "transferred 180 Ringing, transferred 486 Busy Here", false},
		"nothing is known": {func(peer *Callee) {
			peer.Hears("SUBSCRIBE")
			peer.Answers("481 Subscription Does Not Exist", "", "")
		}, "", false},
		"it takes no such question": {func(peer *Callee) {
			peer.Hears("SUBSCRIBE")
			peer.Answers("405 Method Not Allowed", "", "")
		}, "", false},
		"for somebody who is not wanted": {func(peer *Callee) {
			peer.Notifies(ended, "SIP/2.0 200 OK")
			peer.Hears("SIP/2.0 481") // which ends the subscription
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := Listens(t)
			address := peer.LocalAddr().String()
			first := newCaller(t, address, referring)
			leg := first.dials(t)
			peer.Hears("INVITE")
			peer.Answers("200 OK", sdpType, pcmu)
			peer.Hears("ACK")
			dialog := leg.until(calls.FactEstablished).Dialog
			asked := make(chan error, 1)
			go func() {
				_, _, err := leg.Refer(t.Context(), wanted, "t-1")
				asked <- err
			}()
			peer.Hears("REFER")
			peer.Answers("202 Accepted", "", "")
			require.NoError(t, <-asked)
			leg.Abandon()
			leg.over()

			next := newCaller(t, address, referring)
			taken := make(chan *sip.Leg, 1)
			go func() {
				d := *dialog
				d.CSeq += 1000
				adopted, _, _ := next.Adopt(t.Context(), calls.LegRequest{SID: "s-1", TenantID: "acme", Trunk: "main"}, calls.LegQuery{SID: "s-1",
					TenantID: "acme", Trunk: "main", Dialog: &d, Referred: !c.former, ReferredBefore: c.former})
				taken <- adopted
			}()
			peer.Hears("INVITE")
			peer.Answers("200 OK", sdpType, pcmu)
			peer.Hears("ACK")
			adopted := &heardLeg{t: t, Leg: <-taken}
			require.NotNil(t, adopted.Leg)
			c.does(peer)
			if c.former {
				go func() { _, _, _ = adopted.Refer(t.Context(), wanted, "t-2") }()
				peer.Hears("REFER")
				peer.Answers("202 Accepted", "", "")
				peer.Notifies(ended, "SIP/2.0 200 OK") // of which of the two it does not say
				peer.Hears("SIP/2.0 481")
			}
			for range strings.Count(c.want, "transferred") {
				adopted.until(calls.FactTransferred)
			}
			require.NoError(t, adopted.HangUp(t.Context()))
			peer.Hears("BYE")
			peer.Answers("200 OK", "", "")
			require.Equal(t, strings.TrimSuffix("answered, established, "+c.want, ", "), adopted.over())
		})
	}
}
