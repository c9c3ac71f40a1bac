package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
)

// open opens a fresh database and returns how often it was said to have changed.
func open(t *testing.T) (db *postgres.DB, url string, changes chan struct{}) {
	t.Helper()
	url, changes = embeddedtest.Database(t), make(chan struct{}, 1000)
	db, err := postgres.Open(t.Context(), url, func() { changes <- struct{}{} })
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db, url, changes
}

func ask(db *postgres.DB) error {
	_, err := db.Queries.Exec(context.Background(), `SELECT 1`)
	return err
}

// renaming takes the database of the URL out of reach, and brings the same one back.
func renaming(t *testing.T, databaseURL string) (aside, back func()) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	admin, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	run := func(statement string) {
		_, err := admin.Exec(context.Background(), statement)
		require.NoError(t, err)
	}
	aside = func() {
		run(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '` + name + `'`)
		run(`ALTER DATABASE ` + name + ` RENAME TO ` + name + `_aside`)
	}
	return aside, func() { run(`ALTER DATABASE ` + name + `_aside RENAME TO ` + name) }
}

func TestLostIsWhatCouldNotBeAsked(t *testing.T) {
	db, url, _ := open(t)
	require.False(t, postgres.Lost(ask(db)))
	_, err := db.Queries.Exec(t.Context(), `SELECT nonsense`)
	require.Error(t, err)
	require.False(t, postgres.Lost(err), "a query that is wrong")

	hasty, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = db.Queries.Exec(hasty, `SELECT 1`)
	require.Error(t, err)
	require.False(t, postgres.Lost(err), "a caller that went away")

	conn, err := db.Queries.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	embeddedtest.DropDatabase(t, url)
	_, err = conn.Exec(t.Context(), `SELECT 1`)
	require.True(t, postgres.Lost(err), "a connection that was ended: %v", err)
	_, err = conn.Exec(t.Context(), `SELECT 1`)
	require.True(t, postgres.Lost(err), "a connection that had ended before: %v", err)

	nobody, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/parley", nil)
	require.NoError(t, err)
	defer nobody.Close()
	require.True(t, postgres.Lost(ask(nobody)), "nobody listens")
}

func TestAnotherDatabaseIsAChange(t *testing.T) {
	db, url, changes := open(t)
	require.NoError(t, ask(db))
	require.Empty(t, changes, "the first server is no change")

	embeddedtest.DropDatabase(t, url)

	require.Eventually(t, func() bool { return ask(db) == nil }, 20*time.Second, 5*time.Millisecond)
	require.NotEmpty(t, changes)
}

func TestADatabaseThatIsAwayIsOneChangeAndItsReturnAnother(t *testing.T) {
	db, url, changes := open(t)
	require.NoError(t, ask(db))

	aside, back := renaming(t, url)
	aside()
	for range 5 {
		require.True(t, postgres.Lost(ask(db)))
	}
	require.Len(t, changes, 1, "said once until somebody answers")

	back()
	require.Eventually(t, func() bool { return ask(db) == nil }, 20*time.Second, 5*time.Millisecond)
	require.Len(t, changes, 1, "it is the same database on the same server")

	aside()
	require.Eventually(t, func() bool { _ = ask(db); return len(changes) == 2 }, 20*time.Second, 5*time.Millisecond)
	back() // or it would not be dropped with the test
}

func TestAQueryThatGaveWayHasNoAnswer(t *testing.T) {
	for code, passes := range map[string]bool{"40P01": true, "40001": true, "55P03": true,
		"53200": true, "53300": true, "57014": true, "57P01": true,
		"42P01": false, "22P02": false, "23505": false} {
		err := fmt.Errorf("listing: %w", &pgconn.PgError{Code: code})
		require.Equal(t, passes, postgres.Unanswered(err), code)
	}
	require.False(t, postgres.Unanswered(nil))
	require.False(t, postgres.Unanswered(errors.New("another failure")))
	require.True(t, postgres.Unanswered(io.ErrUnexpectedEOF))
}
