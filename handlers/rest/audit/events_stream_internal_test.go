package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheBoundsOfStreamsWhereNoneAreSet(t *testing.T) {
	require.Equal(t, EventsAPI{Heartbeat: 15 * time.Second, PerTenant: 20, PerNode: 1000}, EventsAPI{}.orDefault())
	set := EventsAPI{Heartbeat: time.Minute, PerTenant: 1, PerNode: 2}
	require.Equal(t, set, set.orDefault())
}

// Who has left is forgotten: an account that had streams costs nothing later.
func TestPlacesAreTakenAndLeft(t *testing.T) {
	s := &streams{perTenant: 2, perNode: 3, of: map[string]int{}}
	var leave []func()
	for _, tenant := range []string{"acme", "acme", "globex"} {
		left, err := s.enter(tenant)
		require.NoError(t, err)
		leave = append(leave, left)
	}
	require.Equal(t, 3.0, s.count())
	leave[0]()
	require.Equal(t, map[string]int{"acme": 1, "globex": 1}, s.of)
	leave[1]()
	leave[2]()
	require.Empty(t, s.of)
	require.Zero(t, s.count())
}
