package node_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
)

// rounds is how often a race is run: either node wins some of them.
const rounds = 20

// race sends one request per given node at the same time.
func race(t *testing.T, nodes []*server, send func(on *server) (*answer, error)) []*answer {
	t.Helper()
	answers, failures := make([]*answer, len(nodes)), make([]error, len(nodes))
	together(len(nodes), func(i int) { answers[i], failures[i] = send(nodes[i]) })
	require.NoError(t, errors.Join(failures...))
	return answers
}

func statuses(answers []*answer) map[int]int {
	out := map[int]int{}
	for _, a := range answers {
		out[a.Status]++
	}
	return out
}

func TestRevokedOnOneNodeFailsOnTheOtherAtOnce(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	for i := range rounds {
		one, other := c.a, c.b
		if i%2 == 1 {
			one, other = other, one
		}
		made := makeKey(t, other, caller, fmt.Sprint("round ", i))
		other.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey).must(t, 200)
		one.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
		other.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey).refused(t, 401, fault.Unauthorized)
	}
}

func TestOneNameOnTwoNodesAtOnceIsOneKey(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	for i := range rounds {
		body := keyBody("main", fmt.Sprint("round ", i))
		answers := race(t, []*server{c.a, c.b}, func(on *server) (*answer, error) {
			return on.try(http.MethodPost, createPath(mainApp), body, "x-api-key", caller)
		})
		require.Equal(t, map[int]int{201: 1, 409: 1}, statuses(answers), "%s\n%s", answers[0].Text, answers[1].Text)
	}
}

func TestTheLastFreePlaceIsTakenOnce(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, spareScope)
	for range access.DefaultKeyLimit - 1 {
		w.key(t, mainScope)
	}
	nodes := []*server{c.a, c.b, c.a, c.b, c.a, c.b}
	names := make(chan string, len(nodes))
	for i := range nodes {
		names <- fmt.Sprint("last ", i)
	}
	answers := race(t, nodes, func(on *server) (*answer, error) {
		return on.try(http.MethodPost, createPath(mainApp), keyBody("main", <-names), "x-api-key", caller)
	})
	require.Equal(t, map[int]int{201: 1, 429: len(nodes) - 1}, statuses(answers))
}

func TestCreateReplayedTellsTheSameKeyWithoutItsSecret(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	made := makeKey(t, c.a, caller, "once", "Idempotency-Key", "order-66")
	require.Regexp(t, `^ak-`+uuidForm+`$`, made.APIKey.KeyID)
	require.NotEmpty(t, made.APIKey.APIKey)
	want := made
	want.APIKey.APIKey = ""
	post := func(on *server, path string, body any, key string) *answer {
		return on.do(t, http.MethodPost, path, body, "x-api-key", caller, "Idempotency-Key", key)
	}
	for name, node := range c.both() {
		again := post(node, createPath(mainApp), `{ "api_key_name":"once", "scope_name":"main" }`, "order-66").must(t, 201)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"), name)
		require.NotContains(t, again.Text, `"apikey"`)
		var got keyMade
		again.into(t, &got)
		require.Equal(t, want, got)

		post(node, createPath(mainApp), keyBody("main", "twice"), "order-66").refused(t, 409, fault.Conflict)
		post(node, createPath(mainApp), keyBody("spare", "once"), "order-66").refused(t, 409, fault.Conflict)
		post(node, createPath(mainApp), keyBody("main", "once"), "order-67").refused(t, 409, fault.Conflict) // the name is taken
	}
	other := makeKey(t, c.b, w.key(t, mainScope), "by another key", "Idempotency-Key", "order-68")
	require.NotEqual(t, made.APIKey.KeyID, other.APIKey.KeyID)

	// What was revoked since is still what the request made; it is not made again.
	c.b.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
	var got keyMade
	post(c.a, createPath(mainApp), keyBody("main", "once"), "order-66").must(t, 201).into(t, &got)
	require.Equal(t, want, got)
	post(c.a, createPath(mainApp), keyBody("spare", "once"), "order-66").refused(t, 409, fault.Conflict)
	c.a.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).refused(t, 404, fault.NotFound)
}

// A refusal binds no key: the same request may be right later.
func TestARefusalIsNotReplayed(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	made := makeKey(t, c.a, caller, "taken")
	try := func(name string) *answer {
		return c.b.do(t, http.MethodPost, createPath(mainApp), keyBody("main", name), "x-api-key", caller, "Idempotency-Key", "k")
	}
	try("taken").refused(t, 409, fault.Conflict)
	c.a.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)
	got := try("taken").must(t, 201)
	require.Empty(t, got.Header.Get("Idempotency-Replayed"))
	require.Contains(t, got.Text, `"apikey"`)
}

func TestOneIdempotencyKeyOnTwoNodesAtOnceIsOneKey(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	for i := range rounds {
		body := keyBody("main", fmt.Sprint("round ", i))
		var first, second keyMade
		answers := race(t, []*server{c.a, c.b}, func(on *server) (*answer, error) {
			return on.try(http.MethodPost, createPath(mainApp), body, "x-api-key", caller, "Idempotency-Key", fmt.Sprint("race-", i))
		})
		answers[0].must(t, 201).into(t, &first)
		answers[1].must(t, 201).into(t, &second)
		require.Equal(t, first.APIKey.KeyID, second.APIKey.KeyID)
		shown := first.APIKey.APIKey + second.APIKey.APIKey
		require.Regexp(t, `^sk_[0-9A-Za-z]{43}$`, shown, "exactly one of them shows the secret")
		c.a.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", shown).must(t, 200)
		replayed := 0
		for _, a := range answers {
			if a.Header.Get("Idempotency-Replayed") == "true" {
				replayed++
			}
		}
		require.Equal(t, 1, replayed)
	}
}

