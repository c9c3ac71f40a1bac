package kafka

import (
	"context"
	"net"
	"sync"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/stretchr/testify/require"
)

// roomy is a broker with one topic, that has something for every partition from offset
// 1 on as soon as two ask at once, and whose answers have room for one of them only.
type roomy struct{ *testing.T }

func (b roomy) RoundTrip(_ context.Context, _ net.Addr, r kafkago.Request) (kafkago.Response, error) {
	if _, ok := r.(*metadata.Request); ok {
		return &metadata.Response{Topics: []metadata.ResponseTopic{{Name: "t", Partitions: []metadata.ResponsePartition{{PartitionIndex: 0},
			{PartitionIndex: 1}}}}}, nil
	}
	asked := r.(*fetch.Request).Topics[0].Partitions
	out := fetch.ResponseTopic{Topic: "t"}
	for i, p := range asked {
		answer := fetch.ResponsePartition{Partition: p.Partition, HighWatermark: 1}
		if len(asked) > 1 || p.FetchOffset == 0 {
			answer.HighWatermark = p.FetchOffset + 1
			if i == 0 {
				answer.RecordSet.Records = kafkago.NewRecordReader(kafkago.Record{Offset: p.FetchOffset})
			}
		}
		out.Partitions = append(out.Partitions, answer)
	}
	return &fetch.Response{Topics: []fetch.ResponseTopic{out}}, nil
}

// Whoever an answer had no room for asks by himself, instead of being told that there
// is something and getting nothing.
func TestAnAnswerWithoutRoom(t *testing.T) {
	g := newGatherer(roomy{t})
	read := func(partition int32, offset int64) fetch.ResponsePartition {
		res, err := g.RoundTrip(t.Context(), kafkago.TCP("broker:1"), &fetch.Request{MaxWaitTime: 2000, MinBytes: 1,
			Topics: []fetch.RequestTopic{{Topic: "t", Partitions: []fetch.RequestPartition{{Partition: partition, FetchOffset: offset}}}}})
		require.NoError(t, err)
		return res.(*fetch.Response).Topics[0].Partitions[0]
	}
	var both sync.WaitGroup
	got := make([]fetch.ResponsePartition, 2)
	for p := range int32(2) {
		require.Nil(t, read(p, 1).RecordSet.Records) // quiet from now on
	}
	for p := range int32(2) {
		both.Go(func() { got[p] = read(p, 1) })
	}
	both.Wait()
	with := 0
	for _, p := range got {
		if p.RecordSet.Records != nil {
			with++
		} else {
			require.EqualValues(t, 1, p.HighWatermark, "the answer to a read of its own")
		}
	}
	require.Equal(t, 1, with)
}
