// Package reactorlog is how tools see the reactors and what they set aside: from the log
// alone, without a database and without a node. It also takes commands about them.
package reactorlog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
)

// Flags are how the reactor commands reach the log. They need Kafka alone: they
// fold the two small topics of the reactors themselves, by the accept rule.
type Flags struct {
	connect.KafkaFlags
	Data string `help:"Folder of the node whose embedded broker is meant, and which runs, when --kafka-brokers is empty." default:".data" placeholder:"DIR"`
}

// Attach connects to the log. The caller closes it.
func (r *Flags) Attach(ctx context.Context) (*kafka.Log, error) {
	brokers, tlsConfig, mechanism, err := r.At(r.Data)
	if err != nil {
		return nil, err
	}
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "parley-reactor", TLS: tlsConfig, SASL: mechanism})
	topics := []string{registrations.Registrations.Topic(), registrations.Replays.Topic()}
	if err := log.Attach(ctx, topics...); err != nil {
		log.Close()
		return nil, err
	}
	return log, nil
}

// foldedLog is an event store's index and follower without a database: what it is
// asked, it reads from the log. It is for topics of a few thousand records.
type foldedLog struct{ log *kafka.Log }

// NewStore writes to the log as every node does.
func NewStore(log *kafka.Log) *eventstore.Store {
	f := foldedLog{log}
	return eventstore.New(eventstore.Config{Node: "parley-reactor", Batches: log, Index: f, Follower: f, Topology: log})
}

// Load implements eventstore.Index.
func (f foldedLog) Load(ctx context.Context, stream string) ([]*eventstore.Record, error) {
	for _, c := range []*event.Category{registrations.Registrations.Category, registrations.Replays.Category} {
		if c.StreamID(stream) == "" {
			continue
		}
		count, err := f.log.Partitions(c.Topic())
		if err != nil {
			return nil, err
		}
		all, _, err := f.accepted(ctx, c.Topic(), eventstore.PartitionOf(stream, count))
		return slices.DeleteFunc(all, func(r *eventstore.Record) bool { return r.Stream != stream }), err
	}
	return nil, fmt.Errorf("%s is no stream of the reactors", stream)
}

// accepted reads a partition from its first record, and judges.
func (f foldedLog) accepted(ctx context.Context, topic string, partition int) (all []*eventstore.Record, next int64, err error) {
	next, err = eventstore.ReadAccepted(ctx, f.log, topic, partition, func(commit []eventstore.Entry) error {
		for _, e := range commit {
			all = append(all, e.Record)
		}
		return nil
	})
	return all, next, err
}

// replays folds every replay at once, by stream.
func (f foldedLog) replays(ctx context.Context) (map[string]registrations.Replay, error) {
	topic := registrations.Replays.Topic()
	count, err := f.log.Partitions(topic)
	if err != nil {
		return nil, err
	}
	out := map[string]registrations.Replay{}
	for p := range count {
		all, _, err := f.accepted(ctx, topic, p)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			payload, err := registrations.Replays.Decode(r.Type, r.Data)
			if err != nil {
				return nil, err
			}
			state := out[r.Stream]
			registrations.Replays.Fold(&state, payload)
			out[r.Stream] = state
		}
	}
	return out, nil
}

// Gate implements eventstore.Follower.
func (foldedLog) Gate() error { return nil }

// Epoch implements eventstore.Follower.
func (foldedLog) Epoch() uint64 { return 1 }

// Expect implements eventstore.Follower.
func (f foldedLog) Expect(topic string, partition int, _ string, _ int64, commit string) eventstore.Expectation {
	return &awaited{f, topic, partition, commit}
}

type awaited struct {
	foldedLog
	topic     string
	partition int
	commit    string
}

// Wait implements eventstore.Expectation.
func (a *awaited) Wait(ctx context.Context, end int64) (bool, error) {
	for {
		all, next, err := a.accepted(ctx, a.topic, a.partition)
		if err != nil {
			return false, err
		}
		if next >= end {
			return slices.ContainsFunc(all, func(r *eventstore.Record) bool { return r.Commit == a.commit }), nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Cancel implements eventstore.Expectation.
func (a *awaited) Cancel() {}
