// Package reactorstest hands the events of a log in memory to reactors, and their timers'
// wakes, as a node would: for tests of reactors. What goes wrong on the way is said by the
// log (memory.Faults).
package reactorstest

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// Tenant is whose streams a world holds.
const Tenant = "acme"

// World is a log, a node's store on it, and a clock that the test moves.
type World struct {
	*testing.T
	Log   *memory.Log
	Store *eventstore.Store
	Quiet *slog.Logger

	mu  sync.Mutex
	now time.Time
}

// New is an empty world at a time.
func New(t *testing.T, at time.Time) *World {
	w := &World{T: t, Log: memory.New(), Quiet: slog.New(slog.DiscardHandler), now: at}
	w.Store = w.Another("a")
	return w
}

// Another is the store of another node on the same log.
func (w *World) Another(node string) *eventstore.Store {
	s := w.Log.Open(eventstore.Config{Node: node, Log: w.Quiet, Now: w.Now})
	w.Cleanup(s.Close)
	return s
}

// Now is the clock of all nodes.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Passes moves the clock.
func (w *World) Passes(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// Given appends events to a stream, as one command.
func Given[S any](w *World, of *event.Aggregate[S], stream string, events ...event.Payload) {
	w.Helper()
	require.NoError(w, memory.Put(context.Background(), w.Store, of, Tenant, stream, events...))
}

// State is that of a stream.
func State[S any](w *World, of *event.Aggregate[S], stream string) S {
	w.Helper()
	got, err := eventstore.Read(context.Background(), w.Store, of, stream)
	require.NoError(w, err)
	return got.State
}

// Play hands a reactor all events that it handles and that are on the log by now, also
// those that it had before. The first error ends it: the router would deliver the event
// again.
func (w *World) Play(ctx context.Context, r reactors.Reactor) error {
	w.Helper()
	for _, record := range w.Log.Accepted() {
		for _, category := range r.Categories {
			if record.Topic != category.Topic() {
				continue
			}
			payload := memory.Payload(category, record)
			if !r.All && !handles(r, payload) {
				continue
			}
			e := reactors.Event{Stream: record.Stream, Type: record.Type, Version: record.Version, Tenant: record.Tenant, Actor: record.Actor,
				CorrelationID: record.CorrelationID, CausationID: record.CausationID, ID: record.ID, Commit: record.Commit, Time: record.Time,
				Payload: payload, Record: record, Topic: record.Topic, Partition: record.Partition, Offset: record.Offset}
			if err := r.Handle(ctx, e); err != nil {
				return fmt.Errorf("handling %s: %w", record.Type, err)
			}
		}
	}
	return nil
}

func handles(r reactors.Reactor, payload event.Payload) bool {
	for _, e := range r.Events {
		if reflect.TypeOf(e) == reflect.TypeOf(payload) {
			return true
		}
	}
	return false
}

// Wake fires the timer of an effect, as it is due now.
func (w *World) Wake(ctx context.Context, effect reactors.Effect, stream string) error {
	topic, timer, fire := effect.Wakes()
	return fire(ctx, projections.Timer{Topic: topic, Stream: stream, Name: timer, Tenant: Tenant, Due: w.Now(), Now: w.Now()}, w.Now())
}
