package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// dump is all rows of the tables that come from the log alone.
func dump(n *enginetest.Node, t *testing.T) string {
	t.Helper()
	var out string
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT (SELECT coalesce(string_agg(e::text, E'\n' ORDER BY stream, version), '')
		FROM events e)
		|| E'\n---\n' || (SELECT coalesce(string_agg(t::text, E'\n' ORDER BY stream, name), '') FROM timers t)
		|| E'\n---\n' || (SELECT string_agg(concat_ws(' ', topic, partition, next_offset, mark, log_id), E'\n' ORDER BY topic, partition)
		FROM checkpoints)`).Scan(&out))
	return out
}

func withTimers(c *engine.Config) {
	c.Models = []*projections.Model{timersModel(func(b *projections.Batch, at projections.At, e enginetest.Added) {
		if at.Version%3 == 0 {
			b.ClearTimer(at, "t")
			return
		}
		b.SetTimer(at, "t", at.Time)
	})}
}

// Given thousands of events on the log, when they are projected in large
// transactions, one by one, or from the start, then the rows are the same to the byte.
func TestLargeBatchesAndARebuildGiveTheSameRows(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url, withTimers)
	for i := range 12 {
		_, err := n.Add(t, fmt.Sprint("small", i%4), 1)
		require.NoError(t, err)
	}
	for partition := range 2 { // 2,500 each, as they come after a while of being away
		var batch []kafkago.Record
		parent := ""
		for v := range 2500 {
			c := enginetest.CommitOf(enginetest.IDOn(partition), int64(v+1), parent, 1)
			parent = c[0].Commit
			batch = append(batch, enginetest.Messages(c...)...)
		}
		enginetest.Settled(n, t, partition, enginetest.AppendRaw(n, t, partition, batch...)+2499)
	}
	want := dump(n, t)
	require.Greater(t, strings.Count(want, "\n"), 5000)
	n.Stop()

	other := enginetest.Start(t, "n2", brokers, enginetest.AnotherDatabase(t), withTimers)
	require.Equal(t, want, dump(other, t))
	require.Equal(t, 2500, other.Total(t, enginetest.IDOn(0)))
}

func TestACommitOfThreeMebibytesAndOneOfManyEvents(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	note, err := json.Marshal(strings.Repeat("n", 3<<20))
	require.NoError(t, err)
	many := func(events int, note json.RawMessage) func(enginetest.Counter) ([]event.Payload, error) {
		return func(enginetest.Counter) (out []event.Payload, err error) {
			for range events {
				out = append(out, enginetest.Added{By: 1, Note: note})
			}
			return out, nil
		}
	}
	for stream, decide := range map[string]func(enginetest.Counter) ([]event.Payload, error){"large": many(1, note), "many": many(300, nil),
		"most": many(2400, nil)} {
		res, err := eventstore.Execute(t.Context(), n.Store, enginetest.Counters, enginetest.Counters.Stream(stream),
			eventstore.Command{Tenant: "acme"}, decide)
		require.NoError(t, err, stream)
		require.Equal(t, len(res.Events), n.Total(t, stream), stream)
	}
}

// A transaction may end anywhere but inside a commit.
func TestATransactionNeverEndsInsideACommit(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	n.Projector.Close(t.Context()) // so that all of it comes at once
	var batch []kafkago.Record
	var ids []string
	for i := range 25 { // the 1,000th record is inside a commit of 90
		id := fmt.Sprint(enginetest.IDOn(0), "-", uuid.NewString())
		if eventstore.PartitionOf(enginetest.Counters.Stream(id), 3) != 0 {
			continue
		}
		ids = append(ids, id)
		batch = append(batch, enginetest.Messages(enginetest.CommitOf(id, 1, "", 90+i)...)...)
	}
	for len(batch) < 3000 {
		id := uuid.NewString()
		if eventstore.PartitionOf(enginetest.Counters.Stream(id), 3) == 0 {
			ids = append(ids, id)
			batch = append(batch, enginetest.Messages(enginetest.CommitOf(id, 1, "", 90)...)...)
		}
	}
	last := enginetest.AppendRaw(n, t, 0, batch...) + int64(len(batch)) - 1
	other := enginetest.Start(t, "n2", brokers, url)
	enginetest.Settled(other, t, 0, last)
	for _, id := range ids {
		require.GreaterOrEqual(t, other.Total(t, id), 90)
	}
	require.Zero(t, other.Skipped(t, string(eventstore.Torn)))
}
