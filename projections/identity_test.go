package projections_test

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
)

// apart is a connection to the node's database that the node does not know of.
func (n *node) apart(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), n.db.Queries.Config().ConnConfig.Copy())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Given read models that are emptied on connections that live on, under traffic and on
// two nodes, then no read shows less than was acknowledged, and all of it comes back.
func TestReadModelsThatWereEmptiedAreNotRead(t *testing.T) {
	brokers, url := parts(t)
	a, b := start(t, "a", brokers, url), start(t, "b", brokers, url)
	onA, onB := a.traffic(t), b.traffic(t)
	conn := a.apart(t)
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
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	_, err := n.add(t, "one", 1)
	require.NoError(t, err)
	before := n.projector.Reading()
	require.NoError(t, before(t.Context()))

	_, err = n.apart(t).Exec(t.Context(), `TRUNCATE checkpoints, events`)
	require.NoError(t, err)

	require.True(t, fault.Is(before(t.Context()), fault.CatchingUp))
	n.open(t)
	require.True(t, fault.Is(before(t.Context()), fault.CatchingUp), "it was read before")
	require.NoError(t, n.projector.Reading()(t.Context()))
	require.Equal(t, 1, n.total(t, "one"))
}

// Given a query that fails because something is not there, then the read models are to
// blame only where they lack what they had.
func TestAQueryWithoutItsTableIsCatchingUpOnlyWhereTheTableWas(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	_, err := n.db.Queries.Exec(t.Context(), `SELECT * FROM nothing_of_the_kind`)
	require.False(t, n.projector.Lacks(err), "a query that is wrong")
	_, err = n.db.Queries.Exec(t.Context(), `SELECT nonsense FROM events`)
	require.False(t, n.projector.Lacks(err), "a query that is wrong")
	require.False(t, n.projector.Lacks(nil))
	require.NoError(t, n.projector.Gate())

	_, err = n.apart(t).Exec(t.Context(), `ALTER TABLE snapshots RENAME TO elsewhere`)
	require.NoError(t, err)
	_, err = n.db.Queries.Exec(t.Context(), `SELECT * FROM snapshots`)
	require.True(t, n.projector.Lacks(err))
	require.Error(t, n.projector.Gate())
}

// Given one table that somebody dropped though its migration is noted, then nothing is
// served, and the operator is told what to do.
func TestATableThatNobodyMakesAgainKeepsReadsShut(t *testing.T) {
	brokers, url := parts(t)
	model := projections.NewModel("shelves", 1, []string{"roles"}, counters.Category)
	projections.Ignore[added](model)
	n := start(t, "a", brokers, url, func(c *projections.Config) { c.Models = []*projections.Model{model} })
	conn := n.apart(t)
	_, err := conn.Exec(t.Context(), `DROP TABLE roles CASCADE`)
	require.NoError(t, err)
	_, err = n.db.Queries.Exec(t.Context(), `SELECT * FROM roles`)
	require.True(t, n.projector.Lacks(err))
	soon(t, "the operator is told", func() bool {
		err := n.projector.Gate()
		return fault.Is(err, fault.CatchingUp) &&
			strings.Contains(err.Error(), "the database lacks roles") && strings.Contains(err.Error(), "DROP SCHEMA public CASCADE")
	})

	_, err = conn.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`) // as he was told
	require.NoError(t, err)
	n.open(t)
	require.NoError(t, n.db.Migrate(t.Context(), migrations.Files), "all is made")
}
