package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// apart is a connection to the node's database that the node does not know of.
func apart(n *enginetest.Node, t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), n.DB.Queries.Config().ConnConfig.Copy())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Given read models that are emptied on connections that live on, under traffic and on
// two nodes, then no read shows less than was acknowledged, and all of it comes back.
func TestReadModelsThatWereEmptiedAreNotRead(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	onA, onB := startTraffic(a, t), startTraffic(b, t)
	conn := apart(a, t)
	for _, emptying := range []string{
		`DROP SCHEMA public CASCADE; CREATE SCHEMA public`,
		`TRUNCATE checkpoints, events, snapshots`,
		`LOCK TABLE checkpoints, events; DELETE FROM checkpoints; DELETE FROM events; DELETE FROM snapshots`,
	} {
		onA.flows(t)
		onB.flows(t)
		_, err := conn.Exec(t.Context(), emptying)
		for postgres.Code(err) == "40P01" { // nothing was done: traffic held what it wants
			_, err = conn.Exec(t.Context(), emptying)
		}
		require.NoError(t, err, emptying)
	}
	onA.flows(t)
	onB.flows(t)
	onA.holds(t)
	onB.holds(t)
	holdAll(t, a, b)
}

// Given a reader who began before the read models were emptied, when he has read, then
// he is told that it does not stand, however soon all of it is back.
func TestAReadingDoesNotOutliveWhatItWasReadFrom(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	_, err := n.Add(t, "one", 1)
	require.NoError(t, err)
	before := n.Projector.Reading()
	require.NoError(t, before(t.Context()))

	_, err = apart(n, t).Exec(t.Context(), `TRUNCATE checkpoints, events`)
	require.NoError(t, err)

	require.True(t, fault.Is(before(t.Context()), fault.CatchingUp))
	n.Open(t)
	require.True(t, fault.Is(before(t.Context()), fault.CatchingUp), "it was read before")
	require.NoError(t, n.Projector.Reading()(t.Context()))
	require.Equal(t, 1, n.Total(t, "one"))
}

// Given two nodes, when an older dump is restored and one of them projects again what it lacks before the other has looked, then
// what the other one read meanwhile does not stand.
func TestAReadingFromAnOlderDumpDoesNotStandOnAnyNode(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	addEverywhere(a, t)
	conn := apart(a, t)
	_, err := conn.Exec(t.Context(), `CREATE TABLE dumped AS TABLE checkpoints; CREATE TABLE dumped_events AS TABLE events`)
	require.NoError(t, err)
	_, err = a.Add(t, enginetest.IDOn(0), 1) // whose partition the first of two nodes has
	require.NoError(t, err)
	_, next, _ := held(t, a, "a", b)
	before := b.Projector.Reading()
	require.NoError(t, before(t.Context()))

	_, err = conn.Exec(t.Context(), `LOCK TABLE checkpoints, events; DELETE FROM events; INSERT INTO events SELECT * FROM dumped_events;
		DELETE FROM checkpoints; INSERT INTO checkpoints SELECT * FROM dumped`)
	require.NoError(t, err)
	require.Error(t, a.Projector.Reading()(t.Context()))
	enginetest.Soon(t, "it is projected again", func() (all bool) {
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT next_offset >= $1 FROM checkpoints WHERE topic = $2 AND partition = 0`, next,
			enginetest.Counters.Topic()).Scan(&all))
		return all
	})
	require.True(t, fault.Is(before(t.Context()), fault.CatchingUp))
	a.Open(t)
	b.Open(t)
	holdAll(t, a, b)
	addEverywhere(b, t)
}

// Given a query that fails because something is not there, then the read models are to
// blame only where they lack what they had.
func TestAQueryWithoutItsTableIsCatchingUpOnlyWhereTheTableWas(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	_, err := n.DB.Queries.Exec(t.Context(), `SELECT * FROM nothing_of_the_kind`)
	require.False(t, n.Projector.Lacks(err), "a query that is wrong")
	_, err = n.DB.Queries.Exec(t.Context(), `SELECT nonsense FROM events`)
	require.False(t, n.Projector.Lacks(err), "a query that is wrong")
	require.False(t, n.Projector.Lacks(nil))
	require.NoError(t, n.Projector.Gate())

	_, err = apart(n, t).Exec(t.Context(), `ALTER TABLE snapshots RENAME TO elsewhere`)
	require.NoError(t, err)
	_, err = n.DB.Queries.Exec(t.Context(), `SELECT * FROM snapshots`)
	require.True(t, n.Projector.Lacks(err))
	require.Error(t, n.Projector.Gate())
}

// Given one table that somebody dropped though its migration is noted, then nothing is
// served, and the operator is told what to do.
func TestATableThatNobodyMakesAgainKeepsReadsShut(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	model := projections.NewModel("shelves", 1, []string{"roles"}, enginetest.Counters.Category)
	projections.Ignore[enginetest.Added](model)
	n := enginetest.Start(t, "a", brokers, url, func(c *engine.Config) { c.Models = []*projections.Model{model} })
	conn := apart(n, t)
	_, err := conn.Exec(t.Context(), `DROP TABLE roles CASCADE`)
	require.NoError(t, err)
	_, err = n.DB.Queries.Exec(t.Context(), `SELECT * FROM roles`)
	require.True(t, n.Projector.Lacks(err))
	enginetest.Soon(t, "the operator is told", func() bool {
		err := n.Projector.Gate()
		return fault.Is(err, fault.CatchingUp) &&
			strings.Contains(err.Error(), "the database lacks roles") && strings.Contains(err.Error(), "DROP SCHEMA public CASCADE")
	})
	require.Contains(t, n.Projector.Lag().Waiting, "the database lacks roles", "so /readyz has it")
	var told *fault.Error
	require.ErrorAs(t, n.Projector.Gate(), &told)
	require.Equal(t, "the read models are catching up with the log (the database lacks roles; the database cannot be prepared, see /readyz)",
		told.Message, "callers, of whom nobody knows yet who they are, are not told what the database said: it names hosts and users")

	_, err = conn.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`) // as he was told
	require.NoError(t, err)
	n.Open(t)
	require.NoError(t, n.DB.Migrate(t.Context(), migrations.Files), "all is made")
}
