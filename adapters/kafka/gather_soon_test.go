package kafka

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/stretchr/testify/require"
)

// growingLog has one partition; each of its records is there at its time.
type growingLog struct{ at []time.Time }

func (l growingLog) RoundTrip(ctx context.Context, _ net.Addr, r kafkago.Request) (kafkago.Response, error) {
	request, ok := r.(*fetch.Request)
	if !ok {
		return &metadata.Response{Topics: []metadata.ResponseTopic{{Name: "t", Partitions: []metadata.ResponsePartition{{LeaderID: 1}}}}}, nil
	}
	asked := request.Topics[0].Partitions[0]
	answer := fetch.ResponsePartition{HighWatermark: asked.FetchOffset}
	wait := time.After(time.Duration(request.MaxWaitTime) * time.Millisecond)
	var record <-chan time.Time
	if asked.FetchOffset < int64(len(l.at)) {
		record = time.After(time.Until(l.at[asked.FetchOffset]))
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-record:
		answer.HighWatermark++
		answer.RecordSet = protocol.RecordSet{Records: protocol.NewRecordReader()}
	case <-wait:
	}
	return &fetch.Response{Topics: []fetch.ResponseTopic{{Topic: "t", Partitions: []fetch.ResponsePartition{answer}}}}, nil
}

// Given a record of a partition that was quiet, when another follows right behind it, then a
// reader in a hurry is told of both at once, and one that has time gathers with others first.
func TestWhatFollowsAtOnceIsNotGatheredFor(t *testing.T) {
	for _, of := range []struct {
		name     string
		patience time.Duration
		late     time.Duration
	}{{"in a hurry", beat, 0}, {"that has time", 4 * beat, muster - time.Millisecond}} {
		t.Run(of.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := time.Now().Add(beat / 4)
				log := growingLog{at: []time.Time{first, first.Add(time.Millisecond)}}
				g := newGatherer(log)
				for offset, at := range log.at {
					res, err := g.RoundTrip(t.Context(), kafkago.TCP("broker:1"), &fetch.Request{MaxWaitTime: int32(of.patience.Milliseconds()),
						MinBytes: 1, Topics: []fetch.RequestTopic{{Topic: "t", Partitions: []fetch.RequestPartition{{FetchOffset: int64(offset)}}}}})
					require.NoError(t, err)
					require.False(t, empty(res))
					if offset == 0 {
						require.Zero(t, time.Since(at))
					} else {
						require.Equal(t, of.late, time.Since(at))
					}
				}
			})
		})
	}
}
