package sip_test

import (
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
