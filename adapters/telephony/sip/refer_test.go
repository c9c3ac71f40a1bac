package sip_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// referring is a trunk that is asked to call people.
func referring(tr *sip.Trunk) {
	tr.Transfers, tr.Username, tr.Password = trunks.TransfersRefer, "acme", "secret"
}

// asked is an answered call whose peer goes on as a script says, and what it says to a REFER.
func asked(t *testing.T, target string, steps ...string) (leg *heardLeg, peer *Peer, answer string) {
	t.Helper()
	peer = SIPp(t, Scenario(append([]string{ReplySDP(200, "OK", Sound(answered)), ACK}, steps...)...), 1)
	leg = newCaller(t, at(peer), referring).dials(t)
	leg.until(calls.FactEstablished)
	require.True(t, leg.Refers())
	code, phrase, err := leg.Refer(t.Context(), target, "t-1")
	require.NoError(t, err)
	return leg, peer, fmt.Sprintf("%d %s", code, phrase)
}

const (
	answered = "[media_port]"
	wanted   = "tel:+15550000009"
	active   = "active;expires=60"
	ended    = "terminated;reason=noresource"
)

var refer = Matching("REFER", map[string]string{"Refer-To": `sip:\+15550000009@`, "Referred-By": `sip:\+15550100@`, "Contact": "sip:"})

// Given a peer that calls somebody at our word, then its notifications say what comes of it, and we go.
func TestAPeerCallsAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string
		want  string // behind answered, established
	}{
		"taken": {[]string{Answers(202, "Accepted"), Notifies(8, active, "SIP/2.0 100 Trying"), OK,
			Notifies(9, active, "SIP/2.0 180 Ringing"), OK, Notifies(10, active, "SIP/2.0 183 Session Progress"), OK,
			Notifies(11, ended, "SIP/2.0 200 OK"), OK}, "transferred 180 Ringing, transferred 200 OK"},
		"not taken":  {[]string{Answers(202, "Accepted"), Notifies(8, ended, "SIP/2.0 486 Busy Here"), OK}, "transferred 486 Busy Here"},
		"never told": {[]string{Answers(202, "Accepted"), Notifies(8, ended, "SIP/2.0 100 Trying"), OK}, "transferred 0"},
		"told nothing": {[]string{Answers(200, "OK"), Sends("NOTIFY", 8, "Event: refer;id=77777777\nSubscription-State: "+ended+"\n", ""), OK},
			"transferred 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leg, peer, said := asked(t, wanted, append(append([]string{refer}, c.steps...), BYE, ReplyOK)...)
			require.Regexp(t, "^20[02] ", said)
			told := leg.until(calls.FactTransferred)
			for ; told.Code/100 == 1; told = leg.until(calls.FactTransferred) {
			}
			require.Equal(t, "t-1", told.ID)
			require.NoError(t, leg.HangUp(t.Context()))
			require.Equal(t, "answered, established, "+c.want, leg.over())
			peer.Satisfied()
		})
	}
}

// Given a peer that calls somebody, when another is wanted before it has told, then it is not asked for them as well, and what it tells is
// of the first; when it has told, it is asked for the other, and what it tells of the first once more is nobody's.
func TestAPeerCallsOneAtATime(t *testing.T) {
	t.Parallel()
	of := func(cseq int, id, state, line string) string {
		return Sends("NOTIFY", cseq, "Event: refer"+id+"\nSubscription-State: "+state+"\nContent-Type: message/sipfrag\n", line)
	}
	leg, peer, _ := asked(t, wanted, refer, Answers(202, "Accepted"), Pause(300), Notifies(8, ended, "SIP/2.0 486 Busy Here"), OK,
		refer, Answers(202, "Accepted"), of(9, "", ended, "SIP/2.0 200 OK"), Response(481),
		of(10, ";id=99999999", ended, "SIP/2.0 200 OK"), OK, BYE, ReplyOK)
	_, _, err := leg.Refer(t.Context(), wanted, "t-2")
	require.ErrorContains(t, err, "was asked to call somebody already")
	told := leg.until(calls.FactTransferred)
	require.Equal(t, []any{"t-1", 486}, []any{told.ID, told.Code})
	code, _, err := leg.Refer(t.Context(), wanted, "t-2")
	require.NoError(t, err)
	require.Equal(t, 202, code)
	told = leg.until(calls.FactTransferred)
	require.Equal(t, []any{"t-2", 200}, []any{told.ID, told.Code})
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
	peer.Satisfied()
}

