package sip_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

const (
	challenge = `Proxy-Authenticate: Digest realm="trunk", nonce="%s", algorithm=MD5, qop="auth"` + "\n"
	another   = `<recv request="INVITE" crlf="true"><action><ereg regexp="[0-9]+" search_in="hdr" header="CSeq:" assign_to="cseq"/>` +
		"</action></recv>\n"
)

func withPassword(t *sip.Trunk) { t.Username, t.Password = "acme", "secret" }

// Given what the library's dialogs leave open, then ours do what is right, and the callee is satisfied.
func TestWhatTheLibraryLeavesOpen(t *testing.T) {
	moved := func(to string) string {
		return "<send><![CDATA[\nSIP/2.0 302 Moved Temporarily\n[last_Via:]\n[last_From:]\n[last_To:];tag=x\n[last_Call-ID:]\n[last_CSeq:]\n" +
			"Contact: <" + to + ">\nContent-Length: 0\n\n]]></send>\n" + ACK
	}
	crossing := `<recv request="CANCEL"/>` + "\n" + ReplyOK + ToInvite(ReplySDP(200, "OK", Sound(answer)))
	ringing := ReplySDP(183, "Session Progress", Sound(answer), "Require: 100rel\n", "RSeq: 4711\n")
	prack := Expect("PRACK") + ReplyOK
	sameNumber := `<recv request="ACK" crlf="true"><action><ereg regexp="[0-9]+" search_in="hdr" header="CSeq:" assign_to="acked"/>` +
		`<strcmp assign_to="apart" variable="acked" variable2="cseq"/><test assign_to="same" variable="apart" compare="equal" value="0"/>` +
		`</action></recv><nop next="7" test="same"/><recv request="OPTIONS"/><label id="7"/>` + "\n" // none comes: that fails
	for name, c := range map[string]struct {
		script []string
		trunk  func(*sip.Trunk)
		hangUp calls.FactKind // behind it we do; empty: never
		want   string
	}{
		"taken back while it rings": {[]string{Reply(180, "Ringing"), Cancelled}, nil, calls.FactRinging, "ringing"},
		"answered while it is taken back": {[]string{Reply(180, "Ringing"), crossing, ACK, BYE, ReplyOK}, nil, calls.FactRinging,
			"ringing"},
		"taken back before any answer": {[]string{Pause(700), Reply(180, "Ringing"), Cancelled}, nil, calls.FactKind("at once"), ""},
		"a second one answers, too": {[]string{Reply(180, "Ringing"), ReplySDP(200, "OK", Sound(answer)), ACK,
			ToInvite(ReplyAs("fork", 200, "OK", Sound(answer))), ACK, BYE, ReplyOK, BYE, ReplyOK}, nil, calls.FactHeld,
			"answered, established"},
		"a second one hangs up before it is hung up on": {[]string{ReplySDP(200, "OK", Sound(answer)), ACK,
			ToInvite(ReplyAs("fork", 200, "OK", Sound(answer))), ACK, BYE, ReplyOK, strings.NewReplacer(";tag="+Tag, ";tag=fork",
				"response=\"200\"", "response=\"481\"").Replace(SendsBYE), BYE, ReplyOK}, nil, calls.FactHeld, "answered, established"},
		"an answer is repeated": {[]string{ReplySDP(200, "OK", Sound(answer)), ACK,
			ToInvite(ReplySDP(200, "OK", Sound(answer))), ACK, BYE, ReplyOK}, nil, calls.FactHeld, "answered, established"},
		"a provisional answer is acknowledged": {[]string{ringing, prack, ToInvite(ReplySDP(200, "OK", Sound(answer))),
			sameNumber, BYE, ReplyOK}, nil, calls.FactEstablished, "answered, established"},
		"sound is described anew while it rings": {[]string{ringing, prack, Sends("UPDATE", 3, "Content-Type: application/sdp\n",
			Sound(answer, "a=sendonly")), OK, Sends("UPDATE", 4, "", ""), OK, ToInvite(Reply(200, "OK")), ACK, BYE, ReplyOK}, nil,
			calls.FactHeld, "answered, established, held"},
		"and before it was described at all": {[]string{Reply(180, "Ringing"), Pause(300), Sends("UPDATE", 3, "Content-Type: application/sdp\n",
			Sound(answer)), Response(491), ToInvite(ReplySDP(200, "OK", Sound(answer))), ACK, BYE, ReplyOK}, nil, calls.FactEstablished,
			"answered, established"},
		"and torn": {[]string{ringing, prack, Sends("UPDATE", 3, "Content-Type: application/sdp\n", "nonsense"), Response(488),
			ToInvite(ReplySDP(200, "OK", Sound(answer))), ACK, BYE, ReplyOK}, nil, calls.FactEstablished, "answered, established"},
		"the one of two whose sound was described first answers": {[]string{ReplySDP(183, "Session Progress", Sound(answer, "a=sendonly")),
			ReplyAs("fork", 183, "Session Progress", Sound(answer)), ToInvite(Reply(200, "OK")), ACK, BYE, ReplyOK}, nil,
			calls.FactHeld, "answered, established, held"},
		"the password": {[]string{Reply(407, "Proxy Authentication Required", fmt.Sprintf(challenge, "n1")), ACK, another,
			ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK}, withPassword, calls.FactEstablished, "answered, established"},
		"challenged for ever": {[]string{Reply(407, "Proxy Authentication Required", fmt.Sprintf(challenge, "n1")), ACK, another,
			Reply(407, "Proxy Authentication Required", fmt.Sprintf(challenge, "n2")), ACK, another,
			Reply(407, "Proxy Authentication Required", fmt.Sprintf(challenge, "n3")), ACK}, withPassword, "",
			"rejected 407 Proxy Authentication Required"},
		"the end is challenged": {[]string{ReplySDP(200, "OK", Sound(answer)), ACK, BYE, "<send><![CDATA[\nSIP/2.0 407 Proxy Authentication " +
			"Required\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n" + fmt.Sprintf(challenge, "n1") +
			"Content-Length: 0\n\n]]></send>\n", BYE, ReplyOK}, withPassword, calls.FactEstablished, "answered, established"},
		"redirected to itself": {[]string{moved("sip:+15550000001@[local_ip]:[local_port];user=phone")}, nil, "",
			"rejected 302 Moved Temporarily"},
		"redirected within the trunk": {[]string{moved("sip:other@[local_ip]:[local_port]"), another, Reply(486, "Busy Here"), ACK}, nil, "",
			"rejected 486 Busy Here"},
		"redirected to a number that is not dialled": {[]string{moved("sip:%2B19005550000@[local_ip]:[local_port]")},
			func(tr *sip.Trunk) { tr.Refuse = []string{"+1900"} }, "", "rejected 302 Moved Temporarily"},
		"redirected again and again": {[]string{moved("sip:one@[local_ip]:[local_port]"), another,
			moved("sip:two@[local_ip]:[local_port]"), another,
			moved("sip:three@[local_ip]:[local_port]"), another, moved("sip:four@[local_ip]:[local_port]")}, nil, "",
			"rejected 302 Moved Temporarily"},
		"a longer session": {[]string{Reply(422, "Session Interval Too Small", "Min-SE: 120\n"), ACK, another, Reply(480, "Gone"), ACK}, nil, "",
			"rejected 480 Gone"},
		"sound that is torn": {[]string{ReplySDP(200, "OK", "nonsense"), ACK, BYE, ReplyOK}, nil, "", "rejected 488 "},
		"sound without a codec": {[]string{ReplySDP(200, "OK", strings.Replace(Sound(answer), "RTP/AVP 0 101", "RTP/AVP 9", 1)), ACK, BYE,
			ReplyOK}, nil, "", "rejected 488 "},
		"sound that points inward": {[]string{ReplySDP(200, "OK", strings.Replace(Sound(answer), "[media_ip]", "10.0.0.1", 1)), ACK, BYE,
			ReplyOK}, nil, "", "rejected 488 "},
		"sound in the clear that has to be encrypted": {[]string{ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK},
			func(tr *sip.Trunk) { tr.SRTP = trunks.SRTPRequire }, "", "rejected 488 "},
		"no sound at all": {[]string{Reply(200, "OK"), ACK, BYE, ReplyOK}, nil, "", "rejected 488 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(c.script...), 1)
			change := c.trunk
			if change == nil {
				change = func(*sip.Trunk) {}
			}
			leg := newCaller(t, at(peer), change).dials(t)
			switch c.hangUp {
			case "":
			case "at once":
				time.Sleep(200 * time.Millisecond) // the INVITE is on its way
				require.NoError(t, leg.HangUp(t.Context()))
			case calls.FactHeld: // the peer goes on by itself for a moment
				leg.until(calls.FactEstablished)
				time.Sleep(500 * time.Millisecond)
				require.NoError(t, leg.HangUp(t.Context()))
			default:
				leg.until(c.hangUp)
				require.NoError(t, leg.HangUp(t.Context()))
			}
			// The library has a goroutine for each message: ringing right before the answer may be late.
			require.Equal(t, c.want, strings.TrimPrefix(leg.over(), "ringing, "))
			peer.Satisfied()
		})
	}
}

