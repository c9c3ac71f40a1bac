package projections_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// A newer binary of the same category: it knows one event more.
var newer = func() *event.Aggregate[counter] {
	a := event.NewAggregate[counter]("counters", "counter", 3)
	event.Register[added](a, "added", 1)
	event.Register[doubled](a, "doubled", 1)
	return a
}()

type doubled struct{}

func (doubled) Apply(c *counter) { c.N *= 2 }

func isNewer(c *projections.Config) { c.Categories = []*event.Category{newer.Category} }

// appendUnknown puts an event on partition 1 that only the newer binary knows, behind
// one that all know, and returns its offset.
func (n *node) appendUnknown(t *testing.T) int64 {
	t.Helper()
	known := commitOf(another(1), 1, "", 1)
	unknown := commitOf(idOn(1), 1, "", 1)
	unknown[0].Type, unknown[0].Data = "parley.counters.doubled.v1", []byte(`{}`)
	return n.appendRaw(t, 1, messages(append(known, unknown...)...)...) + 1
}

// another is the id of another counter than idOn's.
func another(partition int) string {
	for i := 0; ; i++ {
		id := fmt.Sprint("another", i)
		if eventstore.PartitionOf(counters.Stream(id), counters.Partitions) == partition {
			return id
		}
	}
}

func (n *node) owner(t *testing.T, partition int) (owner string) {
	t.Helper()
	require.NoError(t, n.db.Queries.QueryRow(t.Context(), `SELECT coalesce(owner, '') FROM checkpoints WHERE topic = $1 AND partition = $2 AND projection = 'live'`, counters.Topic(), partition).Scan(&owner))
	return owner
}

// Given an event of a type that this binary does not know, then its partition stands
// still and says why, what came before it is visible, the other partitions go on,
// and a node of the newer binary goes on with the partition.
func TestAnUnknownEventStopsItsPartitionLoudly(t *testing.T) {
	brokers, url := parts(t)
	old := start(t, "old", brokers, url)
	offset := old.appendUnknown(t)

	where := counters.Topic() + "/1"
	soon(t, "it is given up", func() bool { return old.projector.Lag().Given[where] != "" })
	lag := old.projector.Lag()
	for _, said := range []string{"upgrade this node", fmt.Sprintf("at %d", offset), "parley.counters.doubled.v1", "start a node of the newer version"} {
		require.Contains(t, lag.Given[where], said)
	}
	require.Len(t, lag.Given, 1)
	require.True(t, lag.Ready(), "for all else")
	require.True(t, lag.Degraded())
	require.EqualValues(t, 1, old.gauge(t, "parley_partitions_given_up", ""))
	soon(t, "its lease is let go", func() bool { return old.owner(t, 1) == "" })
	old.settled(t, 1, offset-1) // what came before the unknown one
	_, err := old.add(t, idOn(0), 1)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond) // longer than a take-over
	defer cancel()
	_, err = eventstore.Execute(ctx, old.store, counters, counters.Stream(another(1)), eventstore.Command{Tenant: "acme", RequestID: "r", RequestHash: "r"}, add(1))
	require.True(t, fault.Is(err, fault.OutcomeUnknown), "%v", err)
	require.ErrorContains(t, err, "parley.counters.doubled.v1")
	require.Empty(t, old.owner(t, 1), "it does not fight for it")

	young := begin(t, "young", brokers, url, isNewer)
	young.settled(t, 1, offset)
	soon(t, "the trouble is not this node's any more", func() bool { return len(old.projector.Lag().Given) == 0 })
	require.Zero(t, old.gauge(t, "parley_partitions_given_up", ""))
	young.open(t)
	again, err := old.add(t, another(1), 1, "r")
	require.NoError(t, err, "commands of streams that it knows go on")
	require.True(t, again.Replayed, "the one that nobody judged has counted")
	_, err = old.add(t, idOn(1), 1)
	require.True(t, fault.Is(err, fault.NotExecuted), "%v", err)
	require.ErrorContains(t, err, "older version")
	require.Equal(t, "young", young.owner(t, 1))
}

// Given an event that this binary does not know on the log at its start, then reads are
// shut while nobody goes on behind it, as somebody may have been told of what is there,
// and open as soon as a newer node has passed it.
func TestAnOlderBinaryServesOnceANewerOneHasPassedWhatItDoesNotKnow(t *testing.T) {
	brokers, url := parts(t)
	first := start(t, "first", brokers, url)
	offset := first.appendUnknown(t)
	first.stop()

	old := begin(t, "old", brokers, url)
	soon(t, "it says what is missing", func() bool {
		err := old.projector.Gate()
		require.True(t, fault.Is(err, fault.CatchingUp))
		return old.projector.Lag().Given[counters.Topic()+"/1"] != "" && len(old.projector.Holds()) == 2
	})
	soon(t, "and callers hear it", func() bool {
		_, err := old.add(t, idOn(0), 1)
		require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
		return err != nil && len(err.Error()) > 100
	})
	require.ErrorContains(t, old.projector.Gate(), "parley.counters.doubled.v1")

	young := begin(t, "young", brokers, url, isNewer)
	old.open(t)
	old.settled(t, 1, offset)
	require.Equal(t, "young", young.owner(t, 1))
	_, err := old.add(t, idOn(0), 1)
	require.NoError(t, err)

	late := start(t, "late", brokers, url) // an older one that meets it all done
	_, err = late.add(t, another(1), 1)
	require.NoError(t, err)
}

// Given older nodes that gave up more partitions than are the newer one's fair share,
// then it takes them all: nobody else does.
func TestANodeTakesWhatNobodyElseWants(t *testing.T) {
	brokers, url := parts(t)
	a, b := start(t, "a", brokers, url), start(t, "b", brokers, url)
	offsets := map[int]int64{}
	for partition := range counters.Partitions {
		c := commitOf(idOn(partition), 1, "", 1)
		c[0].Type, c[0].Data = "parley.counters.doubled.v1", []byte(`{}`)
		offsets[partition] = a.appendRaw(t, partition, messages(c...)...)
	}
	soon(t, "all are given up", func() bool { return len(a.projector.Holds())+len(b.projector.Holds()) == 0 })
	young := start(t, "young", brokers, url, isNewer)
	for partition, offset := range offsets {
		young.settled(t, partition, offset)
	}
	soon(t, "all are its own", func() bool { return len(young.projector.Holds()) == counters.Partitions })
}
