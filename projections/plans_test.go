package projections_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// Given rows that change, and that go, with each message, then neither is planned anew for each.
func TestChangesOfRowsArePlannedOnce(t *testing.T) {
	w := given.Open(t)
	tables, err := sink.ReadTables(t.Context(), w.DB)
	require.NoError(t, err)
	w.KeepsPlans(func(db *pgxpool.Pool) {
		b := projections.NewBatch(tables)
		b.Set("sessions", row{"session_id": "s-1"}, row{"messages": 1})
		b.Delete("timers", row{"stream": "session-s-1", "name": "idle"})
		require.NoError(t, b.Write(t.Context(), db))
	})
}
