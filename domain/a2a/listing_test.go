package a2a_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/a2a"
)

// Given what somebody wants to know of tasks, then those are listed, the newest news first.
func TestWhichTasksAreListed(t *testing.T) {
	list, fault := a2a.V1.ReadListing(json.RawMessage(`{"contextId":"c","status":"TASK_STATE_WORKING","pageSize":3,"pageToken":"4",
		"includeArtifacts":true}`))
	require.Nil(t, fault)
	require.Equal(t, a2a.Listing{ContextID: "c", State: a2a.Working, Size: 3, Page: "4", Artifacts: true}, list)
	list, fault = a2a.V1.ReadListing(json.RawMessage(`{"status":"TASK_STATE_UNSPECIFIED"}`))
	require.Nil(t, fault)
	require.Equal(t, a2a.Unknown, list.State)
	_, fault = a2a.V1.ReadListing(json.RawMessage(`{"status":"done"}`))
	require.Equal(t, "status", fault.Field)
	list, fault = a2a.V1.ReadListing(json.RawMessage(`{"statusTimestampAfter":"2026-11-25T13:00:00.5+01:00"}`))
	require.Nil(t, fault)
	noon := time.Date(2026, 11, 25, 12, 0, 0, 500_000_000, time.UTC)
	require.True(t, noon.Equal(list.Since))
	for _, at := range []string{`"noon"`, `17`} {
		_, fault = a2a.V1.ReadListing(json.RawMessage(`{"statusTimestampAfter":` + at + `}`))
		require.Equal(t, "statusTimestampAfter", fault.Field)
	}
	of := func(id string, state a2a.State, after time.Duration) a2a.Task {
		return a2a.Task{ID: id, Status: a2a.Status{State: state, At: noon.Add(after)}}
	}
	working := a2a.Listing{State: a2a.Working, Since: noon}
	require.True(t, working.Wants(of("1", a2a.Working, 0)))
	require.False(t, working.Wants(of("1", a2a.Working, -1)))
	require.False(t, working.Wants(of("1", a2a.Completed, 1)))
	require.True(t, a2a.Listing{State: a2a.Unknown}.Wants(of("1", a2a.Completed, 0)))
	all := []a2a.Task{of("3", a2a.Working, 0), of("2", a2a.Working, 0), of("1", a2a.Working, time.Second)}
	a2a.Newest(all)
	require.Equal(t, []string{"1", "3", "2"}, []string{all[0].ID, all[1].ID, all[2].ID})
}
