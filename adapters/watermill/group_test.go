package watermillkafka_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

func TestARestartResumesAfterTheLastFinishedRecord(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	b.publish(t, topic, [2]string{"k", "1"}, [2]string{"k", "2"}, [2]string{"k", "3"})

	first := join(t, b.config("resume"), topic)
	first.next(t).Ack()
	first.next(t).Ack()
	b.awaitCommitted(t, "resume", topic, map[int]int64{0: 2})
	require.NoError(t, first.Close())

	second := join(t, b.config("resume"), topic)
	require.Equal(t, "k=3", pair(second.next(t)))
}

// Given members and publishers at work, when the broker goes away twice and comes
// back, then all find their way back by themselves and nothing published is lost.
func TestBrokerRestartsAreSurvived(t *testing.T) {
	const publishers, each = 100, 100
	b := newRestartable(t)
	topic := b.topic(t, 3)
	got := &ledger{by: map[string]map[string]int{}, last: map[string]string{}}
	go got.take("one", join(t, b.config("restart"), topic))
	go got.take("two", join(t, b.config("restart"), topic))

	var published atomic.Int64
	var all sync.WaitGroup
	for p := range publishers {
		all.Add(1)
		go func() {
			defer all.Done()
			pub := b.publisher(t)
			for i := range each { // one key per message: resends and redeliveries may overtake
				for pub.Publish(topic, keyed(fmt.Sprintf("%d-%d", p, i), "x")) != nil {
					time.Sleep(5 * time.Millisecond) // a publisher's own pause, nothing is timed by it
				}
				published.Add(1)
			}
		}()
	}
	for _, share := range []int64{3, 2} {
		require.Eventually(t, func() bool { return published.Load() >= publishers*each/share }, patience, time.Millisecond)
		require.NoError(t, b.again())
	}
	all.Wait()
	require.Eventually(t, func() bool { return got.keys() == publishers*each }, patience, 10*time.Millisecond)
}

// Given a partition and a group that move to another broker, then reading and
// committing follow.
func TestLeaderAndCoordinatorMayMove(t *testing.T) {
	b := newFake(t)
	topic := b.topic(t, 1)
	m := join(t, b.config("moving"), topic)
	b.publish(t, topic, [2]string{"a", "1"})
	m.next(t).Ack()

	node, _, err := b.current().AddNode(-1, 0)
	require.NoError(t, err)
	require.NoError(t, b.current().MoveTopicPartition(topic, 0, node))
	b.current().RehashCoordinators()
	b.publish(t, topic, [2]string{"a", "2"})
	go func() { // what could not be committed in between comes again
		for msg := range m.messages {
			msg.Ack()
		}
	}()
	b.awaitCommitted(t, "moving", topic, map[int]int64{0: 2})
}

// Given a committed offset that is not on the log, then the partition stops and
// says so; it neither jumps nor forgets where it stood.
func TestAnOffsetOutOfRangeRefuses(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 2)
	b.publish(t, topic, [2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"c", "1"}, [2]string{"d", "1"})
	commitByHand(t, b, "lost", topic, 0, 100)

	cfg := b.config("lost")
	stops := make(chan int, 1)
	cfg.OnStopped = func(_ string, partition int, err error) {
		if err != nil {
			stops <- partition
		}
	}
	m := join(t, cfg, topic)
	require.Equal(t, 0, <-stops)
	require.ErrorIs(t, m.Err(), watermillkafka.ErrOutOfRange)
	require.ErrorContains(t, m.Err(), topic+"/0")
	require.EqualValues(t, 100, b.committed(t, "lost", topic)[0])

	b.publish(t, topic, [2]string{"a", "2"}, [2]string{"b", "2"}, [2]string{"c", "2"}, [2]string{"d", "2"})
	want := 0
	for _, key := range []string{"a", "b", "c", "d"} {
		want += 2 * watermillkafka.PartitionOf([]byte(key), 2)
	}
	require.Positive(t, want)
	for range want { // the other partition goes on
		msg := m.next(t)
		require.Equal(t, "1", msg.Metadata[watermillkafka.MetadataPartition])
		msg.Ack()
	}
}

