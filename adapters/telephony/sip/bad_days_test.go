package sip_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Steps of a callee that hangs up when we do: it has our BYE, and answers it behind its own.
const (
	ourBYE = `<recv request="BYE" crlf="true"><action><ereg regexp=".*" search_in="hdr" header="Via:" assign_to="byed"/>` +
		`<ereg regexp=".*" search_in="hdr" header="CSeq:" assign_to="numbered"/></action></recv>` + "\n"
	answersIt = "<send><![CDATA[\nSIP/2.0 %d %s\nVia: [$byed]\nFrom: [$them]\nTo: <sip:callee@[local_ip]>;tag=" + Tag +
		"\n[last_Call-ID:]\nCSeq: [$numbered]\nContent-Length: 0\n\n]]></send>\n"
	anotherByItsWay = `<recv request="INVITE" crlf="true"><action><ereg regexp="[0-9]+" search_in="hdr" header="CSeq:" assign_to="cseq"/>` +
		`<ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via"/></action></recv>` + "\n"
)

// Given a trunk on a bad day, then each leg has one end, which is the true one, and the trunk is left as it should be.
func TestBadDaysOfATrunk(t *testing.T) {
	again := strings.Repeat(Reply(100, "Trying")+Pause(50), 8)
	picksUp := func(headers string, more ...string) []string {
		return append([]string{ReplySDP(200, "OK", Sound(answer), headers), ACK}, more...)
	}
	refreshed := ReplySDP(200, "OK", Sound(answer))
	for name, c := range map[string]struct {
		script []string
		hangUp calls.FactKind // behind it we do; empty: never
		want   string
	}{
		"100 for ever": {[]string{again, Reply(100, "Trying"), Cancelled}, calls.FactTrying, "trying"},
		"a BYE that crosses ours": {picksUp("", ourBYE, SendsBYE, strings.NewReplacer("%d", "200", "%s", "OK").Replace(answersIt)),
			calls.FactEstablished, "answered, established"},
		"a BYE that crosses ours, of which it knows nothing any more": {picksUp("", ourBYE, SendsBYE,
			strings.NewReplacer("%d", "481", "%s", "Unknown").Replace(answersIt)), calls.FactEstablished, "answered, established"},
		"a BYE at once, and twice": {picksUp("", SendsBYE, SendsBYE), "", "answered, established, hung-up"},
		"a session that it does not refresh": {picksUp("Session-Expires: 2;refresher=uas\n", BYE, ReplyOK), "",
			"answered, established, lost: the peer did not refresh the session"},
		"a refresh whose ACK is lost": {picksUp("Session-Expires: 2;refresher=uac\n", anotherByItsWay, refreshed, ACK, ToInvite(refreshed), ACK,
			ToInvite(refreshed), ACK, SendsBYE), "", "answered, established, hung-up"},
		"a refresh that finds nobody": {picksUp("Session-Expires: 2;refresher=uac\n", another, Reply(481, "Unknown"), ACK, BYE, ReplyOK), "",
			"answered, established, lost: the session was not refreshed: 481 Unknown"},
		"ends that no code is for": {[]string{Reply(699, "What now"), ACK}, "", "rejected 699 What now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(c.script...), 1)
			leg := newCaller(t, at(peer)).dials(t)
			if c.hangUp != "" {
				for range strings.Count(c.script[0], " 100 ") { // all but the last
					leg.until(c.hangUp)
				}
				leg.until(c.hangUp)
				require.NoError(t, leg.HangUp(t.Context()))
			}
			require.Equal(t, c.want, once(leg.over()))
			peer.Satisfied()
		})
	}
}

