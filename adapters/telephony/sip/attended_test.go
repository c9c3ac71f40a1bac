package sip_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Given soft phones of others, when the one that we called is asked to talk with the other in our place, then it calls that with
// Replaces, which leaves us for it, and says so.
func TestAPhoneTakesAPersonOver(t *testing.T) {
	t.Parallel()
	line, person := Attends(t), Attends(t)
	c := newCaller(t, at(line.Peer), func(tr *sip.Trunk) { tr.Transfers = trunks.TransfersAttended })
	leg := c.dials(t)
	leg.until(calls.FactEstablished)
	require.True(t, leg.Attends(), "it says that it knows Replaces")
	c.trunks.change("main", func(tr *sip.Trunk) { tr.Address = at(person.Peer) })
	other, err := c.Dial(t.Context(), calls.LegRequest{CallID: "c-1", SID: "s-2", TenantID: "acme", Target: "tel:+15550000002", Trunk: "main"})
	require.NoError(t, err)
	with := &heardLeg{t: t, Leg: other}
	with.until(calls.FactEstablished)
	code, _, err := leg.ReferTo(t.Context(), other, "t-1")
	require.NoError(t, err)
	require.Equal(t, 202, code)
	require.Equal(t, 200, leg.until(calls.FactTransferred).Code)
	require.True(t, strings.HasSuffix(with.over(), "answered, established, hung-up"), "the other left us")
	require.NoError(t, leg.HangUp(t.Context()))
	require.True(t, strings.HasSuffix(leg.over(), "transferred 200 Ok"), "it said so")
}

// Given a soft phone of others that talks with us and with another one, when it has the two go on without it, then that one calls us with
// Replaces, and has the call: the same one, whose first phone is hung up.
func TestAPhoneGoesOnWithACallOfOurs(t *testing.T) {
	t.Parallel()
	follows, moved := tellsDialogs(t, 2)
	d := newDesk(t, follows)
	first, second := Attends(t), AttendsBehind(t, d.Port()) // it is told whom to call, and not by which port
	first.Do(fmt.Sprintf("call sip:+15550100@%s:%d", Host, d.Port()))
	was := <-moved
	first.Says("established with sip:+15550100@")
	first.Do("pause 1")
	first.Says("is now paused")
	first.Do("call sip:phone@" + at(second.Peer))
	first.Says("established with sip:phone@" + at(second.Peer))
	first.Do("transfer 2 --to-call 1")
	is := <-moved
	require.NotEqual(t, was.CallID, is.CallID)
	second.Says("established with <sip:+15550100@" + Host + "?Replaces=")
	first.Says(fmt.Sprintf("Call 1 with sip:+15550100@%s:%d ended", Host, d.Port()))
	second.Do("terminate all")
	d.over(t, 1)
	require.Equal(t, "answered, established, held, resumed, established, hung-up", d.story())
	require.Len(t, d.offered(), 1, "it is no new call")
}
