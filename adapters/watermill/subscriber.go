package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
)

// Subscriber is one member of a consumer group per subscribed topic.
type Subscriber struct {
	cfg     Config
	closing chan struct{}

	mu     sync.Mutex
	closed bool
	subs   map[*subscription]struct{}
	ended  sync.WaitGroup
}

var _ message.Subscriber = (*Subscriber)(nil)

// NewSubscriber checks the configuration; it does not connect.
func NewSubscriber(cfg Config) (*Subscriber, error) {
	cfg, err := cfg.prepared()
	if err != nil {
		return nil, err
	}
	return &Subscriber{cfg: cfg, closing: make(chan struct{}), subs: map[*subscription]struct{}{}}, nil
}

// Subscribe joins the group for the topic and returns at once; the topic may come
// into being later. The channel is closed when ctx ends or the Subscriber is
// closed, after handlers had DrainTimeout to answer.
//
// A message's context has the values of ctx but outlives it, so that a handler
// may finish while the subscription drains. It ends with the message's Ack or
// Nack, or when the drain has taken too long; Draining says when it has begun.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	if topic == "" {
		return nil, errors.New("subscribing: the topic is empty")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("subscribing to %s: %w", topic, ErrClosed)
	}
	sub := newSubscription(s.cfg, topic, context.WithoutCancel(ctx))
	s.subs[sub] = struct{}{}
	s.ended.Add(1)
	go func() {
		defer s.ended.Done()
		sub.run(ctx.Done(), s.closing)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, sub)
	}()
	return sub.out, nil
}

// Close stops handing out, waits for handlers up to DrainTimeout, commits and
// leaves the group. It may be called more than once and always waits.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	s.ended.Wait()
	return nil
}

// Err names the partitions that this member holds and does not read any more, and
// why; nil when there are none. It belongs in a readiness check.
func (s *Subscriber) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for sub := range s.subs {
		all = append(all, sub.err())
	}
	return errors.Join(all...)
}

// Committed asks which partitions of topics the group has committed offsets for, by topic.
// A partition that is not in the answer has none.
func Committed(ctx context.Context, client *kafka.Client, group string, topics ...string) (map[string]map[int]int64, error) {
	if len(topics) == 0 {
		return nil, nil // the broker would tell of all
	}
	req, out := &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{}}, map[string]map[int]int64{}
	for _, topic := range topics {
		count, err := countPartitions(ctx, client, topic)
		if err != nil {
			return nil, fmt.Errorf("asking for the partitions of %s: %w", topic, err)
		}
		for i := range count {
			req.Topics[topic] = append(req.Topics[topic], i)
		}
		out[topic] = map[int]int64{}
	}
	res, err := client.OffsetFetch(ctx, req)
	if err == nil {
		err = res.Error
	}
	if errors.Is(err, kafka.GroupIdNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking for the offsets of group %s: %w", group, err)
	}
	for topic, partitions := range res.Topics {
		for _, p := range partitions {
			if p.Error != nil {
				return nil, fmt.Errorf("asking for the offset of group %s on %s/%d: %w", group, topic, p.Partition, p.Error)
			}
			if p.CommittedOffset >= 0 {
				out[topic][p.Partition] = p.CommittedOffset
			}
		}
	}
	return out, nil
}

type drainingKey struct{}

// Draining is closed when the subscription that delivered the message wants its
// partition back: on rebalance or close. Work that only waits should stop then;
// work that has begun may finish. It is nil, and so never closed, for a context
// that is not a message's.
func Draining(ctx context.Context) <-chan struct{} {
	c, _ := ctx.Value(drainingKey{}).(<-chan struct{})
	return c
}
