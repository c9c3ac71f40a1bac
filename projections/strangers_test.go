package projections_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

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

// numbered is the next commit with one header written by hand.
func numbered(head eventstore.Recorded, name, value string) []kafkago.Record {
	out := messages(commitOf(counters.StreamID(head.Stream), head.Version+1, head.Commit, 1)...)
	for i, h := range out[0].Headers {
		if h.Key == name {
			out[0].Headers[i].Value = []byte(value)
		}
	}
	return out
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
		"a type that is none":      {next(func(r *eventstore.Record) { r.Type = "added" }), eventstore.Malformed, 1},
		"a type of another topic":  {next(func(r *eventstore.Record) { r.Type = "parley.calls.answered.v1" }), eventstore.Malformed, 1},
		"a version beyond bounds":  {numbered(head, "ce_version", "99999999999999999999"), eventstore.Malformed, 1},
		"a negative version":       {numbered(head, "ce_version", "-2"), eventstore.Malformed, 1},
		"a size that is no number": {numbered(head, "ce_commitsize", "many"), eventstore.Malformed, 1},
		"a commit without end":     {next(func(r *eventstore.Record) { r.CommitSize = 1_000_000 }), eventstore.Malformed, 1},
		"a null value":             {next(func(r *eventstore.Record) { r.Data = nil }), eventstore.Malformed, 1},
		"a value that is no JSON":  {next(func(r *eventstore.Record) { r.Data = []byte{0xff, 0, '{'} }), eventstore.Malformed, 1},
		"a value of seven MiB":     {next(func(r *eventstore.Record) { r.Data = make([]byte, 7<<20) }), eventstore.Malformed, 1},
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

// A read model of the tests, with a table of the real ones.
func timersModel(apply func(*projections.Batch, projections.At, added)) *projections.Model {
	m := projections.NewModel("tests", 1, []string{"timers"}, counters.Category)
	projections.On(m, apply)
	return m
}

// Given half a commit that is longer than one read or one transaction, then what comes
// behind it is reached all the same.
func TestALongCommitWithoutItsEndStopsNothing(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url)
	long := commitOf(idOn(1), 1, "", 1200)
	n.appendRaw(t, 1, messages(long[:1100]...)...)
	large := commitOf(idOn(1), 1, "", 5)
	for _, r := range large[:4] {
		r.Data = []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("x", 3<<20)))
		n.appendRaw(t, 1, messages(r)...)
	}
	n.stop()
	before := n.skipped(t, string(eventstore.Torn))
	n = start(t, "n1", brokers, url) // which does not wait for its end
	good := commitOf(another(1), 1, "", 1)
	n.settled(t, 1, n.appendRaw(t, 1, messages(good...)...))
	require.Equal(t, 1, n.total(t, another(1)))
	// The large one is judged as soon as it is larger than a commit may be, record by record.
	soon(t, "both are counted", func() bool { return before+n.skipped(t, string(eventstore.Torn)) == 1+len(large[:4]) })
	_, err := n.add(t, idOn(1), 1)
	require.NoError(t, err)
}

// The largest commits that the producer takes are read in one answer, however their
// bytes are spread, and accepted.
func TestTheLargestCommitsFitIntoOneRead(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "n1", brokers, url)
	producer := eventstore.NewProducer(n.log, nil)
	defer producer.Close()
	long := strings.Repeat("x", eventstore.MaxAttribute)
	for name, make := range map[string]func(note int) []*eventstore.Record{
		"one large event": func(note int) []*eventstore.Record {
			c := commitOf(idOn(1), 1, "", 1)
			c[0].Data = []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("n", eventstore.MaxCommitBytes-2000+note)))
			return c
		},
		"many small events": func(count int) []*eventstore.Record {
			return commitOf(another(1), 1, "", 6000+count)
		},
		"the longest headers": func(count int) []*eventstore.Record {
			c := commitOf(another(1)+"-long-0", 1, "", 600+count)
			for _, r := range c {
				r.Actor, r.CorrelationID, r.CausationID, r.Source, r.Traceparent = long, long, long, long, long
			}
			return c
		},
	} {
		refused := func(more int) bool {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // what would be taken is not sent
			_, err := producer.Append(ctx, counters.Topic(), 1, make(more))
			return err != nil
		}
		most := sort.Search(2000, refused) - 1 // as much more as is still taken
		require.True(t, most > 0 && most < 1999, "%s: %d", name, most)
		c := make(most)
		partition := eventstore.PartitionOf(c[0].Stream, counters.Partitions)
		ack, err := producer.Append(t.Context(), counters.Topic(), partition, c)
		require.NoError(t, err, name)
		got := <-ack
		require.NoError(t, got.Err, name)
		read, err := n.log.Fetch(t.Context(), counters.Topic(), partition, got.Offset)
		require.NoError(t, err, name)
		judged := eventstore.Arbitrate(eventstore.HeadMap{}, read.Entries)
		require.Len(t, judged.Accepted, 1, name)
		require.Len(t, judged.Accepted[0], len(c), name)
		n.settled(t, partition, got.Offset+int64(len(c))-1)
	}
	require.Zero(t, n.skipped(t, string(eventstore.Torn))+n.skipped(t, string(eventstore.Malformed)))
}