// impatient is an agent that asks who is mute soon.
func impatient(t *testing.T, address string) *caller {
	t.Helper()
	c := newCaller(t, address)
	agent, err := sip.Open(sip.Config{Listen: fmt.Sprintf("%s:%d", Host, FreePort(t)), RTPFirst: 20000, RTPLast: 24999, Quiet: time.Second,
		Allow: netip.Addr.IsLoopback, Log: slog.New(slog.DiscardHandler),
		Trunk: func(context.Context, string, string) (sip.Trunk, error) {
			main, _ := c.trunks.get("main")
			return main, nil
		}})
	require.NoError(t, err)
	t.Cleanup(func() {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_ = agent.Close(gone)
	})
	return &caller{Agent: agent, trunks: c.trunks}
}

// Given a peer that sends no sound any more, then it is asked whether it is there: as long as it is, the call goes on; one that knows of
// none, or is gone, has lost it.
func TestAPeerThatIsGone(t *testing.T) {
	unknown := "<send><![CDATA[\nSIP/2.0 481 Unknown\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n" +
		"Content-Length: 0\n\n]]></send>\n"
	t.Run("it knows of none", func(t *testing.T) {
		t.Parallel()
		peer := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, Expect("OPTIONS"), ReplyOK, Expect("OPTIONS"), unknown, BYE,
			unknown), 1)
		require.Equal(t, "answered, established, lost: the peer is gone", impatient(t, at(peer)).dials(t).over())
		peer.Satisfied()
	})
	t.Run("it was killed", func(t *testing.T) {
		t.Parallel()
		peer := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, Pause(60_000)), 1)
		leg := impatient(t, at(peer)).dials(t)
		leg.until(calls.FactEstablished)
		peer.Kill()
		require.Equal(t, "answered, established, lost: the peer is gone", leg.over())
	})
}

// Given a trunk that takes our connection and says nothing, not even that it is who it is, then it is given up as one that is not there.
func TestATrunkThatOnlyTakesConnections(t *testing.T) {
	for _, over := range []trunks.Transport{trunks.TCP, trunks.TLS} {
		t.Run(string(over), func(t *testing.T) {
			t.Parallel()
			mute, err := net.Listen("tcp", Host+":0")
			require.NoError(t, err)
			defer func() { _ = mute.Close() }()
			leg := newCaller(t, mute.Addr().String(), func(tr *sip.Trunk) { tr.Transport = over }).dials(t)
			require.Equal(t, "rejected 503 ", leg.over())
		})
	}
}

// Given a peer whose sound moves in the middle of the call, then it is sent to where the new description says, and heard from there.
func TestACallThatMoves(t *testing.T) {
	t.Parallel()
	moved, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(Host)})
	require.NoError(t, err)
	defer func() { _ = moved.Close() }()
	elsewhere := Sound(strconv.Itoa(moved.LocalAddr().(*net.UDPAddr).Port))
	peer := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, Pause(100),
		Sends("INVITE", 3, "Content-Type: application/sdp\n", elsewhere), OK, SendsACK(3), BYE, ReplyOK), 1)
	leg := newCaller(t, at(peer)).dials(t)
	leg.until(calls.FactEstablished)
	require.NoError(t, moved.SetReadDeadline(time.Now().Add(20*time.Second)))
	packet := make([]byte, 1500)
	n, from, err := moved.ReadFromUDPAddrPort(packet)
	require.NoError(t, err, "its sound comes here")
	packet[1], packet[8] = packet[1]&0x7f, packet[8]+1 // as somebody else's
	for range 100 {
		for i := range packet[12:n] {
			packet[12+i] = byte(i%16) * 17
		}
		packet[3]++
		_, err = moved.WriteToUDPAddrPort(packet[:n], from)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return leg.Quality().Received > 0 }, 20*time.Second, 10*time.Millisecond, "it is heard from here")
	require.NoError(t, leg.HangUp(t.Context()))
	require.Equal(t, "answered, established", once(leg.over()))
	peer.Satisfied()
}

// once leaves out what is told again without a change.
func once(story string) string {
	var out []string
	for what := range strings.SplitSeq(story, ", ") {
		if len(out) == 0 || out[len(out)-1] != what {
			out = append(out, what)
		}
	}
	return strings.Join(out, ", ")
}
