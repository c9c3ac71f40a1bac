package node_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// follower reads a stream of events as a browser does.
type follower struct {
	header http.Header
	events chan audited // closed when the stream ends
	cut    func()
	why    error // of the end; io.EOF: the node ended it

	mu   sync.Mutex
	last string // id to go on from
}

func (f *follower) lastID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// follow opens a stream and returns when its first position has come: what is
// written from then on is on it.
func (s *server) follow(t testing.TB, token, query, lastID string) *follower {
	t.Helper()
	return s.followAt(t, token, "/api/v1/events/stream?"+query, lastID)
}

// followAt opens any stream of events.
func (s *server) followAt(t testing.TB, token, path, lastID string) *follower {
	t.Helper()
	f := s.mayFollow(t, token, path, lastID)
	require.NotNil(t, f, "the token is not taken")
	return f
}

// mayFollow is followAt with a token that may have expired: then there is no follower.
func (s *server) mayFollow(t testing.TB, token, path, lastID string) *follower {
	t.Helper()
	ctx, cut := context.WithCancel(context.Background())
	t.Cleanup(cut)
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL()+path, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token) // where an API key may stand as well
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	if res.StatusCode == http.StatusUnauthorized {
		_ = res.Body.Close()
		return nil
	}
	require.Equal(t, 200, res.StatusCode)
	f := &follower{header: res.Header, events: make(chan audited, 8), cut: cut}
	begun := make(chan struct{})
	go func() {
		defer close(f.events)
		defer func() { _ = res.Body.Close() }()
		f.read(bufio.NewReader(res.Body), sync.OnceFunc(func() { close(begun) }))
	}()
	select {
	case <-begun:
	case <-time.After(patience):
		t.Fatal("the stream says nothing")
	}
	return f
}

func (f *follower) read(in *bufio.Reader, begun func()) {
	var id, kind, data string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			f.why = err
			return
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if data != "" {
				var e audited
				if json.Unmarshal([]byte(data), &e) != nil || e.Type != kind {
					e.ID = "not the event that was announced: " + data
				}
				f.events <- e
			}
			if id != "" {
				f.mu.Lock()
				f.last = id
				f.mu.Unlock()
				begun()
			}
			id, kind, data = "", "", ""
		}
	}
}

// take waits for so many events.
func (f *follower) take(t testing.TB, n int) []audited {
	t.Helper()
	var out []audited
	for len(out) < n {
		select {
		case e, open := <-f.events:
			require.True(t, open, "the stream ended after %d of %d events", len(out), n)
			out = append(out, e)
		case <-time.After(patience):
			t.Fatalf("waited in vain for event %d of %d", len(out)+1, n)
		}
	}
	return out
}

// ended waits for the end of the stream.
func (f *follower) ended(t testing.TB) {
	t.Helper()
	for {
		select {
		case _, open := <-f.events:
			if !open {
				return
			}
		case <-time.After(patience):
			t.Fatal("the stream does not end")
		}
	}
}

// exact checks that events are those of the list, each once, streams in order.
func exact(t testing.TB, want, got []audited) {
	t.Helper()
	require.ElementsMatch(t, idsOf(want), idsOf(got))
	versions := map[string]int64{}
	for _, e := range got {
		require.Greater(t, e.Version, versions[e.Stream], "%s is out of order", e.Stream)
		versions[e.Stream] = e.Version
	}
}

func TestAStreamShowsWhatHappensFromNowOn(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, stranger := c.tenant(t, ""), c.tenant(t, "")
	before := len(w.allEvents(t, c.a))
	for name, on := range c.both() {
		t.Run(name, func(t *testing.T) {
			f := on.follow(t, w.token(t), "", "")
			require.Equal(t, "text/event-stream", f.header.Get("Content-Type"))
			require.Equal(t, "no-store", f.header.Get("Cache-Control"))
			require.Equal(t, "no", f.header.Get("X-Accel-Buffering"))
			informed := on.follow(t, w.token(t), "type=parley.sessions.informed&category=sessions", "")
			stranger.write(t, c.b, 2)
			w.write(t, c.a, 2)
			got := f.take(t, 4)
			exact(t, w.allEvents(t, c.a)[before:], got)
			before += len(got)
			for _, e := range informed.take(t, 2) {
				require.Equal(t, "parley.sessions.informed.v1", e.Type)
			}
		})
	}
}

