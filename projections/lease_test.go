package projections_test

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// soon waits for a condition that has to come true by itself.
func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 20*time.Second, 5*time.Millisecond, what)
}

// holdAll waits until the nodes hold every partition once, each with its share.
func holdAll(t *testing.T, nodes ...*node) {
	t.Helper()
	soon(t, "a fair share for each", func() bool {
		var all []string
		for _, n := range nodes {
			held := n.projector.Holds()
			if len(held) > (counters.Partitions+len(nodes)-1)/len(nodes) {
				return false
			}
			all = append(all, held...)
		}
		slices.Sort(all)
		return len(all) == counters.Partitions && len(slices.Compact(all)) == counters.Partitions
	})
}

func (n *node) addEverywhere(t *testing.T) {
	t.Helper()
	for partition := range counters.Partitions {
		_, err := n.add(t, idOn(partition), 1)
		require.NoError(t, err)
	}
}

func TestNodesShareThePartitionsAndHandThemOver(t *testing.T) {
	brokers, url := parts(t)
	a := start(t, "a", brokers, url)
	holdAll(t, a)
	b := start(t, "b", brokers, url)
	holdAll(t, a, b)
	a.addEverywhere(t)
	b.addEverywhere(t)

	a.stop() // leaves no lease behind
	var held int
	require.NoError(t, b.db.Queries.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM checkpoints WHERE owner = 'a') + (SELECT count(*) FROM nodes WHERE node = 'a')`).Scan(&held))
	require.Zero(t, held)
	holdAll(t, b)
	b.addEverywhere(t)

	again := start(t, "a", brokers, url)
	holdAll(t, again, b)
	require.Equal(t, 3, again.total(t, idOn(0)))
}

// A node without the projector role holds nothing, and sees what it wrote.
func TestAnIdleNodeSeesItsOwnWritesThroughAnother(t *testing.T) {
	brokers, url := parts(t)
	working := start(t, "working", brokers, url)
	idle := start(t, "idle", brokers, url, func(c *projections.Config) { c.Idle = true })
	for i := range 5 {
		for partition := range counters.Partitions {
			_, err := idle.add(t, idOn(partition), 1)
			require.NoError(t, err)
			require.Equal(t, i+1, idle.total(t, idOn(partition)))
			require.Equal(t, i+1, working.total(t, idOn(partition)))
		}
	}
	require.Empty(t, idle.projector.Holds())
	holdAll(t, working) // idle nodes take no share
}

// Nodes that serve the API share the rates, those that project share the partitions:
// whichever roles a node has besides.
func TestNodesAreCountedByWhatTheyDo(t *testing.T) {
	brokers, url := parts(t)
	with := func(serves, projects bool) func(*projections.Config) {
		return func(c *projections.Config) { c.Serves, c.Idle = serves, !projects }
	}
	both := start(t, "both", brokers, url, with(true, true))
	projects := start(t, "projects", brokers, url, with(false, true))
	serves := start(t, "serves", brokers, url, with(true, false))
	again := start(t, "serves too", brokers, url, with(true, false))
	reacts := start(t, "reacts", brokers, url, with(false, false))
	soon(t, "three share the rates", func() bool {
		return both.projector.Nodes() == 3 && serves.projector.Nodes() == 3 && again.projector.Nodes() == 3
	})
	holdAll(t, both, projects)
	var rows int
	require.NoError(t, both.db.Queries.QueryRow(t.Context(), `SELECT count(*) FROM nodes`).Scan(&rows))
	require.Equal(t, 4, rows, "nobody needs to know of the one that only reacts")
	require.Empty(t, reacts.projector.Holds())

	again.stop()
	soon(t, "two share the rates", func() bool { return both.projector.Nodes() == 2 && serves.projector.Nodes() == 2 })
	projects.stop()
	holdAll(t, both)
	require.Equal(t, 2, both.projector.Nodes())
}

// Given a node that died without handing over, when a command waits for a partition
// of it, then the other node takes that over; and a dead node's lease does not wait
// for a command either.
func TestPartitionsOfADeadNodeAreTakenOver(t *testing.T) {
	brokers, url := parts(t)
	a, b := start(t, "a", brokers, url), start(t, "b", brokers, url)
	holdAll(t, a, b)
	a.projector.Die()
	b.addEverywhere(t)
	require.Len(t, b.projector.Holds(), counters.Partitions)

	again := start(t, "a", brokers, url)
	holdAll(t, again, b)
}

func TestAClosedNodeLeavesNothingRunning(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	n.addEverywhere(t)
	n.stop()
	soon(t, "all goroutines of the projector and the store have ended", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !bytes.Contains(stacks, []byte("parley/projections.(*")) && !bytes.Contains(stacks, []byte("parley/eventstore."))
	})
}

func TestARestartedNodeTakesItsOwnLeasesBack(t *testing.T) {
	brokers, url := parts(t)
	a := start(t, "a", brokers, url)
	holdAll(t, a)
	a.projector.Die()
	began := time.Now()
	again := start(t, "a", brokers, url)
	holdAll(t, again)
	again.addEverywhere(t)
	require.Less(t, time.Since(began), 10*time.Second, "without waiting for the lease to end")
}

// Given a worker that thinks it still has the lease, when it writes late, then the
// epoch refuses it and nothing of its transaction stays.
func TestALateTransactionOfAnOldOwnerLeavesNothing(t *testing.T) {
	brokers, url := parts(t)
	a := start(t, "a", brokers, url, withTimers)
	holdAll(t, a)
	a.addEverywhere(t)
	before := a.dump(t)
	tx, err := a.db.Projector.Begin(t.Context()) // as a worker of epoch 0 would
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `DELETE FROM events`)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT advance('live', $1, 0, (SELECT next_offset FROM checkpoints WHERE topic = $1 AND partition = 0), 0, 99, 'x')`, counters.Topic())
	require.ErrorContains(t, err, "PY001")
	require.Error(t, tx.Commit(t.Context()))
	require.Equal(t, before, a.dump(t))

	_, err = a.db.Queries.Exec(t.Context(), `UPDATE checkpoints SET owner = 'other', owner_epoch = owner_epoch + 1, lease_until = now() + interval '1 minute'`)
	require.NoError(t, err)
	_, err = a.db.Queries.Exec(t.Context(), `INSERT INTO nodes VALUES ('other', now() + interval '1 minute')`)
	require.NoError(t, err)
	a.appendRaw(t, 0, messages(commitOf("late"+idOn(0), 1, "", 1)...)...)
	soon(t, "the old owner notices", func() bool { return len(a.projector.Holds()) == 0 })
	require.Equal(t, before, a.dump(t))
}

// Given commands without end on two nodes while partitions change hands, then none is
// lost, none counts twice, and each is visible on both nodes when its reply arrives.
func TestCommandsGoOnWhilePartitionsChangeHands(t *testing.T) {
	brokers, url := parts(t)
	a, b := start(t, "a", brokers, url), start(t, "b", brokers, url)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writers sync.WaitGroup
	var written [2]int
	for i, n := range []*node{a, b} {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for ctx.Err() == nil {
				res, err := eventstore.Execute(context.WithoutCancel(ctx), n.store, counters, counters.Stream("hot"), eventstore.Command{Tenant: "acme"}, oneMore)
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
	c := start(t, "c", brokers, url)
	holdAll(t, a, b, c)
	c.stop()
	holdAll(t, a, b)
	d := start(t, "d", brokers, url)
	holdAll(t, a, b, d)
	d.projector.Die()
	soon(t, "all partitions move", func() bool { return len(a.projector.Holds())+len(b.projector.Holds()) == counters.Partitions })
	stop()
	writers.Wait()
	loaded, err := eventstore.Read(t.Context(), a.store, counters, counters.Stream("hot"))
	require.NoError(t, err)
	require.EqualValues(t, written[0]+written[1], loaded.Version)
}
