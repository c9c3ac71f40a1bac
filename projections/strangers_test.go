package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// idOn is the id of a counter whose stream belongs to the partition.
func idOn(partition int) string {
	for i := 0; ; i++ {
		id := fmt.Sprintf("p%d-%d", partition, i)
		if eventstore.PartitionOf(counters.Stream(id), counters.Partitions) == partition {
			return id
		}
	}
}

// commitOf is a commit of that many events as another writer might append it.
func commitOf(id string, version int64, parent string, events int) []*eventstore.Record {
	commit := uuid.NewString()
	var out []*eventstore.Record
	for i := range events {
		out = append(out, &eventstore.Record{ID: uuid.NewString(), Source: "/parley/stranger", Type: "parley.counters.added.v1", Stream: counters.Stream(id),
			Time: time.Now().UTC().Truncate(time.Microsecond), Tenant: "acme", Version: version + int64(i), Commit: commit, CommitIndex: i, CommitSize: events, Data: []byte(`{"by":1}`)})
	}
	out[0].Parent = parent
	return out
}

// appendRaw puts messages on a partition as one batch and returns the first offset.
func (n *node) appendRaw(t *testing.T, partition int, messages ...kafkago.Record) int64 {
	t.Helper()
	res, err := n.log.Client().Produce(t.Context(), &kafkago.ProduceRequest{Topic: counters.Topic(), Partition: partition, RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(messages...)})
	require.NoError(t, err)
	require.NoError(t, res.Error)
	return res.BaseOffset
}

func messages(records ...*eventstore.Record) (out []kafkago.Record) {
	for _, r := range records {
		out = append(out, kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Data), Headers: r.Headers(), Time: r.Time})
	}
	return out
}

// settled waits until the partition's read models hold the offset.
func (n *node) settled(t *testing.T, partition int, offset int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, n.projector.Await(ctx, counters.Topic(), partition, offset))
}

// Given records that no node of Parley would append, then each is passed over and
// counted, and the next good commit goes on as if it were not there.
func TestStrangersRecordsAreSkippedAndStopNothing(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url)
	id := idOn(1)
	res, err := n.add(t, id, 1)
	require.NoError(t, err)
	head := res.Events[0]

	next := func(change func(*eventstore.Record)) []kafkago.Record {
		c := commitOf(id, head.Version+1, head.Commit, 1)
		change(c[0])
		return messages(c...)
	}
	torn := messages(commitOf(id, head.Version+1, head.Commit, 3)...)
	for name, c := range map[string]struct {
		records []kafkago.Record
		reason  eventstore.Reason
		count   int
	}{
		"no headers at all":        {[]kafkago.Record{{Key: kafkago.NewBytes([]byte("x")), Value: kafkago.NewBytes([]byte("y"))}}, eventstore.Malformed, 1},
		"no key and no value":      {[]kafkago.Record{{Headers: messages(commitOf(id, 2, head.Commit, 1)...)[0].Headers}}, eventstore.Malformed, 1},
		"a commit id that is none": {next(func(r *eventstore.Record) { r.Commit = "urn:uuid:" + r.Commit }), eventstore.Malformed, 1},
		"a zero in its actor":      {next(func(r *eventstore.Record) { r.Actor = "a\x00" }), eventstore.Malformed, 1},
		"bytes that are no text":   {next(func(r *eventstore.Record) { r.CorrelationID = "\xff\xfe" }), eventstore.Malformed, 1},
		"a name without end":       {messages(commitOf(idOn(1)+string(make([]byte, 5000)), 1, "", 1)...), eventstore.Malformed, 1},
		"another tenant":           {next(func(r *eventstore.Record) { r.Tenant = "evil" }), eventstore.Foreign, 1},
		"another partition's":      {messages(commitOf(idOn(2), 1, "", 1)...), eventstore.Malformed, 1},
		"decided on no head":       {next(func(r *eventstore.Record) { r.Parent = uuid.NewString() }), eventstore.Superseded, 1},
		"a version too far":        {next(func(r *eventstore.Record) { r.Version++ }), eventstore.Superseded, 1},
		"the same again":           {messages(head.Record), eventstore.Duplicate, 1},
		"a commit without its end": {append(torn[:2:2], next(func(r *eventstore.Record) { r.Tenant = "evil" })...), eventstore.Torn, 1},
		"an end without a commit":  {torn[2:], eventstore.Torn, 1},
	} {
		before := n.skipped(t, string(c.reason))
		offset := n.appendRaw(t, 1, c.records...)
		n.settled(t, 1, offset+int64(len(c.records))-1)
		soon(t, name, func() bool { return n.skipped(t, string(c.reason)) == before+c.count })
		require.Equal(t, 1, n.total(t, id), name)
	}
	_, err = n.add(t, id, 2)
	require.NoError(t, err)
	require.Equal(t, 3, n.total(t, id))
	require.Empty(t, n.projector.Lag().Given)
}

