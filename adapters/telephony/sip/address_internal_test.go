package sip

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Given a name with signs that end a URI, then our contact has it as its user, and we know ourselves by it.
func TestANameWithSigns(t *testing.T) {
	contact := (&Agent{host: "192.0.2.9", port: 5060}).contact("ann@pbx>;x", trunks.TCP)
	require.Equal(t, "<sip:ann%40pbx%3E;x@192.0.2.9:5060;transport=tcp>", contact.Value())
	trunk := Trunk{Username: "ann@pbx>;x"}
	for user, want := range map[string]bool{"ann%40pbx%3E;x": true, "Ann@pbx>;x": true, "ann": false, "": false} {
		require.Equal(t, want, trunk.named(user), user)
	}
	require.False(t, Trunk{}.named(""))
}

// Given a call of another node and no port for its sound, then nothing is left of the leg that it would have had.
func TestACallThatCannotBeTakenOverLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Agent{book: legs.NewBook(), ports: newPortRange("127.0.0.1", 2, 1), working: t.Context(), stacks: map[string]*stack{"": {}},
			cfg: Config{Log: slog.Default(), Allow: func(netip.Addr) bool { return true },
				Trunk: func(context.Context, string, string) (Trunk, error) { return Trunk{Address: "192.0.2.1"}, nil }}}
		_, status, err := a.Adopt(t.Context(), calls.LegRequest{}, calls.LegQuery{Dialog: &calls.Dialog{}})
		require.ErrorIs(t, err, errNoPort)
		require.Equal(t, calls.LegUntold, status)
		a.work.Wait()
	})
}
