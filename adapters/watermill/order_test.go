package watermillkafka_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/stretchr/testify/require"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

func pair(m *message.Message) string {
	return m.Metadata[watermillkafka.MetadataKey] + "=" + string(m.Payload)
}

// Given a partition whose first key is stuck, when the others are finished, then
// the committed offset stays at the stuck record, and after a restart everything
// from there on comes again.
func TestTheLowestUnfinishedOffsetIsCommitted(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	b.publish(t, topic, [2]string{"z", "0"}, [2]string{"stuck", "1"}, [2]string{"b", "1"}, [2]string{"b", "2"}, [2]string{"stuck", "2"},
		[2]string{"c", "1"})

	m := join(t, b.config("lowest"), topic)
	var stuck *message.Message
	finished := map[string]bool{}
	for len(finished) < 4 {
		msg := m.next(t)
		if pair(msg) == "stuck=1" {
			require.Nil(t, stuck, "handed out twice")
			stuck = msg
			continue
		}
		require.NotEqual(t, "stuck=2", pair(msg), "overtook its own key")
		finished[pair(msg)] = true
		require.True(t, msg.Ack())
	}
	require.Equal(t, map[string]bool{"z=0": true, "b=1": true, "b=2": true, "c=1": true}, finished)
	b.awaitCommitted(t, "lowest", topic, map[int]int64{0: 1})

	require.NoError(t, m.Close()) // gives up on the stuck handler after DrainTimeout
	require.ErrorIs(t, stuck.Context().Err(), context.Canceled, "the late handler is told to stop")
	require.Equal(t, map[int]int64{0: 1}, b.committed(t, "lowest", topic), "a later finished offset passed an unfinished one")

	again := join(t, b.config("lowest"), topic)
	var got []string
	for range 5 {
		msg := again.next(t)
		got = append(got, pair(msg))
		msg.Ack()
	}
	require.ElementsMatch(t, []string{"stuck=1", "b=1", "b=2", "stuck=2", "c=1"}, got)
	b.awaitCommitted(t, "lowest", topic, map[int]int64{0: 6})
}

// Given records of several keys, when any try of any record may be nacked, then
// each key is still finished in order, nothing is lost, and nothing comes again
// after its ack.
func TestOrderPerKeySurvivesNacks(t *testing.T) {
	const keys, each = 7, 30
	b := newBroker(t)
	topic := b.topic(t, 3)
	var all [][2]string
	for i := range each {
		for k := range keys {
			all = append(all, [2]string{fmt.Sprint("key-", k), strconv.Itoa(i)})
		}
	}
	b.publish(t, topic, all...)

	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	m := join(t, b.config("nacks"), topic)
	next := map[string]int{}
	for acked := 0; acked < keys*each; {
		msg := m.next(t)
		key := msg.Metadata[watermillkafka.MetadataKey]
		require.Equal(t, strconv.Itoa(next[key]), string(msg.Payload), "key %s", key)
		if random.Intn(3) == 0 {
			msg.Nack()
			continue
		}
		next[key]++
		acked++
		msg.Ack()
	}
	require.NoError(t, m.Close())
	require.EqualValues(t, keys*each, sum(b.committed(t, "nacks", topic)))
}

func sum(offsets map[int]int64) (n int64) {
	for _, o := range offsets {
		n += o
	}
	return n
}

// Given a key that is always nacked, when there are more keys than may be in
// flight, then the others still finish: a record that waits for its next try
// takes no place.
func TestANackedKeyHoldsUpNobody(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("aside")
	cfg.InFlight = 1
	b.publish(t, topic, [2]string{"bad", "1"}, [2]string{"bad", "2"})
	var others [][2]string
	for i := range 20 {
		others = append(others, [2]string{fmt.Sprint("good-", i), "1"})
	}
	b.publish(t, topic, others...)

	m := join(t, cfg, topic)
	for good := 0; good < len(others); {
		msg := m.next(t)
		if msg.Metadata[watermillkafka.MetadataKey] == "bad" {
			require.Equal(t, "1", string(msg.Payload))
			msg.Nack()
			continue
		}
		good++
		msg.Ack()
	}
}

