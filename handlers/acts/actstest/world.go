// Package actstest is a store in memory and a caller, for the tests of acts. It is no part of the product.
package actstest

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
)

// Noon is the time of the tests.
var Noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// World is a store in memory and a caller: Ada of the account acme, in its project shop.
type World struct {
	*testing.T
	Log   *memory.Log
	Store *eventstore.Store
}

// New gives one, which ends with the test.
func New(t *testing.T) *World {
	log := memory.New()
	w := &World{t, log, log.Open(eventstore.Config{Node: "n-1"})}
	t.Cleanup(w.Store.Close)
	return w
}

// Acting is what acts are given of it.
func (w *World) Acting() acts.Log {
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
		return sum[:]
	}
	return acts.Log{Store: w.Store, MAC: mac, Now: func() time.Time { return Noon }}
}

// Ada asks with an idempotence key, or with none if it is empty.
func Ada(key string) acts.Caller {
	return acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "user:ada@crm", CorrelationID: "tr-1", RequestID: key},
		Project: "shop"}
}

// Events are those of a stream.
func Events(w *World, category *event.Category, stream string) []event.Payload {
	return memory.Events(w.Log, category, stream)
}

// Given puts events on a stream.
func Given[S any](w *World, agg *event.Aggregate[S], stream string, past ...event.Payload) {
	w.Helper()
	require.NoError(w, memory.Put(w.Context(), w.Store, agg, "acme", stream, past...))
}
