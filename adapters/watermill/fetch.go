package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// fetched is what one round of reading brought.
type fetched struct {
	records []*record
	next    int64 // where to read on
}

// ErrOutOfRange says that the group stands at an offset that is not on the log.
var ErrOutOfRange = errors.New("offset out of range")

// ErrNoOffset says that the group has no committed offset and was told not to
// choose one.
var ErrNoOffset = errors.New("no committed offset")

var errNothing = errors.New("the broker says there are records and sent none")

// read fetches whenever the partition has room, until ctx ends or there is no way
// on. Nothing makes it jump.
func (p *partition) read(ctx context.Context) {
	offset := p.from
	if offset < 0 {
		var err error
		if offset, err = p.start(ctx); err != nil {
			p.refuse(ctx, err)
			return
		}
	}
	look := p.fetchFirst
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.want:
		}
		f, err := look(ctx, offset)
		if err != nil {
			p.refuse(ctx, err)
			return
		}
		offset, look = f.next, p.fetch
		if !p.give(ctx, f) {
			return
		}
	}
}

func (p *partition) give(ctx context.Context, f fetched) bool {
	select {
	case p.fetched <- f:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *partition) refuse(ctx context.Context, err error) {
	if ctx.Err() == nil {
		p.sub.stop(p.number, err)
	}
}

// start chooses where to begin without a committed offset.
func (p *partition) start(ctx context.Context) (int64, error) {
	switch p.sub.cfg.StartAt.kind {
	case startRefuse:
		return 0, fmt.Errorf("%s/%d of group %s: %w: say where to start, first or end",
			p.sub.topic, p.number, p.sub.cfg.Group, ErrNoOffset)
	case startEnd:
		return p.end(ctx)
	default:
		return 0, nil
	}
}

func (p *partition) end(ctx context.Context) (offset int64, err error) {
	err = p.insist(ctx, "asking for the end of the partition", func() error {
		res, err := p.sub.cfg.Client.ListOffsets(ctx, &kafka.ListOffsetsRequest{
			Topics: map[string][]kafka.OffsetRequest{p.sub.topic: {kafka.LastOffsetOf(p.number)}}})
		if err != nil {
			return err
		}
		for _, o := range res.Topics[p.sub.topic] {
			if o.Partition == p.number {
				offset = o.LastOffset
				return o.Error
			}
		}
		return kafka.UnknownTopicOrPartition
	})
	return offset, err
}

// fetchFirst returns even with nothing: the offset is on the log, so it may be
// committed. An idle partition is then told from a new one, and a start that is
// not on the log leaves no trace.
func (p *partition) fetchFirst(ctx context.Context, offset int64) (f fetched, err error) {
	err = p.insist(ctx, "reading", func() (err error) {
		f, err = p.fetchOnce(ctx, offset)
		return err
	})
	return f, err
}

// fetch waits until there is something at the offset. It fails when ctx ends or
// the offset is not on the log; everything else is tried again.
func (p *partition) fetch(ctx context.Context, offset int64) (f fetched, err error) {
	for err == nil && f.next <= offset {
		f, err = p.fetchFirst(ctx, offset)
	}
	return f, err
}

// insist repeats with growing pauses; only ErrOutOfRange and the end of ctx get through. What succeeds when it is
// tried again warns nobody: a moment of a broker would be a line of each partition of each group.
func (p *partition) insist(ctx context.Context, what string, do func() error) error {
	pauses := delays(100*time.Millisecond, 5*time.Second)
	for level := slog.LevelInfo; ; level = slog.LevelWarn {
		err := do()
		if err == nil || errors.Is(err, ErrOutOfRange) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.sub.log.Log(ctx, level, what+" failed, trying again", "partition", p.number, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

func (p *partition) fetchOnce(ctx context.Context, offset int64) (fetched, error) {
	res, err := p.sub.cfg.Client.Fetch(ctx, &kafka.FetchRequest{Topic: p.sub.topic, Partition: p.number, Offset: offset,
		MinBytes: 1, MaxBytes: fetchBytes, MaxWait: fetchWait})
	if err != nil {
		return fetched{}, err
	}
	if errors.Is(res.Error, kafka.OffsetOutOfRange) {
		return fetched{}, fmt.Errorf("%s/%d of group %s: %w: %d is not on the log; restore the log, or reset the group's offsets",
			p.sub.topic, p.number, p.sub.cfg.Group, ErrOutOfRange, offset)
	}
	if res.Error != nil {
		return fetched{}, res.Error
	}
	f, err := take(res.Records, offset)
	if err == nil && f.next == offset && res.HighWatermark > offset {
		err = errNothing // without the pause that follows this would spin
	}
	return f, err
}

// take reads the batches apart, because the library's stream hides the markers of
// transactions: reading would never get past a batch of them.
func take(records kafka.RecordReader, from int64) (fetched, error) {
	f := fetched{next: from}
	batches := []kafka.RecordReader{records}
	if stream, ok := records.(*protocol.RecordStream); ok {
		batches = stream.Records
	}
	for _, b := range batches {
		_, marker := b.(*protocol.ControlBatch)
		if err := f.takeBatch(b, from, marker); err != nil {
			return fetched{}, err
		}
	}
	return f, nil
}

func (f *fetched) takeBatch(b kafka.RecordReader, from int64, marker bool) error {
	for {
		k, err := b.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if marker || k.Offset < from { // a batch may begin before the offset asked for
			closeBytes(k.Key, k.Value)
		} else {
			r, err := newRecord(k)
			if err != nil {
				return err
			}
			f.records = append(f.records, r)
		}
		f.next = max(f.next, k.Offset+1)
	}
}
