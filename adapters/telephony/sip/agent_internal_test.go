package sip

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Given trunks by TLS that are no more, when another one is spoken to, then what was kept for them is gone, but for that of a call.
func TestWhatIsKeptForTrunksByTLS(t *testing.T) {
	a, err := Open(Config{Listen: fmt.Sprintf("127.0.0.1:%d", siptest.FreePort(t)), Log: slog.Default(), Allow: netip.Addr.IsLoopback})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.Background())) })
	of := func(address string) sender {
		by, err := a.sender(Trunk{Address: address, Transport: trunks.TLS}, trunks.TLS)
		require.NoError(t, err)
		return by
	}
	idle, talking, used := of("idle.example"), of("talking.example"), of("used.example")
	require.Len(t, a.stacks, 4, "and the one of those that are not TLS")
	l := newLeg(a, calls.LegRequest{})
	defer l.facts.close()
	l.enter(&dialog{agent: a, by: talking})
	for _, s := range a.stacks {
		s.used = s.used.Add(-2 * stackFor)
	}
	require.Equal(t, used, of("used.example"))
	of("another.example")
	require.Len(t, a.stacks, 4)
	require.Equal(t, talking, of("talking.example"))
	require.Equal(t, used, of("used.example"))
	require.NotEqual(t, idle, of("idle.example"))
}