func TestAStreamCanBeginInThePast(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.write(t, c.a, 60)
	all := w.allEvents(t, c.a, "limit", "200")
	exact(t, all, c.b.follow(t, w.token(t), "since=2000-01-01T00:00:00Z", "").take(t, len(all)))
}

// Readers that are cut again and again, change nodes, and go on with their last id
// have every event once, while six writers write on both nodes.
func TestAStreamGoesOnExactlyWhereItWasCut(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a, c.b = c.start(t), c.start(t)
	w := c.tenant(t, "")
	start := c.a.follow(t, w.token(t), "since=2000-01-01T00:00:00Z", "")
	var writers sync.WaitGroup
	for i := range 6 {
		writers.Go(func() { w.write(t, []*server{c.a, c.b}[i%2], 25) })
	}
	const written = 6 * 25 * 2
	f, got, cuts := start, []audited(nil), 0
	for ; len(got) < written; cuts++ {
		got = append(got, f.take(t, 1+cuts%7)...)
		f.cut()
		for e := range f.events { // what came before the cut was felt
			got = append(got, e)
		}
		if len(got) < written {
			f = []*server{c.b, c.a}[cuts%2].follow(t, w.token(t), "since=2000-01-01T00:00:00Z", f.lastID())
		}
	}
	require.Greater(t, cuts, 3, "it was cut while they wrote")
	writers.Wait()
	all := w.allEvents(t, c.b, "limit", "200")
	require.Greater(t, len(all), written)
	f = c.b.follow(t, w.token(t), "", f.lastID())
	got = append(got, f.take(t, len(all)-len(got))...)
	exact(t, all, got)

	// When the node is restarted, and the database dropped, then the position still holds.
	c.b.stop()
	c.a.stop()
	f.ended(t)
	last := f.lastID() // at its end: an event is taken a moment before its id is noted
	emptyDatabase(t, c.database)
	c.a.up(t)
	f = c.a.follow(t, w.token(t), "", last)
	w.write(t, c.a, 3)
	more := f.take(t, 6)
	exact(t, w.allEvents(t, c.a, "limit", "200"), append(got, more...))
}

func emptyDatabase(t testing.TB, url string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(context.Background(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
	require.NoError(t, err)
}

func TestPositionsThatCannotBeGoneOnFrom(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, stranger := c.tenant(t, ""), c.tenant(t, "")
	mine := c.a.follow(t, w.token(t), "", "").lastID()
	theirs := c.a.follow(t, stranger.token(t), "", "").lastID()
	for name, id := range map[string]string{"garbage": "garbage", "another tenant's": theirs, "changed": mine[:len(mine)-3] + "AAA",
		"a cursor": w.events(t, c.a, "limit", "1").NextCursor} {
		t.Run(name, func(t *testing.T) {
			c.a.do(t, "GET", "/api/v1/events/stream", nil, "auth", w.token(t), "Last-Event-ID", id).refused(t, 400, fault.Validation,
				"Last-Event-ID")
			c.a.do(t, "GET", "/api/v1/events/stream?lastEventId="+id, nil, "auth", w.token(t)).refused(t, 400, fault.Validation, "lastEventId")
		})
	}
	other := newCluster(t)
	other.keyset = c.keyset // the same key, another log
	other.a = other.start(t)
	there := newTenant(t, other.a, w.id)
	other.a.do(t, "GET", "/api/v1/events/stream", nil, "auth", there.token(t), "Last-Event-ID", mine).refused(t, 410, fault.Gone)
}

func TestAStreamEndsWithItsCredentialAndItsNode(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, func(cfg *node.Config) { cfg.StreamHeartbeat = 2 * time.Second }) // and a reader may be slow for longer
	w := c.tenant(t, "")
	lasting := c.a.follow(t, w.token(t), "", "")
	until(t, "the end of what is begun with a token that is within the leeway, for some seconds", func() bool {
		expiring := w.token(t, func(g *tokens.Grant) { g.Expires = time.Now().Add(-26 * time.Second) })
		f := c.a.mayFollow(t, expiring, "/api/v1/events/stream", "")
		if f == nil { // it took longer than that
			return false
		}
		f.ended(t)
		return true
	})

	removed := c.a.follow(t, w.token(t), "", "")
	w.apply(t, "Client", testClient, "CRM", map[string]any{"origin": "admin", "alg": "HS256", "secret": tokenSecret,
		"permissions": []string{"session:read"}})
	removed.ended(t)
	lasting.ended(t)

	w.apply(t, "Client", testClient, "CRM", map[string]any{"origin": "admin", "alg": "HS256", "secret": tokenSecret,
		"permissions": []string{"audit:*"}})
	open := c.a.follow(t, w.token(t), "", "")
	stopped := make(chan struct{})
	go func() { c.a.stop(); close(stopped) }()
	open.ended(t)
	require.ErrorIs(t, open.why, io.EOF, "the node does not wait for streams until it cuts them off")
	<-stopped
}

func TestStreamsOfOneTenantAreLimited(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t)
	w := c.tenant(t, "")
	var open []*follower
	for range 20 {
		open = append(open, c.a.follow(t, w.token(t), "", ""))
	}
	c.a.do(t, "GET", "/api/v1/events/stream", nil, "auth", w.token(t)).refused(t, 429, fault.RateLimit)
	newTenant(t, c.a, "another").on.follow(t, newTenant(t, c.a, "another").token(t), "", "").cut()
	open[0].cut()
	until(t, "a free place", func() bool {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "GET", c.a.URL()+"/api/v1/events/stream", nil)
		require.NoError(t, err)
		r.Header.Set("auth", w.token(t))
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_ = res.Body.Close()
		return res.StatusCode == 200
	})
}

