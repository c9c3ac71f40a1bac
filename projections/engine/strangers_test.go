package engine_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// numbered is the next commit with one header written by hand.
func numbered(head eventstore.Recorded, name, value string) []kafkago.Record {
	out := enginetest.Messages(enginetest.CommitOf(enginetest.Counters.StreamID(head.Stream), head.Version+1, head.Commit, 1)...)
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
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	id := enginetest.IDOn(1)
	res, err := n.Add(t, id, 1)
	require.NoError(t, err)
	head := res.Events[0]

	next := func(change func(*eventstore.Record)) []kafkago.Record {
		c := enginetest.CommitOf(id, head.Version+1, head.Commit, 1)
		change(c[0])
		return enginetest.Messages(c...)
	}
	torn := enginetest.Messages(enginetest.CommitOf(id, head.Version+1, head.Commit, 3)...)
	for name, c := range map[string]struct {
		records []kafkago.Record
		reason  eventstore.Reason
		count   int
	}{
		"no headers at all": {[]kafkago.Record{{Key: kafkago.NewBytes([]byte("x")), Value: kafkago.NewBytes([]byte("y"))}},
			eventstore.Malformed, 1},
		"no key and no value": {[]kafkago.Record{{Headers: enginetest.Messages(enginetest.CommitOf(id, 2, head.Commit, 1)...)[0].Headers}},
			eventstore.Malformed, 1},
		"a commit id that is none": {next(func(r *eventstore.Record) { r.Commit = "urn:uuid:" + r.Commit }), eventstore.Malformed, 1},
		"a zero in its actor":      {next(func(r *eventstore.Record) { r.Actor = "a\x00" }), eventstore.Malformed, 1},
		"bytes that are no text":   {next(func(r *eventstore.Record) { r.CorrelationID = "\xff\xfe" }), eventstore.Malformed, 1},
		"a name without end": {enginetest.Messages(enginetest.CommitOf(enginetest.IDOn(1)+string(make([]byte, 5000)), 1, "", 1)...),
			eventstore.Malformed, 1},
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
		"another partition's":      {enginetest.Messages(enginetest.CommitOf(enginetest.IDOn(2), 1, "", 1)...), eventstore.Malformed, 1},
		"decided on no head":       {next(func(r *eventstore.Record) { r.Parent = uuid.NewString() }), eventstore.Superseded, 1},
		"a version too far":        {next(func(r *eventstore.Record) { r.Version++ }), eventstore.Superseded, 1},
		"the same again":           {enginetest.Messages(head.Record), eventstore.Duplicate, 1},
		"a commit without its end": {append(torn[:2:2], next(func(r *eventstore.Record) { r.Tenant = "evil" })...), eventstore.Torn, 1},
		"an end without a commit":  {torn[2:], eventstore.Torn, 1},
	} {
		before := n.Skipped(t, string(c.reason))
		offset := enginetest.AppendRaw(n, t, 1, c.records...)
		enginetest.Settled(n, t, 1, offset+int64(len(c.records))-1)
		enginetest.Soon(t, name, func() bool { return n.Skipped(t, string(c.reason)) == before+c.count })
		require.Equal(t, 1, n.Total(t, id), name)
	}
	_, err = n.Add(t, id, 2)
	require.NoError(t, err)
	require.Equal(t, 3, n.Total(t, id))
	require.Empty(t, n.Projector.Lag().Given)
}

// Given a commit whose end was never appended at the very end of the log, when a
// node starts, then it serves: nobody was ever told of that commit.
func TestATornEndDoesNotKeepReadsShut(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	_, err := n.Add(t, enginetest.IDOn(1), 4)
	require.NoError(t, err)
	enginetest.AppendRaw(n, t, 1, enginetest.Messages(enginetest.CommitOf(enginetest.IDOn(1), 2, "", 3)...)[:2]...)
	n.Stop()

	again := enginetest.Start(t, "n1", brokers, url)
	require.Equal(t, 4, again.Total(t, enginetest.IDOn(1)))
	_, err = again.Add(t, enginetest.IDOn(1), 1)
	require.NoError(t, err)
	enginetest.Soon(t, "the torn commit is counted", func() bool { return again.Skipped(t, string(eventstore.Torn)) == 1 })
}

