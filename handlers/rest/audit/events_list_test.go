package audit_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/audit"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	read "github.com/parley-platform/parley/projections/audit"
)

// index answers with the pages it was given, one after the other, and notes what it was
// asked.
type index struct {
	log     string
	pages   []read.Page
	asked   []read.Query
	lost    bool // the log ends before any position
	failure error
}

func (i *index) LogID() string { return i.log }

func (i *index) Read(_ context.Context, q read.Query) (page read.Page, err error) {
	i.asked = append(i.asked, q)
	if len(i.pages) > 0 {
		page, i.pages = i.pages[0], i.pages[1:]
	}
	return page, i.failure
}

func (i *index) Newest(context.Context, string) (read.Positions, error) { return at(7), nil }

func (i *index) Reached(context.Context, read.Positions) (bool, error) { return !i.lost, i.failure }

func (i *index) Follow(string) *read.Follower { return nil }

func (i *index) last() read.Query { return i.asked[len(i.asked)-1] }

func at(offset int64) read.Positions {
	return read.Positions{{Topic: "parley.calls", Number: 2}: offset}
}

const path = "/api/v1/events"

func auditWorld(t *testing.T, permissions ...access.Permission) (*resttest.Stored, *index) {
	t.Helper()
	w, i := resttest.NewStored(t, nil, permissions...), &index{log: "log-1"}
	audit.DeclareEvents(w.Api, audit.EventsAPI{Audit: i, MAC: w.Commands.MAC})
	return w, i
}

type shownPage struct {
	Success    bool              `json:"success"`
	Events     []json.RawMessage `json:"events"`
	NextCursor *string           `json:"nextCursor"`
}

func pageOf(t *testing.T, got *resttest.Reply) (page shownPage) {
	t.Helper()
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.NoError(t, json.Unmarshal([]byte(got.Text), &page))
	require.True(t, page.Success)
	return page
}

