package eventstream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Who has left is forgotten: an account that had streams costs nothing later.
func TestPlacesAreTakenAndLeft(t *testing.T) {
	s := &Places{Of: "event streams", PerTenant: 2, PerNode: 3}
	var leave []func()
	for _, tenant := range []string{"acme", "acme", "globex"} {
		left, err := s.Enter(tenant)
		require.NoError(t, err)
		leave = append(leave, left)
	}
	require.Equal(t, 3.0, s.Count())
	leave[0]()
	require.Equal(t, map[string]int{"acme": 1, "globex": 1}, s.of)
	leave[1]()
	leave[2]()
	require.Empty(t, s.of)
	require.Zero(t, s.Count())
}

// Given an account that has its places, and a node that has all of its own, then one more is
// refused for the reason that is nearest; without a bound of the node only the first counts.
func TestOnePlaceMoreIsRefused(t *testing.T) {
	full := func(s *Places, tenant string) string {
		_, err := s.Enter(tenant)
		require.True(t, fault.Is(err, fault.RateLimit), "%v", err)
		return err.Error()
	}
	s := &Places{Of: "event streams", PerTenant: 1, PerNode: 2}
	for _, tenant := range []string{"acme", "globex"} {
		_, err := s.Enter(tenant)
		require.NoError(t, err)
	}
	require.Contains(t, full(s, "acme"), "the account has 1 event streams open on this node already")
	require.Contains(t, full(s, "initech"), "this node has 2 event streams open already")
	unbounded := &Places{PerTenant: 1}
	for _, tenant := range []string{"acme", "globex", "initech"} {
		_, err := unbounded.Enter(tenant)
		require.NoError(t, err)
	}
	full(unbounded, "acme")
}