// A read model of the tests, with a table of the real ones.
func timersModel(apply func(*projections.Batch, projections.At, enginetest.Added)) *projections.Model {
	m := projections.NewModel("tests", 1, []string{"timers"}, enginetest.Counters.Category)
	projections.On(m, apply)
	return m
}

// Given half a commit that is longer than one read or one transaction, then what comes
// behind it is reached all the same.
func TestALongCommitWithoutItsEndStopsNothing(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	long := enginetest.CommitOf(enginetest.IDOn(1), 1, "", 1200)
	enginetest.AppendRaw(n, t, 1, enginetest.Messages(long[:1100]...)...)
	large := enginetest.CommitOf(enginetest.IDOn(1), 1, "", 5)
	for _, r := range large[:4] {
		r.Data = []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("x", 3<<20)))
		enginetest.AppendRaw(n, t, 1, enginetest.Messages(r)...)
	}
	n.Stop()
	before := n.Skipped(t, string(eventstore.Torn))
	n = enginetest.Start(t, "n1", brokers, url) // which does not wait for its end
	good := enginetest.CommitOf(another(1), 1, "", 1)
	enginetest.Settled(n, t, 1, enginetest.AppendRaw(n, t, 1, enginetest.Messages(good...)...))
	require.Equal(t, 1, n.Total(t, another(1)))
	// The large one is judged as soon as it is larger than a commit may be, record by record.
	enginetest.Soon(t, "both are counted", func() bool { return before+n.Skipped(t, string(eventstore.Torn)) == 1+len(large[:4]) })
	_, err := n.Add(t, enginetest.IDOn(1), 1)
	require.NoError(t, err)
}

// The largest commits that the producer takes are read in one answer, however their
// bytes are spread, and accepted.
func TestTheLargestCommitsFitIntoOneRead(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	producer := eventstore.NewProducer(n.Log, nil)
	defer producer.Close()
	long := strings.Repeat("x", eventstore.MaxAttribute)
	for name, make := range map[string]func(note int) []*eventstore.Record{
		"one large event": func(note int) []*eventstore.Record {
			c := enginetest.CommitOf(enginetest.IDOn(1), 1, "", 1)
			c[0].Data = []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("n", eventstore.MaxCommitBytes-2000+note)))
			return c
		},
		"many small events": func(count int) []*eventstore.Record {
			return enginetest.CommitOf(another(1), 1, "", 6000+count)
		},
		"the longest headers": func(count int) []*eventstore.Record {
			c := enginetest.CommitOf(another(1)+"-long-0", 1, "", 600+count)
			for _, r := range c {
				r.Actor, r.CorrelationID, r.CausationID, r.Source, r.Traceparent = long, long, long, long, long
			}
			return c
		},
	} {
		refused := func(more int) bool {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // what would be taken is not sent
			_, err := producer.Append(ctx, enginetest.Counters.Topic(), 1, make(more))
			return err != nil
		}
		most := sort.Search(2000, refused) - 1 // as much more as is still taken
		require.True(t, most > 0 && most < 1999, "%s: %d", name, most)
		c := make(most)
		partition := eventstore.PartitionOf(c[0].Stream, enginetest.Counters.Partitions)
		ack, err := producer.Append(t.Context(), enginetest.Counters.Topic(), partition, c)
		require.NoError(t, err, name)
		got := <-ack
		require.NoError(t, got.Err, name)
		read, err := n.Log.Fetch(t.Context(), enginetest.Counters.Topic(), partition, got.Offset)
		require.NoError(t, err, name)
		judged := eventstore.Arbitrate(eventstore.HeadMap{}, read.Entries)
		require.Len(t, judged.Accepted, 1, name)
		require.Len(t, judged.Accepted[0], len(c), name)
		enginetest.Settled(n, t, partition, got.Offset+int64(len(c))-1)
	}
	require.Zero(t, n.Skipped(t, string(eventstore.Torn))+n.Skipped(t, string(eventstore.Malformed)))
}
