package private

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// startsVariable says how often the server is killed and started again; `make starts`
// sets it to 500.
const startsVariable = "PARLEY_TEST_STARTS"

// loadUntilKilled starts a server in this process and keeps it busy: rows that are
// said once they are committed, and tables and sorts on disk, whose files come and go.
func loadUntilKilled(dir string) error {
	p, err := StartPostgres(context.Background(), PostgresConfig{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Println("up")
	failed := make(chan error)
	for _, work := range []func(context.Context, *pgx.Conn) error{commitRows, makeFiles, makeFiles, makeFiles} {
		go func() {
			conn, err := pgx.Connect(context.Background(), p.URL())
			if err == nil {
				err = work(context.Background(), conn)
			}
			failed <- err
		}()
	}
	return <-failed
}

func commitRows(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS rows (n bigint)`); err != nil {
		return err
	}
	for {
		var n int64
		if err := conn.QueryRow(ctx, `INSERT INTO rows VALUES ($1) RETURNING n`, time.Now().UnixNano()).Scan(&n); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func makeFiles(ctx context.Context, conn *pgx.Conn) error {
	for {
		if _, err := conn.Exec(ctx, `SET work_mem = '64kB';
			CREATE TEMP TABLE come AS SELECT n, md5(n::text) AS text FROM generate_series(1, 5000) n ORDER BY md5(n::text);
			CREATE INDEX ON come (text);
			DROP TABLE come`); err != nil {
			return err
		}
	}
}

// Given a process that is killed at any moment while its server works, when another
// starts in the folder at once, then it comes up, time after time, and nothing that
// was committed is gone. The orphan is still shutting down, removing files, then.
func TestPostgresStartsAfterEachKill9(t *testing.T) {
	childtest.Integration(t)
	dir := reachableFolder(t)
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv(startsVariable)); err == nil {
		rounds = n
	}
	committed := 0
	for round := range rounds {
		writer := childtest.Start(t, "load Postgres", dir)
		require.Equal(t, []string{"up"}, writer.Said(1), "start %d of %d failed; what it says is above", round+1, rounds)
		committed += len(writer.Said(rand.IntN(60)))
		committed += len(writer.Kill9())
		if round%4 == 3 { // a start that is killed too, somewhere in its first moments
			early := childtest.Start(t, "load Postgres", dir)
			interval := time.NewTimer(time.Duration(rand.IntN(400)) * time.Millisecond)
			<-interval.C
			for _, line := range early.Kill9() {
				if line != "up" {
					committed++
				}
			}
		}
	}
	p := startPostgresIn(t, dir)
	var found int
	require.NoError(t, connectTo(t, p.URL()).QueryRow(t.Context(), `SELECT count(*) FROM rows`).Scan(&found))
	require.GreaterOrEqual(t, found, committed)
	t.Logf("%d starts, %d rows said, %d found", rounds, committed, found)
}

// The files that an orphan removes while the folder is given to the server's user are
// not missed: they were its own.
func TestAFolderIsGivenAwayWhileAnOrphanWorksInIt(t *testing.T) {
	dir := t.TempDir()
	var ended atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; !ended.Load(); n++ {
			sub := filepath.Join(dir, "base", strconv.Itoa(n%50))
			_ = os.MkdirAll(sub, 0o700)
			_ = os.WriteFile(filepath.Join(sub, "pgsql_tmp"), nil, 0o600)
			_ = os.RemoveAll(filepath.Join(dir, "base", strconv.Itoa((n+7)%50)))
		}
	}()
	defer func() { ended.Store(true); <-done }()
	account := &account{name: "somebody", uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	for range 2000 {
		require.NoError(t, account.own(dir))
	}
	require.ErrorIs(t, account.own(filepath.Join(dir, "nowhere")), os.ErrNotExist, "the folder itself must be there")
}
