package enginetest

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections/engine"
)

// A tiny aggregate: a counter that refuses to pass ten.
type Counter struct{ N int }

// Counters is the category that these tests write.
var Counters = event.NewAggregate[Counter]("counters", "counter", 3)

// Added says that a counter grew.
type Added struct {
	By   int             `json:"by"`
	Note json.RawMessage `json:"note,omitempty"`
}

// Apply folds the event.
func (e Added) Apply(c *Counter) { c.N += e.By }

var _ = event.Register[Added](Counters, "added", 1)

// Add grows a counter, up to ten.
func Add(by int) func(Counter) ([]event.Payload, error) {
	return func(c Counter) ([]event.Payload, error) {
		if c.N+by > 10 {
			return nil, fault.New(fault.Conflict, "%d and %d is too much", c.N, by)
		}
		if by == 0 {
			return nil, nil
		}
		return []event.Payload{Added{By: by}}, nil
	}
}

// Node is one Parley node without its API.
type Node struct {
	Log       *kafka.Log
	DB        *postgres.DB
	Projector *engine.Projector
	Store     *eventstore.Store
	Metrics   *prometheus.Registry
	once      sync.Once
}

// Start runs a node and waits until reads are served.
func Start(t *testing.T, id string, brokers []string, url string, change ...func(*engine.Config)) *Node {
	t.Helper()
	n := Begin(t, id, brokers, url, change...)
	n.Open(t)
	return n
}

// Begin runs a node, which may still be catching up.
func Begin(t *testing.T, id string, brokers []string, url string, change ...func(*engine.Config)) *Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})).With("node", id)
	n := &Node{Metrics: prometheus.NewRegistry(), Log: kafka.New(kafka.Config{Brokers: brokers, ClientID: id, Log: logger})}
	require.NoError(t, n.Log.Open(ctx, []*event.Category{Counters.Category}))
	var err error
	n.DB, err = postgres.Open(ctx, url, func() {
		if n.Projector != nil {
			n.Projector.Reset("another server")
		}
	})
	require.NoError(t, err)
	cfg := engine.Config{Node: id, Log: n.Log, Queries: n.DB.Queries, Writes: n.DB.Projector, Categories: []*event.Category{Counters.Category},
		Logger: logger, Metrics: n.Metrics,
		Prepare: func(ctx context.Context) error { return n.DB.Migrate(ctx, migrations.Files) }}
	for _, c := range change {
		c(&cfg)
	}
	n.Projector = engine.NewProjector(cfg)
	require.NoError(t, n.Projector.Start(ctx))
	n.Store = eventstore.New(eventstore.Config{Node: id, Batches: n.Log, Index: n.Projector.Index(), Follower: n.Projector, Topology: n.Log,
		Log: logger})
	t.Cleanup(n.Stop)
	return n
}

// Open waits until reads are served.
func (n *Node) Open(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return n.Projector.Gate() == nil }, 2*time.Minute, 10*time.Millisecond)
}

// Stop ends the node, once.
func (n *Node) Stop() { n.once.Do(n.end) }

func (n *Node) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	n.Store.Close()
	n.Projector.Close(ctx)
	n.DB.Close()
	n.Log.Close()
}

// Add adds to a counter, and waits until that is visible.
func (n *Node) Add(t *testing.T, id string, by int, requestID ...string) (eventstore.Result[Counter], error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := eventstore.Command{Tenant: "acme", Actor: "test"}
	if len(requestID) > 0 {
		cmd.RequestID, cmd.RequestHash = requestID[0], requestID[0]
	}
	return eventstore.Execute(ctx, n.Store, Counters, Counters.Stream(id), cmd, Add(by))
}

// Total is what the log says of a counter.
func (n *Node) Total(t *testing.T, id string) int {
	t.Helper()
	l, err := eventstore.Read(t.Context(), n.Store, Counters, Counters.Stream(id))
	require.NoError(t, err)
	return l.State.N
}

// Parts are the brokers and the database of this test.
func Parts(t *testing.T) ([]string, string) { return embeddedtest.Parts(t) }

// Skipped is how many commits the node passed over for the reason.
func (n *Node) Skipped(t *testing.T, reason string) (count int) {
	t.Helper()
	families, err := n.Metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "parley_skipped_commits_total" && l.GetName() == "reason" && l.GetValue() == reason {
					count += int(m.GetCounter().GetValue())
				}
			}
		}
	}
	return count
}

// AnotherDatabase is an empty one, of the same server.
func AnotherDatabase(t *testing.T) string { return embeddedtest.Database(t) }
