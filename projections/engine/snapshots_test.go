package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// upAndDown has a counter grow by one and fall again, so many times, each by a request of its own.
func upAndDown(n *enginetest.Node, t *testing.T, id string, times int) {
	t.Helper()
	for i := range times {
		_, err := n.Add(t, id, 1-2*(i%2), fmt.Sprint("request-", i))
		require.NoError(t, err)
	}
}

// Given a stream of many events, when a node has read it, then the next one begins at
// a snapshot; a snapshot that is not what it should be is passed over.
func TestALongStreamIsReadFromItsSnapshot(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	const events = 230
	upAndDown(n, t, "long", events)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := n.DB.Queries.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	kept := func() (version int64) {
		_ = n.DB.Queries.QueryRow(t.Context(), `SELECT version FROM snapshots WHERE stream = 'counter-long'`).Scan(&version)
		return version
	}
	awaitKept := func() {
		t.Helper()
		require.Eventually(t, func() bool { return kept() == events }, 2*time.Minute, 5*time.Millisecond)
	}
	require.Zero(t, n.Total(t, "long"), "the node that wrote it keeps it, and reads no more of it")
	require.Zero(t, kept())
	reader := enginetest.Start(t, "b", brokers, url)
	require.Zero(t, reader.Total(t, "long"))
	awaitKept()
	reader.Stop()

	for name, sql := range map[string]string{
		"changed bytes":    `UPDATE snapshots SET data = set_byte(data, 40, get_byte(data, 40) # 1)`,
		"no bytes":         `UPDATE snapshots SET data = ''`,
		"another state":    `UPDATE snapshots SET state_key = 'of an older binary'`,
		"another past":     `UPDATE snapshots SET commit_id = gen_random_uuid()::text`,
		"ahead of the log": `UPDATE snapshots SET version = version + 5`,
	} {
		t.Run(name, func(t *testing.T) {
			exec(sql)
			fresh := enginetest.Start(t, "b", brokers, url)
			defer fresh.Stop()
			require.Zero(t, fresh.Total(t, "long"))
			res, err := fresh.Add(t, "long", 1, "request-3")
			require.NoError(t, err)
			require.True(t, res.Replayed)
			require.EqualValues(t, 4, res.Events[0].Version)
			fresh.Stop() // waits for what it keeps
			exec(`DELETE FROM snapshots WHERE state_key = 'of an older binary' OR version <> $1`, events)
			require.EqualValues(t, events, kept(), "who has read the whole leaves a good one")
		})
	}

	// What the snapshot holds is not read again: take it away.
	exec(`DELETE FROM events WHERE stream = 'counter-long' AND version < 200`)
	fresh := enginetest.Start(t, "c", brokers, url)
	require.Zero(t, fresh.Total(t, "long"))
	again := eventstore.Command{Tenant: "acme", Actor: "test", RequestID: "request-220", RequestHash: "request-220", Stateless: true}
	res, err := eventstore.Execute(t.Context(), fresh.Store, enginetest.Counters, enginetest.Counters.Stream("long"), again, enginetest.Add(7))
	require.NoError(t, err)
	require.True(t, res.Replayed, "the request ids are in the snapshot")
	res, err = fresh.Add(t, "long", 7, "another")
	require.NoError(t, err)
	require.EqualValues(t, events+1, res.Events[0].Version)
	require.Equal(t, 7, fresh.Total(t, "long"))
	res, err = fresh.Add(t, "long", 7, "another")
	require.NoError(t, err)
	require.True(t, res.Replayed)
	require.Equal(t, 7, res.State.N, "who repeats what is behind the snapshot is answered from there")
}

// Given a node that goes on with a stream for long, so that nobody has to read it, then it leaves snapshots all the same.
func TestANodeThatGoesOnWithAStreamLeavesSnapshots(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	const events = 1010
	upAndDown(n, t, "busy", events)
	var kept int64
	enginetest.Soon(t, "one is kept", func() bool {
		return n.DB.Queries.QueryRow(t.Context(), `SELECT version FROM snapshots WHERE stream = 'counter-busy'`).Scan(&kept) == nil
	})
	require.GreaterOrEqual(t, kept, int64(1000))
	_, err := n.DB.Queries.Exec(t.Context(), `DELETE FROM events WHERE stream = 'counter-busy' AND version < $1`, kept)
	require.NoError(t, err)
	fresh := enginetest.Start(t, "b", brokers, url)
	require.Zero(t, fresh.Total(t, "busy"))
	res, err := fresh.Add(t, "busy", 7, "request-1004")
	require.NoError(t, err)
	require.True(t, res.Replayed)
	require.Equal(t, 1, res.State.N)
}
