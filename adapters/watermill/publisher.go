package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/cenkalti/backoff/v4"
	"github.com/segmentio/kafka-go"
)

// Publisher writes messages with acks from all in-sync replicas. It is for the
// poison topic and for tests; commits go through the event store, which knows the
// rules of the log.
type Publisher struct {
	client *kafka.Client
	closed atomic.Bool
}

var _ message.Publisher = (*Publisher)(nil)

// Where a request is cut, and how long a broker that surely wrote nothing is
// asked again (a leader being elected, a topic just created).
const (
	batchBytes   = 4 << 20
	publishRetry = 5 * time.Second
)

// ErrClosed is returned by a Publisher or Subscriber after Close.
var ErrClosed = errors.New("closed")

// NewPublisher publishes through client; nil makes one without TLS from brokers.
func NewPublisher(brokers []string, client *kafka.Client) (*Publisher, error) {
	if client == nil {
		if len(brokers) == 0 {
			return nil, fmt.Errorf("%w: Brokers is empty", ErrConfig)
		}
		client = newClient(brokers)
	}
	return &Publisher{client: client}, nil
}

// Publish writes the messages in order: those of one partition in one request
// (cut at 4 MiB). When it fails some partitions may have been written, and the
// one that failed too: publishing again is at least once.
func (p *Publisher) Publish(topic string, messages ...*message.Message) error {
	if p.closed.Load() {
		return fmt.Errorf("publishing to %s: %w", topic, ErrClosed)
	}
	if len(messages) == 0 {
		return nil
	}
	ctx := messages[0].Context()
	var count int
	if err := p.retry(ctx, func() (err error) { count, err = countPartitions(ctx, p.client, topic); return err }); err != nil {
		return fmt.Errorf("publishing to %s: %w", topic, err)
	}
	for _, b := range batchesOf(messages, count) {
		if err := p.retry(ctx, func() error { return p.produce(ctx, topic, b) }); err != nil {
			return fmt.Errorf("publishing %d messages to %s/%d: %w", len(b.messages), topic, b.partition, err)
		}
	}
	return nil
}

// Close refuses further messages. Publish is synchronous, so nothing is pending.
func (p *Publisher) Close() error {
	p.closed.Store(true)
	return nil
}

type batch struct {
	partition int
	bytes     int
	messages  []*message.Message
}

func batchesOf(messages []*message.Message, partitions int) []*batch {
	var all []*batch
	open := map[int]*batch{}
	for _, m := range messages {
		n, size := PartitionOf(keyOf(m), partitions), sizeOf(m)
		b := open[n]
		if b == nil || b.bytes+size > batchBytes {
			b = &batch{partition: n}
			open[n] = b
			all = append(all, b)
		}
		b.bytes += size
		b.messages = append(b.messages, m)
	}
	return all
}

func (p *Publisher) produce(ctx context.Context, topic string, b *batch) error {
	now := time.Now()
	records := make([]kafka.Record, len(b.messages)) // made anew on each try: a reader is used up
	for i, m := range b.messages {
		records[i] = recordOf(m, now)
	}
	res, err := p.client.Produce(ctx, &kafka.ProduceRequest{Topic: topic, Partition: b.partition,
		RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
	if err != nil {
		return err
	}
	return res.Error
}

// retry repeats only after errors that say that nothing was written.
func (p *Publisher) retry(ctx context.Context, do func() error) error {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.MaxElapsedTime = 50*time.Millisecond, time.Second, publishRetry
	b.Reset()
	return backoff.Retry(func() error {
		err := do()
		if err != nil && !nothingWritten(err) {
			return backoff.Permanent(err)
		}
		return err
	}, backoff.WithContext(b, ctx))
}

func nothingWritten(err error) bool {
	for _, sure := range []error{kafka.UnknownTopicOrPartition, kafka.NotLeaderForPartition, kafka.LeaderNotAvailable,
		kafka.BrokerNotAvailable, kafka.NotEnoughReplicas} {
		if errors.Is(err, sure) {
			return true
		}
	}
	return false
}

// PartitionOf places a key as Java clients do, murmur2(key) & 0x7fffffff modulo
// count; a nil key goes anywhere.
func PartitionOf(key []byte, count int) int {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return kafka.Murmur2Balancer{}.Balance(kafka.Message{Key: key}, numbers...)
}

func countPartitions(ctx context.Context, client *kafka.Client, topic string) (int, error) {
	res, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return 0, err
	}
	for _, t := range res.Topics {
		if t.Name == topic && t.Error == nil && len(t.Partitions) > 0 {
			return len(t.Partitions), nil
		} else if t.Name == topic && t.Error != nil {
			return 0, t.Error
		}
	}
	return 0, kafka.UnknownTopicOrPartition
}
