package node_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// audited is an event as the audit shows it.
type audited struct {
	ID, Type, Stream, Actor    string
	Version                    int64
	Time                       time.Time
	TenantID                   string
	CorrelationID, CausationID string
	Data                       json.RawMessage
	Position                   struct {
		Topic     string
		Partition int
		Offset    int64
	}
}

type auditPage struct {
	Success    bool
	Events     []audited
	NextCursor string
}

// events asks for one page; filters alternate names and values.
func (w *tenant) events(t testing.TB, on *server, filters ...string) auditPage {
	t.Helper()
	var page auditPage
	on.do(t, "GET", eventsPath(filters...), nil, "auth", w.token(t)).must(t, 200).into(t, &page)
	require.True(t, page.Success)
	return page
}

func eventsPath(filters ...string) string {
	q := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		q.Set(filters[i], filters[i+1])
	}
	return "/api/v1/events?" + q.Encode()
}

// allEvents follows the cursors to the end.
func (w *tenant) allEvents(t testing.TB, on *server, filters ...string) []audited {
	t.Helper()
	var all []audited
	cursor := ""
	for {
		page := w.events(t, on, append(filters, "cursor", cursor)...)
		all = append(all, page.Events...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

func idsOf(events []audited) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.ID
	}
	return out
}

// write opens n sessions, on any partition, and tells each something: two events of
// one stream each.
func (w *tenant) write(t testing.TB, on *server, n int) {
	t.Helper()
	for range n {
		id := uuid.NewString()
		w.session(t, on, id, sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: "api", At: time.Now()}.Decide)
		w.session(t, on, id, sessions.Inform{UserSession: map[string]json.RawMessage{"is": json.RawMessage(`"told"`)}, At: time.Now()}.Decide)
	}
}

func (w *tenant) session(t testing.TB, on *server, id string, decide func(sessions.State) ([]event.Payload, error)) {
	executed(t, on, w.id, sessions.Sessions, sessions.Sessions.Stream(id), decide)
}

func TestEventsTellWhoDidWhat(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, stranger := c.tenant(t, ""), c.tenant(t, "")
	caller := w.key(t, mainScope)
	made := c.a.do(t, "POST", createPath(mainApp), keyBody("main", "from outside"), "x-api-key", caller).must(t, 201)
	var secret keyMade
	made.into(t, &secret)
	require.NotEmpty(t, secret.APIKey.APIKey)
	for name, on := range c.both() {
		t.Run(name, func(t *testing.T) {
			all := w.allEvents(t, on)
			require.NotEmpty(t, all)
			for _, e := range all {
				require.Equal(t, w.id, e.TenantID)
				require.NotEmpty(t, e.ID)
				require.NotEmpty(t, e.Stream)
				require.NotEmpty(t, e.Position.Topic)
				require.Positive(t, e.Position.Offset, "the first record of a partition is its genesis")
				require.True(t, json.Valid(e.Data))
			}
			byRequest := w.allEvents(t, on, "correlation", made.Header.Get("X-Request-Id"))
			require.Len(t, byRequest, 1, "what was written is seen at once, on every node")
			require.Equal(t, "parley.scopes.key-created.v1", byRequest[0].Type)
			require.Contains(t, byRequest[0].Actor, "key:ak-")
			require.NotContains(t, string(byRequest[0].Data), secret.APIKey.APIKey, "no secret is in an event")
			require.Empty(t, stranger.allEvents(t, on, "stream", byRequest[0].Stream))
			require.Empty(t, stranger.allEvents(t, on, "correlation", byRequest[0].CorrelationID))
		})
	}
}

func TestEventsFilters(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.key(t, mainScope)
	w.write(t, c.a, 3)
	all := w.allEvents(t, c.a)
	last := all[len(all)-1]
	middle := all[len(all)/2].Time
	for name, row := range map[string]struct {
		filters []string
		want    func(audited) bool
	}{
		"stream":         {[]string{"stream", last.Stream}, func(e audited) bool { return e.Stream == last.Stream }},
		"no such stream": {[]string{"stream", "call-none"}, func(audited) bool { return false }},
		"type": {[]string{"type", "parley.scopes.key-created"},
			func(e audited) bool { return e.Type == "parley.scopes.key-created.v1" }},
		"type with version": {[]string{"type", "parley.scopes.key-created.v1"},
			func(e audited) bool { return e.Type == "parley.scopes.key-created.v1" }},
		"category":         {[]string{"category", "tenants"}, func(e audited) bool { return e.Position.Topic == "parley.tenants" }},
		"since, inclusive": {[]string{"since", middle.Format(time.RFC3339Nano)}, func(e audited) bool { return !e.Time.Before(middle) }},
		"until, exclusive": {[]string{"until", middle.Format(time.RFC3339Nano)}, func(e audited) bool { return e.Time.Before(middle) }},
		"since in a zone": {[]string{"since", middle.In(time.FixedZone("", 5*3600)).Format(time.RFC3339Nano)},
			func(e audited) bool { return !e.Time.Before(middle) }},
		"stream and type": {[]string{"stream", last.Stream, "type", "parley.scopes.key-created"},
			func(e audited) bool { return e.Stream == last.Stream && e.Type == "parley.scopes.key-created.v1" }},
		"stream, other topic": {[]string{"stream", last.Stream, "category", "calls"}, func(audited) bool { return false }},
		"correlation and type": {[]string{"correlation", last.CorrelationID, "stream", last.Stream, "since", last.Time.Format(time.RFC3339Nano)},
			func(e audited) bool {
				return e.CorrelationID == last.CorrelationID && e.Stream == last.Stream && !e.Time.Before(last.Time)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for _, e := range all {
				if row.want(e) {
					want = append(want, e.ID)
				}
			}
			for _, limit := range []string{"1", "2", "200"} {
				require.ElementsMatch(t, want, idsOf(w.allEvents(t, c.b, append(row.filters, "limit", limit)...)), "limit %s", limit)
				require.ElementsMatch(t, want, idsOf(w.allEvents(t, c.b, append(row.filters, "limit", limit, "order", "desc")...)),
					"limit %s, descending", limit)
			}
		})
	}
}

