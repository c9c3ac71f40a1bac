package driving

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

func TestAProcessMakesCallsForSoManyTurns(t *testing.T) {
	x := Turns{tries: map[string]running{}}
	for i := range mostTurns {
		require.NoError(t, x.Room("acme"))
		x.tries[strconv.Itoa(i)] = running{"acme", func() {}}
	}
	require.True(t, fault.Is(x.Room("acme"), fault.QueueFull))
}

// Given an account that has all turns, then others are let in beside it with a few each, as far as one process would take them
// without it.
func TestOneAccountDoesNotKeepOthersFromBeingAnswered(t *testing.T) {
	x := Turns{Most: 100, tries: map[string]running{}}
	runs := func(tenant string) { x.tries[strconv.Itoa(len(x.tries))] = running{tenant, func() {}} }
	for range 150 { // they came at the same moment
		runs("hostile")
	}
	for account := range 10 {
		for range 10 {
			require.NoError(t, x.Room(strconv.Itoa(account)))
			runs(strconv.Itoa(account))
		}
		require.True(t, fault.Is(x.Room(strconv.Itoa(account)), fault.QueueFull))
	}
	require.True(t, fault.Is(x.Room("hostile"), fault.QueueFull))
	require.True(t, fault.Is(x.Room("one more"), fault.QueueFull))
}
