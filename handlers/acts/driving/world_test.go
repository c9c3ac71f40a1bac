package driving_test

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

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// world is a store in memory, in which Ada of the account acme talks with an agent of its project shop.
type world struct {
	*testing.T
	log   *memory.Log
	store *eventstore.Store
}

func newWorld(t *testing.T) *world {
	log := memory.New()
	w := &world{t, log, log.Open(eventstore.Config{Node: "n-1"})}
	t.Cleanup(w.store.Close)
	return w
}

func (w *world) acting() acts.Log {
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
		return sum[:]
	}
	return acts.Log{Store: w.store, MAC: mac, Now: func() time.Time { return noon }}
}

func ada() acts.Caller {
	return acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "user:ada@crm", CorrelationID: "tr-1"}, Project: "shop"}
}

func events(w *world, category *event.Category, stream string) []event.Payload {
	return memory.Events(w.log, category, stream)
}

func given[S any](w *world, agg *event.Aggregate[S], stream string, past ...event.Payload) {
	w.Helper()
	require.NoError(w, memory.Put(w.Context(), w.store, agg, "acme", stream, past...))
}