// A reader that takes nothing is cut off, keeps neither memory nor the projector,
// and has missed nothing when it comes again.
func TestASlowReaderStopsNobody(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, func(cfg *node.Config) { cfg.StreamHeartbeat = 300 * time.Millisecond })
	w := c.tenant(t, "")
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.a.URL(), "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(256<<10))
	_, err = fmt.Fprintf(conn, "GET /api/v1/events/stream?since=2000-01-01T00:00:00Z HTTP/1.1\r\nHost: x\r\nauth: %s\r\n\r\n", w.token(t))
	require.NoError(t, err)
	streams := func(n int) bool {
		return strings.Contains(c.a.do(t, "GET", "/metrics", nil).Text, fmt.Sprint("parley_event_streams ", n))
	}
	until(t, "the slow reader's stream", func() bool { return streams(1) })
	together(6, func(int) {
		for i := range 15 { // 18 MB in all: more than the connection's buffers hold
			id, large := uuid.NewString(), json.RawMessage(fmt.Sprintf("%q", strings.Repeat(string(rune('a'+i)), 200<<10)))
			w.session(t, c.a, id, sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: "api", UserSession: map[string]json.RawMessage{
				"is": large}, At: time.Now()}.Decide)
		}
	})
	until(t, "the slow reader to be cut off", func() bool { return streams(0) })

	slow := &follower{events: make(chan audited, 1000)}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	slow.read(bufio.NewReader(res.Body), func() {})
	close(slow.events)
	var got []audited
	for e := range slow.events {
		got = append(got, e)
	}
	all := w.allEvents(t, c.a, "limit", "200")
	require.Less(t, len(got), len(all), "it took nothing, and was cut off")
	for last := slow.lastID(); len(got) < len(all); { // a machine that is busy may be slow again
		f := c.a.follow(t, w.token(t), "since=2000-01-01T00:00:00Z", last)
		for e, open := <-f.events; open; e, open = <-f.events {
			if got = append(got, e); len(got) == len(all) {
				break
			}
		}
		f.cut()
		last = f.lastID()
	}
	exact(t, all, got)
}

// A page ends where its data has 8 MiB; the rest is on the next ones.
func TestPagesOfLargeEventsAreShort(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	for i := range 4 {
		id, large := uuid.NewString(), json.RawMessage(fmt.Sprintf("%q", strings.Repeat(string(rune('a'+i)), 2900<<10)))
		w.session(t, c.a, id, sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: "api", UserSession: map[string]json.RawMessage{
			"is": large}, At: time.Now()}.Decide)
	}
	for _, order := range []string{"asc", "desc"} {
		first := w.events(t, c.a, "category", "sessions", "limit", "200", "order", order)
		require.Less(t, len(first.Events), 4)
		require.NotEmpty(t, first.NextCursor)
		require.Len(t, w.allEvents(t, c.a, "category", "sessions", "order", order), 4)
	}
}
