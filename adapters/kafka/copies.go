package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
type Copies struct{ log *Log }

// OpenCopies creates what is missing of the categories' copy topics, with the
// settings of the log and the partition count of the original's genesis, and
// refuses one that has another count: streams would change their partition.
func (l *Log) OpenCopies(ctx context.Context, categories []*event.Category) (*Copies, error) {
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
	if err := l.create(ctx, brokers, have, wanted); err != nil {
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
	wrong, err := l.wrongSettings(ctx, topics, settings(l.replicas(brokers)))
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, errors.New(strings.Join(wrong, "\n"))
	}
	return &Copies{l}, nil
}

// Produce implements eventstore.Batches for a copy topic: key, value and headers as
// they were, and beside them the place of the original.
func (c *Copies) Produce(ctx context.Context, topic string, number int, records []*eventstore.Record) (int64, error) {
	batch := make([]kafkago.Record, len(records))
	for i, r := range records {
		headers := append(r.Headers(),
			kafkago.Header{Key: HeaderOriginTopic, Value: []byte(r.Topic)},
			kafkago.Header{Key: HeaderOriginPartition, Value: strconv.AppendInt(nil, int64(r.Partition), 10)},
			kafkago.Header{Key: HeaderOriginOffset, Value: strconv.AppendInt(nil, r.Offset, 10)})
		batch[i] = kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Stored()), Headers: headers,
			Time: r.Time}
	}
	return c.log.produce(ctx, topic, number, batch)
}
