package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// A newer binary of the same category: it knows one event more.
var newer = func() *event.Aggregate[enginetest.Counter] {
	a := event.NewAggregate[enginetest.Counter]("counters", "counter", 3)
	event.Register[enginetest.Added](a, "added", 1)
	event.Register[doubled](a, "doubled", 1)
	return a
}()

type doubled struct{}

func (doubled) Apply(c *enginetest.Counter) { c.N *= 2 }

func isNewer(c *engine.Config) { c.Categories = []*event.Category{newer.Category} }

// appendUnknown puts an event on partition 1 that only the newer binary knows, behind
// one that all know, and returns its offset.
func appendUnknown(n *enginetest.Node, t *testing.T) int64 {
	t.Helper()
	known := enginetest.CommitOf(another(1), 1, "", 1)
	unknown := enginetest.CommitOf(enginetest.IDOn(1), 1, "", 1)
	unknown[0].Type, unknown[0].Data = "parley.counters.doubled.v1", []byte(`{}`)
	return enginetest.AppendRaw(n, t, 1, enginetest.Messages(append(known, unknown...)...)...) + 1
}

// another is the id of another counter than idOn's.
func another(partition int) string {
	for i := 0; ; i++ {
		id := fmt.Sprint("another", i)
		if eventstore.PartitionOf(enginetest.Counters.Stream(id), enginetest.Counters.Partitions) == partition {
			return id
		}
	}
}

func owner(n *enginetest.Node, t *testing.T, partition int) (owner string) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(),
		`SELECT coalesce(owner, '') FROM checkpoints WHERE topic = $1 AND partition = $2 AND projection = 'live'`, enginetest.Counters.Topic(),
		partition).Scan(&owner))
	return owner
}

// Given an event of a type that this binary does not know, then its partition stands
// still and says why, what came before it is visible, the other partitions go on,
// and a node of the newer binary goes on with the partition.
func TestAnUnknownEventStopsItsPartitionLoudly(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	old := enginetest.Start(t, "old", brokers, url)
	offset := appendUnknown(old, t)

	where := enginetest.Counters.Topic() + "/1"
	enginetest.Soon(t, "it is given up", func() bool { return old.Projector.Lag().Given[where] != "" })
	lag := old.Projector.Lag()
	for _, said := range []string{"upgrade this node", fmt.Sprintf("at %d", offset), "parley.counters.doubled.v1",
		"start a node of the newer version"} {
		require.Contains(t, lag.Given[where], said)
	}
	require.Len(t, lag.Given, 1)
	require.True(t, lag.Ready(), "for all else")
	require.True(t, lag.Degraded())
	require.EqualValues(t, 1, gauge(old, t, "parley_partitions_given_up", ""))
	enginetest.Soon(t, "its lease is let go", func() bool { return owner(old, t, 1) == "" })
	enginetest.Settled(old, t, 1, offset-1) // what came before the unknown one
	_, err := old.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond) // longer than a take-over
	defer cancel()
	_, err = eventstore.Execute(ctx, old.Store, enginetest.Counters, enginetest.Counters.Stream(another(1)), eventstore.Command{Tenant: "acme",
		RequestID: "r", RequestHash: "r"}, enginetest.Add(1))
	require.True(t, fault.Is(err, fault.OutcomeUnknown), "%v", err)
	require.ErrorContains(t, err, "parley.counters.doubled.v1")
	require.Empty(t, owner(old, t, 1), "it does not fight for it")

	young := enginetest.Begin(t, "young", brokers, url, isNewer)
	enginetest.Settled(young, t, 1, offset)
	enginetest.Soon(t, "the trouble is not this node's any more", func() bool { return len(old.Projector.Lag().Given) == 0 })
	require.Zero(t, gauge(old, t, "parley_partitions_given_up", ""))
	young.Open(t)
	again, err := old.Add(t, another(1), 1, "r")
	require.NoError(t, err, "commands of streams that it knows go on")
	require.True(t, again.Replayed, "the one that nobody judged has counted")
	_, err = old.Add(t, enginetest.IDOn(1), 1)
	require.True(t, fault.Is(err, fault.NotExecuted), "%v", err)
	require.ErrorContains(t, err, "older version")
	require.Equal(t, "young", owner(young, t, 1))
}

// Given an event that this binary does not know on the log at its start, then reads are
// shut while nobody goes on behind it, as somebody may have been told of what is there,
// and open as soon as a newer node has passed it.
func TestAnOlderBinaryServesOnceANewerOneHasPassedWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	first := enginetest.Start(t, "first", brokers, url)
	offset := appendUnknown(first, t)
	first.Stop()

	old := enginetest.Begin(t, "old", brokers, url)
	enginetest.Soon(t, "it says what is missing", func() bool {
		err := old.Projector.Gate()
		require.True(t, fault.Is(err, fault.CatchingUp))
		return old.Projector.Lag().Given[enginetest.Counters.Topic()+"/1"] != "" && len(old.Projector.Holds()) == 2
	})
	enginetest.Soon(t, "and callers hear it", func() bool {
		_, err := old.Add(t, enginetest.IDOn(0), 1)
		require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
		return err != nil && len(err.Error()) > 100
	})
	require.ErrorContains(t, old.Projector.Gate(), "parley.counters.doubled.v1")

	young := enginetest.Begin(t, "young", brokers, url, isNewer)
	old.Open(t)
	enginetest.Settled(old, t, 1, offset)
	require.Equal(t, "young", owner(young, t, 1))
	_, err := old.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)

	late := enginetest.Start(t, "late", brokers, url) // an older one that meets it all done
	_, err = late.Add(t, another(1), 1)
	require.NoError(t, err)
}

// Given older nodes that gave up more partitions than are the newer one's fair share,
// then it takes each of them: nobody else could pass what they do not know. What it has
// passed anybody may have again, as soon as its lease lapses.
func TestANodeTakesWhatNobodyElseWants(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	offsets := map[int]int64{}
	for partition := range enginetest.Counters.Partitions {
		c := enginetest.CommitOf(enginetest.IDOn(partition), 1, "", 1)
		c[0].Type, c[0].Data = "parley.counters.doubled.v1", []byte(`{}`)
		offsets[partition] = enginetest.AppendRaw(a, t, partition, enginetest.Messages(c...)...)
	}
	enginetest.Soon(t, "all are given up", func() bool { return len(a.Projector.Holds())+len(b.Projector.Holds()) == 0 })
	young, held := enginetest.Begin(t, "young", brokers, url, isNewer), map[string]bool{}
	enginetest.Soon(t, "it holds each", func() bool {
		for _, partition := range young.Projector.Holds() {
			held[partition] = true
		}
		return len(held) == enginetest.Counters.Partitions
	})
	for partition, offset := range offsets {
		enginetest.Settled(young, t, partition, offset)
	}
}
