package sink_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// Given a stream that a projector does not remember, when a first version of it comes
// once more (resent, of another commit, or torn) together with its next good commit, then
// nothing is written for the former, and the latter goes on from what the index holds.
func TestAStreamThatIsNotNewIsNotTakenForNew(t *testing.T) {
	for name, again := range map[string]func(first []*eventstore.Record) []*eventstore.Record{
		"resent": func(first []*eventstore.Record) []*eventstore.Record { return first },
		"another commit": func(first []*eventstore.Record) []*eventstore.Record {
			return enginetest.CommitOf(enginetest.Counters.StreamID(first[0].Stream), 1, "", 1)
		},
		"torn": func(first []*eventstore.Record) []*eventstore.Record {
			return enginetest.CommitOf(enginetest.Counters.StreamID(first[0].Stream), 1, "", 2)[:1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			brokers, url := enginetest.Parts(t)
			n := enginetest.Start(t, "n1", brokers, url)
			id := enginetest.IDOn(1)
			first := enginetest.CommitOf(id, 1, "", 1)
			enginetest.Settled(n, t, 1, enginetest.AppendRaw(n, t, 1, enginetest.Messages(first...)...))
			n.Stop()

			n = enginetest.Start(t, "n1", brokers, url) // remembers no heads
			next := enginetest.CommitOf(id, 2, first[0].Commit, 1)
			batch := append(enginetest.Messages(again(first)...), enginetest.Messages(next...)...)
			enginetest.Settled(n, t, 1, enginetest.AppendRaw(n, t, 1, batch...)+int64(len(batch))-1)
			require.Equal(t, 2, n.Total(t, id))
			more, err := n.Add(t, id, 5)
			require.NoError(t, err)
			require.Equal(t, next[0].Commit, more.Events[0].Parent)
			require.EqualValues(t, 3, more.Events[0].Version)
		})
	}
}
