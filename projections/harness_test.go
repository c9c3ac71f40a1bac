package projections_test

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
	"github.com/parley-platform/parley/projections"
)

// A tiny aggregate: a counter that refuses to pass ten.
type counter struct{ N int }

var counters = event.NewAggregate[counter]("counters", "counter", 3)

type added struct {
	By   int             `json:"by"`
	Note json.RawMessage `json:"note,omitempty"`
}

func (e added) Apply(c *counter) { c.N += e.By }

var _ = event.Register[added](counters, "added", 1)

func add(by int) func(counter) ([]event.Payload, error) {
	return func(c counter) ([]event.Payload, error) {
		if c.N+by > 10 {
			return nil, fault.New(fault.Conflict, "%d and %d is too much", c.N, by)
		}
		if by == 0 {
			return nil, nil
		}
		return []event.Payload{added{By: by}}, nil
	}
}

// node is one Parley node without its API.
type node struct {
	log       *kafka.Log
	db        *postgres.DB
	projector *projections.Projector
	store     *eventstore.Store
	metrics   *prometheus.Registry
	once      sync.Once
}

// start runs a node and waits until reads are served.
func start(t *testing.T, id string, brokers []string, url string, change ...func(*projections.Config)) *node {
	t.Helper()
	n := begin(t, id, brokers, url, change...)
	n.open(t)
	return n
}

// begin runs a node, which may still be catching up.
func begin(t *testing.T, id string, brokers []string, url string, change ...func(*projections.Config)) *node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})).With("node", id)
	n := &node{metrics: prometheus.NewRegistry(), log: kafka.New(kafka.Config{Brokers: brokers, ClientID: id, Log: logger})}
	require.NoError(t, n.log.Open(ctx, []*event.Category{counters.Category}))
	var err error
	n.db, err = postgres.Open(ctx, url, func() {
		if n.projector != nil {
			n.projector.Reset("another server")
		}
	})
	require.NoError(t, err)
	cfg := projections.Config{Node: id, Log: n.log, Queries: n.db.Queries, Writes: n.db.Projector, Categories: []*event.Category{counters.Category}, Logger: logger, Metrics: n.metrics,
		Prepare: func(ctx context.Context) error { return n.db.Migrate(ctx, migrations.Files) }}
	for _, c := range change {
		c(&cfg)
	}
	n.projector = projections.NewProjector(cfg)
	require.NoError(t, n.projector.Start(ctx))
	n.store = eventstore.New(eventstore.Config{Node: id, Batches: n.log, Index: n.projector.Index(), Follower: n.projector, Topology: n.log, Log: logger})
	t.Cleanup(n.stop)
	return n
}

// open waits until reads are served.
func (n *node) open(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return n.projector.Gate() == nil }, 20*time.Second, 10*time.Millisecond)
}

func (n *node) stop() { n.once.Do(n.end) }

func (n *node) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	n.store.Close()
	n.projector.Close(ctx)
	n.db.Close()
	n.log.Close()
}

func (n *node) add(t *testing.T, id string, by int, requestID ...string) (eventstore.Result[counter], error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := eventstore.Command{Tenant: "acme", Actor: "test"}
	if len(requestID) > 0 {
		cmd.RequestID, cmd.RequestHash = requestID[0], requestID[0]
	}
	return eventstore.Execute(ctx, n.store, counters, counters.Stream(id), cmd, add(by))
}

func (n *node) total(t *testing.T, id string) int {
	t.Helper()
	l, err := eventstore.Read(t.Context(), n.store, counters, counters.Stream(id))
	require.NoError(t, err)
	return l.State.N
}

func parts(t *testing.T) ([]string, string) { return embeddedtest.Parts(t) }

// skipped is how many commits the node passed over for the reason.
func (n *node) skipped(t *testing.T, reason string) (count int) {
	t.Helper()
	families, err := n.metrics.Gather()
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

func anotherDatabase(t *testing.T) string { return embeddedtest.Database(t) }
