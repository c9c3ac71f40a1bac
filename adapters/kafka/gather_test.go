package kafka_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// crowded is a log on three brokers with a topic of many partitions, and the number of
// reads that the brokers were asked for.
func crowded(t *testing.T) (*kfake.Cluster, *kafka.Log, *atomic.Int64) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "8388608"}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var asked atomic.Int64
	c.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked.Add(1)
		return nil, nil, false
	})
	l := connect(t, c.ListenAddrs())
	require.NoError(t, l.Open(t.Context(), []*event.Category{crowd}))
	return c, l, &asked
}

var crowd = event.NewAggregate[struct{}]("crowds", "crowd", 60).Category

// follow reads every partition from its first record on, each with several readers.
func follow(t *testing.T, l *kafka.Log, readers int) <-chan eventstore.Entry {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { stop(); running.Wait() })
	out := make(chan eventstore.Entry, 10_000)
	for p := range crowd.Partitions {
		for range readers {
			running.Go(func() {
				for next := int64(1); ctx.Err() == nil; {
					got, err := l.Fetch(ctx, crowd.Topic(), p, next)
					if err != nil {
						time.Sleep(50 * time.Millisecond)
						continue
					}
					for _, e := range got.Entries {
						out <- e
						next = e.Offset + 1
					}
				}
			})
		}
	}
	return out
}

func TestReadersThatWaitShareTheirRequests(t *testing.T) {
	_, l, asked := crowded(t)
	follow(t, l, 2)
	time.Sleep(1500 * time.Millisecond) // all have found out that there is nothing
	before := asked.Load()
	time.Sleep(2 * time.Second)
	// 120 readers, that by themselves would ask 480 times: once per half second, broker
	// and reader of a partition it is some 24 times.
	require.Less(t, asked.Load()-before, int64(120))
}

func TestWhatComesReachesEachReaderOnceAndAtOnce(t *testing.T) {
	c, l, _ := crowded(t)
	const readers, rounds = 2, 40
	entries := follow(t, l, readers)
	time.Sleep(1200 * time.Millisecond)
	slowest := time.Duration(0)
	for round := range rounds {
		if round == rounds/2 { // shared requests fail: everybody asks by himself, and goes on
			fail(c)
		}
		stream, p, record := oneOfMany()
		began := time.Now()
		_, err := l.Produce(t.Context(), crowd.Topic(), p, record)
		require.NoError(t, err)
		for range readers {
			select {
			case e := <-entries:
				require.NoError(t, e.Err)
				require.Equal(t, stream, e.Record.Stream)
			case <-time.After(10 * time.Second):
				t.Fatal("a reader was not told")
			}
		}
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("the slowest of %d came after %s", rounds, slowest)
	require.Empty(t, entries)
}

func oneOfMany() (stream string, partition int, record []*eventstore.Record) {
	stream = "crowd-" + uuid.NewString()
	record = records(stream, 1, "{}")
	record[0].Type = crowd.Topic() + ".grown.v1"
	return stream, eventstore.PartitionOf(stream, crowd.Partitions), record
}

// fail lets the next shared read fail as a whole.
func fail(c *kfake.Cluster) {
	var once atomic.Bool
	c.ControlKey(kmsg.Fetch.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		f := r.(*kmsg.FetchRequest)
		if len(f.Topics) != 1 || len(f.Topics[0].Partitions) < 2 || once.Swap(true) {
			return nil, nil, false
		}
		res := f.ResponseKind().(*kmsg.FetchResponse)
		res.ErrorCode = kerr.UnknownServerError.Code
		return res, nil, true
	})
}

func TestAReaderThatGivesUpDoesNotWaitForTheOthers(t *testing.T) {
	_, l, _ := crowded(t)
	follow(t, l, 1)
	time.Sleep(1200 * time.Millisecond)
	ctx, giveUp := context.WithCancel(t.Context())
	for range 2 { // to find out that it is quiet, and to wait once with the others
		_, err := l.Fetch(ctx, crowd.Topic(), 7, 1)
		require.NoError(t, err)
	}
	began := time.Now()
	time.AfterFunc(50*time.Millisecond, giveUp)
	_, err := l.Fetch(ctx, crowd.Topic(), 7, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(began), 300*time.Millisecond)
}

// A partition that moves to another broker is followed there.
func TestReadersFollowTheLeader(t *testing.T) {
	c, l, _ := crowded(t)
	entries := follow(t, l, 1)
	time.Sleep(1200 * time.Millisecond)
	stream, p, record := oneOfMany()
	for node := range int32(3) {
		require.NoError(t, c.MoveTopicPartition(crowd.Topic(), int32(p), node))
	}
	require.Eventually(t, func() bool {
		_, err := l.Produce(t.Context(), crowd.Topic(), p, record)
		return err == nil
	}, 10*time.Second, 50*time.Millisecond)
	select {
	case e := <-entries:
		require.Equal(t, stream, e.Record.Stream)
	case <-time.After(10 * time.Second):
		t.Fatal("nobody read on")
	}
}
