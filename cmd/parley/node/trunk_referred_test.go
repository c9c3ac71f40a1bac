//go:build !apache

package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a trunk that was asked to call a person, when the session is handed back, and the trunk tells then that they have taken the call,
// then that ends nothing: the call goes on with its agent, until the trunk hangs up.
func TestATrunkTellsOfAPersonBehindAHandback(t *testing.T) {
	t.Parallel()
	port := FreePort(t)
	w := talkLine(t, meterOnCall, overSIPAt(port), func(c *node.Config) {
		c.CallLease = 6 * time.Second // a sign of life each two seconds
	})
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0, "transfers": "refer",
		"inbound": fields{"sources": []string{"127.0.0.1"}}})
	w.one.agents(t, fields{"phoneNumber": "+15550000009"}, "a-maria")
	w.one.presence(t, "a-maria", "AVAILABLE", "")
	caller := RingsUp(t, port, meterCaller)
	id := w.answeredCall(t)
	session := w.call(t, id).SessionID
	w.one.opened(t, session)
	w.ask(t, "POST", assignPath, fields{"callbackUrl": newReceiver(t, nil).url, "orgId": w.one.id + "-org", "botSessionId": session}.
		and(toAgent("a-maria"))).must(t, 200)
	until(t, "the trunk to be asked", func() bool { return w.call(t, id).Referral == calls.Referred })
	caller.Notifies("active;expires=60", "SIP/2.0 180 Ringing")

	w.one.peoples(t, session)
	w.ask(t, "POST", sessionsPath+"/"+session+"/handback", nil).must(t, 200)
	until(t, "the person to be let go", func() bool { return w.call(t, id).FreedPerson() != "" })
	caller.Notifies("terminated;reason=noresource", "SIP/2.0 200 OK")

	was := w.call(t, id)
	until(t, "two more signs of life", func() bool {
		s := w.call(t, id)
		require.False(t, s.Ended(), s.ReasonCode)
		return s.LastSeen.Sub(was.LastSeen) >= 4*time.Second
	})
	caller.Asks("BYE", "", "")
	s := w.ended(t, id)
	require.Equal(t, []any{calls.ReasonCallerDisconnected, 0}, []any{s.ReasonCode, s.PersonCode})
}
