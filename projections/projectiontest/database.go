package projectiontest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/migrations"
)

// Open is a world with the tables of all read models, and no rows.
func Open(t *testing.T) *World {
	t.Helper()
	url := embeddedtest.SharedDatabase(t, func(url string) error {
		db, err := postgres.Open(t.Context(), url, func() {})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Migrate(t.Context(), migrations.Files)
	})
	db, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return New(t, db)
}

// KeepsPlans asks twenty times over one connection, and fails where Postgres made a plan
// for the keys of each question in place of one for all (see projections.Lookup). The first
// five it always makes so.
func (w *World) KeepsPlans(ask func(db *pgxpool.Pool)) {
	w.t.Helper()
	config := w.DB.Config()
	config.MaxConns = 1
	db, err := pgxpool.NewWithConfig(w.t.Context(), config)
	require.NoError(w.t, err)
	defer db.Close()
	for range 20 {
		ask(db)
	}
	rows, err := db.Query(w.t.Context(), `SELECT statement || ': ' || custom_plans, custom_plans <= 5 FROM pg_prepared_statements
		WHERE statement LIKE '%unnest%'`)
	require.NoError(w.t, err)
	asked := 0
	var statement string
	var kept bool
	_, err = pgx.ForEachRow(rows, []any{&statement, &kept}, func() error {
		asked++
		require.True(w.t, kept, statement)
		return nil
	})
	require.NoError(w.t, err)
	require.NotZero(w.t, asked, "what is asked by keys")
}

// CountedBy asks over one connection, and gives the plan of what it counted by, with these arguments.
func (w *World) CountedBy(arguments string, ask func(db *pgxpool.Pool)) (plan string) {
	w.t.Helper()
	config := w.DB.Config()
	config.MaxConns = 1
	db, err := pgxpool.NewWithConfig(w.t.Context(), config)
	require.NoError(w.t, err)
	defer db.Close()
	ask(db)
	var name string
	require.NoError(w.t, db.QueryRow(w.t.Context(), `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%count(*)%'
		AND statement NOT LIKE '%pg_prepared%'`).Scan(&name))
	rows, err := db.Query(w.t.Context(), `EXPLAIN EXECUTE "`+name+`" (`+arguments+`)`, pgx.QueryExecModeSimpleProtocol)
	require.NoError(w.t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return strings.Join(lines, "\n")
}
