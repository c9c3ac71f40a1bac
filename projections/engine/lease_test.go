package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// holdAll waits until the nodes hold every partition once, each with its share.
func holdAll(t *testing.T, nodes ...*enginetest.Node) {
	t.Helper()
	enginetest.Soon(t, "a fair share for each", func() bool {
		var all []string
		for _, n := range nodes {
			held := n.Projector.Holds()
			if len(held) > (enginetest.Counters.Partitions+len(nodes)-1)/len(nodes) {
				return false
			}
			all = append(all, held...)
		}
		slices.Sort(all)
		return len(all) == enginetest.Counters.Partitions && len(slices.Compact(all)) == enginetest.Counters.Partitions
	})
}

// numbers are partitions of the topic.
func numbers(from, before int) (all []string) {
	for n := from; n < before; n++ {
		all = append(all, fmt.Sprintf("%s/%d", enginetest.Counters.Topic(), n))
	}
	return all
}

func addEverywhere(n *enginetest.Node, t *testing.T) {
	t.Helper()
	for partition := range enginetest.Counters.Partitions {
		_, err := n.Add(t, enginetest.IDOn(partition), 1)
		require.NoError(t, err)
	}
}

func TestNodesShareThePartitionsAndHandThemOver(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	b := enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	require.Equal(t, numbers(0, 2), a.Projector.Holds(), "as in a group of readers: by name")
	require.Equal(t, numbers(2, enginetest.Counters.Partitions), b.Projector.Holds())
	addEverywhere(a, t)
	addEverywhere(b, t)

	a.Stop() // leaves no lease behind
	var held int
	require.NoError(t, b.DB.Queries.QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM checkpoints WHERE owner = 'a') + (SELECT count(*) FROM nodes WHERE node = 'a')`).Scan(&held))
	require.Zero(t, held)
	holdAll(t, b)
	addEverywhere(b, t)

	again := enginetest.Start(t, "a", brokers, url)
	holdAll(t, again, b)
	require.Equal(t, numbers(0, 1), again.Projector.Holds(), "it gets what it prefers, though it came last")
	require.Equal(t, 3, again.Total(t, enginetest.IDOn(0)))
}

// A node without the projector role holds nothing, and sees what it wrote.
func TestAnIdleNodeSeesItsOwnWritesThroughAnother(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	working := enginetest.Start(t, "working", brokers, url)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	for i := range 5 {
		for partition := range enginetest.Counters.Partitions {
			_, err := idle.Add(t, enginetest.IDOn(partition), 1)
			require.NoError(t, err)
			require.Equal(t, i+1, idle.Total(t, enginetest.IDOn(partition)))
			require.Equal(t, i+1, working.Total(t, enginetest.IDOn(partition)))
		}
	}
	require.Empty(t, idle.Projector.Holds())
	holdAll(t, working) // idle nodes take no share
}

// Nodes that serve the API share the rates, those that project share the partitions:
// whichever roles a node has besides.
func TestNodesAreCountedByWhatTheyDo(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	with := func(serves, projects bool) func(*engine.Config) {
		return func(c *engine.Config) { c.Serves, c.Idle = serves, !projects }
	}
	both := enginetest.Start(t, "both", brokers, url, with(true, true))
	projects := enginetest.Start(t, "projects", brokers, url, with(false, true))
	serves := enginetest.Start(t, "serves", brokers, url, with(true, false))
	again := enginetest.Start(t, "serves too", brokers, url, with(true, false))
	reacts := enginetest.Start(t, "reacts", brokers, url, with(false, false))
	enginetest.Soon(t, "three share the rates", func() bool {
		return both.Projector.Nodes() == 3 && serves.Projector.Nodes() == 3 && again.Projector.Nodes() == 3
	})
	holdAll(t, both, projects)
	var rows int
	require.NoError(t, both.DB.Queries.QueryRow(t.Context(), `SELECT count(*) FROM nodes`).Scan(&rows))
	require.Equal(t, 5, rows, "also of the one that only reacts")
	enginetest.Soon(t, "five are alive", func() bool { return both.Projector.Live() == 5 && reacts.Projector.Live() == 5 })
	require.Empty(t, reacts.Projector.Holds())

	again.Stop()
	enginetest.Soon(t, "two share the rates", func() bool { return both.Projector.Nodes() == 2 && serves.Projector.Nodes() == 2 })
	projects.Stop()
	holdAll(t, both)
	require.Equal(t, 2, both.Projector.Nodes())
	enginetest.Soon(t, "three are alive", func() bool { return both.Projector.Live() == 3 })
	reacts.Stop()
	enginetest.Soon(t, "two are alive", func() bool { return both.Projector.Live() == 2 && serves.Projector.Live() == 2 })
}

// Nodes that were started with unlike settings know which these are, until all have the same; one of an older version, which tells none,
// and a setting that only a newer one knows, are no difference.
func TestNodesTellEachOtherTheirSettings(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	with := func(settings map[string]string) func(*engine.Config) {
		return func(c *engine.Config) { c.Settings = settings }
	}
	one := enginetest.Start(t, "one", brokers, url, with(map[string]string{"--blob-url": "s3://files", "--rate": "1000"}))
	enginetest.Start(t, "older", brokers, url)
	two := enginetest.Start(t, "two", brokers, url, with(map[string]string{"--blob-url": "", "--rate": "1000", "--newer": "yes"}))
	enginetest.Soon(t, "both know", func() bool { return len(one.Projector.Unlike()) > 0 && len(two.Projector.Unlike()) > 0 })
	require.Equal(t, []string{"--blob-url"}, one.Projector.Unlike())
	require.Equal(t, []string{"--blob-url"}, two.Projector.Unlike())
	two.Stop()
	enginetest.Soon(t, "there is no other", func() bool { return len(one.Projector.Unlike()) == 0 })
}

// Given a node that died without handing over, when a command waits for a partition
// of it, then the other node takes that over; and a dead node's lease does not wait
// for a command either.
func TestPartitionsOfADeadNodeAreTakenOver(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	a.Projector.Die()
	addEverywhere(b, t)
	holdAll(t, b)

	again := enginetest.Start(t, "a", brokers, url)
	holdAll(t, again, b)
}

func TestAClosedNodeLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	addEverywhere(n, t)
	n.Stop()
	enginetest.Soon(t, "all goroutines of the projector and the store have ended", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !bytes.Contains(stacks, []byte("parley/projections.(*")) && !bytes.Contains(stacks, []byte("parley/eventstore."))
	})
}

func TestARestartedNodeTakesItsOwnLeasesBack(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	a.Projector.Die()
	began := time.Now()
	again := enginetest.Start(t, "a", brokers, url)
	holdAll(t, again)
	addEverywhere(again, t)
	require.Less(t, time.Since(began), 10*time.Second, "without waiting for the lease to end")
}

// Given a worker that thinks it still has the lease, when it writes late, then the
// epoch refuses it and nothing of its transaction stays.
func TestALateTransactionOfAnOldOwnerLeavesNothing(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	var logged said
	a := enginetest.Start(t, "a", brokers, url, withTimers, func(c *engine.Config) { c.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
	holdAll(t, a)
	addEverywhere(a, t)
	before := dump(a, t)
	tx, err := a.DB.Projector.Begin(t.Context()) // as a worker of epoch 0 would
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `DELETE FROM events`)
	require.NoError(t, err)
	_,
		err = tx.Exec(t.Context(),
		`SELECT advance('live', $1, 0, (SELECT next_offset FROM checkpoints WHERE topic = $1 AND partition = 0), 0, 99, 'x')`,
		enginetest.Counters.Topic())
	require.ErrorContains(t, err, "PY001")
	require.Error(t, tx.Commit(t.Context()))
	require.Equal(t, before, dump(a, t))

	_, err = a.DB.Queries.Exec(t.Context(),
		`UPDATE checkpoints SET owner = 'other', owner_epoch = owner_epoch + 1, lease_until = now() + interval '1 minute'`)
	require.NoError(t, err)
	_, err = a.DB.Queries.Exec(t.Context(), `INSERT INTO nodes VALUES ('other', now() + interval '1 minute')`)
	require.NoError(t, err)
	enginetest.AppendRaw(a, t, 0, enginetest.Messages(enginetest.CommitOf("late"+enginetest.IDOn(0), 1, "", 1)...)...)
	enginetest.Soon(t, "the old owner notices", func() bool { return len(a.Projector.Holds()) == 0 })
	require.Equal(t, before, dump(a, t))
	require.NotContains(t, logged.String(), "stands still", "that another node projects the partition is no trouble")
}

// Given commands without end on two nodes while partitions change hands, then none is
// lost, none counts twice, and each is visible on both nodes when its reply arrives.
func TestCommandsGoOnWhilePartitionsChangeHands(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writers sync.WaitGroup
	var written [2]int
	for i, n := range []*enginetest.Node{a, b} {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for ctx.Err() == nil {
				res, err := eventstore.Execute(context.WithoutCancel(ctx), n.Store, enginetest.Counters, enginetest.Counters.Stream("hot"),
					eventstore.Command{Tenant: "acme"}, oneMore)
				if fault.Is(err, fault.NotExecuted) { // the two are after the same stream all the time
					continue
				}
				if err != nil {
					t.Errorf("%v", err)
					return
				}
				written[i] += len(res.Events)
			}
		}()
	}
	c := enginetest.Start(t, "c", brokers, url)
	holdAll(t, a, b, c)
	c.Stop()
	holdAll(t, a, b)
	d := enginetest.Start(t, "d", brokers, url)
	holdAll(t, a, b, d)
	d.Projector.Die()
	enginetest.Soon(t, "all partitions move", func() bool {
		return len(a.Projector.Holds())+len(b.Projector.Holds()) == enginetest.Counters.Partitions
	})
	stop()
	writers.Wait()
	loaded, err := eventstore.Read(t.Context(), a.Store, enginetest.Counters, enginetest.Counters.Stream("hot"))
	require.NoError(t, err)
	require.EqualValues(t, written[0]+written[1], loaded.Version)
}
