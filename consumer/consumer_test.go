package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/eventstore"
)

// Given records that no node of Parley would append, then each is passed over and
// reported, and the next good commit is delivered as if they were not there.
func TestStrangersRecordsAreSkippedAndReported(t *testing.T) {
	w := newWorld(t)
	stream := streamOn(1, 0)
	first := commitOf(stream, 1, "", 1)
	w.append(t, 1, messages(first...)...)
	head := first[0]
	sink := newMemory()
	require.NoError(t, w.read(t, sink))
	require.Len(t, sink.events, 1)

	next := func(change func(*eventstore.Record)) []kafkago.Record {
		c := commitOf(stream, 2, head.Commit, 1)
		change(c[0])
		return messages(c...)
	}
	torn := messages(commitOf(stream, 2, head.Commit, 3)...)
	for _, c := range []struct {
		name    string
		records []kafkago.Record
		reason  eventstore.Reason
	}{
		{"no headers at all", []kafkago.Record{{Key: kafkago.NewBytes([]byte("x")), Value: kafkago.NewBytes([]byte("y"))}}, eventstore.Malformed},
		{"no key and no value", []kafkago.Record{{Headers: next(func(*eventstore.Record) {})[0].Headers}}, eventstore.Malformed},
		{"a commit id that is none", next(func(r *eventstore.Record) { r.Commit = "x" }), eventstore.Malformed},
		{"a value that is no JSON", next(func(r *eventstore.Record) { r.Data = []byte("{") }), eventstore.Malformed},
		{"another partition's", messages(commitOf(streamOn(2, 0), 1, "", 1)...), eventstore.Malformed},
		{"another tenant", next(func(r *eventstore.Record) { r.Tenant = "evil" }), eventstore.Foreign},
		{"decided on no head", next(func(r *eventstore.Record) { r.Parent = uuid.NewString() }), eventstore.Superseded},
		{"a version too far", next(func(r *eventstore.Record) { r.Version++ }), eventstore.Superseded},
		{"the same again", messages(head), eventstore.Duplicate},
		{"a commit without its end", append(torn[:2:2], next(func(r *eventstore.Record) { r.Tenant = "evil" })...), eventstore.Torn},
		{"an end without a commit", torn[2:], eventstore.Torn},
	} {
		before := sink.skips[c.reason]
		w.append(t, 1, c.records...)
		require.NoError(t, w.read(t, sink), c.name)
		require.Equal(t, before+1, sink.skips[c.reason], c.name)
		require.Len(t, sink.events, 1, c.name)
	}

	good := commitOf(stream, 2, head.Commit, 2)
	at := w.append(t, 1, messages(good...)...)
	require.NoError(t, w.read(t, sink))
	require.Len(t, sink.events, 3)
	got := *sink.events[1]
	want := *good[0]
	want.Topic, want.Partition, want.Offset = topic, 1, at
	require.Equal(t, want, got, "the whole envelope and the position")
}

// Given half a commit that is longer than one read, and one that declares more than
// any commit has, then what comes behind them is reached.
func TestALongCommitWithoutItsEndStopsNothing(t *testing.T) {
	w := newWorld(t)
	stream := streamOn(0, 0)
	for _, size := range []int{5, 1_000_000} {
		c := commitOf(stream, 1, "", 5)
		for i, r := range c[:4] {
			r.CommitSize, r.Data = size, []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("x", 2<<20-5000+i)))
			if i == 1 {
				r.Data = []byte(fmt.Sprintf(`{"by":1,"note":%q}`, strings.Repeat("x", 2<<20-i)))
			}
			w.append(t, 0, messages(r)...)
		}
	}
	w.append(t, 0, messages(commitOf(stream, 1, "", 2)...)...)
	sink := newMemory()
	require.NoError(t, w.read(t, sink))
	require.Len(t, sink.events, 2)
}

