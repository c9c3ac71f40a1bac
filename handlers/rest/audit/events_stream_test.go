package audit_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/audit"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	read "github.com/parley-platform/parley/projections/audit"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/sink"
)

// livePages is an index that is read by streams while a test goes on. Nobody rings: its
// readers look with each heartbeat.
type livePages struct {
	*index
	mu   sync.Mutex
	bell *read.Audit
}

func (l *livePages) Read(ctx context.Context, q read.Query) (read.Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page, err := l.index.Read(ctx, q)
	if len(page.Events) == 0 && !page.More {
		page.Next = q.From
	}
	return page, err
}

func (l *livePages) LogID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index.LogID()
}

func (l *livePages) Reached(ctx context.Context, p read.Positions) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index.Reached(ctx, p)
}

// becomes puts another log in the place of this one, or takes its end away.
func (l *livePages) becomes(log string, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log, l.lost = log, lost
}

func (l *livePages) Follow(tenant string) *read.Follower { return l.bell.Follow(tenant) }

// first is what the index was asked first since this was called last.
func (l *livePages) first() read.Query {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.asked[0]
	l.asked = nil
	return q
}

// quiet is an audit whose projector was not started, so that it rings for nobody.
func quiet() *read.Audit {
	return read.NewAudit(engine.NewProjector(engine.Config{Log: struct{ sink.Log }{}, Logger: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry()}))
}

// streaming is a server with the audit on the index.
func streaming(t *testing.T, change func(*audit.EventsAPI)) (*resttest.Stored, *livePages, *httptest.Server) {
	t.Helper()
	w := resttest.NewStored(t, nil, access.PermAuditRead)
	l := &livePages{index: &index{log: "log-1"}, bell: quiet()}
	e := audit.EventsAPI{Audit: l, MAC: w.Commands.MAC, Heartbeat: 200 * time.Millisecond}
	change(&e)
	audit.DeclareEvents(w.Api, e)
	server := httptest.NewServer(w.Api)
	t.Cleanup(server.Close)
	return w, l, server
}

// stream is an open one; lines are read as they come.
type stream struct {
	*http.Response
	lines *bufio.Scanner
}

func open(t *testing.T, server *httptest.Server, query, token string, headers ...string) stream {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path+"/stream"+query, nil)
	require.NoError(t, err)
	r.Header.Set("auth", token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := server.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = got.Body.Close() })
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 4<<20)
	return stream{got, lines}
}

// next is the rest of the next line that begins so.
func (s stream) next(t *testing.T, begins string) string {
	t.Helper()
	for s.lines.Scan() {
		if rest, ok := strings.CutPrefix(s.lines.Text(), begins); ok {
			return rest
		}
	}
	require.Fail(t, "the stream ended", "before %q: %v", begins, s.lines.Err())
	return ""
}

func recorded(offset int64, data string) *eventstore.Record {
	return &eventstore.Record{ID: "e-" + strconv.FormatInt(offset, 10), Type: "parley.calls.answered.v1", Topic: "parley.calls", Partition: 2,
		Offset: offset, Tenant: "acme", Data: []byte(data)}
}