// Given an account whose handlers all wait, and that has more to be handed out, then what another account has is handed out at once,
// however many wait; and no more than twice as many records as one account may have are under way.
func TestAnAccountWhoseHandlersWaitKeepsNobodyWaiting(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("accounts")
	cfg.InFlight = 2
	of := func(account string, n int) (all []*message.Message) {
		for i := range n {
			m := keyed(fmt.Sprint(account, i), account)
			m.Metadata.Set("ce_tenant", account)
			all = append(all, m)
		}
		return all
	}
	require.NoError(t, b.publisher(t).Publish(topic, slices.Concat(of("dead", 20), of("good", 5), of("other", 5))...))

	m := join(t, cfg, topic)
	var dead []*message.Message
	good := 0
	for good < 10 {
		msg := m.next(t)
		if string(msg.Payload) == "dead" {
			dead = append(dead, msg)
			continue
		}
		good++
		require.True(t, msg.Ack())
	}
	require.Len(t, dead, 2)
	for _, msg := range dead {
		require.True(t, msg.Ack())
	}
	for range 18 {
		require.True(t, m.next(t).Ack())
	}
	b.awaitCommitted(t, "accounts", topic, map[int]int64{0: 30})
}

func TestInFlightIsBounded(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("bounded")
	cfg.InFlight = 3
	var all [][2]string
	for i := range 10 {
		all = append(all, [2]string{fmt.Sprint(i), ""})
	}
	b.publish(t, topic, all...)

	m := join(t, cfg, topic)
	held := []*message.Message{m.next(t), m.next(t), m.next(t)}
	select {
	case msg := <-m.messages:
		t.Fatalf("a fourth message was handed out: %s", pair(msg))
	case <-time.After(50 * time.Millisecond): // can only miss a fault, never invent one
	}
	held[1].Ack()
	held[1] = m.next(t)
	for _, msg := range held {
		msg.Ack()
	}
	for range 6 {
		m.next(t).Ack()
	}
	b.awaitCommitted(t, "bounded", topic, map[int]int64{0: 10})
}

// Given a full window behind one stuck record, when it is finished, then reading
// goes on: memory is bounded, nothing is lost.
func TestTheWindowStopsAndResumesReading(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("window")
	cfg.InFlight, cfg.Window = 5, 5
	b.publish(t, topic, [2]string{"stuck", "1"})
	m := join(t, cfg, topic)
	stuck := m.next(t)
	for i := range 4 {
		b.publish(t, topic, [2]string{fmt.Sprint("k", i), "1"})
		m.next(t).Ack()
	}
	b.publish(t, topic, [2]string{"beyond", "1"})
	select {
	case msg := <-m.messages:
		t.Fatalf("read beyond the window: %s", pair(msg))
	case <-time.After(50 * time.Millisecond): // can only miss a fault
	}
	stuck.Ack()
	require.Equal(t, "beyond=1", pair(m.next(t)))
}

// Given records of one key of which any order will do, when the first is not answered,
// then the others are handed out and finished all the same, and the committed offset
// stays at the first.
func TestInAnyOrderARecordHoldsUpNoneOfItsKey(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	cfg := b.config("any-order")
	cfg.AnyOrder = true
	b.publish(t, topic, [2]string{"a", "1"}, [2]string{"a", "2"}, [2]string{"a", "3"})

	m := join(t, cfg, topic)
	first := m.next(t)
	require.Equal(t, "a=1", pair(first))
	for _, want := range []string{"a=2", "a=3"} {
		next := m.next(t)
		require.Equal(t, want, pair(next))
		require.True(t, next.Ack())
	}
	require.Empty(t, b.committed(t, "any-order", topic)[0], "what is finished passed what is not")
	require.True(t, first.Ack())
	b.awaitCommitted(t, "any-order", topic, map[int]int64{0: 3})
}