// Given a trunk that says nothing at all, then it is given up long before a transaction would be, as one that is not there.
func TestATrunkThatSaysNothing(t *testing.T) {
	t.Parallel()
	mute, err := net.ListenPacket("udp", Host+":0")
	require.NoError(t, err)
	defer mute.Close()
	began := time.Now()
	c, silent := newCaller(t, mute.LocalAddr().String()), make(chan string, 1)
	c.Silent(func(tenant, name string) { silent <- tenant + "/" + name })
	require.Equal(t, "rejected 503 ", c.dials(t).over())
	require.Less(t, time.Since(began), 20*time.Second)
	require.Equal(t, "acme/main", <-silent, "who looks after the trunk is told")
}

// Given requests of the callee within the call, then they are answered, and told.
func TestWhatACalleeAsksForInACall(t *testing.T) {
	picksUp := func(more ...string) []string {
		return append([]string{ReplySDP(200, "OK", Sound(answer)), ACK, Pause(100)}, more...)
	}
	sdp := func(direction string) string { return Sound(answer, "a="+direction) }
	kind := "Content-Type: application/sdp\n"
	for name, c := range map[string]struct {
		script []string
		want   string
	}{
		"hold and resume": {picksUp(Sends("INVITE", 3, kind, sdp("sendonly")), OK, SendsACK(3), Pause(100),
			Sends("INVITE", 4, kind, sdp("sendrecv")), OK, SendsACK(4), Pause(100), SendsBYE), "answered, established, held, resumed, hung-up"},
		"hold and resume, described in the acknowledgement": {picksUp(Sends("INVITE", 3, "", ""), OK, SendsACKWith(3, sdp("sendonly")),
			Pause(100), Sends("INVITE", 4, "", ""), OK, SendsACKWith(4, sdp("sendrecv")), Pause(100), SendsBYE),
			"answered, established, held, resumed, hung-up"},
		"another address of its sound, described so": {picksUp(Sends("INVITE", 3, "", ""), OK,
			SendsACKWith(3, strings.Replace(sdp("sendrecv"), "m=audio "+answer, "m=audio 9998", 1)), Pause(100), SendsBYE),
			"answered, established, established, hung-up"},
		"nothing described, or what is torn": {picksUp(Sends("INVITE", 3, "", ""), OK, SendsACK(3), Pause(100), Sends("INVITE", 4, "", ""), OK,
			SendsACKWith(4, "nonsense"), Pause(100), SendsBYE), "answered, established, hung-up"},
		"what held before the last, late": {picksUp(Sends("INVITE", 4, kind, sdp("sendonly")), OK, SendsACK(4), Sends("INVITE", 5, kind,
			sdp("sendrecv")), OK, SendsACK(5), Sends("INVITE", 3, kind, sdp("sendonly")), `<recv response="500"/>`+"\n", SendsACK(3),
			Sends("UPDATE", 2, kind, sdp("inactive")), `<recv response="500"/>`+"\n", Pause(100), SendsBYE),
			"answered, established, held, resumed, hung-up"},
		"a session that they refresh": {picksUp(Sends("UPDATE", 3, "Session-Expires: 90;refresher=uac\n", ""), OK, Pause(100), SendsBYE),
			"answered, established, hung-up"},
		"digits": {picksUp(Sends("INFO", 3, "Content-Type: application/dtmf-relay\n", "Signal=5\nDuration=160\n"), OK,
			Sends("INFO", 4, "Content-Type: application/dtmf\n", "#"), OK, Pause(100), SendsBYE),
			"answered, established, digit 5, digit #, hung-up"},
		"what is no digit": {picksUp(Sends("INFO", 3, "Content-Type: text/plain\n", "x"), `<recv response="415"/>`+"\n", SendsBYE),
			"answered, established, hung-up"},
		"a description that is torn": {picksUp(Sends("INVITE", 3, kind, "v=0\n"), `<recv response="488"/>`+"\n", SendsACK(3), SendsBYE),
			"answered, established, hung-up"},
		"to call somebody": {picksUp(Sends("REFER", 3, "Refer-To: <sip:+19005550000@[local_ip]>\n", ""), `<recv response="603"/>`+"\n",
			SendsBYE), "answered, established, hung-up"},
		"another contact": {picksUp(strings.Replace(Sends("INVITE", 3, kind, sdp("sendrecv")), "Contact: <sip:callee@",
			"Contact: <sip:moved@", 1), OK, SendsACK(3),
			Pause(100), SendsBYE), "answered, established, established, hung-up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(c.script...), 1)
			require.Equal(t, c.want, newCaller(t, at(peer)).dials(t).over())
			peer.Satisfied()
		})
	}
}

