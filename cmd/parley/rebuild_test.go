package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/stretchr/testify/require"
)

// Given a node with its embedded parts under calls, then rebuild and check work beside
// it with nothing but its data folder, no call notices, every read model equals what
// the log says, a row that was spoiled is found and mended, and all of it works when
// the node has ended as well.
func TestRebuildBesideANodeAndWithoutOne(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	node := serveDev(t, data, freeAddress(t))
	c, l := clientOf(node), newLedger()
	callers := startLoad(l, "beside", 2, c)
	calls := func(more int) {
		t.Helper()
		goal := l.acknowledged() + more
		node.await("calls", func() bool { return l.acknowledged() >= goal })
	}
	rebuild := func(wanted int, words ...string) string {
		t.Helper()
		said, code := run(t, append([]string{"rebuild", "--data", data}, words...)...)
		require.Equal(t, wanted, code, said)
		return said
	}
	calls(5)
	require.Contains(t, rebuild(0, "--all"), "rebuilt index, access")
	calls(5)
	require.Contains(t, rebuild(0, "--check", "--all"), "no row differs")
	rebuild(0, "interactions", "voice-setup") // whose timers are in one table with those of deliveries
	calls(5)
	rebuild(0, "--check", "interactions", "deliveries")
	other := filepath.Join(t.TempDir(), "keyset.json")
	_, err := vault.Create(other)
	require.NoError(t, err)
	require.Contains(t, rebuild(2, "access", "--keyset", other), "is not the keyset of log", "whose hashes nobody would find")
	said := rebuild(0, "channel-deliveries") // as do sessions and completions, in the same rows
	require.Regexp(t, `(sessions, completions|completions, sessions) go with channel-deliveries`, said)
	callers.stop()
	require.Empty(t, l.refusals, "no call was refused")
	require.Empty(t, l.breaks)
	l.requireSame(t, c)
	l.awaitEnds(t, c) // every timer is where it belongs

	spoil(t, data)
	said = rebuild(1, "--check", "access")
	require.Contains(t, said, `tenants: 0 rows missing, 0 too many, 1 changed: ["acme"] differs in name`)
	require.NotContains(t, said, "Spoiled", "values are nobody's business")
	rebuild(0, "access")
	rebuild(0, "--check", "access")
	node.awaitReady()

	node.terminate()
	require.Zero(t, node.exit(patience))
	require.Contains(t, rebuild(0, "--all"), "rebuilt index, access")
	require.Contains(t, rebuild(0, "--check", "--all"), "no row differs")
}

// spoil changes a row behind Parley's back.
func spoil(t *testing.T, data string) {
	t.Helper()
	url, err := private.PostgresAt(filepath.Join(data, "postgres"))
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	changed, err := conn.Exec(t.Context(), `UPDATE tenants SET name = 'Spoiled' WHERE tenant = 'acme'`)
	require.NoError(t, err)
	require.EqualValues(t, 1, changed.RowsAffected())
}

// Read models that were replaced stay so when the analytics, which come last, are not.
func TestARebuildThatIsEndedSaysWhatItLeaves(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	require.EqualError(t, failed(ended, context.Canceled, "the analytics were not changed", "`parley rebuild analytics` begins them anew"),
		"rebuild: ended before it was done; the analytics were not changed, and `parley rebuild analytics` begins them anew")
	require.EqualError(t, failed(t.Context(), os.ErrClosed, "nothing was changed", "the same command goes on where it stopped"),
		"rebuild: file already closed")
}

func TestARebuildThatCannotBeSaysWhatToDo(t *testing.T) {
	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "node-id"), []byte("node-1\n"), 0o600))
	for args, wanted := range map[string][]string{
		"rebuild":                         {"--all", "index, analytics, access"},
		"rebuild --all access":            {"--all, or some of"},
		"rebuild acces":                   {`"acces"`, "access"},
		"rebuild --all":                   {".data", "--data", "--kafka-brokers", "--database-url"},
		"rebuild --all --kafka-ca ca.pem": {"--kafka-tls"},
		"rebuild --all --kafka-brokers 127.0.0.1:1 --database-url postgres://me:hidden-word@127.0.0.1:1/parley": {"127.0.0.1:1"},
	} {
		said, code := run(t, strings.Fields(args)...)
		require.NotZero(t, code, said)
		for _, w := range wanted {
			require.Contains(t, said, w, args)
		}
		require.NotContains(t, said, "hidden-word")
	}
}
