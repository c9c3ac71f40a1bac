package sink_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// Given a stream in which somebody was erased, when who read it before keeps what he folded,
// then it is not kept; what was folded with the erasure is.
func TestNoSnapshotFromBeforeAnErasureIsKept(t *testing.T) {
	w := given.Open(t)
	w.Indexed(calls.Calls.Category, "one", calls.Said{Text: "Hello Ann"}, calls.Erased{Erasure: event.Erasure{ErasureID: "er-1"}},
		calls.Said{Text: "Good bye"})
	index := sink.NewIndex(w.DB, open{}, nil)
	t.Cleanup(func() {
		_, err := w.DB.Exec(context.Background(), `DELETE FROM snapshots`)
		require.NoError(t, err)
	})
	for version, kept := range map[int64]int{1: 0, 2: 1, 3: 1} {
		require.NoError(t, index.SaveSnapshot(t.Context(), "call-one", "key", version, "commit", []byte("state")))
		var n int
		require.NoError(t, w.DB.QueryRow(t.Context(), `SELECT count(*) FROM snapshots WHERE stream = 'call-one' AND version = $1`,
			version).Scan(&n))
		require.Equal(t, kept, n, "version %d", version)
	}
}
