package main

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/embedded/private"
)

// securePostgres is a server that lets nobody in without TLS. The URL checks its
// certificate in full.
func securePostgres(t *testing.T, authority *embeddedtest.Authority) (databaseURL string) {
	t.Helper()
	dir := embeddedtest.DataFolder(t)
	cfg := private.PostgresConfig{Dir: dir, Log: slog.New(slog.DiscardHandler), Settings: map[string]string{"fsync": "off",
		"shared_buffers": "32MB"}}
	p, err := private.StartPostgres(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, p.Close())

	issued := authority.Issue(t, time.Now().Add(time.Hour), "127.0.0.1")
	cluster := filepath.Join(dir, "cluster")
	info, err := os.Stat(cluster)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	for name, from := range map[string]string{"server.crt": issued.CertFile, "server.key": issued.KeyFile} {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(cluster, name), text, 0o600))
		require.NoError(t, os.Chown(filepath.Join(cluster, name), int(owner.Uid), int(owner.Gid)))
	}
	t.Cleanup(func() { assertNoOrphans(t, filepath.Dir(dir)) })
	cfg.Settings["ssl"] = "on"
	p, err = private.StartPostgres(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	require.NoError(t, os.WriteFile(filepath.Join(cluster, "pg_hba.conf"), []byte("hostssl all all 127.0.0.1/32 scram-sha-256\n"), 0o600))
	administer(t, p.URL(), `SELECT pg_reload_conf()`)
	return p.URL()
}

func withQuery(t *testing.T, databaseURL string, pairs ...string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	u.RawQuery = ""
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func passwordFile(t *testing.T, password string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte(password+"\n"), 0o600))
	return file
}

// Everything that a node says to Kafka and to Postgres goes through TLS, with a login:
// the log, the consumer groups, the poison topic, queries, migrations, LISTEN.
func TestNodesOnServersThatWantTLSAndALogin(t *testing.T) {
	t.Parallel()
	binary(t) // skips
	authority, stranger := embeddedtest.NewAuthority(t), embeddedtest.NewAuthority(t)
	brokers := embeddedtest.Broker(t, embeddedtest.Secured(authority.Issue(t, time.Now().Add(time.Hour), "127.0.0.1"), "parley", "s3cret"))
	plain := securePostgres(t, authority)
	database := withQuery(t, plain, "sslmode", "verify-full", "sslrootcert", authority.File)
	login := func(mechanism, ca, password string) []string {
		return []string{"--kafka-tls", "--kafka-ca", ca, "--kafka-sasl", mechanism, "--kafka-user", "parley", "--kafka-password-file",
			passwordFile(t, password)}
	}
	right := login("SCRAM-SHA-512", authority.File, "s3cret")

	said, code := run(t, append([]string{"topics", "--kafka-brokers", brokers[0]}, login("PLAIN", authority.File, "s3cret")...)...)
	require.Zero(t, code, said)
	require.Contains(t, said, "settings: as they must be")

	f := newFleetOn(t, brokers, database, right...)
	p := f.node()
	l := newLedger()
	x := startPatient(l, "secure", 2, f.client(p))
	x.more(p, 10)
	x.stop(t)
	l.settle(t, f.client(p))
	l.requireSame(t, f.client(p))
	l.awaitEnds(t, f.client(p)) // through the consumer groups

	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var all, bare, listening int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE NOT s.ssl),
		count(*) FILTER (WHERE a.query LIKE 'LISTEN%')
		FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) WHERE a.client_addr IS NOT NULL`).Scan(&all, &bare, &listening))
	require.Zero(t, bare, "of %d connections", all)
	require.Equal(t, 1, listening)

	keyset := f.shared[slices.Index(f.shared, "--keyset")+1]
	for name, c := range map[string]struct {
		database string
		kafka    []string
		says     string
	}{
		"a wrong password for Kafka":     {database, login("SCRAM-SHA-512", authority.File, "guess"), "--kafka-password-file"},
		"another authority for Kafka":    {database, login("SCRAM-SHA-512", stranger.File, "s3cret"), "--kafka-ca"},
		"no TLS to Kafka":                {database, nil, "--kafka-tls"},
		"another authority for Postgres": {withQuery(t, plain, "sslmode", "verify-full", "sslrootcert", stranger.File), right, "sslrootcert"},
		"no TLS to Postgres":             {withQuery(t, plain, "sslmode", "disable"), right, "pg_hba.conf"},
		"no such file of an authority": {withQuery(t, plain, "sslmode", "verify-full", "sslrootcert", "/nowhere.pem"), right,
			"/nowhere.pem"},
		"a mechanism that nobody has named": {database, login("KERBEROS", authority.File, "s3cret"), "--kafka-sasl"},
	} {
		began := time.Now()
		said, code := run(t, append([]string{"serve", "--data", t.TempDir(), "--keyset", keyset, "--listen", "127.0.0.1:0",
			"--kafka-brokers", brokers[0], "--database-url", c.database}, c.kafka...)...)
		require.NotZero(t, code, "%s: %s", name, said)
		require.Contains(t, said, c.says, name)
		require.NotContains(t, said, "s3cret", name)
		t.Logf("%s: refused after %s", name, time.Since(began).Round(time.Millisecond))
	}
}

// An embedded broker that other machines reach asks them for TLS and a password, and
// its own node comes in the same way.
func TestNodeWithABrokerForOthers(t *testing.T) {
	t.Parallel()
	authority := embeddedtest.NewAuthority(t)
	issued := authority.Issue(t, time.Now().Add(time.Hour), "localhost")
	guarded := []string{"--kafka-listen", "0.0.0.0:0", "--kafka-advertise", "localhost", "--kafka-cert", issued.CertFile, "--kafka-key",
		issued.KeyFile,
		"--kafka-user", "reader", "--kafka-password-file", passwordFile(t, "s3cret")}
	p := serveDev(t, dataFolder(t), freeAddress(t), guarded...)
	c, l := clientOf(p), newLedger()
	a, err := c.dialOut("over TLS")
	require.NoError(t, err)
	l.asked("over TLS")
	require.True(t, l.heard("over TLS", a), "%s", a)
	l.awaitEnds(t, c)

	brokers := c.env["KAFKA_BROKERS"]
	require.True(t, strings.HasPrefix(brokers, "localhost:"), brokers)
	said, code := run(t, "topics", "--kafka-brokers", brokers, "--kafka-tls", "--kafka-ca", authority.File, "--kafka-sasl", "SCRAM-SHA-256",
		"--kafka-user", "reader", "--kafka-password-file", passwordFile(t, "s3cret"))
	require.Zero(t, code, said)
	said, code = run(t, "topics", "--kafka-brokers", brokers)
	require.Equal(t, 1, code)
	require.Contains(t, said, "--kafka-tls")

	for says, args := range map[string][]string{
		"TLS and SASL":      {"--kafka-listen", "0.0.0.0:0"},
		"--kafka-advertise": append(append([]string{}, guarded[:2]...), guarded[4:]...),
		"not for the name":  append([]string{"--kafka-listen", "0.0.0.0:0", "--kafka-advertise", "elsewhere.example.com"}, guarded[4:]...),
		"--kafka-key":       {"--kafka-listen", "0.0.0.0:0", "--kafka-cert", issued.CertFile},
		"--kafka-brokers":   append([]string{"--kafka-brokers", "127.0.0.1:1"}, guarded...),
	} {
		said, code := run(t, append([]string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, args...)...)
		require.NotZero(t, code, said)
		require.Contains(t, said, says)
	}
	p.awaitReady()
}
