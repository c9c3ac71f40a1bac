package consumer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/eventstore"
)

// Event is one accepted event with its whole envelope and its position.
type Event = eventstore.Record

// Commit is the events of one decision, in order. It is never delivered in parts.
type Commit []*Event

// Skip is a record or commit on the log that does not count, and why.
type Skip = eventstore.Skip

// Place is one partition.
type Place struct {
	Topic     string
	Partition int
}

// String is TOPIC/PARTITION.
func (p Place) String() string { return fmt.Sprintf("%s/%d", p.Topic, p.Partition) }

// Batch is what was read of one partition in one go.
type Batch struct {
	Place
	Commits []Commit // that count, in log order; may be empty when all was skipped
	Skipped []Skip   // that do not

	// Progress is to be saved in one piece with what the consumer makes of Commits.
	Progress Progress
}

// Sink is where a consumer keeps what it makes of the events, and beside it how far
// it came. Calls for different places come at the same time, those for one place
// one after the other.
//
// Files is a Sink in a folder. For effects exactly once in a database, implement it
// with one transaction in Take: what the events change, and Progress.
type Sink interface {
	// Load returns what was saved last for the place; the zero State when nothing
	// was, and the consumer begins at offset 0.
	Load(ctx context.Context, at Place) (State, error)
	// Take handles a batch and saves its Progress, both or neither. An error ends
	// Run: nothing more is read, and the next run begins from what was saved.
	Take(ctx context.Context, b Batch) error
}

// Config says what to read and where it goes.
type Config struct {
	Brokers  []string       // host:port, any of the cluster
	TLS      *tls.Config    // nil: plain
	SASL     sasl.Mechanism // nil: none
	ClientID string         // shown in the brokers' logs; empty: parley-consumer

	Topics []string // parley.calls, ...
	// Partitions picks some of a topic's partitions, for sharing the work; a topic
	// that is not in it is read whole.
	Partitions map[string][]int

	Sink Sink

	// Keyset is the file of the master key. With it personal members are opened, and read
	// [erased] from the moment when a person is erased on; events that were taken before are
	// the consumer's own to forget. Without it they read [sealed], or null where they are no
	// texts.
	Keyset string

	// ToEnd makes Run return when everything is taken that was on the log when it
	// began; otherwise it follows the log until its context ends.
	ToEnd bool
	// BatchRecords is about how many records one Take gets; 0: 1,000. A commit is
	// never split, so a batch may be larger.
	BatchRecords int

	Log *slog.Logger // troubles that mend themselves; nil: slog.Default()

	personal personal
}

// ErrNoHeads says that a consumer was to begin at an offset without the heads of the
// streams at that offset: which commits count cannot be told there.
var ErrNoHeads = errors.New("the heads of the streams are not known")

// ErrLogChanged says that the log is not the one that the saved state was made
// from: it was replaced, cut or its partition count changed.
var ErrLogChanged = errors.New("the log is not the one that was read before")

// Run reads until ctx ends, which is no error unless with ToEnd, or until something
// is wrong that no repetition mends. Brokers that go away are waited for; at the
// start they must be there.
func Run(ctx context.Context, cfg Config) error {
	cfg, err := cfg.complete()
	if err != nil {
		return err
	}
	log := kafka.New(kafka.Config{Brokers: cfg.Brokers, ClientID: cfg.ClientID, TLS: cfg.TLS, SASL: cfg.SASL, Log: cfg.Log})
	defer log.Close()
	if err := log.Attach(ctx, cfg.Topics...); err != nil {
		if errors.Is(err, eventstore.ErrOutOfRange) {
			return fmt.Errorf("consumer: %w: %w", ErrLogChanged, err)
		}
		return fmt.Errorf("consumer: %w", err)
	}
	places, err := cfg.places(log)
	if err != nil {
		return err
	}
	ends, err := log.Ends(ctx)
	if err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	if cfg.personal, err = personalOf(ctx, log, cfg.Keyset); err != nil {
		return err
	}
	g, running := errgroup.WithContext(ctx)
	for _, at := range places {
		r := &reader{cfg: cfg, log: log, at: at, target: ends[at.Topic][at.Partition]}
		g.Go(func() error { return r.run(running) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if cfg.ToEnd {
		return ctx.Err() // it may not have come to the end
	}
	return nil
}

func (c Config) complete() (Config, error) {
	switch {
	case len(c.Brokers) == 0:
		return c, errors.New("consumer: Brokers is empty")
	case len(c.Topics) == 0:
		return c, errors.New("consumer: Topics is empty")
	case c.Sink == nil:
		return c, errors.New("consumer: Sink is missing: where the state is to be kept")
	case c.BatchRecords < 0:
		return c, errors.New("consumer: BatchRecords must not be negative")
	}
	seen := map[string]bool{}
	for _, topic := range c.Topics {
		if strings.HasSuffix(topic, ".accepted") {
			return c, fmt.Errorf("consumer: %s holds accepted events already and is read with any Kafka client; give this one %s", topic,
				strings.TrimSuffix(topic, ".accepted"))
		}
		if seen[topic] {
			return c, fmt.Errorf("consumer: Topics has %s twice", topic)
		}
		seen[topic] = true
	}
	for topic := range c.Partitions {
		if !seen[topic] {
			return c, fmt.Errorf("consumer: Partitions has %s, Topics has not", topic)
		}
	}
	if c.ClientID == "" {
		c.ClientID = "parley-consumer"
	}
	if c.BatchRecords == 0 {
		c.BatchRecords = 1000
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c, nil
}

// places lists the partitions to read.
func (c Config) places(log *kafka.Log) (out []Place, err error) {
	for _, topic := range c.Topics {
		count, err := log.Partitions(topic)
		if err != nil {
			return nil, fmt.Errorf("consumer: %w", err)
		}
		chosen, some := c.Partitions[topic]
		for _, n := range chosen {
			if n < 0 || n >= count {
				return nil, fmt.Errorf("consumer: Partitions has %s/%d, the topic has %d partitions", topic, n, count)
			}
		}
		for i := range count {
			if !some || slices.Contains(chosen, i) {
				out = append(out, Place{topic, i})
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("consumer: Partitions leaves nothing to read")
	}
	return out, nil
}

// pause waits, or returns when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
