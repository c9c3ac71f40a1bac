package embeddedtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/adapters/embedded/private"
)

// serverSettings trade durability, which no test can see unless the machine itself
// dies, for speed, and make room for tests in parallel.
var serverSettings = map[string]string{
	"fsync":            "off",
	"full_page_writes": "off",
	"shared_buffers":   "64MB",
	"max_connections":  "600",
	"max_wal_size":     "256MB",
}

var (
	once     sync.Once
	server   *private.Postgres
	startErr error
)

// serverURL is the URL of the test process's one server, started by its first test
// that needs it. Nobody closes it: it ends with the process, and what a process that
// was killed leaves behind is cleared by the next that takes its slot.
func serverURL(t testing.TB) string {
	t.Helper()
	once.Do(func() { server, startErr = takeSlot(slotsFolder()) })
	if startErr != nil {
		t.Fatalf("start Postgres for tests: %v", startErr)
	}
	return server.URL()
}

func slotsFolder() string {
	return filepath.Join(os.TempDir(), "parley-test-postgres-"+strconv.Itoa(os.Geteuid()))
}

// takeSlot starts a server in the first free of a few folders that outlive test
// processes, so that a cluster is initialised once and not by every package. The
// lock of the folder says which are free.
func takeSlot(slots string) (*private.Postgres, error) {
	if err := os.MkdirAll(slots, 0o755); err != nil {
		return nil, err
	}
	for slot := range 64 {
		dir := filepath.Join(slots, strconv.Itoa(slot))
		postgres, err := start(dir)
		if err != nil && !errors.Is(err, datafolder.ErrLocked) {
			postgres, err = startAnew(dir, err)
		}
		if errors.Is(err, datafolder.ErrLocked) {
			continue
		}
		return postgres, err
	}
	return nil, fmt.Errorf("all slots in %s are taken", slots)
}

// startAnew throws a slot away whose cluster does not start, as after a power cut
// without fsync.
func startAnew(dir string, cause error) (*private.Postgres, error) {
	release, err := datafolder.Lock(dir)
	if err != nil {
		return nil, err
	}
	err = os.RemoveAll(filepath.Join(dir, "cluster"))
	release()
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	postgres, err := start(dir)
	if err != nil {
		return nil, errors.Join(err, cause)
	}
	return postgres, nil
}

func start(dir string) (*private.Postgres, error) {
	postgres, err := private.StartPostgres(context.Background(), private.PostgresConfig{
		Dir: dir, Log: quiet(), Settings: serverSettings,
	})
	if err != nil {
		return nil, err
	}
	if err := prepare(postgres.URL()); err != nil {
		return nil, errors.Join(err, postgres.Close())
	}
	return postgres, nil
}

func prepare(databaseURL string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if err := loginOnce(ctx, conn, databaseURL); err != nil {
		return err
	}
	return dropLeftovers(ctx, conn)
}

// dropLeftovers removes the databases of test processes that were killed.
func dropLeftovers(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, `DROP DATABASE `+name); err != nil {
			return err
		}
	}
	return nil
}