func TestALogCutAtItsStartRefusesANewGroup(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	b.publish(t, topic, [2]string{"a", "1"}, [2]string{"a", "2"})
	cutStart(t, b, topic, 1)

	m := join(t, b.config("cut"), topic)
	require.Eventually(t, func() bool { return m.Err() != nil }, patience, 5*time.Millisecond)
	require.ErrorIs(t, m.Err(), watermillkafka.ErrOutOfRange)
	require.NoError(t, m.Close())
	require.Empty(t, b.committed(t, "cut", topic), "a start that is not on the log leaves no trace")
}

func TestWhereANewGroupStarts(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	b.publish(t, topic, [2]string{"a", "0"}, [2]string{"a", "1"}, [2]string{"a", "2"})
	for _, c := range []struct {
		start watermillkafka.Start
		at    int64
	}{{watermillkafka.StartFirst, 0}, {watermillkafka.StartEnd, 3}} {
		t.Run(c.start.String(), func(t *testing.T) {
			group := "start-" + c.start.String()
			cfg := b.config(group)
			cfg.StartAt = c.start
			first := join(t, cfg, topic)
			b.awaitCommitted(t, group, topic, map[int]int64{0: c.at})
			require.NoError(t, first.Close())

			cfg.StartAt = watermillkafka.StartRefuse // the start was committed, so nothing is left to choose
			second := join(t, cfg, topic)
			if c.at == 3 {
				b.publish(t, topic, [2]string{"a", "3"})
			}
			require.Equal(t, fmt.Sprint("a=", c.at), pair(second.next(t)))
		})
	}
	t.Run("refuse", func(t *testing.T) {
		cfg := b.config("start-refuse")
		cfg.StartAt = watermillkafka.StartRefuse
		m := join(t, cfg, topic)
		require.Eventually(t, func() bool { return m.Err() != nil }, patience, 5*time.Millisecond)
		require.ErrorIs(t, m.Err(), watermillkafka.ErrNoOffset)
	})
}

// Given two members, then they share the partitions, and when one leaves, the
// other has them all; every key is finished in order throughout.
func TestTwoMembersShareAndTakeOver(t *testing.T) {
	const keys, each = 12, 20
	b := newBroker(t)
	topic := b.topic(t, 4)
	got := &ledger{by: map[string]map[string]int{}, last: map[string]string{}}
	one, two := join(t, b.config("pair"), topic), join(t, b.config("pair"), topic)
	go got.take("one", one)
	go got.take("two", two)

	publish := func(from, to int) {
		for i := from; i < to; i++ {
			for k := range keys {
				b.publish(t, topic, [2]string{fmt.Sprint("key-", k), fmt.Sprintf("%03d", i)})
			}
		}
	}
	round := 0
	require.Eventually(t, func() bool { // once the group has settled both get something
		publish(round, round+1)
		round++
		return got.count("one") > 0 && got.count("two") > 0
	}, patience, 20*time.Millisecond)

	require.NoError(t, one.Close())
	before := got.count("one")
	publish(round, round+each)
	last := fmt.Sprintf("%03d", round+each-1)
	require.Eventually(t, func() bool { return got.allAt(last, keys) }, patience, 10*time.Millisecond)
	require.Equal(t, before, got.count("one"), "a closed member got more")
	require.Empty(t, got.disorder())
}

// Given a handler that outlives the drain, when the same member gets the partition
// again, then the key waits for that handler; other keys do not.
func TestAHandlerThatOutlivesItsGenerationKeepsItsKey(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("outlives")
	cfg.DrainTimeout = 50 * time.Millisecond
	b.publish(t, topic, [2]string{"slow", "1"})
	m := join(t, cfg, topic)
	slow := m.next(t)

	addPartitions(t, b, topic, 2) // makes the member join again
	<-slow.Context().Done()
	<-watermillkafka.Draining(slow.Context())
	var other string
	for i := 0; other == ""; i++ {
		if k := fmt.Sprint("k", i); watermillkafka.PartitionOf([]byte(k), 2) == 0 {
			other = k
		}
	}
	b.publish(t, topic, [2]string{other, "1"})
	require.Equal(t, other+"=1", pair(m.next(t)), "the abandoned key was handed out again while its handler was at work")
	slow.Ack() // too late to count
	require.Equal(t, "slow=1", pair(m.next(t)))
}

