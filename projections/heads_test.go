package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

// Given a stream that a projector does not remember, when a first version of it comes
// once more (resent, of another commit, or torn) together with its next good commit, then
// nothing is written for the former, and the latter goes on from what the index holds.
func TestAStreamThatIsNotNewIsNotTakenForNew(t *testing.T) {
	for name, again := range map[string]func(first []*eventstore.Record) []*eventstore.Record{
		"resent": func(first []*eventstore.Record) []*eventstore.Record { return first },
		"another commit": func(first []*eventstore.Record) []*eventstore.Record {
			return commitOf(counters.StreamID(first[0].Stream), 1, "", 1)
		},
		"torn": func(first []*eventstore.Record) []*eventstore.Record {
			return commitOf(counters.StreamID(first[0].Stream), 1, "", 2)[:1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			brokers, url := parts(t)
			n := start(t, "n1", brokers, url)
			id := idOn(1)
			first := commitOf(id, 1, "", 1)
			n.settled(t, 1, n.appendRaw(t, 1, messages(first...)...))
			n.stop()

			n = start(t, "n1", brokers, url) // remembers no heads
			next := commitOf(id, 2, first[0].Commit, 1)
			batch := append(messages(again(first)...), messages(next...)...)
			n.settled(t, 1, n.appendRaw(t, 1, batch...)+int64(len(batch))-1)
			require.Equal(t, 2, n.total(t, id))
			more, err := n.add(t, id, 5)
			require.NoError(t, err)
			require.Equal(t, next[0].Commit, more.Events[0].Parent)
			require.EqualValues(t, 3, more.Events[0].Version)
		})
	}
}
