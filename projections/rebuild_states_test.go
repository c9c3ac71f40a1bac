package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Given a spoiled index, and nodes that keep states folded from it, when the index is
// rebuilt, then each forgets those states, also one that projects nothing, and reads
// stay open.
func TestNodesForgetWhatTheyFoldedFromASpoiledIndex(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url)
	follows := start(t, "follows", brokers, url, func(c *projections.Config) { c.Idle = true })
	id := idOn(1)
	_, err := n.add(t, id, 1)
	require.NoError(t, err)
	n.exec(t, `UPDATE events SET data = '{"by":-9}' WHERE stream = $1`, counters.Stream(id))
	epochs := map[*node]uint64{n: n.projector.Epoch(), follows: follows.projector.Epoch()}
	for x := range epochs {
		x.store = eventstore.New(x.store.Config) // which caches nothing yet
		seen := 0
		_, err := eventstore.Execute(t.Context(), x.store, counters, counters.Stream(id), eventstore.Command{Tenant: "acme"}, func(c counter) ([]event.Payload, error) {
			seen = c.N
			return nil, nil
		})
		require.NoError(t, err)
		require.Equal(t, -9, seen, "the node keeps a wrong state")
	}

	_, err = n.rebuild(t.Context(), named("index"))
	require.NoError(t, err)
	for x, before := range epochs {
		soon(t, "the node has noticed", func() bool { return x.projector.Epoch() > before })
		require.NoError(t, x.projector.Gate())
		_, err := x.add(t, id, 10)
		require.True(t, fault.Is(err, fault.Conflict), "a node that still believed in -9 would take it: %v", err)
	}
	require.Equal(t, 1, n.total(t, id))
	for x := range epochs {
		x.store.Close()
	}
}
