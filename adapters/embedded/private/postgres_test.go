package private

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
)

func TestPostgresKeepsDataThroughAStop(t *testing.T) {
	for name, stop := range map[string]func(*Postgres) error{
		"fast":      (*Postgres).Close,
		"immediate": (*Postgres).StopImmediate,
	} {
		t.Run(name, func(t *testing.T) {
			dir := reachableFolder(t)
			first := startPostgresIn(t, dir)
			write(t, first, 1)
			require.NoError(t, stop(first))
			require.Empty(t, processesIn(first.folder.cluster()), "it waits until the server is gone")

			second := startPostgresIn(t, dir)

			require.Equal(t, first.URL(), second.URL(), "clients find it where it was")
			require.Equal(t, []int{1}, read(t, second))
		})
	}
}

func TestPostgresIsTunedButDurable(t *testing.T) {
	p := startPostgresIn(t, reachableFolder(t))
	conn := connectTo(t, p.URL())
	for setting, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "listen_addresses": "127.0.0.1",
		"unix_socket_directories": p.folder.home, "TimeZone": "UTC",
	} {
		var got string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT current_setting($1)`, setting).Scan(&got))
		require.Equal(t, want, got, setting)
	}
}

// Of the compressions of whole pages it takes the best that its binaries know, and one
// that all of them know where they know no other.
func TestPostgresCompressesPagesAsItsBinariesCan(t *testing.T) {
	p := startPostgresIn(t, reachableFolder(t))
	var got string
	var known []string
	conn := connectTo(t, p.URL())
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT setting, enumvals FROM pg_settings
		WHERE name = 'wal_compression'`).Scan(&got, &known))
	want := "pglz"
	for _, name := range pageCompressions {
		if slices.Contains(known, name) {
			want = name
			break
		}
	}
	require.Equal(t, want, got)

	knowing := func(names string) binaries {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o755))
		script := "#!/bin/sh\nfor last; do :; done\ncase $last in " + names + ") ;; *) exit 1;; esac\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o755))
		return binaries{dir: dir}
	}
	f := folder{home: t.TempDir()}
	for names, want := range map[string]string{"*=lz4|*=zstd": "lz4", "*=zstd": "zstd", "nothing": "pglz"} {
		require.Equal(t, want, pageCompression(t.Context(), f, knowing(names)), names)
	}
}

func TestPostgresAsksForItsPassword(t *testing.T) {
	p := startPostgresIn(t, reachableFolder(t))
	u, err := url.Parse(p.URL())
	require.NoError(t, err)
	u.User = url.UserPassword(databaseUser, "guess")

	_, err = pgx.Connect(t.Context(), u.String())

	require.ErrorContains(t, err, "password authentication failed")
	info, err := os.Stat(p.folder.password())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// writeUntilKilled starts a server in this process and commits rows, saying each.
func writeUntilKilled(dir string) error {
	p, err := StartPostgres(context.Background(), PostgresConfig{Dir: dir})
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(context.Background(), p.URL())
	if err != nil {
		return err
	}
	if _, err := conn.Exec(context.Background(), `CREATE TABLE IF NOT EXISTS rows (n int)`); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if _, err := conn.Exec(context.Background(), `INSERT INTO rows VALUES ($1)`, n); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func TestPostgresComesBackAfterItsStarterIsKilled(t *testing.T) {
	childtest.Integration(t)
	dir := reachableFolder(t)
	writer := childtest.Start(t, "write to tables", dir)
	written := writer.Said(50)
	written = append(written, writer.Kill9()...)
	require.GreaterOrEqual(t, len(written), 50)

	p := startPostgresIn(t, dir)

	require.GreaterOrEqual(t, len(read(t, p)), len(written), "all that was committed is there")
}

// Given a server that outlived its starter (no parent-death signal, or it came too
// late), when the folder is started again, then the old server is stopped first.
func TestPostgresStopsAnOrphanOfItsFolder(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, orphan *exec.Cmd){
		"running": func(*testing.T, *exec.Cmd) {},
		"killed, its children not yet gone": func(t *testing.T, orphan *exec.Cmd) {
			require.NoError(t, orphan.Process.Kill())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := reachableFolder(t)
			first := startPostgresIn(t, dir)
			write(t, first, 1)
			require.NoError(t, first.Close())
			orphan := startOrphan(t, first)
			harm(t, orphan)

			second := startPostgresIn(t, dir)

			require.Equal(t, []int{1}, read(t, second))
			require.EventuallyWithT(t, func(t *assert.CollectT) { // one of its own may come or go between two looks
				assert.ElementsMatch(t, processesIn(second.folder.cluster()), childrenAnd(second.process.pid()), "no process of the orphan is left")
			}, time.Minute, 100*time.Millisecond)
		})
	}
}

// Given a server whose starter was killed while it was starting, when the folder is
// started again at once, then the one that has hardly begun is seen and stopped: two of
// them would fight over postmaster.pid.
func TestPostgresStopsAnOrphanThatHasHardlyBegun(t *testing.T) {
	dir := reachableFolder(t)
	first := startPostgresIn(t, dir)
	write(t, first, 1)
	require.NoError(t, first.Close())
	for range 5 {
		orphan := spawnOrphan(t, first)

		second := startPostgresIn(t, dir)

		require.Equal(t, []int{1}, read(t, second))
		require.NotContains(t, processesIn(second.folder.cluster()), orphan.Process.Pid)
		require.NoError(t, second.Close())
	}
}

