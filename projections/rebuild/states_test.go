package rebuild_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// Given a spoiled index, and nodes that keep states folded from it, when the index is
// rebuilt, then each forgets those states, also one that projects nothing, and reads
// stay open.
func TestNodesForgetWhatTheyFoldedFromASpoiledIndex(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	follows := enginetest.Start(t, "follows", brokers, url, func(c *engine.Config) { c.Idle = true })
	id := enginetest.IDOn(1)
	_, err := n.Add(t, id, 1)
	require.NoError(t, err)
	exec(n, t, `UPDATE events SET data = '{"by":-9}' WHERE stream = $1`, enginetest.Counters.Stream(id))
	epochs := map[*enginetest.Node]uint64{n: n.Projector.Epoch(), follows: follows.Projector.Epoch()}
	for x := range epochs {
		x.Store = eventstore.New(x.Store.Config) // which caches nothing yet
		seen := 0
		_, err := eventstore.Execute(t.Context(), x.Store, enginetest.Counters, enginetest.Counters.Stream(id),
			eventstore.Command{Tenant: "acme"}, func(c enginetest.Counter) ([]event.Payload, error) {
				seen = c.N
				return nil, nil
			})
		require.NoError(t, err)
		require.Equal(t, -9, seen, "the node keeps a wrong state")
	}

	_, err = rebuild(n, t.Context(), named("index"))
	require.NoError(t, err)
	for x, before := range epochs {
		enginetest.Soon(t, "the node has noticed", func() bool { return x.Projector.Epoch() > before })
		require.NoError(t, x.Projector.Gate())
		_, err := x.Add(t, id, 10)
		require.True(t, fault.Is(err, fault.Conflict), "a node that still believed in -9 would take it: %v", err)
	}
	require.Equal(t, 1, n.Total(t, id))
	for x := range epochs {
		x.Store.Close()
	}
}