// Given a commit whose rest is not there yet, then nothing of it is delivered, and
// all of it once it is complete, by a consumer that was started anew meanwhile.
func TestACommitIsDeliveredWhole(t *testing.T) {
	w := newWorld(t)
	c := messages(commitOf(streamOn(0, 0), 1, "", 3)...)
	w.append(t, 0, c[:2]...)
	sink := newMemory()
	require.NoError(t, w.read(t, sink))
	require.Empty(t, sink.events)
	require.EqualValues(t, 1, sink.states[consumer.Place{Topic: topic, Partition: 0}].Next, "it stands before the commit")

	w.append(t, 0, c[2:]...)
	sink.refuse = func(b consumer.Batch) error {
		for _, c := range b.Commits {
			if len(c) != 3 {
				return errors.New("part of a commit")
			}
		}
		return nil
	}
	require.NoError(t, w.read(t, sink, func(c *consumer.Config) { c.BatchRecords = 1 }))
	require.Len(t, sink.events, 3)
}

// Given a batch that the sink refuses, then Run ends with its error, nothing is
// passed over, and the next run brings the batch again.
func TestARefusedBatchComesAgain(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.append(t, 0, messages(commitOf(streamOn(0, i), 1, "", 1)...)...)
	}
	sink := newMemory()
	calls := 0
	sink.refuse = func(consumer.Batch) error {
		if calls++; calls == 3 {
			return errors.New("no space left")
		}
		return nil
	}
	one := func(c *consumer.Config) {
		c.BatchRecords, c.Partitions = 5, map[string][]int{topic: {0}}
	}
	require.ErrorContains(t, w.read(t, sink, one), "no space left")
	require.Less(t, len(sink.events), 20)
	require.NoError(t, w.read(t, sink, one))
	seen := map[string]bool{}
	for _, e := range sink.events {
		require.False(t, seen[e.ID], "twice")
		seen[e.ID] = true
	}
	require.Len(t, seen, 20)
}

// Given two processes with some of the partitions each, then together they get
// everything once.
func TestPartitionsCanBeShared(t *testing.T) {
	w := newWorld(t)
	for p := range 3 {
		w.append(t, p, messages(commitOf(streamOn(p, 0), 1, "", 2)...)...)
	}
	a, b := newMemory(), newMemory()
	require.NoError(t, w.read(t, a, func(c *consumer.Config) { c.Partitions = map[string][]int{topic: {0, 2}} }))
	require.NoError(t, w.read(t, b, func(c *consumer.Config) { c.Partitions = map[string][]int{topic: {1}} }))
	require.Len(t, a.events, 4)
	require.Len(t, b.events, 2)
}

// A position without the heads that belong to it is refused, with what to do.
func TestWithoutHeadsItRefuses(t *testing.T) {
	w := newWorld(t)
	stream := streamOn(0, 0)
	c := commitOf(stream, 1, "", 1)
	w.append(t, 0, messages(c...)...)
	w.append(t, 0, messages(commitOf(streamOn(0, 1), 1, "", 1)...)...)
	saved := newMemory()
	require.NoError(t, w.read(t, saved))
	at := consumer.Place{Topic: topic, Partition: 0}

	for name, change := range map[string]func(*consumer.State){
		"an offset of one's own": func(s *consumer.State) { *s = consumer.State{Position: consumer.Position{Next: 2}} },
		"the end of the log":     func(s *consumer.State) { *s = consumer.State{Position: consumer.Position{Next: 3, LogID: s.LogID}} },
		"no heads at all":        func(s *consumer.State) { s.Heads = nil },
		"one head is missing":    func(s *consumer.State) { delete(s.Heads, stream) },
		"the head of another day": func(s *consumer.State) {
			s.Heads[stream] = consumer.Head{Version: 9, Commit: uuid.NewString(), Tenant: "acme"}
		},
		"a later offset": func(s *consumer.State) { s.Heads, s.Next = map[string]consumer.Head{}, s.Next+1 },
	} {
		sink := newMemory()
		var s consumer.State
		s.Add(consumer.Progress(saved.states[at]))
		change(&s)
		sink.states[at] = s
		err := w.read(t, sink)
		require.Error(t, err, name)
		require.True(t, errors.Is(err, consumer.ErrNoHeads) || errors.Is(err, consumer.ErrLogChanged), "%s: %v", name, err)
		require.ErrorContains(t, err, "begin at 0", name)
		require.Empty(t, sink.events, name)
	}
}