// Given a peer that does not call anybody, or wants a proof, or changes something itself at the moment, then its answer says so,
// or it is asked again.
func TestAPeerIsAskedToCallAPerson(t *testing.T) {
	challenge := Answers(407, "Proxy Authentication Required", "Proxy-Authenticate: Digest realm=\"x\", nonce=\"n\"\n")
	proven := Matching("REFER", map[string]string{"Proxy-Authorization": `username="acme"`})
	for name, c := range map[string]struct {
		steps []string
		want  string
	}{
		"forbidden":      {[]string{refer, Answers(403, "Forbidden")}, "403 Forbidden"},
		"not known":      {[]string{refer, Answers(405, "Method Not Allowed")}, "405 Method Not Allowed"},
		"not there":      {[]string{refer, Answers(501, "Not Implemented")}, "501 Not Implemented"},
		"declined":       {[]string{refer, Answers(603, "Decline")}, "603 Decline"},
		"a proof":        {[]string{refer, challenge, proven, Answers(202, "Accepted")}, "202 Accepted"},
		"a proof always": {[]string{refer, challenge, proven, challenge}, "407 Proxy Authentication Required"},
		"later": {[]string{refer, Answers(491, "Request Pending"), refer, Answers(491, "Request Pending"), refer,
			Answers(202, "Accepted")}, "202 Accepted"},
		"always later": {[]string{refer, Answers(491, "Request Pending"), refer, Answers(491, "Request Pending"), refer,
			Answers(491, "Request Pending")}, "491 Request Pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leg, peer, said := asked(t, wanted, append(c.steps, BYE, ReplyOK)...)
			require.Equal(t, c.want, said)
			require.NoError(t, leg.HangUp(t.Context()))
			leg.over()
			peer.Satisfied()
		})
	}
}

// Given a peer that hangs up while it calls somebody, then what it still tells is heard; one that knows nothing of the call any more has
// hung up.
func TestAPeerHangsUpBehindARefer(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string
		want  string
	}{
		"crossed": {[]string{Answers(202, "Accepted"), SendsBYE, Notifies(8, ended, "SIP/2.0 200 OK"), OK}, "transferred 200 OK, hung-up"},
		"told twice": {[]string{Answers(202, "Accepted"), Notifies(8, ended, "SIP/2.0 200 OK"), OK, Notifies(9, ended, "SIP/2.0 200 OK"), OK,
			SendsBYE}, "transferred 200 OK, hung-up"},
		"without word": {[]string{Answers(202, "Accepted"), SendsBYE}, "hung-up"},
		"unknown":      {[]string{Answers(481, "Call/Transaction Does Not Exist")}, "hung-up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leg, peer, _ := asked(t, wanted, append([]string{refer}, c.steps...)...)
			require.Equal(t, "answered, established, "+c.want, leg.over())
			peer.Satisfied()
		})
	}
}

// Given notifications of something else, of nothing, and torn ones, then they are refused, and so is a peer that asks us to call somebody.
func TestWhatAPeerMayNotTell(t *testing.T) {
	t.Parallel()
	told := func(cseq int, event, kind, body string) string {
		return Sends("NOTIFY", cseq, "Event: "+event+"\nSubscription-State: active\n"+kind, body)
	}
	const sipfrag = "Content-Type: message/sipfrag\n"
	leg, peer, _ := asked(t, wanted, refer, Answers(202, "Accepted"),
		told(8, "presence", sipfrag, "SIP/2.0 200 OK"), Response(489),
		told(9, "refer;id=1", sipfrag, "SIP/2.0 200 OK"), Response(481),
		told(10, "refer", sipfrag, "SIP/2.0 2000 OK"), Response(400),
		told(11, "refer", "Content-Type: text/plain\n", "SIP/2.0 200 OK"), Response(400),
		told(12, "refer", "", ""), Response(400),
		Sends("REFER", 13, "Refer-To: <sip:+19005550000@192.0.2.1>\n", ""), Response(603),
		SendsBYE)
	require.Equal(t, "answered, established, hung-up", leg.over())
	peer.Satisfied()

	peer = SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answered)), ACK, told(8, "refer", sipfrag, "SIP/2.0 200 OK"), Response(481),
		SendsBYE), 1)
	leg = newCaller(t, at(peer)).dials(t)
	leg.until(calls.FactEstablished)
	require.False(t, leg.Refers(), "its trunk does not say so")
	require.Equal(t, "answered, established, hung-up", leg.over())
	peer.Satisfied()

	peer = SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answered)), ACK, BYE, ReplyOK), 1)
	leg = newCaller(t, at(peer), referring, func(tr *sip.Trunk) { tr.Refuse = []string{"+1555000"} }).dialsURI(t, "sip:callee@"+at(peer))
	leg.until(calls.FactEstablished)
	for _, target := range []string{wanted, "sip:+15550000009@" + at(peer), "sip:%2B15550000009@" + at(peer)} {
		_, _, err := leg.Refer(t.Context(), target, "t-1")
		require.ErrorContains(t, err, "does not dial numbers that begin so", target)
	}
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
	peer.Satisfied()
}

// Given a soft phone, then it really calls whom it is asked to.
func TestAPhoneCallsAPerson(t *testing.T) {
	t.Parallel()
	person := SIPp(t, Scenario(Reply(180, "Ringing"), ReplySDP(200, "OK", Sound(answered)), ACK), 1)
	phone := Telephone(t, "+15550000001")
	leg := newCaller(t, at(phone), referring, behindNAT).dials(t)
	leg.until(calls.FactEstablished)
	code, _, err := leg.Refer(t.Context(), "sip:person@"+at(person), "t-1")
	require.NoError(t, err)
	require.Equal(t, 202, code)
	f := leg.until(calls.FactTransferred)
	for f.Code < 200 {
		f = leg.until(calls.FactTransferred)
	}
	require.Equal(t, 200, f.Code)
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
	person.Satisfied()
}
