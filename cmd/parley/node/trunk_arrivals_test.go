//go:build !apache

package node_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

const callerOfTrunk = "<sip:+4930123456@[local_ip]>"

// Given a number of an experience flow, when it is called over a trunk, then the flow's agent takes the
// call, and it is listed; another number is nobody's.
func TestACallComesInOverATrunk(t *testing.T) {
	t.Parallel()
	port := FreePort(t)
	w := newCallWorld(t, overSIPAt(port))
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0,
		"inbound": fields{"sources": []string{"127.0.0.1"}}})
	sound := Sound("[media_port]")

	caller := Calls(t, port, "+"+callCaller, Invites(callerOfTrunk, sound), MayBeTold(100), MayBeTold(180), Told(200),
		SaysACK(callerOfTrunk, ""), Pause(500), Asks("BYE", callerOfTrunk, 2, ""), Told(200))
	stranger := Calls(t, port, "+"+nobodyTakes, Invites(callerOfTrunk, sound), MayBeTold(100), Told(404), SaysACK(callerOfTrunk, ""))
	caller.Satisfied()
	stranger.Satisfied()

	row := w.onlyCall(t, "the call's end", func(row map[string]any) bool { return row["status"] == "completed" })
	require.Equal(t, []any{"Inbound", "+4930123456", "+" + callCaller, "greeter"}, []any{row["direction"], row["userId"], row["centerId"],
		row["agentName"]}, "%v", row)
	s := w.call(t, row["conversationId"].(string))
	require.Equal(t, []any{"carrier", calls.ReasonCallerDisconnected, []string{callGreeting}}, []any{s.Request.Trunk, s.ReasonCode, s.Said})
	w.endedSession(t, s.SessionID)
}

// Carriers call many accounts from the same addresses. Another account that writes down such an address, the name that this one is
// registered by, and its number gets none of its calls: it comes later.
func TestCallsToANumberAreNotTakenAwayByAnotherAccount(t *testing.T) {
	t.Parallel()
	port := FreePort(t)
	w := newCallWorld(t, overSIPAt(port))
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0,
		"inbound": fields{"sources": []string{"127.0.0.0/24"}}})
	rival := newTenant(t, w.server, "a-rival")
	rival.apply(t, "ExperienceFlow", "cf-main", "main", fields{"projectId": mainApp, "number": callCaller})
	rival.apply(t, "Trunk", "", "narrow", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0,
		"inbound": fields{"sources": []string{"127.0.0.1"}}})
	rival.apply(t, "Trunk", "", "named", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0, "register": true,
		"username": "+" + callCaller, "password": "wrong", "inbound": fields{"sources": []string{"127.0.0.1"}}})

	caller := Calls(t, port, "+"+callCaller, Invites(callerOfTrunk, Sound("[media_port]")), MayBeTold(100), MayBeTold(180), Told(200),
		SaysACK(callerOfTrunk, ""), Pause(500), Asks("BYE", callerOfTrunk, 2, ""), Told(200))
	caller.Satisfied()
	w.onlyCall(t, "the call's end", func(row map[string]any) bool { return row["status"] == "completed" })
}

// lostCall is a call over a trunk, of a node that is gone: what it has written, and its dialog.
func (w *callWorld) lostCall(t *testing.T, trunk string, dialog calls.Dialog) *pastCall {
	t.Helper()
	c, at := &pastCall{on: w.one, id: uuid.NewString(), session: uuid.NewString()}, time.Now().UTC().Add(-20*time.Second)
	w.happened(t, c, calls.DialOut{CallID: c.id, SID: uuid.NewString(), TenantID: w.one.id, AccountID: w.one.id, ProjectID: mainApp,
		BotID: mainApp, Target: human, OurNumber: callCaller, Trunk: trunk, Provider: calls.ProviderSIP, At: at,
		Flow: calls.Flow{ID: "cf-main", AgentName: "greeter", StartText: callGreeting}}.Decide) // one that no agent takes lasts two seconds
	w.happened(t, c, calls.StartAttempt{AttemptID: "a-1", Node: "a node of the past", At: at, LeaseUntil: at.Add(15 * time.Second)}.Decide)
	w.answered(t, c, at.Add(time.Second))
	w.happened(t, c, calls.EstablishLeg{Dialog: dialog, At: at.Add(time.Second)}.Decide)
	return c
}

