package private

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// addressOf is where a client of the URL is seen to come from; empty: by the socket.
func addressOf(t *testing.T, at string) (address string) {
	t.Helper()
	require.NoError(t, connectTo(t, at).QueryRow(t.Context(), `SELECT coalesce(host(inet_client_addr()), '')`).Scan(&address))
	return address
}

// Given a server, then who runs beside it comes by its socket, with the password, and by its port where the socket is gone.
func TestPostgresHasASocketForItsOwnMachine(t *testing.T) {
	p := startPostgresIn(t, reachableFolder(t))
	require.Equal(t, "127.0.0.1", addressOf(t, p.URL()))
	require.Empty(t, addressOf(t, p.LocalURL()))

	u, err := url.Parse(p.LocalURL())
	require.NoError(t, err)
	u.User = url.UserPassword(databaseUser, "guess")
	_, err = pgx.Connect(t.Context(), u.String())
	require.ErrorContains(t, err, "password authentication failed")

	require.NoError(t, os.Remove(filepath.Join(p.folder.home, ".s.PGSQL."+strconv.Itoa(p.Port()))))
	require.Equal(t, "127.0.0.1", addressOf(t, p.LocalURL()))
}

// Given the note of a killed server's socket, when its number is another program's now, then the next server starts.
func TestAStaleSocketDoesNotKeepPostgresFromStarting(t *testing.T) {
	dir := reachableFolder(t)
	first := startPostgresIn(t, dir)
	require.NoError(t, first.Close())
	stale := filepath.Join(first.folder.home, ".s.PGSQL."+strconv.Itoa(first.Port())+".lock")
	note := strconv.Itoa(os.Getpid()) + "\n" + first.folder.cluster() + "\n0\n" + strconv.Itoa(first.Port()) + "\n" + dir + "\n"
	require.NoError(t, os.WriteFile(stale, []byte(note), 0o600))

	require.Empty(t, addressOf(t, startPostgresIn(t, dir).LocalURL()))
}

// A folder whose path no socket takes, or that a list of folders would not tell, has none.
func TestAFolderThatTakesNoSocketHasNone(t *testing.T) {
	for _, name := range []string{strings.Repeat("a", 100), "a,b"} {
		home := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(home, 0o755))
		require.Empty(t, folder{home: home}.socketFolder(), home)
	}
	require.Empty(t, folder{home: filepath.Join(t.TempDir(), "missing")}.socketFolder())
	p := Postgres{port: 5432, secret: "s"}
	require.Equal(t, p.URL(), p.LocalURL())
}
