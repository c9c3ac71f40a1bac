package watermillkafka

import (
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the order of finishing, and whatever offsets the log leaves out, the
// lowest unfinished offset is what a naive look at all records finds.
func TestProgressKnowsTheLowestUnfinishedOffset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p progress
		var all []*record
		next := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			unfinished := remaining(all)
			var got int64
			if len(unfinished) == 0 || rapid.Bool().Draw(t, "read") {
				r := &record{offset: next + int64(rapid.IntRange(0, 2).Draw(t, "gap"))}
				next = r.offset + 1
				all = append(all, r)
				p.add(r)
				got = p.readTo(next)
			} else {
				got = p.finish(rapid.SampledFrom(unfinished).Draw(t, "finish"))
			}
			want := next
			if left := remaining(all); len(left) > 0 {
				want = left[0].offset
			}
			if got != want {
				t.Fatalf("lowest is %d, want %d", got, want)
			}
		}
	})
}

func remaining(all []*record) (left []*record) {
	for _, r := range all {
		if !r.done {
			left = append(left, r)
		}
	}
	return left
}

func TestALaneNeverGivesUp(t *testing.T) {
	limited := func() backoff.BackOff { return backoff.WithMaxRetries(backoff.NewConstantBackOff(time.Second), 2) }
	l := &lane{}
	for range 10 {
		require.Equal(t, time.Second, l.retryAfter(limited))
	}
}

// A transaction's markers are records to the log and nothing to a handler: they
// are passed over, and reading gets beyond them.
func TestMarkersAreReadOver(t *testing.T) {
	stream := &protocol.RecordStream{Records: []protocol.RecordReader{
		protocol.NewRecordReader(protocol.Record{Offset: 4, Value: protocol.NewBytes([]byte("old"))},
			protocol.Record{Offset: 5, Value: protocol.NewBytes([]byte("new"))}),
		protocol.NewControlBatch(protocol.ControlRecord{Offset: 6}),
	}}
	f, err := take(stream, 5)
	require.NoError(t, err)
	require.EqualValues(t, 7, f.next)
	require.Len(t, f.records, 1)
	require.Equal(t, "new", string(f.records[0].value))

	f, err = take(&protocol.RecordStream{Records: []protocol.RecordReader{protocol.NewControlBatch(protocol.ControlRecord{Offset: 7})}}, 7)
	require.NoError(t, err)
	require.EqualValues(t, 8, f.next, "a batch of markers alone must not be read for ever")

	f, err = take(kafka.NewRecordReader(), 8)
	require.NoError(t, err)
	require.EqualValues(t, 8, f.next)
}