func TestAStreamGoesOnBehindTheEventThatWasReceivedLast(t *testing.T) {
	w, l, server := streaming(t, func(*audit.EventsAPI) {})
	large := `{"text":"` + strings.Repeat("a", 200_000) + `"}` // written in pieces
	l.pages = []read.Page{{Events: []*eventstore.Record{recorded(40, `{"n":1}`), recorded(41, large)}, Next: at(42), More: true},
		{Events: []*eventstore.Record{recorded(42, `{"n":3}`)}, Next: at(43)}}
	s := open(t, server, "", w.Token)
	require.Equal(t, http.StatusOK, s.StatusCode)
	require.Equal(t, []string{"text/event-stream", "no-store", "no"}, []string{s.Header.Get("Content-Type"), s.Header.Get("Cache-Control"),
		s.Header.Get("X-Accel-Buffering")})
	require.Equal(t, " 2000", s.next(t, "retry:"))
	begin := s.next(t, "id: ")
	afterFirst := s.next(t, "id: ")
	require.Equal(t, "parley.calls.answered.v1", s.next(t, "event: "))
	require.Contains(t, s.next(t, "data: "), `"data":{"n":1}`)
	require.Contains(t, s.next(t, "data: "), large)
	require.Contains(t, s.next(t, "data: "), `"data":{"n":3}`)
	require.Equal(t, read.Query{Tenant: "acme", From: at(7), Limit: 100, MaxBytes: 256 << 10}, l.first(), "what happens from now on")
	require.Equal(t, " still here", s.next(t, ":"))
	end := s.next(t, "id: ")
	_ = s.Body.Close()

	for name, c := range map[string]struct {
		query  map[string]string
		header string
		from   read.Positions
	}{
		"where it began":        {nil, begin, at(7)},
		"behind the first":      {nil, afterFirst, at(41)},
		"behind all of them":    {nil, end, at(43)},
		"by the query":          {map[string]string{"lastEventId": afterFirst}, "", at(41)},
		"the header wins":       {map[string]string{"lastEventId": afterFirst}, end, at(43)},
		"it wins over since":    {map[string]string{"since": "2026-11-21T00:00:00Z"}, afterFirst, at(41)},
		"since, from the start": {map[string]string{"since": "2026-11-21T00:00:00Z"}, "", read.Positions{}},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if c.header != "" {
				headers = []string{"Last-Event-ID", c.header}
			}
			query := url.Values{"correlation": {name}} // a position is not of a filter, and this tells the streams apart
			for member, value := range c.query {
				query.Set(member, value)
			}
			again := open(t, server, "?"+query.Encode(), w.Token, headers...)
			again.next(t, "id: ")
			again.next(t, ": still here")
			_ = again.Body.Close()
			l.mu.Lock()
			defer l.mu.Unlock()
			first := slices.IndexFunc(l.asked, func(q read.Query) bool { return q.Correlation == name })
			require.Equal(t, c.from, l.asked[first].From)
			require.Equal(t, c.query["since"] != "", !l.asked[first].Since.IsZero())
		})
	}
	other := w.Grant("other", nil, access.PermAuditRead)
	refused := open(t, server, "", other, "Last-Event-ID", end)
	require.Equal(t, http.StatusBadRequest, refused.StatusCode, "a position of another account")
	l.becomes("log-2", false)
	require.Equal(t, http.StatusGone, open(t, server, "", w.Token, "Last-Event-ID", end).StatusCode, "a position of another log")
	l.becomes("log-1", true)
	require.Equal(t, http.StatusGone, open(t, server, "", w.Token, "Last-Event-ID", end).StatusCode, "a position behind the log's end")
}

// A reader who leaves makes room for another one.
func TestStreamsOfAnAccountAndOfANodeAreCounted(t *testing.T) {
	w, _, server := streaming(t, func(e *audit.EventsAPI) { e.PerTenant, e.PerNode = 2, 3 })
	others := []string{w.Grant("other", nil, access.PermAuditRead), w.Grant("third", nil, access.PermAuditRead)}
	first := open(t, server, "", w.Token)
	first.next(t, "id: ")
	second := open(t, server, "", w.Token)
	second.next(t, "id: ")
	refused := func(token, why string) {
		t.Helper()
		got := open(t, server, "", token)
		require.Equal(t, http.StatusTooManyRequests, got.StatusCode)
		require.Equal(t, "5", got.Header.Get("Retry-After"))
		got.next(t, "")
		require.Contains(t, got.lines.Text(), why)
	}
	refused(w.Token, "the account has 2 event streams open")
	third := open(t, server, "", others[0])
	third.next(t, "id: ")
	refused(others[1], "this node has 3 event streams open")

	_ = first.Body.Close()
	require.Eventually(t, func() bool {
		got := open(t, server, "", w.Token)
		_ = got.Body.Close()
		return got.StatusCode == http.StatusOK
	}, resttest.WaitLong, resttest.WaitStep)
}
