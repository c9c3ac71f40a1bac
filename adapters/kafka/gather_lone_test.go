package kafka

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/stretchr/testify/require"
)

// emptyLog answers that nothing is there, after the wait, or after a round trip. Each
// request that is under way would have a connection.
type emptyLog struct{ underWay, most atomic.Int32 }

func (l *emptyLog) RoundTrip(_ context.Context, _ net.Addr, r kafkago.Request) (kafkago.Response, error) {
	request, ok := r.(*fetch.Request)
	if !ok {
		m := &metadata.Response{}
		t := metadata.ResponseTopic{Name: "t"}
		for i := range int32(300) {
			t.Partitions = append(t.Partitions, metadata.ResponsePartition{PartitionIndex: i, LeaderID: 1})
		}
		m.Topics = append(m.Topics, t)
		return m, nil
	}
	now := l.underWay.Add(1)
	defer l.underWay.Add(-1)
	for most := l.most.Load(); now > most && !l.most.CompareAndSwap(most, now); most = l.most.Load() {
	}
	time.Sleep(time.Millisecond + time.Duration(request.MaxWaitTime)*time.Millisecond)
	out := &fetch.Response{}
	for _, t := range request.Topics {
		answer := fetch.ResponseTopic{Topic: t.Topic}
		for _, p := range t.Partitions {
			answer.Partitions = append(answer.Partitions, fetch.ResponsePartition{Partition: p.Partition, HighWatermark: p.FetchOffset})
		}
		out.Topics = append(out.Topics, answer)
	}
	return out, nil
}

// Given the three hundred readers of a node that starts, when each reads for the first
// time and nothing is there, then they do not wait on a connection each.
func TestFirstReadsDoNotWaitOnAConnectionEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &emptyLog{}
		g := newGatherer(log)
		var readers sync.WaitGroup
		for i := range int32(300) {
			readers.Go(func() {
				_, err := g.RoundTrip(t.Context(), kafkago.TCP("broker:1"), &fetch.Request{MaxWaitTime: 2000, MinBytes: 1,
					Topics: []fetch.RequestTopic{{Topic: "t", Partitions: []fetch.RequestPartition{{Partition: i, FetchOffset: 7}}}}})
				require.NoError(t, err)
			})
		}
		readers.Wait()
		require.LessOrEqual(t, log.most.Load(), int32(2*mostLone))
	})
}