func TestRevokeReplayed(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	caller := w.key(t, mainScope)
	made := makeKey(t, c.a, caller, "revoked once")
	revoke := func(on *server, key string) *answer {
		return on.do(t, http.MethodDelete, keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", caller, "Idempotency-Key", key)
	}
	first := revoke(c.a, "k").must(t, 200)
	again := revoke(c.b, "k").must(t, 200)
	require.JSONEq(t, first.Text, again.Text)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	revoke(c.b, "another").refused(t, 404, fault.NotFound)
}

func TestKeysAndReplaysSurviveARestart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	n := c.start(t)
	w := newTenant(t, n, "acme")
	caller := w.key(t, mainScope)
	made := makeKey(t, n, caller, "lasting", "Idempotency-Key", "k")
	gone := makeKey(t, n, caller, "gone")
	n.do(t, http.MethodDelete, keyPath(mainApp, gone.APIKey.KeyID), nil, "x-api-key", caller).must(t, 200)

	n.restart(t)
	n.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey).must(t, 200)
	n.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", gone.APIKey.APIKey).refused(t, 401, fault.Unauthorized)
	again := n.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "lasting"), "x-api-key", caller, "Idempotency-Key", "k").must(t,
		201)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	var got keyMade
	again.into(t, &got)
	made.APIKey.APIKey = ""
	require.Equal(t, made, got)
	n.do(t, http.MethodPost, createPath(mainApp), keyBody("main", "else"), "x-api-key", caller, "Idempotency-Key", "k").refused(t, 409,
		fault.Conflict)
}

func TestTheSecretIsStoredNowhere(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	n := c.start(t)
	w := newTenant(t, n, "acme")
	caller := w.key(t, mainScope)
	made := makeKey(t, n, caller, "well hidden", "Idempotency-Key", "k")
	n.do(t, http.MethodGet, scopePath(mainApp, mainScope), nil, "x-api-key", made.APIKey.APIKey).must(t, 200)

	secret := made.APIKey.APIKey
	plain := sha256.Sum256([]byte(secret))
	places := map[string]string{"the log": wholeLog(t, c.brokers), "the database": wholeDatabase(t, c.database)}
	for name, text := range places {
		require.Contains(t, text, made.APIKey.KeyID, "the search sees %s", name)
		require.Contains(t, text, hex.EncodeToString(n.HashKey(secret)), "the keyed hash is on %s", name)
		for what, hidden := range map[string]string{"the secret": secret, "its digits": strings.TrimPrefix(secret, "sk_"),
			"in hex": hex.EncodeToString([]byte(secret)), "a hash that anyone can make": hex.EncodeToString(plain[:])} {
			require.NotContains(t, text, hidden, "%s in %s", what, name)
		}
	}
}

// wholeLog is every record of every topic as text: keys, headers and values.
func wholeLog(t *testing.T, brokers []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var all strings.Builder
	for _, category := range catalog.Categories() {
		partitions, err := kafkago.LookupPartitions(ctx, "tcp", brokers[0], category.Topic())
		require.NoError(t, err)
		for _, p := range partitions {
			conn, err := kafkago.DialLeader(ctx, "tcp", brokers[0], category.Topic(), p.ID)
			require.NoError(t, err)
			end, err := conn.ReadLastOffset()
			require.NoError(t, err)
			readAll(t, conn, end, &all)
			require.NoError(t, conn.Close())
		}
	}
	return all.String()
}

func readAll(t *testing.T, conn *kafkago.Conn, end int64, into io.Writer) {
	t.Helper()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	for at, from := int64(0), int64(-1); at < end; {
		require.Greater(t, at, from, "the log does not answer")
		from = at
		_, err := conn.Seek(at, kafkago.SeekAbsolute)
		require.NoError(t, err)
		batch := conn.ReadBatchWith(kafkago.ReadBatchConfig{MinBytes: 1, MaxBytes: 8 << 20, MaxWait: time.Second})
		for {
			m, err := batch.ReadMessage()
			if err != nil {
				break // the end of this answer
			}
			at = m.Offset + 1
			_, _ = fmt.Fprintf(into, "%s %s %s\n", m.Key, m.Headers, m.Value)
		}
		_ = batch.Close()
	}
}

// wholeDatabase is every row of every table as text; what is stored as bytes is
// decoded.
func wholeDatabase(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	texts := func(sql string) []string {
		rows, err := conn.Query(ctx, sql)
		require.NoError(t, err)
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return out
	}
	tables := texts(
		`SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	require.Contains(t, tables, "public.api_keys")
	var all []string
	for _, table := range tables {
		all = append(all, texts(`SELECT x::text FROM `+table+` x`)...)
	}
	return strings.Join(append(all, texts(`SELECT convert_from(data, 'UTF8') FROM events`)...), "\n")
}
