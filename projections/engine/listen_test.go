package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// ear hears everything that nodes tell each other through the database.
type ear struct {
	mu    sync.Mutex
	heard []string
}

func overhear(t *testing.T, url string) *ear {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `LISTEN parley_progress`)
	require.NoError(t, err)
	e, done := &ear{}, make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(done)
		for {
			n, err := conn.WaitForNotification(ctx)
			if err != nil {
				return
			}
			e.mu.Lock()
			e.heard = append(e.heard, n.Payload)
			e.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		_ = conn.Close(context.Background())
	})
	return e
}

// of is how many messages were heard that begin like that.
func (e *ear) of(beginning string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.heard {
		if strings.HasPrefix(m, beginning) {
			n++
		}
	}
	return n
}

// upTo waits until everything said before has been heard: a mark of the test's own
// comes after it, since notifications keep the order of their commits.
func (e *ear) upTo(t *testing.T, n *enginetest.Node, mark string) {
	t.Helper()
	_, err := n.DB.Queries.Exec(t.Context(), `SELECT pg_notify('parley_progress', $1)`, mark)
	require.NoError(t, err)
	enginetest.Soon(t, "the mark "+mark, func() bool { return e.of(mark) == 1 })
}

// Given one node, then nobody is told of progress that nobody else waits for.
func TestOneNodeNotifiesNobody(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	e := overhear(t, url)
	for range 5 {
		addEverywhere(a, t)
	}
	e.upTo(t, a, "mark")
	require.Zero(t, e.of(enginetest.Counters.Topic()))
}

// Given two nodes, then exactly what one of them wrote and the other projected is told.
func TestNodesNotifyOnlyWhatOthersWrote(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	e := overhear(t, url)

	for range 5 {
		addEverywhere(a, t) // its own, projected by itself
	}
	e.upTo(t, a, "own")
	require.Zero(t, e.of(enginetest.Counters.Topic()))

	for range 2 {
		addEverywhere(idle, t) // written here, projected there
	}
	e.upTo(t, a, "others'")
	require.Equal(t, 2*enginetest.Counters.Partitions, e.of(enginetest.Counters.Topic()))
	require.Zero(t, e.of("stalled"))
}

// Given a connection that is cut, as by a failing network, when commands of this node
// are projected by another, then looking at the checkpoints tells what is not heard,
// and the connection is made again.
func TestProgressIsSeenWhileNobodyIsHeard(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	enginetest.Start(t, "working", brokers, url)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	const listeners = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
	count := func() (n int) {
		require.NoError(t, idle.DB.Queries.QueryRow(t.Context(), listeners).Scan(&n))
		return n
	}
	enginetest.Soon(t, "both nodes listen", func() bool { return count() == 2 })
	for i := range 4 {
		_, err := idle.DB.Queries.Exec(t.Context(),
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
		require.NoError(t, err)
		for partition := range enginetest.Counters.Partitions {
			_, err := idle.Add(t, enginetest.IDOn(partition), 1)
			require.NoError(t, err)
			require.Equal(t, i+1, idle.Total(t, enginetest.IDOn(partition)))
		}
	}
	enginetest.Soon(t, "both listen again", func() bool { return count() == 2 })
}

// Given nodes that only write and nodes that only project, when one of the latter dies,
// then another takes over because the writer asks for it, long before its lease ends.
func TestANodeThatDoesNotProjectAsksForATakeOver(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	e := overhear(t, url)
	// given a dead node whose heartbeat still seems to come: only who waits can notice
	a.Projector.Die()
	_, err := b.DB.Queries.Exec(t.Context(), `UPDATE nodes SET seen_at = now() + interval '1 minute' WHERE node = 'a'`)
	require.NoError(t, err)
	_, err = b.DB.Queries.Exec(t.Context(), `UPDATE checkpoints SET lease_until = now() + interval '1 minute' WHERE owner = 'a'`)
	require.NoError(t, err)

	began := time.Now()
	addEverywhere(idle, t)

	t.Logf("all partitions answered %s after their owner died", time.Since(began).Round(time.Millisecond))
	enginetest.Soon(t, "the other holds all", func() bool { return len(b.Projector.Holds()) == enginetest.Counters.Partitions })
	require.Positive(t, e.of("stalled"))
}

// Given no node that projects, then commands are refused before anything is written,
// and what was projected is still read; when one comes, all goes on.
func TestWithoutAProjectorCommandsAreRefusedAndReadsGoOn(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	working := enginetest.Start(t, "working", brokers, url)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	follower := engine.CommandFollower{Projector: idle.Projector}
	store := eventstore.New(eventstore.Config{Node: "idle", Batches: idle.Log, Index: idle.Projector.Index(), Follower: follower,
		Topology: idle.Log})
	defer store.Close()
	command := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := eventstore.Execute(ctx, store, enginetest.Counters, enginetest.Counters.Stream("alone"), eventstore.Command{Tenant: "acme"},
			enginetest.Add(1))
		return err
	}
	require.NoError(t, command())
	require.NoError(t, idle.Projector.Unprojected())

	working.Stop()
	enginetest.Soon(t, "the node knows that nobody projects", func() bool { return idle.Projector.Unprojected() != nil })
	before, err := idle.Log.Ends(t.Context())
	require.NoError(t, err)
	err = command()
	require.True(t, fault.Is(err, fault.NotExecuted), "%v", err)
	require.ErrorContains(t, err, "role projector")
	after, err := idle.Log.Ends(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing was written")
	require.Equal(t, 1, idle.Total(t, "alone"), "reads go on")

	enginetest.Start(t, "again", brokers, url)
	enginetest.Soon(t, "commands are taken again", func() bool { return command() == nil })
}
