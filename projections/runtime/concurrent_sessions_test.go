package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given sessions of which some are shown and some are to begin, then both count, each once, and none for itself.
func TestSessionsThatAreToBeginCount(t *testing.T) {
	w, now := given.Open(t), time.Now()
	shows := func(id, project string) {
		w.Given(voice.SessionsModel, id, given.Filled(func(e *sessions.Opened) {
			e.SessionID, e.TenantID, e.ProjectID, e.Channel, e.CallID, e.At = id, "tenantId", project, "api", "", now
		}))
	}
	x := runtime.NewSessions(w.DB)
	full := func(id, project string, n int) bool {
		_, full, err := x.Full(t.Context(), runtime.Beginning{Tenant: "tenantId", Project: project, Session: id}, n, now.Add(-time.Minute))
		require.NoError(t, err)
		return full
	}
	shows("s-1", "shop")
	shows("s-2", "other")
	require.False(t, full("s-3", "shop", 2))
	require.True(t, full("s-4", "shop", 2), "s-3 is to begin")
	require.False(t, full("s-3", "shop", 2), "again")
	require.True(t, full("s-4", "", 2), "of all projects")
	require.False(t, full("s-4", "", 3))

	shows("s-3", "shop")
	require.False(t, full("s-5", "shop", 3), "who was refused does not begin, and who is shown is counted there")
	require.True(t, full("s-6", "shop", 3))
	require.False(t, full("s-3", "shop", 2), "a repeat of what is shown")
}
