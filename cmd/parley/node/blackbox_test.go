package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/migrations"
)

// Black-box tests talk HTTP to real nodes, and to nothing else but what every
// installation has around it: manifests, the log, the database. How to write one:
//
//	c := shared(t)                  // two nodes that all such tests share
//	acme := c.tenant(t, "")         // a tenant of the test's own
//	secret := acme.key(t, mainScope)
//	got := c.a.do(t, "GET", acme.path("/scopes/"+mainScope), nil, "x-api-key", secret)
//	got.must(t, 200).into(t, &v)
//
// Tests that stop nodes or throw a database away take newCluster(t) instead.

// patience is how long a test waits for what must happen: other tests start their nodes meanwhile.
const patience = 2 * time.Minute

// cluster is a broker, a database and a master key, and the nodes on them.
type cluster struct {
	brokers  []string
	database string
	keyset   string
	blobs    string  // folder of the files that all nodes share
	a, b     *server // the shared cluster has two nodes, a cluster of one's own none yet
}

// server is one node as callers see it.
type server struct {
	*node.Node
	cfg  node.Config
	stop func()
}

// newCluster is a cluster of the test's own.
func newCluster(t testing.TB) *cluster {
	t.Helper()
	c := &cluster{keyset: filepath.Join(t.TempDir(), "keyset.json"), blobs: filepath.Join(t.TempDir(), "blobs")}
	c.brokers, c.database = embeddedtest.Broker(t), embeddedtest.Prepared(t, migrated)
	fewPartitions(t, c.brokers)
	return c
}

// migrated makes the tables in a database, as a node does that finds none.
func migrated(databaseURL string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := postgres.Open(ctx, databaseURL, func() {})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Migrate(ctx, migrations.Files)
}

// fewPartitions makes the busy topics with two partitions instead of six: enough to
// have several, and a third of what all nodes and reactors of these tests wait for.
func fewPartitions(t testing.TB, brokers []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var busy []string
	for _, c := range catalog.Categories() {
		if c.Partitions == event.Busy {
			busy = append(busy, c.Topic())
		}
	}
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "test", Log: slog.New(slog.DiscardHandler)})
	defer log.Close()
	require.NoError(t, log.Plain(ctx, 2, busy...))
}

// start adds a node and waits until it serves.
func (c *cluster) start(t testing.TB, change ...func(*node.Config)) *server {
	t.Helper()
	cfg := node.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", KafkaBrokers: c.brokers, DatabaseURL: c.database, Keyset: c.keyset,
		BlobURL: "file://" + c.blobs, Dev: true,
		SimSpeed: 100, Rate: 100_000, CallLease: time.Minute,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	for _, ch := range change {
		ch(&cfg)
	}
	s := &server{cfg: cfg, stop: func() {}}
	t.Cleanup(func() { s.stop() }) // also of one that does not come up: it would go on trying beside the other tests
	s.up(t)
	return s
}

func (s *server) up(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	n, err := node.Start(ctx, s.cfg)
	require.NoError(t, err)
	s.Node = n
	s.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		n.Close(ctx)
	})
	require.NoError(t, n.Await(ctx))
}

// restart stops the node and starts it again in its data folder.
func (s *server) restart(t testing.TB) {
	t.Helper()
	s.stop()
	s.up(t)
}

// answer is what a node answered.
type answer struct {
	Status int
	Header http.Header
	Text   string
}

// do sends one request; headers alternate names and values. A body that is text or
// bytes is sent as it is, anything else as JSON, nil not at all. What a node has not done
// because its read models were behind is asked for again, as any client does.
func (s *server) do(t testing.TB, method, path string, body any, headers ...string) (got *answer) {
	t.Helper()
	until(t, "a node that has caught up", func() (caughtUp bool) {
		var err error
		got, err = s.try(method, path, body, headers...)
		require.NoError(t, err)
		return got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Text, `"`+string(fault.CatchingUp)+`"`)
	})
	return got
}

// surely is do with an Idempotency-Key among the headers: what a node could not do, or does not know of, is asked for again.
func (s *server) surely(t testing.TB, method, path string, body any, headers ...string) (got *answer) {
	t.Helper()
	until(t, "an answer", func() bool {
		var err error
		got, err = s.try(method, path, body, headers...)
		return err == nil && got.Status != http.StatusServiceUnavailable
	})
	return got
}

// try is do for goroutines beside the test's own.
func (s *server) try(method, path string, body any, headers ...string) (*answer, error) {
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	case []byte:
		data = b
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL()+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if data != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return &answer{Status: res.StatusCode, Header: res.Header, Text: string(text)}, err
}

// must is the answer if it has that status, and the end of the test if not.
func (a *answer) must(t testing.TB, status int) *answer {
	t.Helper()
	require.Equal(t, status, a.Status, a.Text)
	require.True(t, strings.HasPrefix(a.Header.Get("X-Request-Id"), "tr-"))
	return a
}

// into decodes the JSON body.
func (a *answer) into(t testing.TB, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Text), v), a.Text)
}

// refused checks status, code and form of a refusal, and which fields it names.
func (a *answer) refused(t testing.TB, status int, code fault.Code, fields ...string) *answer {
	t.Helper()
	a.must(t, status)
	var r struct {
		Success *bool            `json:"success"`
		Error   rest.RefusalBody `json:"error"`
	}
	a.into(t, &r)
	require.Equal(t, string(code), r.Error.Code, a.Text)
	require.NotNil(t, r.Success)
	require.False(t, *r.Success)
	require.NotEmpty(t, r.Error.Message)
	var named []string
	for _, d := range r.Error.Details {
		named = append(named, d.Field)
	}
	require.Equal(t, fields, named, a.Text)
	return a
}

// until waits for a condition that comes about by itself; it never sleeps for the
// sake of time.
func until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

// served asks a store, beside the API, for something: again, as do does, where its node was behind.
func served[R any](t testing.TB, ask func() (R, error)) (got R) {
	t.Helper()
	var err error
	until(t, "a node that has caught up", func() bool {
		got, err = ask()
		return !fault.Is(err, fault.CatchingUp)
	})
	require.NoError(t, err)
	return got
}

// executed is served of a command, which does nothing where its node was behind.
func executed[S any](t testing.TB, on *server, tenant string, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) eventstore.Result[S] {
	t.Helper()
	return served(t, func() (eventstore.Result[S], error) {
		return eventstore.Execute(context.Background(), on.Store(), agg, stream, eventstore.Command{Tenant: tenant, Actor: "user:test"}, decide)
	})
}

// folded is a stream as it stands.
func folded[S any](t testing.TB, on *server, agg *event.Aggregate[S], stream string) eventstore.Loaded[S] {
	t.Helper()
	return served(t, func() (eventstore.Loaded[S], error) {
		return eventstore.Read(context.Background(), on.Store(), agg, stream)
	})
}

// together calls f for 0 to n-1 at the same time and returns when all are done.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}
