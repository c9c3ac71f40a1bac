package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/parley-platform/parley/eventstore"
)

// How much one read asks for, and how long it waits for something to come
// (docs/architecture.md "Reading and writing").
const (
	fetchWait  = 2 * time.Second        // what arrives ends it at once
	lookWait   = 500 * time.Millisecond // for what should be there already
	fetchBytes = 8 << 20
)

// Fetch reads on from an offset. It returns at once when there is something, and
// with no entries after two seconds when there is not.
func (l *Log) Fetch(ctx context.Context, topic string, number int, offset int64) (eventstore.Fetched, error) {
	return l.fetch(ctx, topic, number, offset, fetchWait, fetchBytes)
}

func (l *Log) fetch(ctx context.Context, topic string, number int, offset int64, wait time.Duration, bytes int64) (eventstore.Fetched,
	error) {
	res, err := l.client.Fetch(ctx, &kafkago.FetchRequest{Addr: l.addr, Topic: topic, Partition: number, Offset: offset, MinBytes: 1,
		MaxBytes: bytes, MaxWait: wait})
	if err != nil {
		return eventstore.Fetched{}, fmt.Errorf("reading %s/%d at %d: %w", topic, number, offset, err)
	}
	if errors.Is(res.Error, kafkago.OffsetOutOfRange) {
		return eventstore.Fetched{}, fmt.Errorf("reading %s/%d: %w: %d is outside %d..%d", topic, number, eventstore.ErrOutOfRange, offset,
			res.LogStartOffset, res.HighWatermark)
	}
	if res.Error != nil {
		return eventstore.Fetched{}, fmt.Errorf("reading %s/%d at %d: %w", topic, number, offset, res.Error)
	}
	out := eventstore.Fetched{Start: res.LogStartOffset, End: res.HighWatermark}
	if out.End < offset {
		if out.End, err = l.settledEnd(ctx, topic, number); err != nil {
			return eventstore.Fetched{}, err
		}
	}
	count, _ := l.Partitions(topic) // zero while the genesis itself is being read
	for _, batch := range batches(res.Records) {
		if err := read(batch, offset, func(e eventstore.Entry) {
			checkPlace(&e, topic, number, count)
			out.Entries = append(out.Entries, e)
		}); err != nil {
			return eventstore.Fetched{}, fmt.Errorf("reading %s/%d at %d: %w", topic, number, offset, err)
		}
	}
	return out, nil
}

// batches takes the answer apart, because only a batch knows its leader epoch.
func batches(r kafkago.RecordReader) []kafkago.RecordReader {
	if s, ok := r.(*protocol.RecordStream); ok {
		return s.Records
	}
	return []kafkago.RecordReader{r}
}

func read(batch kafkago.RecordReader, from int64, emit func(eventstore.Entry)) error {
	epoch, control := int32(-1), false
	switch b := batch.(type) {
	case *protocol.ControlBatch: // a stranger's transaction: passed over, but the offset moves on
		control = true
	case *protocol.RecordBatch:
		epoch = b.PartitionLeaderEpoch
	}
	for {
		r, err := batch.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		key, value, err := bodies(r)
		switch {
		case err != nil:
			return err
		case r.Offset < from: // a batch may begin before the offset asked for
		case control:
			emit(eventstore.Entry{Offset: r.Offset, Mark: "marker"})
		default:
			emit(entry(r, key, value, epoch))
		}
	}
}

func bodies(r *kafkago.Record) (key, value []byte, err error) {
	if key, err = protocol.ReadAll(r.Key); err != nil {
		return nil, nil, err
	}
	value, err = protocol.ReadAll(r.Value)
	for _, b := range []protocol.Bytes{r.Key, r.Value} {
		if b != nil {
			b.Close()
		}
	}
	return key, value, err
}

func entry(r *kafkago.Record, key, value []byte, epoch int32) eventstore.Entry {
	e := eventstore.Entry{Offset: r.Offset, Mark: strconv.Itoa(int(epoch)) + "/" + strconv.FormatInt(r.Time.UnixMilli(), 10)}
	if eventstore.IsGenesis(r.Headers) || eventstore.IsLost(r.Headers) {
		return e
	}
	e.Record, e.Err = eventstore.ParseRecord(key, value, r.Headers)
	if e.Err != nil {
		e.Record = nil
		return e
	}
	e.Mark += "/" + e.Record.Commit + "/" + strconv.Itoa(e.Record.CommitIndex)
	return e
}