// A number in a stale postmaster.pid may belong to any program by now.
func TestPostgresLeavesAStrangerAlone(t *testing.T) {
	dir := reachableFolder(t)
	first := startPostgresIn(t, dir)
	write(t, first, 1)
	require.NoError(t, first.Close())
	stranger := exec.Command("sleep", "600")
	if owner := first.folder.owner; owner != nil {
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.uid, Gid: owner.gid}}
	}
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	stale := fmt.Sprintf("%d\n%s\n0\n5432\n\n127.0.0.1\n\n\n", stranger.Process.Pid, first.folder.cluster())
	require.NoError(t, os.WriteFile(filepath.Join(first.folder.cluster(), "postmaster.pid"), []byte(stale), 0o600))

	second := startPostgresIn(t, dir)

	require.Equal(t, []int{1}, read(t, second))
	require.NoError(t, stranger.Process.Signal(syscall.Signal(0)), "still there")
}

// A clone under a home that only root may enter must still run.
func TestPostgresMovesOutOfAFolderThatItsUserCannotReach(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root changes its user for Postgres: nothing to move")
		return
	}
	var homes []string
	t.Cleanup(func() {
		for _, home := range homes {
			require.NoError(t, os.RemoveAll(home))
		}
	})
	dir := filepath.Join(t.TempDir(), "postgres")
	first := startPostgresIn(t, dir)
	write(t, first, 1)
	require.True(t, strings.HasPrefix(first.folder.home, elsewhere), first.folder.home)
	require.NoError(t, first.Close())
	require.Equal(t, []int{1}, read(t, startPostgresIn(t, dir)), "it is found again")

	abandoned := filepath.Join(t.TempDir(), "postgres")
	other := startPostgresIn(t, abandoned)
	require.NoError(t, other.Close())
	require.NoError(t, os.RemoveAll(abandoned))
	third := startPostgresIn(t, filepath.Join(t.TempDir(), "postgres"))
	require.NoDirExists(t, other.folder.home, "what belongs to a deleted data folder is cleared by the next start")
	require.DirExists(t, first.folder.home)
	require.DirExists(t, third.folder.home)
	homes = append(homes, first.folder.home, third.folder.home)
}

func TestPostgresSaysWhyItDoesNotStart(t *testing.T) {
	childtest.Integration(t)
	_, err := StartPostgres(t.Context(), PostgresConfig{
		Dir: reachableFolder(t), Log: childtest.Log(t), Settings: map[string]string{"fsync": "off", "shared_buffers": "many"},
	})
	require.ErrorContains(t, err, `shared_buffers`)
	require.ErrorContains(t, err, "postgres.log")
}

func TestPostgresRefusesAFolderInUse(t *testing.T) {
	dir := reachableFolder(t)
	startPostgresIn(t, dir)
	_, err := StartPostgres(t.Context(), PostgresConfig{Dir: dir, Log: childtest.Log(t)})
	require.ErrorIs(t, err, datafolder.ErrLocked)
}

// reachableFolder is a folder of the test that the user of Postgres can reach: Go
// makes the one above it for its own user alone.
func reachableFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

func startPostgresIn(t *testing.T, dir string) *Postgres {
	t.Helper()
	childtest.Integration(t)
	p, err := StartPostgres(t.Context(), PostgresConfig{Dir: dir, Log: childtest.Log(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// startOrphan starts the server as this process would, but so that nothing ends it.
func startOrphan(t *testing.T, of *Postgres) *exec.Cmd {
	t.Helper()
	cmd := spawnOrphan(t, of)
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), of.URL())
		return err == nil && conn.Close(t.Context()) == nil
	}, 30*time.Second, 10*time.Millisecond)
	return cmd
}

func spawnOrphan(t *testing.T, of *Postgres) *exec.Cmd {
	t.Helper()
	b, err := findBinaries(t.Context(), of.folder, childtest.Log(t))
	require.NoError(t, err)
	cmd := of.folder.command(context.Background(), b.postgres(), of.arguments("pglz", nil)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: cmd.SysProcAttr.Credential}
	require.NoError(t, cmd.Start())
	go func() { _ = cmd.Wait() }()
	return cmd
}

// childrenAnd are the process and the processes it forked, among all that run.
func childrenAnd(parent int) []int {
	family := []int{parent}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		var name, state string
		var number, of int
		stat, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue
		}
		if _, err := fmt.Sscanf(string(stat), "%d %s %s %d", &number, &name, &state, &of); err == nil && of == parent {
			family = append(family, pid)
		}
	}
	return family
}

func write(t *testing.T, p *Postgres, n int) {
	t.Helper()
	conn := connectTo(t, p.URL())
	_, err := conn.Exec(t.Context(), `CREATE TABLE rows AS SELECT $1::int AS n`, n)
	require.NoError(t, err)
}

func read(t *testing.T, p *Postgres) []int {
	t.Helper()
	rows, err := connectTo(t, p.URL()).Query(t.Context(), `SELECT n FROM rows ORDER BY n`)
	require.NoError(t, err)
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(t, err)
	return numbers
}

func connectTo(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
