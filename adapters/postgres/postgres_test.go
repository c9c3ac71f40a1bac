package postgres_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/adapters/postgres"
)

func TestCodeIsTheSQLState(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	_, err := db.Queries.Exec(t.Context(), `SELECT * FROM nothing`)
	require.Equal(t, "42P01", postgres.Code(fmt.Errorf("wrapped: %w", err)))
	require.Empty(t, postgres.Code(fmt.Errorf("no SQL")))
	require.Empty(t, postgres.Code(nil))
}

func connect(t *testing.T, url string, changed func()) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, changed)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func TestOnlyTheProjectorCommitsWithoutWaiting(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	for pool, want := range map[*pgxpool.Pool]string{db.Queries: "on", db.Projector: "off"} {
		var mode string
		require.NoError(t, pool.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&mode))
		require.Equal(t, want, mode)
	}
}

// Given a plan that the projector's connections have kept since a table had a handful of rows, which Postgres then looked at, then it
// finds rows by their keys still, when there are many.
func TestAPlanOfTheProjectorThatIsKeptReadsNoWholeTable(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	conn, err := db.Projector.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	do := func(sql string) {
		_, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err, sql)
	}
	do(`CREATE TABLE books (id text PRIMARY KEY, n int)`)
	do(`INSERT INTO books SELECT i::text, i FROM generate_series(1, 20) i`)
	do(`ANALYZE books`)
	do(`PREPARE change AS UPDATE books t SET n = u.n::int FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) u(id, n) WHERE t.id = u.id`)
	for range 10 {
		do(`EXECUTE change ('{1,2}', '{3,4}')`)
	}
	rows, err := conn.Query(t.Context(), `EXPLAIN EXECUTE change ('{1,2}', '{3,4}')`, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan, "\n"), "books_pkey")
	require.NotContains(t, strings.Join(plan, "\n"), "Seq Scan")
}

func TestTheSameServerIsNoChange(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), func() { t.Error("nothing changed") })
	for range 3 {
		db.Queries.Reset()
		db.Projector.Reset()
		require.NoError(t, db.Queries.Ping(t.Context()))
		require.NoError(t, db.Projector.Ping(t.Context()))
	}
}

// Given a database that was made anew, then whoever uses a connection of it knows,
// however many connect at the same time.
func TestADatabaseMadeAnewIsNoticedBeforeAnythingIsReadFromIt(t *testing.T) {
	url := embeddedtest.Database(t)
	var changed atomic.Int64
	db := connect(t, url, func() { changed.Add(1) })
	_, err := db.Queries.Exec(t.Context(), `CREATE TABLE seen (n int)`)
	require.NoError(t, err)
	for range 3 {
		before := changed.Load()
		embeddedtest.DropDatabase(t, url)
		var all sync.WaitGroup
		for i := range 20 {
			all.Add(1)
			go func() {
				defer all.Done()
				pool := []*pgxpool.Pool{db.Queries, db.Projector}[i%2]
				for {
					var missing bool
					if err := pool.QueryRow(t.Context(), `SELECT to_regclass('seen') IS NULL`).Scan(&missing); err != nil {
						continue // a connection of the database that is gone
					}
					if !missing || changed.Load() == before {
						t.Errorf("read from the new database (%v) after %d changes", missing, changed.Load())
					}
					return
				}
			}()
		}
		all.Wait()
	}
}

func TestARestartedServerIsNoticed(t *testing.T) {
	childtest.Integration(t)
	dir := embeddedtest.DataFolder(t)
	run := func() *private.Postgres {
		p, err := private.StartPostgres(t.Context(), private.PostgresConfig{Dir: dir, Log: slog.New(slog.DiscardHandler),
			Settings: map[string]string{"shared_buffers": "16MB"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		return p
	}
	server := run()
	var changed atomic.Int64
	db := connect(t, server.URL(), func() { changed.Add(1) })
	require.NoError(t, db.Queries.Ping(t.Context()))
	require.NoError(t, db.Projector.Ping(t.Context()))
	require.NoError(t, server.StopImmediate())
	run()
	for _, pool := range []*pgxpool.Pool{db.Queries, db.Projector} { // each finds its connections dead first
		for pool.Ping(t.Context()) != nil {
			require.NoError(t, t.Context().Err())
		}
	}
	require.Positive(t, changed.Load())
}

func TestNodesThatMigrateAtOnceWaitForEachOther(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	files := fstest.MapFS{
		"0001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (n int);\n-- +goose Down\nDROP TABLE a;\n")},
		"0002_b.sql": {Data: []byte("-- +goose Up\nCREATE TABLE b (n int);\nINSERT INTO b VALUES (1);\n-- +goose Down\nDROP TABLE b;\n")},
	}
	errs := make(chan error)
	for range 5 {
		go func() { errs <- db.Migrate(t.Context(), files) }()
	}
	for range 5 {
		require.NoError(t, <-errs)
	}
	var n int
	require.NoError(t, db.Queries.QueryRow(t.Context(), `SELECT count(*) FROM b`).Scan(&n))
	require.Equal(t, 1, n)
	require.NoError(t, db.Migrate(t.Context(), files), "again")
}

func TestAURLThatLeadsNowhereIsSaidSo(t *testing.T) {
	_, err := postgres.Open(t.Context(), "postgres://%zz", nil)
	require.ErrorContains(t, err, "database URL")
	db := connect(t, "postgres://nobody@127.0.0.1:1/none?sslmode=disable", nil)
	require.ErrorContains(t, db.Migrate(t.Context(), fstest.MapFS{}), "reaching the database")
}