func TestAPageShowsEventsAsTheyStandOnTheLog(t *testing.T) {
	w, i := auditWorld(t, access.PermAuditRead)
	i.pages = []read.Page{{Events: []*eventstore.Record{{ID: "e-1", Type: "parley.calls.answered.v1", Stream: "call-1", Version: 3,
		Time: time.Date(2026, 11, 21, 10, 0, 0, 5000, time.FixedZone("", 3600)), Tenant: "acme", Actor: "user:ada@crm", CorrelationID: "tr-1",
		CausationID: "e-0", Data: []byte(`{"a":1.0,"b":"<&>"}`), Topic: "parley.calls", Partition: 2, Offset: 41}}, Next: at(42)}}
	got := w.Ask("GET", path, "")
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"events":[{"id":"e-1","type":"parley.calls.answered.v1","stream":"call-1","version":3,
		"time":"2026-11-21T09:00:00.000005Z","tenantId":"acme","actor":"user:ada@crm","correlationId":"tr-1","causationId":"e-0",
		"data":{"a":1.0,"b":"<&>"},"position":{"topic":"parley.calls","partition":2,"offset":41}}]}`, got.Text)
	require.Contains(t, got.Text, `{"a":1.0,"b":"<&>"}`, "byte for byte")
	require.Equal(t, read.Query{Tenant: "acme", Limit: 50, MaxBytes: 8 << 20}, i.last())
}

func TestACursorGoesOnWhereThePageEnded(t *testing.T) {
	w, i := auditWorld(t, access.PermAuditRead)
	event := []*eventstore.Record{{Type: "parley.calls.answered.v1", Data: []byte(`{}`)}}
	for _, order := range []string{"asc", "desc"} {
		filter := "?limit=1&category=calls&order=" + order
		i.pages = []read.Page{{Events: event, Next: at(42), More: true}, {Events: event, Next: at(43)}}
		page := pageOf(t, w.Ask("GET", path+filter, ""))
		require.NotNil(t, page.NextCursor)
		last := pageOf(t, w.Ask("GET", path+filter+"&cursor="+*page.NextCursor, ""))
		require.Equal(t, read.Query{Tenant: "acme", Topic: "parley.calls", From: at(42), Limit: 1, MaxBytes: 8 << 20,
			Descending: order == "desc"}, i.last())
		require.Nil(t, last.NextCursor, "there is no more")

		for name, other := range map[string]string{"another filter": "?category=sessions&order=" + order,
			"an end":          filter + "&until=2026-11-21T00:00:00Z",
			"the other order": "?category=calls&order=" + map[string]string{"asc": "desc", "desc": "asc"}[order]} {
			w.Refused(w.Ask("GET", path+other+"&cursor="+*page.NextCursor, ""), http.StatusBadRequest, "cursor")
			require.Len(t, i.asked, 2, "%s: nothing is read", name)
		}
		other := w.Grant("other", nil, access.PermAuditRead)
		w.Refused(w.Call("GET", path+filter+"&cursor="+*page.NextCursor, "", "auth", other), http.StatusBadRequest, "cursor")

		i.log = "log-2"
		w.Refused(w.Ask("GET", path+filter+"&cursor="+*page.NextCursor, ""), http.StatusGone)
		i.log, i.lost = "log-1", true
		got := w.Ask("GET", path+filter+"&cursor="+*page.NextCursor, "")
		if order == "asc" {
			w.Refused(got, http.StatusGone)
			require.Contains(t, got.Text, "its end was lost")
		} else {
			require.Equal(t, http.StatusOK, got.Status, "backward there is nothing to be missed")
		}
		i.lost, i.asked = false, nil
	}
}

func TestAPageLooksOnWhileNothingFits(t *testing.T) {
	w, i := auditWorld(t, access.PermAuditRead)
	event := []*eventstore.Record{{Type: "parley.calls.answered.v1", Data: []byte(`{}`)}}
	i.pages = []read.Page{{Next: at(10), More: true}, {Next: at(20), More: true}, {Events: event, Next: at(21), More: true}}
	page := pageOf(t, w.Ask("GET", path, ""))
	require.Len(t, page.Events, 1)
	require.Equal(t, []read.Positions{nil, at(10), at(20)}, []read.Positions{i.asked[0].From, i.asked[1].From, i.asked[2].From})

	i.asked, i.pages = nil, []read.Page{{Next: at(10)}}
	got := w.Ask("GET", path, "")
	require.JSONEq(t, `{"success":true,"events":[]}`, got.Text, "an end without events is an empty list")
	require.Len(t, i.asked, 1)

	i.asked, i.pages = nil, []read.Page{{Next: at(10), More: true}}
	i.failure = fault.New(fault.Unavailable, "the read models catch up")
	require.Equal(t, http.StatusServiceUnavailable, w.Ask("GET", path, "").Status)
	require.Len(t, i.asked, 1, "what cannot be read is not read again for the same caller")
}

// slow is an index in which nothing fits, and which takes its time to say so.
type slow struct{ index }

func (s *slow) Read(ctx context.Context, q read.Query) (read.Page, error) {
	time.Sleep(260 * time.Millisecond)
	_, _ = s.index.Read(ctx, q)
	return read.Page{Next: at(int64(len(s.asked))), More: true}, nil
}

// Nobody waits for a page for long: after a second it is empty, and says where to go on.
func TestAPageLooksOnForASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, i := resttest.NewStored(t, nil, access.PermAuditRead), &slow{}
		audit.DeclareEvents(w.Api, audit.EventsAPI{Audit: i, MAC: w.Commands.MAC})
		page := pageOf(t, w.Ask("GET", path, ""))
		require.Len(t, i.asked, 4)
		require.Empty(t, page.Events)
		w.Ask("GET", path+"?cursor="+*page.NextCursor, "")
		require.Equal(t, at(4), i.asked[4].From)
	})
}

func TestWhoMayReadEventsAndWhatIsRefused(t *testing.T) {
	w, i := auditWorld(t, access.PermAuditRead)
	for query, field := range map[string]string{"?limit=0": "limit", "?limit=201": "limit", "?order=up": "order", "?since=now": "since",
		"?until=now": "until", "?category=cals": "category", "?type=x": "type", "?cursor=x": "cursor"} {
		w.Refused(w.Ask("GET", path+query, ""), http.StatusBadRequest, field)
	}
	w.Refused(w.Ask("GET", path+"/stream?category=cals&since=now", ""), http.StatusBadRequest, "category", "since")
	for _, last := range []string{"x", strings.Repeat("A", 70)} {
		w.Refused(w.Ask("GET", path+"/stream", "", "Last-Event-ID", last), http.StatusBadRequest, "Last-Event-ID")
		w.Refused(w.Ask("GET", path+"/stream?lastEventId="+last, ""), http.StatusBadRequest, "lastEventId")
	}
	for _, target := range []string{path, path + "/stream"} {
		stranger := w.Grant("acme", nil, access.PermSessionRead)
		w.Refused(w.Call("GET", target, "", "auth", stranger), http.StatusForbidden)
		w.Refused(w.Call("GET", target, ""), http.StatusUnauthorized)
		w.Refused(w.Call("GET", target, "", "x-api-key", resttest.FullKey), http.StatusForbidden)
	}
	require.Empty(t, i.asked)
}