func TestATopicMayComeAndGrowLater(t *testing.T) {
	b := newBroker(t)
	topic := "parley.later"
	m := join(t, b.config("later"), topic)
	require.NoError(t, b.createTopic(topic, 1))
	b.publish(t, topic, [2]string{"a", "1"})
	msg := m.next(t)
	require.Equal(t, "a=1", pair(msg))
	msg.Ack()

	addPartitions(t, b, topic, 3)
	seen := map[string]bool{}
	for i := 0; len(seen) < 3; i++ {
		b.publish(t, topic, [2]string{fmt.Sprint("k", i), "1"})
		msg := m.next(t)
		seen[msg.Metadata[watermillkafka.MetadataPartition]] = true
		msg.Ack()
	}
}

func TestASubscriptionEndsWithItsContextOrSubscriber(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	sub, err := watermillkafka.NewSubscriber(b.config("ends"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	byContext, err := sub.Subscribe(ctx, topic)
	require.NoError(t, err)
	byClose, err := sub.Subscribe(context.Background(), topic)
	require.NoError(t, err)

	cancel()
	for range byContext {
	}
	require.NoError(t, sub.Close())
	_, open := <-byClose
	require.False(t, open)
	_, err = sub.Subscribe(context.Background(), topic)
	require.ErrorIs(t, err, watermillkafka.ErrClosed)
}

// ledger notes who finished what, in which order.
type ledger struct {
	mu   sync.Mutex
	by   map[string]map[string]int
	last map[string]string
	bad  []string
}

func (l *ledger) take(who string, m member) {
	for msg := range m.messages {
		key, value := msg.Metadata[watermillkafka.MetadataKey], string(msg.Payload)
		l.mu.Lock()
		if l.by[who] == nil {
			l.by[who] = map[string]int{}
		}
		l.by[who][key]++
		if value < l.last[key] {
			l.bad = append(l.bad, fmt.Sprintf("%s: %s after %s", key, value, l.last[key]))
		}
		l.last[key] = value
		l.mu.Unlock()
		msg.Ack()
	}
}

func (l *ledger) count(who string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.by[who] {
		n += c
	}
	return n
}

func (l *ledger) keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.last)
}

func (l *ledger) allAt(value string, keys int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range l.last {
		if v != value {
			return false
		}
	}
	return len(l.last) == keys
}

func (l *ledger) disorder() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bad
}

func commitByHand(t *testing.T, b *broker, group, topic string, partition int, offset int64) {
	t.Helper()
	require.Eventually(t, func() bool { // a new group's coordinator may not be there yet
		res, err := b.client.OffsetCommit(context.Background(), &kafka.OffsetCommitRequest{GroupID: group, GenerationID: -1,
			Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: partition, Offset: offset}}}})
		return err == nil && res.Topics[topic][0].Error == nil
	}, 10*time.Second, 50*time.Millisecond)
}

func addPartitions(t *testing.T, b *broker, topic string, count int) {
	t.Helper()
	res, err := b.client.CreatePartitions(context.Background(), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: topic, Count: int32(count)}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors[topic])
}

func cutStart(t *testing.T, b *broker, topic string, before int64) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(b.address))
	require.NoError(t, err)
	defer c.Close()
	req := kmsg.NewDeleteRecordsRequest()
	rt := kmsg.NewDeleteRecordsRequestTopic()
	rp := kmsg.NewDeleteRecordsRequestTopicPartition()
	rt.Topic, rp.Offset = topic, before
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	_, err = req.RequestWith(context.Background(), c)
	require.NoError(t, err)
}