// Given a commit whose end was never appended at the very end of the log, when a
// node starts, then it serves: nobody was ever told of that commit.
func TestATornEndDoesNotKeepReadsShut(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url)
	_, err := n.add(t, idOn(1), 4)
	require.NoError(t, err)
	n.appendRaw(t, 1, messages(commitOf(idOn(1), 2, "", 3)...)[:2]...)
	n.stop()

	again := start(t, "n1", brokers, url)
	require.Equal(t, 4, again.total(t, idOn(1)))
	_, err = again.add(t, idOn(1), 1)
	require.NoError(t, err)
	soon(t, "the torn commit is counted", func() bool { return again.skipped(t, string(eventstore.Torn)) == 1 })
}

// A newer binary of the same category: it knows one event more.
var newer = func() *event.Aggregate[counter] {
	a := event.NewAggregate[counter]("counters", "counter", 3)
	event.Register[added](a, "added", 1)
	event.Register[doubled](a, "doubled", 1)
	return a
}()

type doubled struct{}

func (doubled) Apply(c *counter) { c.N *= 2 }

// Given an event of a type that this binary does not know, then its partition stands
// still and says why, what came before it is visible, the other partitions go on,
// and a node of the newer binary goes on with the partition.
func TestAnUnknownEventStopsItsPartitionLoudly(t *testing.T) {
	brokers, url := parts(t)
	old := start(t, "old", brokers, url)
	unknown := commitOf(idOn(1), 1, "", 1)
	before := commitOf("before", 1, "", 1)
	for i := 0; eventstore.PartitionOf(before[0].Stream, 3) != 1; i++ {
		before = commitOf(fmt.Sprint("before", i), 1, "", 1)
	}
	unknown[0].Type, unknown[0].Data = "parley.counters.doubled.v1", []byte(`{}`)
	offset := old.appendRaw(t, 1, messages(append(before, unknown...)...)...)

	require.Eventually(t, func() bool { return old.projector.Lag().Given[counters.Topic()+"/1"] != "" }, 10*time.Second, 10*time.Millisecond)
	given := old.projector.Lag().Given[counters.Topic()+"/1"]
	require.Contains(t, given, "upgrade this node")
	require.Contains(t, given, fmt.Sprintf("at %d", offset+1))
	require.Len(t, old.projector.Lag().Given, 1)
	old.settled(t, 1, offset) // what came before the unknown one
	_, err := old.add(t, idOn(0), 1)
	require.NoError(t, err)
	require.Equal(t, 1, old.total(t, idOn(0)))

	young := begin(t, "young", brokers, url, func(c *projections.Config) { c.Categories = []*event.Category{newer.Category} })
	young.settled(t, 1, offset+1)
	require.Eventually(t, func() bool { return len(old.projector.Lag().Given) == 0 }, 10*time.Second, 10*time.Millisecond, "the trouble is not this node's any more")
	young.open(t)
}

// A read model of the tests, with a table of the real ones.
func timersModel(apply func(*projections.Batch, projections.At, added)) *projections.Model {
	m := projections.NewModel("tests", 1, []string{"timers"}, counters.Category)
	projections.On(m, apply)
	return m
}

func TestAPanickingReadModelStopsItsPartitionOnly(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url, func(c *projections.Config) {
		c.Models = []*projections.Model{timersModel(func(b *projections.Batch, at projections.At, e added) {
			if e.By == 7 {
				panic("boom")
			}
			b.SetTimer(at, "t", at.Time)
		})}
	})
	offset := n.appendRaw(t, 1, messages(func() []*eventstore.Record {
		c := commitOf(idOn(1), 1, "", 1)
		c[0].Data, _ = json.Marshal(added{By: 7})
		return c
	}()...)...)
	require.Eventually(t, func() bool { return n.projector.Lag().Given[counters.Topic()+"/1"] != "" }, 10*time.Second, 10*time.Millisecond)
	require.Contains(t, n.projector.Lag().Given[counters.Topic()+"/1"], fmt.Sprintf("at %d", offset))
	_, err := n.add(t, idOn(2), 1)
	require.NoError(t, err)

	other := "other"
	for i := 0; eventstore.PartitionOf(counters.Stream(other), 3) != 1; i++ {
		other = fmt.Sprint("other", i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = eventstore.Execute(ctx, n.store, counters, counters.Stream(other), eventstore.Command{Tenant: "acme"}, add(1))
	require.True(t, fault.Is(err, fault.OutcomeUnknown), "it is on the log and will count: %v", err)
}
