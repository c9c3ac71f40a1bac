package rebuild_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	rebuilding "github.com/parley-platform/parley/projections/rebuild"
)

// twoTables is a database with tables a and b.
func twoTables(t *testing.T) *pgxpool.Pool {
	childtest.Integration(t)
	cfg, err := pgxpool.ParseConfig(embeddedtest.Database(t))
	require.NoError(t, err)
	cfg.MaxConns = 8
	db, err := pgxpool.NewWithConfig(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = db.Exec(t.Context(), `CREATE TABLE a (x int); CREATE TABLE b (x int)`)
	require.NoError(t, err)
	return db
}

// Given a query that stays in one of two tables, then neither is locked; when it has ended,
// both are, until the transaction ends.
func TestAllTablesAreLockedOrNone(t *testing.T) {
	t.Parallel()
	db := twoTables(t)
	readable := func(table string) bool {
		return nil == pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `LOCK TABLE `+table+` IN ACCESS SHARE MODE NOWAIT`)
			return err
		})
	}
	query, err := db.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = query.Rollback(context.Background()) }()
	_, err = query.Exec(t.Context(), `SELECT FROM b`)
	require.NoError(t, err)

	require.NoError(t, pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
		var pg *pgconn.PgError
		require.ErrorAs(t, rebuilding.Exclusively(t.Context(), tx, []string{"a", "b"}), &pg)
		require.Equal(t, "55P03", pg.Code, "a lock was not to be had")
		require.True(t, readable("a"))

		require.NoError(t, query.Rollback(t.Context()))
		require.NoError(t, rebuilding.Exclusively(t.Context(), tx, []string{"a", "b"}))
		require.False(t, readable("a"))
		require.False(t, readable("b"))
		return nil
	}))
	require.True(t, readable("a"))
	require.True(t, readable("b"))
}

// Given queries that follow each other without a pause, and take their tables in either
// order, then the tables are locked all the same, and no query fails.
func TestTablesAreLockedAmongQueriesOfEitherOrder(t *testing.T) {
	t.Parallel()
	db := twoTables(t)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	const either, other = `SELECT pg_sleep(0.002) FROM a RIGHT JOIN b ON true`, `SELECT pg_sleep(0.002) FROM b RIGHT JOIN a ON true`
	for _, query := range []string{either, other} {
		for range 2 {
			all.Go(func() {
				for ctx.Err() == nil {
					if _, err := db.Exec(ctx, query); err != nil && ctx.Err() == nil {
						t.Errorf("%s: %v", query, err)
					}
				}
			})
		}
	}
	for locked := false; !locked; {
		err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			return rebuilding.Exclusively(t.Context(), tx, []string{"a", "b"})
		})
		var pg *pgconn.PgError
		if locked = err == nil; !locked && !(errors.As(err, &pg) && pg.Code == "55P03") {
			require.NoError(t, err)
		}
	}
}
