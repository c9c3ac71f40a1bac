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
