// Package kafka is the event log on any broker that speaks Kafka's protocol:
// real Apache Kafka and the embedded one alike.
//
// It owns the connection, the topics with their settings, the genesis records,
// and the two calls the store and the projector live on: Produce and Fetch. It
// never judges what it reads (eventstore does) and keeps no offsets (the
// projector does).
package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl"

	"github.com/parley-platform/parley/eventstore"
)

// Config says how to reach the brokers.
type Config struct {
	Brokers  []string       // host:port, any of the cluster
	ClientID string         // shown in the brokers' logs
	TLS      *tls.Config    // nil: plain
	SASL     sasl.Mechanism // nil: none
	Replicas int            // of the topics it creates; 0: three, or as many brokers as there are
	Settled  bool           // the broker is this process's own: no leader moves, and who looks seldom misses nothing
	Log      *slog.Logger
	// Remembered is asked before a genesis is written: what others than the brokers
	// know of partitions that had one, such as the read models. nil: nobody does.
	Remembered func(ctx context.Context) ([]Remembered, error)
}

// Log is one connection to the event log, safe for concurrent use.
type Log struct {
	cfg       Config
	addr      net.Addr
	client    *kafkago.Client
	transport *kafkago.Transport

	mu      sync.RWMutex
	logID   string
	genesis map[partition]eventstore.Genesis
	broken  map[string]error // topics that must not be written, and why
}

type partition struct {
	topic  string
	number int
}

// metadataTTL is how old may be what is known of brokers and leaders; settledTTL, where there is one broker that never moves.
const (
	metadataTTL = 500 * time.Millisecond
	settledTTL  = 5 * time.Second
)

// New connects lazily: the first call dials.
func New(cfg Config) *Log {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ttl := metadataTTL
	if cfg.Settled {
		ttl = settledTTL
	}
	t := &kafkago.Transport{ClientID: cfg.ClientID, TLS: cfg.TLS, SASL: cfg.SASL, MetadataTTL: ttl, DialTimeout: 3 * time.Second}
	addr := kafkago.TCP(cfg.Brokers...)
	return &Log{cfg: cfg, addr: addr, transport: t,
		client:  &kafkago.Client{Addr: addr, Timeout: 10 * time.Second, Transport: newGatherer(t)},
		genesis: map[partition]eventstore.Genesis{}, broken: map[string]error{}}
}

// Client is the underlying client, for adapters that need other calls of the protocol.
func (l *Log) Client() *kafkago.Client { return l.client }

// Dialer makes connections as the client does, for the protocol's group membership.
func (l *Log) Dialer() *kafkago.Dialer {
	return &kafkago.Dialer{ClientID: l.cfg.ClientID, Timeout: 3 * time.Second, DualStack: true, TLS: l.cfg.TLS, SASLMechanism: l.cfg.SASL}
}

// Close drops the connections.
func (l *Log) Close() { l.transport.CloseIdleConnections() }

// Ping returns when a broker has answered.
func (l *Log) Ping(ctx context.Context) error {
	_, err := l.client.ApiVersions(ctx, &kafkago.ApiVersionsRequest{Addr: l.addr})
	if err != nil {
		return fmt.Errorf("reaching Kafka at %v: %w", l.cfg.Brokers, err)
	}
	return nil
}

// Partitions implements eventstore.Topology: the count in the topic's genesis.
func (l *Log) Partitions(topic string) (int, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	g, ok := l.genesis[partition{topic, 0}]
	if !ok {
		return 0, fmt.Errorf("topic %s has not been opened", topic)
	}
	return g.Partitions, nil
}

// LogID is the id that every partition's genesis carries.
func (l *Log) LogID() string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.logID
}

// Produce implements eventstore.Batches: one request with one batch, acknowledged
// by all in-sync replicas.
func (l *Log) Produce(ctx context.Context, topic string, number int, records []*eventstore.Record) (int64, error) {
	l.mu.RLock()
	broken := l.broken[topic]
	l.mu.RUnlock()
	if broken != nil {
		return 0, fmt.Errorf("%w: %w: %w", eventstore.ErrNotWritten, eventstore.ErrRefused, broken)
	}
	batch := make([]kafkago.Record, len(records))
	for i, r := range records {
		batch[i] = kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Stored()), Headers: r.Headers(),
			Time: r.Time}
	}
	return l.produce(ctx, topic, number, batch)
}

func (l *Log) produce(ctx context.Context, topic string, number int, batch []kafkago.Record) (int64, error) {
	res, err := l.client.Produce(ctx, &kafkago.ProduceRequest{
		Addr: l.addr, Topic: topic, Partition: number, RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(batch...)})
	if err != nil {
		return 0, sendError(err)
	}
	if res.Error != nil {
		return 0, refusal(res.Error)
	}
	return res.BaseOffset, nil
}

// sendError tells a request that never left from one that may have arrived.
func sendError(err error) error {
	var op *net.OpError
	var topic *protocol.TopicError
	var place *protocol.TopicPartitionError
	if errors.As(err, &op) && op.Op == "dial" || errors.As(err, &topic) || errors.As(err, &place) { // the latter: the client knows no leader
		return fmt.Errorf("%w: %w", eventstore.ErrNotWritten, err)
	}
	return err
}

// refusal sorts a broker's answer. Only the codes that a broker gives before it
// appends mean that nothing was: a leader that loses its office while it waits for
// its followers has appended, and answers NotLeaderForPartition all the same.
func refusal(err error) error {
	var code kafkago.Error
	if !errors.As(err, &code) {
		return err
	}
	switch code {
	case kafkago.NotEnoughReplicas, kafkago.InvalidMessage, kafkago.LeaderNotAvailable:
		return fmt.Errorf("%w: %w", eventstore.ErrNotWritten, err)
	case kafkago.MessageSizeTooLarge, kafkago.RecordListTooLarge, kafkago.TopicAuthorizationFailed, kafkago.ClusterAuthorizationFailed,
		kafkago.InvalidTopic, kafkago.PolicyViolation,
		kafkago.InvalidTimestamp:
		return fmt.Errorf("%w: %w: %w", eventstore.ErrNotWritten, eventstore.ErrRefused, err)
	}
	return err
}