func TestEventsRefusals(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, stranger := c.tenant(t, ""), c.tenant(t, "")
	cursor := w.events(t, c.a, "limit", "1").NextCursor
	require.NotEmpty(t, cursor)
	filtered := w.events(t, c.a, "limit", "1", "category", "scopes").NextCursor
	for name, row := range map[string]struct {
		filters []string
		field   string
	}{
		"limit over the most":     {[]string{"limit", "201"}, "limit"},
		"no limit":                {[]string{"limit", "0"}, "limit"},
		"no time":                 {[]string{"since", "yesterday"}, "since"},
		"no time at the end":      {[]string{"until", "2026-13-01"}, "until"},
		"backwards":               {[]string{"since", "2026-11-21T10:00:00Z", "until", "2026-11-21T09:00:00Z"}, "until"},
		"empty range":             {[]string{"since", "2026-11-21T10:00:00Z", "until", "2026-11-21T10:00:00Z"}, "until"},
		"no such category":        {[]string{"category", "cals"}, "category"},
		"no such type":            {[]string{"type", "parley.calls.answred"}, "type"},
		"no such version":         {[]string{"type", "parley.calls.answered.v99"}, "type"},
		"type of another":         {[]string{"type", "parley.calls.answered", "category", "scopes"}, "type"},
		"no such order":           {[]string{"order", "random"}, "order"},
		"cursor that is none":     {[]string{"cursor", "garbage"}, "cursor"},
		"cursor cut off":          {[]string{"cursor", cursor[:len(cursor)-2]}, "cursor"},
		"cursor changed":          {[]string{"cursor", "AA" + cursor[2:]}, "cursor"},
		"cursor too long":         {[]string{"cursor", fmt.Sprintf("%020000d", 0)}, "cursor"},
		"cursor of other filters": {[]string{"cursor", filtered}, "cursor"},
		"cursor of other order":   {[]string{"cursor", cursor, "order", "desc"}, "cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			c.a.do(t, "GET", eventsPath(row.filters...), nil, "auth", w.token(t)).refused(t, 400, fault.Validation, row.field)
		})
	}
	c.a.do(t, "GET", eventsPath("cursor", cursor), nil, "auth", stranger.token(t)).refused(t, 400, fault.Validation, "cursor")
	require.Len(t, w.events(t, c.b, "limit", "200", "cursor", cursor).Events, len(w.allEvents(t, c.a))-1,
		"a cursor holds on any node, with any limit")

	poor := w.token(t, func(g *tokens.Grant) { g.Permissions = []access.Permission{access.PermSessionRead} })
	c.a.do(t, "GET", eventsPath(), nil, "auth", poor).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", "/api/v1/events/stream", nil, "auth", poor).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", eventsPath(), nil, "x-api-key", w.key(t, mainScope)).refused(t, 403, fault.Forbidden)
}

// Going forward while others write: every event once, those of a stream in order.
func TestPagesAreExactWhileOthersWrite(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	const writers, each = 6, 15
	var done sync.WaitGroup
	for i := range writers {
		done.Go(func() { w.write(t, c.both()[[]string{"a", "b"}[i%2]], each) })
	}
	finished := make(chan struct{})
	go func() { done.Wait(); close(finished) }()

	seen := map[string]bool{}
	versions := map[string]int64{}
	take := func(e audited) {
		require.False(t, seen[e.ID], "twice: %v", e)
		seen[e.ID] = true
		require.Equal(t, versions[e.Stream]+1, e.Version, "%s", e.Stream)
		versions[e.Stream] = e.Version
	}
	cursor, nodes := "", []*server{c.a, c.b}
	for n, last := 0, false; ; n++ {
		select {
		case <-finished:
			last = true
		default:
		}
		page := w.events(t, nodes[n%2], "limit", "2", "cursor", cursor)
		for _, e := range page.Events {
			take(e)
		}
		if page.NextCursor != "" {
			cursor = page.NextCursor
		} else if last {
			break
		} else if len(page.Events) > 0 { // the end as of now: begin again behind what is known
			clear(seen)
			clear(versions)
			cursor = ""
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(seen)), idsOf(w.allEvents(t, c.a, "limit", "200")))
}

// Going backward the list is what there was when the first page was read.
func TestDescendingPagesShowNothingNewer(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	before := w.allEvents(t, c.a)
	first := w.events(t, c.a, "order", "desc", "limit", "3")
	w.write(t, c.a, 5)
	got := first.Events
	for cursor := first.NextCursor; cursor != ""; {
		page := w.events(t, c.b, "order", "desc", "limit", "3", "cursor", cursor)
		got, cursor = append(got, page.Events...), page.NextCursor
	}
	require.ElementsMatch(t, idsOf(before), idsOf(got))
	for i := 1; i < len(got); i++ {
		if got[i].Stream == got[i-1].Stream {
			require.Less(t, got[i].Version, got[i-1].Version)
		}
	}
}
