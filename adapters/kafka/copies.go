package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// CopyTopic is the topic that holds a copy of the accepted events of a topic, for
// consumers that do not apply the accept rule.
func CopyTopic(topic string) string { return topic + ".accepted" }

// The headers of a copy that the original has not: where the original stands.
const (
	HeaderOriginTopic     = "parley-topic"
	HeaderOriginPartition = "parley-partition"
	HeaderOriginOffset    = "parley-offset"
)

// Copies writes copies of accepted events. It implements eventstore.Batches.
type Copies struct {
	log    *Log
	opened bool // what is personal stands in them as it is
}

// OpenCopies creates what is missing of the categories' copy topics, with the
// settings of the log and the partition count of the original's genesis, and
// refuses one that has another count: streams would change their partition. Where what is
// personal is to stand in them opened, for so long after the event, they are kept no longer,
// and one that is kept for ever is refused; 0: it stays sealed.
func (l *Log) OpenCopies(ctx context.Context, categories []*event.Category, opened time.Duration) (*Copies, error) {
	brokers, have, err := l.describe(ctx)
	if err != nil {
		return nil, err
	}
	wanted := map[string]int{}
	for _, c := range categories {
		n, err := l.Partitions(c.Topic())
		if err != nil {
			return nil, err
		}
		wanted[CopyTopic(c.Topic())] = n
	}
	replicas := l.replicas(brokers)
	settings := copySettings(replicas, opened)
	if err := l.createWith(ctx, settings, replicas, have, wanted); err != nil {
		return nil, err
	}
	if _, have, err = l.describe(ctx); err != nil {
		return nil, err
	}
	topics := slices.Sorted(maps.Keys(wanted))
	for _, topic := range topics {
		if have[topic] != wanted[topic] {
			return nil, fmt.Errorf("topic %s has %d partitions, the events it copies are in %d: delete it and the offsets of the group that fills "+
				"it, and start again to fill it anew", topic, have[topic], wanted[topic])
		}
	}
	why := lossy
	if opened > 0 {
		why = "and who is erased is to be forgotten in opened copies, too"
	}
	wrong, err := l.wrongSettings(ctx, topics, settings, why)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, errors.New(strings.Join(wrong, "\n"))
	}
	return &Copies{l, opened > 0}, nil
}

// copySettings are those of the log, but that opened copies are kept for a time. A segment
// goes as a whole, so it takes no more than a part of that.
func copySettings(replicas int, opened time.Duration) map[string]string {
	s := settings(replicas)
	if opened > 0 {
		s["retention.ms"] = strconv.FormatInt(opened.Milliseconds(), 10)
		s["segment.ms"] = strconv.FormatInt(opened.Milliseconds()/8, 10)
	}
	return s
}

// Produce implements eventstore.Batches for a copy topic: key, value and headers as
// they were, and beside them the place of the original. What is opened names no key.
func (c *Copies) Produce(ctx context.Context, topic string, number int, records []*eventstore.Record) (int64, error) {
	batch := make([]kafkago.Record, len(records))
	for i, r := range records {
		if c.opened && r.Sealed != nil {
			plain := *r
			plain.KeyID, plain.Sealed = "", nil
			r = &plain
		}
		headers := append(r.Headers(),
			kafkago.Header{Key: HeaderOriginTopic, Value: []byte(r.Topic)},
			kafkago.Header{Key: HeaderOriginPartition, Value: strconv.AppendInt(nil, int64(r.Partition), 10)},
			kafkago.Header{Key: HeaderOriginOffset, Value: strconv.AppendInt(nil, r.Offset, 10)})
		batch[i] = kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Stored()), Headers: headers,
			Time: r.Time}
	}
	return c.log.produce(ctx, topic, number, batch)
}
