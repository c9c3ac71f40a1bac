package sink_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// open is a gate that never shuts.
type open struct{}

func (open) Err() error     { return nil }
func (open) Epoch() uint64  { return 1 }
func (open) Refusal() error { return nil }

// Given reactors that ask of each record whether it counts, then that is not planned anew for each.
func TestWhetherARecordCountsIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		index := sink.NewIndex(db, open{}, func() func(context.Context) error { return func(context.Context) error { return nil } })
		held, err := index.HeldBy(t.Context(), "call-1", 1, "parley.calls", 0, 7)
		require.NoError(t, err)
		require.False(t, held)
		heads, err := index.Heads(t.Context(), []string{"call-1"})
		require.NoError(t, err)
		require.Empty(t, heads)
	})
}
