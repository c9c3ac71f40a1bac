//go:build !apache

package node_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
)

// Given a campaign whose trunk does not answer, then nobody's only try is spent on it: the contacts wait, and are called when it is back.
func TestACampaignWaitsForItsTrunk(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, overSIP(t))
	callee := SIPp(t, Scenario(Reply(486, "Busy Here"), ACK), 12)
	port := FreePort(t)
	w.one.apply(t, "Trunk", "", "main", fields{"provider": "sip", "default": true, "address": fmt.Sprintf("%s:%d", Host, port),
		"username": "acme", "password": Password, "optionsSeconds": 5})
	until(t, "the trunk to be missed", func() bool {
		s, err := eventstore.Read(t.Context(), w.Store(), trunks.Trunks, trunks.Stream(w.one.id))
		require.NoError(t, err)
		return s.State.Health["main"].Unreachable != ""
	})
	c := newCampaigner(t, w.one)
	c.list("All", 1, 12, "+1555111%04d")
	c.campaign("cd-trunk", []string{"All"})
	run := c.start("cd-trunk")
	until(t, "contacts to have their turn", func() bool { return c.progress("cd-trunk", run).UnderWay == 10 })

	Kamailio(t, port, callee.Port)
	c.completed("cd-trunk")
	called := 0
	for _, of := range c.calls(run) {
		for _, call := range of {
			called++
			require.Equal(t, "486 Busy Here", call.Reason)
		}
	}
	require.Equal(t, 12, called)
}