// checkPlace notes the position, and refuses a record that stands where writers
// would never look for it.
func checkPlace(e *eventstore.Entry, topic string, number, count int) {
	if e.Record == nil {
		return
	}
	e.Record.Topic, e.Record.Partition, e.Record.Offset = topic, number, e.Offset
	if count == 0 {
		return
	}
	if want := eventstore.PartitionOf(e.Record.Stream, count); want != number {
		e.Err = fmt.Errorf("%w: stream %.80q belongs to partition %d", eventstore.ErrMalformed, e.Record.Stream, want)
	} else if !strings.HasPrefix(e.Record.Type, topic+".") {
		e.Err = fmt.Errorf("%w: ce_type %.80q on %s", eventstore.ErrMalformed, e.Record.Type, topic)
	}
	if e.Err != nil {
		e.Record = nil
	}
}

// ReadMark returns the identity of the record at an offset, to be compared with
// what a checkpoint remembers of it.
func (l *Log) ReadMark(ctx context.Context, topic string, number int, offset int64) (string, error) {
	got, err := l.fetch(ctx, topic, number, offset, lookWait, 64<<10)
	if err != nil {
		return "", err
	}
	if len(got.Entries) == 0 && got.End <= offset {
		switch end, err := l.settledEnd(ctx, topic, number); {
		case err != nil:
			return "", err
		case end > offset:
			return "", fmt.Errorf("reading %s/%d at %d: %w", topic, number, offset, kafkago.OffsetNotAvailable)
		}
	}
	if len(got.Entries) == 0 || got.Entries[0].Offset != offset {
		return "", fmt.Errorf("reading %s/%d: %w: no record at %d", topic, number, eventstore.ErrOutOfRange, offset)
	}
	return got.Entries[0].Mark, nil
}

// settledEnd asks the leader where a partition ends. A leader that was just elected
// may give a high-water mark in its answers to Fetch that lies below what readers have
// seen already; to this question it says OFFSET_NOT_AVAILABLE until it knows.
func (l *Log) settledEnd(ctx context.Context, topic string, number int) (int64, error) {
	ends, err := l.ends(ctx, map[string][]int{topic: {number}})
	return ends[topic][number], err
}

// ends asks the leaders, in one go, where partitions end.
func (l *Log) ends(ctx context.Context, partitions map[string][]int) (map[string]map[int]int64, error) {
	out := map[string]map[int]int64{}
	req := &kafkago.ListOffsetsRequest{Addr: l.addr, Topics: map[string][]kafkago.OffsetRequest{}}
	for topic, numbers := range partitions {
		out[topic] = map[int]int64{}
		for _, number := range numbers {
			req.Topics[topic] = append(req.Topics[topic], kafkago.LastOffsetOf(number))
		}
	}
	if len(partitions) == 0 {
		return out, nil
	}
	res, err := l.client.ListOffsets(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("asking where %s: %w", ending(partitions), err)
	}
	for topic, numbers := range partitions {
		for _, p := range res.Topics[topic] {
			if p.Error != nil {
				return nil, fmt.Errorf("asking where %s/%d ends: %w", topic, p.Partition, unsaid(p.Error))
			}
			out[topic][p.Partition] = p.LastOffset
		}
		for _, number := range numbers {
			if _, said := out[topic][number]; !said {
				return nil, fmt.Errorf("asking where %s/%d ends: %w", topic, number, kafkago.LeaderNotAvailable)
			}
		}
	}
	return out, nil
}

// ending says of which partitions it is asked where they end.
func ending(partitions map[string][]int) string {
	for topic, numbers := range partitions {
		if len(partitions) == 1 && len(numbers) == 1 {
			return fmt.Sprintf("%s/%d ends", topic, numbers[0])
		}
	}
	return fmt.Sprintf("the partitions of %d topics end", len(partitions))
}

// Ends returns the next offset of every partition of the opened topics.
func (l *Log) Ends(ctx context.Context) (map[string]map[int]int64, error) {
	opened := map[string][]int{}
	l.mu.RLock()
	for p := range l.genesis {
		opened[p.topic] = append(opened[p.topic], p.number)
	}
	l.mu.RUnlock()
	return l.ends(ctx, opened)
}