// Given a callee that puts us on hold, in the call or from its first word, then what is said to it waits until it is back.
func TestWhatIsSaidToACalleeWaitsForIt(t *testing.T) {
	kind := "Content-Type: application/sdp\n"
	back := []string{Pause(800), Sends("INVITE", 4, kind, Sound(answer, "a=sendrecv")), OK, SendsACK(4), Pause(800), SendsBYE}
	for name, script := range map[string][]string{
		"in the call": append([]string{ReplySDP(200, "OK", Sound(answer)), ACK, Pause(100),
			Sends("INVITE", 3, kind, Sound(answer, "a=inactive")), OK, SendsACK(3)}, back...),
		"at once": append([]string{ReplySDP(200, "OK", Sound(answer, "a=sendonly")), ACK}, back...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(script...), 1)
			leg := newCaller(t, at(peer)).dials(t)
			leg.until(calls.FactHeld)
			go func() { _ = leg.Play(t.Context(), "hello", make([]int16, 2_000)) }()
			require.Equal(t, "answered, established, held, resumed, played, hung-up", leg.over())
			require.False(t, leg.facts[len(leg.facts)-2].Interrupted)
			peer.Satisfied()
		})
	}
}

// Given an answer that lets us refresh the session, then we do, and go by what the peer says to that; one that will not have it is
// asked again.
func TestASessionThatWeRefresh(t *testing.T) {
	const ours = "Session-Expires: 2;refresher=uac\n"
	for name, c := range map[string]struct {
		script []string
		want   string
	}{
		"it is": {[]string{another, ReplySDP(200, "OK", Sound(answer), ours), ACK, SendsBYE}, "hung-up"},
		"they ask too": {[]string{another, Reply(491, "Request Pending"), ACK, another, ReplySDP(200, "OK", Sound(answer), ours), ACK,
			SendsBYE}, "hung-up"},
		"not at once": {[]string{another, Reply(500, "Busy"), ACK, another, ReplySDP(200, "OK", Sound(answer), ours), ACK, SendsBYE}, "hung-up"},
		"never": {[]string{another, Reply(500, "Busy"), ACK, another, Reply(500, "Busy"), ACK, BYE, ReplyOK},
			"lost: the session was not refreshed: 500 Busy"},
		"on hold, and no more refreshes": {[]string{another, ReplySDP(200, "OK", Sound(answer, "a=sendonly")), ACK, Pause(2500), SendsBYE},
			"held, hung-up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(append([]string{ReplySDP(200, "OK", Sound(answer), ours), ACK}, c.script...)...), 1)
			require.Equal(t, "answered, established, "+c.want, newCaller(t, at(peer)).dials(t).over())
			peer.Satisfied()
		})
	}
}
