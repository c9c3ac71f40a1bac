package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/eventstore"
)

// Notes reads all records of a topic that is not part of the log (see Plain), of its
// first partition, in order. A topic that is not there has none.
func (l *Log) Notes(ctx context.Context, topic string) ([][]byte, error) {
	_, counts, err := l.describe(ctx)
	if err != nil || counts[topic] == 0 {
		return nil, err
	}
	var out [][]byte
	err = patiently(ctx, func() error {
		end, err := l.settledEnd(ctx, topic, 0)
		if err != nil {
			return err
		}
		out, err = l.notesUpTo(ctx, topic, end)
		return err
	})
	return out, err
}

func (l *Log) notesUpTo(ctx context.Context, topic string, end int64) ([][]byte, error) {
	var out [][]byte
	for at := int64(0); at < end; {
		res, err := l.client.Fetch(ctx, &kafkago.FetchRequest{Addr: l.addr, Topic: topic, Partition: 0, Offset: at, MinBytes: 1,
			MaxBytes: fetchBytes, MaxWait: lookWait})
		if err == nil {
			err = res.Error
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s at %d: %w", topic, at, err)
		}
		from := at
		for {
			r, err := res.Records.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s at %d: %w", topic, at, err)
			}
			_, value, err := bodies(r)
			if err != nil {
				return nil, fmt.Errorf("reading %s at %d: %w", topic, at, err)
			}
			if r.Offset >= from {
				out, at = append(out, value), r.Offset+1
			}
		}
		if at == from {
			return nil, fmt.Errorf("reading %s at %d: %w", topic, at, kafkago.OffsetNotAvailable)
		}
	}
	return out, nil
}

// Note appends a record to such a topic, which is made if it is not there. Kind and id are
// its ce_type and ce_id.
func (l *Log) Note(ctx context.Context, topic, kind, id string, value []byte) error {
	if err := l.Plain(ctx, 1, topic); err != nil {
		return err
	}
	return patiently(ctx, func() error {
		if _, err := l.produce(ctx, topic, 0, []kafkago.Record{{Value: kafkago.NewBytes(value), Time: time.Now(),
			Headers: eventstore.NoteHeaders(kind, id)}}); err != nil {
			return fmt.Errorf("writing to %s: %w", topic, err)
		}
		return nil
	})
}

// Empty reports whether the opened topics hold nothing but genesis records.
func (l *Log) Empty(ctx context.Context) (bool, error) {
	ends, err := l.Ends(ctx)
	if err != nil {
		return false, err
	}
	for topic, parts := range ends {
		for number, end := range parts {
			if more, err := l.holdsMore(ctx, topic, number, end); more || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}
