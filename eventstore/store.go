package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Index is what the store reads of the projector's stream index.
type Index interface {
	// Load returns the accepted records of a stream in version order.
	Load(ctx context.Context, stream string) ([]*Record, error)
}

// Follower tells when the projector has passed a commit, and how it judged it.
type Follower interface {
	// Expect registers interest in a commit before it is sent.
	Expect(topic string, partition int, stream string, version int64, commit string) Expectation
	// Gate is nil while reads may be served, a CATCHING_UP fault otherwise.
	Gate() error
	// Epoch changes whenever what this node knew of the index may no longer hold
	// (Postgres restarted, a database was dropped, the index was rebuilt): caches of
	// another epoch are void.
	Epoch() uint64
}

// Expectation is one commit on its way to the read models.
type Expectation interface {
	// Wait returns once the read models have passed offset end-1 of the partition:
	// accepted says whether the commit holds its version.
	Wait(ctx context.Context, end int64) (accepted bool, err error)
	// Cancel ends the interest; it may be called after Wait.
	Cancel()
}

// Topology knows the partition count of each topic's genesis.
type Topology interface {
	Partitions(topic string) (int, error)
}

// Config is what a Store is built from.
type Config struct {
	Node     string // this node's id, written as ce_source
	Batches  Batches
	Index    Index
	Follower Follower
	Topology Topology
	Keys     Keys             // nil: personal members are not sealed
	Now      func() time.Time // defaults to time.Now
	Log      *slog.Logger     // defaults to slog.Default
	Observe  func(Stats)      // called once per Execute; may be nil
	Produced func(ProduceStats)
	// CacheStreams is how many stream states a node keeps; 0 means 20,000.
	CacheStreams int
}

// Stats describes one finished Execute.
type Stats struct {
	Category string
	Attempts int
	Events   []Recorded
	Replayed bool
	Took     time.Duration
	Err      error
}

// Store is the event store of one node. It is safe for concurrent use.
type Store struct {
	Config
	producer *Producer
	cache    *cache
	saving   chan struct{} // holds a value per snapshot that is being written
	saves    sync.WaitGroup
}

// New builds a store; Close it to flush.
func New(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Observe == nil {
		c.Observe = func(Stats) {}
	}
	if c.CacheStreams == 0 {
		c.CacheStreams = 20_000
	}
	return &Store{Config: c, producer: NewProducer(c.Batches, c.Produced), cache: newCache(c.CacheStreams), saving: make(chan struct{}, 2)}
}

// load reads a stream, with what is personal in it opened.
func (s *Store) load(ctx context.Context, c *event.Category, stream string) ([]*Record, error) {
	records, err := s.Index.Load(ctx, stream)
	return records, s.opened(ctx, c, stream, records, err)
}

// opened opens what was read of a stream, as open does, unless it could not be read.
func (s *Store) opened(ctx context.Context, c *event.Category, stream string, records []*Record, err error, erasures ...*Record) error {
	if err == nil {
		err = s.open(ctx, c, records, erasures...)
	}
	if err != nil {
		return unavailable(stream, err)
	}
	return nil
}

// Close refuses new commits and waits for those on their way.
func (s *Store) Close() {
	s.producer.Close()
	s.saves.Wait()
}

// QueueDepth is the number of commits that wait for the log on this node.
func (s *Store) QueueDepth() int { return s.producer.Depth() }

// Source is the ce_source of the records that this node writes.
func (s *Store) Source() string { return "/parley/" + s.Node }

// ErrUnread is what a refusal rests on when the index could not be read: nothing was
// asked of the log.
var ErrUnread = errors.New("the index cannot be read")

// unavailable is the refusal when the index cannot be read.
func unavailable(stream string, err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	away := fault.New(fault.NotExecuted, "the read models cannot be reached at the moment").After(2 * time.Second)
	return away.Because(fmt.Errorf("loading %s: %w: %w", stream, ErrUnread, err))
}