// A node has died in the middle of calls. Given another one, then each call has one true end: one whose
// other side is still there goes on, and one that was over meanwhile is over.
func TestCallsOverATrunkOutliveTheirNode(t *testing.T) {
	t.Parallel()
	phone := Telephone(t, "+15550000001")
	address := fmt.Sprintf("%s:%d", Host, phone.Port)
	w := newCallWorld(t, nobodyDials)
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": address, "optionsSeconds": 0, "rtpNat": true})
	dialog := talking(t, address)
	going := w.lostCall(t, "carrier", dialog)
	dialog.CallID = "nobody-knows-of-this-one"
	over := w.lostCall(t, "carrier", dialog)

	next := w.cluster.start(t, overSIP(t))

	s := w.ended(t, over.id)
	require.Equal(t, []any{calls.ReasonGatewayDisconnected, s.LastSeen}, []any{s.ReasonCode, s.EndedAt})
	until(t, "a sign of life of the node that took it over", func() bool {
		s = w.call(t, going.id)
		return s.Node != "a node of the past" && s.LastSeen.After(s.AnsweredAt.Add(10*time.Second))
	})
	require.True(t, s.Answered(), "ended: %s", s.ReasonCode)
	next.stop()
	require.Equal(t, calls.ReasonGatewayDisconnected, w.call(t, going.id).ReasonCode)
	require.Greater(t, w.call(t, going.id).DurationMs, int64(15_000), "it went on")
}

// talking is the dialog of a call with a phone, whose node left it as a crash does.
func talking(t *testing.T, address string) calls.Dialog {
	t.Helper()
	trunk := sip.Trunk{TenantID: "one", Name: "carrier", Address: address, Transport: trunks.UDP, Settings: trunks.Settings{
		CallerIDHeader: trunks.CallerFrom, NumberFormat: numbers.PlusE164, Codecs: []string{"PCMU"}, SRTP: trunks.SRTPOff,
		DTMF: trunks.DTMFEvents, RTPNAT: true}}
	agent, err := sip.Open(sip.Config{Listen: fmt.Sprintf("%s:%d", Host, FreePort(t)), RTPFirst: 20000, RTPLast: 24999,
		Allow: netip.Addr.IsLoopback, Log: slog.New(slog.DiscardHandler),
		Trunk: func(context.Context, string, string) (sip.Trunk, error) { return trunk, nil }})
	require.NoError(t, err)
	leg, err := agent.Dial(t.Context(), calls.LegRequest{CallID: "c", SID: "s", TenantID: "one", Target: human, OurNumber: callCaller,
		Trunk: "carrier"})
	require.NoError(t, err)
	var of *calls.Dialog
	for f := range leg.Facts() {
		if f.Kind == calls.FactEstablished {
			of = f.Dialog
			leg.Abandon()
		}
	}
	require.NotNil(t, of)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_ = agent.Close(gone)
	return *of
}

// Given a call over a trunk, when somebody goes on with it at another node, then they are told where it is, and that it is this one.
func TestWhoGoesOnWithACallIsToldWhichNodeHasIt(t *testing.T) {
	t.Parallel()
	has, other := FreePort(t), FreePort(t)
	w := newCallWorld(t, overSIPAt(has))
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0,
		"inbound": fields{"sources": []string{"127.0.0.1"}}})
	w.cluster.start(t, doing(node.RoleMedia), overSIPAt(other))
	until(t, "both to say where they are", func() bool { return len(w.media(t)) == 2 })
	RingsUp(t, has, callCaller)
	id := w.answeredCall(t)
	var dialog *calls.Dialog
	until(t, "the call to be established", func() bool { dialog = w.call(t, id).Dialog; return dialog != nil })
	to := goesOnWith(t, other, *dialog)
	require.Contains(t, to, fmt.Sprintf("Contact: <sip:+%s@%s:%d?Replaces=%s>", callCaller, Host, has, url.QueryEscape(replacing(*dialog))))
	w.hangsUp(t, id)
	w.ended(t, id)
}

// replacing names the dialog of a call, as somebody says it who goes on with that.
func replacing(d calls.Dialog) string {
	tag := func(address string) string { _, tag, _ := strings.Cut(address, ";tag="); return tag }
	return d.CallID + ";to-tag=" + tag(d.Local) + ";from-tag=" + tag(d.Remote)
}

// goesOnWith goes on at a port with a call that another node has, and gives the answer.
func goesOnWith(t *testing.T, port int, d calls.Dialog) (sentOn string) {
	t.Helper()
	second, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.ParseIP(Host), Port: port})
	require.NoError(t, err)
	defer func() { _ = second.Close() }()
	require.NoError(t, second.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(second, "INVITE sip:+%[1]s@%[2]s SIP/2.0\r\nVia: SIP/2.0/UDP %[3]s;branch=z9hG4bKsecond\r\n"+
		"From: <sip:tom@%[3]s>;tag=second\r\nTo: <sip:+%[1]s@%[2]s>\r\nCall-ID: second\r\nCSeq: 1 INVITE\r\nContact: <sip:tom@%[3]s>\r\n"+
		"Max-Forwards: 70\r\nReplaces: %[4]s\r\nContent-Length: 0\r\n\r\n", callCaller, second.RemoteAddr(), second.LocalAddr(), replacing(d))
	require.NoError(t, err)
	told := make([]byte, 4096)
	for strings.HasPrefix(sentOn, "SIP/2.0 100 ") || sentOn == "" {
		n, err := second.Read(told)
		require.NoError(t, err)
		sentOn = string(told[:n])
	}
	require.True(t, strings.HasPrefix(sentOn, "SIP/2.0 302 "), sentOn)
	return sentOn
}