// Given another log behind the same names, or one whose end was lost, then the
// consumer refuses to go on.
func TestAnotherLogIsRefused(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.append(t, 0, messages(commitOf(streamOn(0, 0), 1, "", 1)...)...)
	sink := newMemory()
	require.NoError(t, w.read(t, sink))
	err := other.read(t, sink)
	require.ErrorIs(t, err, consumer.ErrLogChanged)
	require.ErrorContains(t, err, "bring the old log back")

	at := consumer.Place{Topic: topic, Partition: 0}
	s := sink.states[at]
	s.Next += 5 // what was read there is gone
	sink.states[at] = s
	err = w.read(t, sink)
	require.ErrorIs(t, err, consumer.ErrLogChanged)

	s.Next -= 5
	s.Mark = "0/0/another"
	sink.states[at] = s
	require.ErrorIs(t, w.read(t, sink), consumer.ErrLogChanged)
}

// Given a topic that got more partitions, then streams are not where the keys say,
// and the consumer refuses.
func TestARepartitionedTopicIsRefused(t *testing.T) {
	w := newWorld(t)
	sink := newMemory()
	require.NoError(t, w.read(t, sink))
	res, err := w.log.Client().CreatePartitions(t.Context(), &kafkago.CreatePartitionsRequest{Topics: []kafkago.TopicPartitionsConfig{
		{Name: topic, Count: 5}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors[topic])
	require.ErrorContains(t, w.read(t, sink), "began with 3 partitions and has 5")
}

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	w := newWorld(t)
	for want, change := range map[string]func(*consumer.Config){
		"Brokers is empty":    func(c *consumer.Config) { c.Brokers = nil },
		"Topics is empty":     func(c *consumer.Config) { c.Topics = nil },
		"Sink is missing":     func(c *consumer.Config) { c.Sink = nil },
		"not on the brokers":  func(c *consumer.Config) { c.Topics = []string{"parley.nothing"} },
		"any Kafka client":    func(c *consumer.Config) { c.Topics = []string{"parley.calls.accepted"} },
		"Topics has not":      func(c *consumer.Config) { c.Partitions = map[string][]int{"parley.calls": {0}} },
		"has 3 partitions":    func(c *consumer.Config) { c.Partitions = map[string][]int{topic: {3}} },
		"twice":               func(c *consumer.Config) { c.Topics = []string{topic, topic} },
		"nothing to read":     func(c *consumer.Config) { c.Partitions = map[string][]int{topic: {}} },
		"must not be negativ": func(c *consumer.Config) { c.BatchRecords = -1 },
	} {
		require.ErrorContains(t, w.read(t, newMemory(), change), want)
	}
}

// A consumer that follows gets what is appended later, and its end by context is
// no error.
func TestFollowing(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := newMemory()
	got := make(chan string, 10)
	sink.refuse = func(b consumer.Batch) error {
		for _, c := range b.Commits {
			got <- fmt.Sprint(b.Place, ": ", len(c))
		}
		return nil
	}
	done := make(chan error, 1)
	go func() {
		done <- consumer.Run(ctx, consumer.Config{Brokers: w.brokers, Topics: []string{topic}, Sink: sink, Log: quiet})
	}()
	w.append(t, 2, messages(commitOf(streamOn(2, 0), 1, "", 2)...)...)
	require.Equal(t, topic+"/2: 2", <-got)
	cancel()
	require.NoError(t, <-done)
}

// To the end is not reached when the context ends before, and that is said.
func TestToTheEndIsNotReachedByStopping(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.append(t, 0, messages(commitOf(streamOn(0, i), 1, "", 1)...)...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sink := newMemory()
	sink.refuse = func(b consumer.Batch) error {
		if len(b.Commits) > 0 {
			cancel()
		}
		return nil
	}
	require.ErrorIs(t, consumer.Run(ctx, consumer.Config{Brokers: w.brokers, Topics: []string{topic}, Sink: sink, ToEnd: true, BatchRecords: 1,
		Log: quiet}), context.Canceled)
	require.Less(t, len(sink.events), 5)
}
