package reporting_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/projections/analytics"
	models "github.com/parley-platform/parley/projections/reporting"
)

// figuresStore notes what it is asked, and answers what it was given.
type figuresStore struct {
	queries []analytics.Query
	pages   []analytics.EventsQuery
	answers map[analytics.Grouping][]analytics.Bucket // by what is grouped by first
	events  []analytics.Event
	sounds  []models.Sound
	heard   [][2]time.Time // ranges of sounds that were asked for
	total   int64          // events, of which those that are not given are empty
	asOf    time.Time      // zero: it is not known
	failure error          // of the question with this number; 0: of none
	failing int
	asked   int
}

// next is how the next question fails.
func (s *figuresStore) next() error {
	if s.asked++; s.asked == s.failing {
		return s.failure
	}
	return nil
}

func (s *figuresStore) AsOf(context.Context) (time.Time, bool, error) {
	return s.asOf, !s.asOf.IsZero(), s.next()
}

func (s *figuresStore) Aggregate(_ context.Context, q analytics.Query) ([]analytics.Bucket, error) {
	s.queries = append(s.queries, q)
	return s.answers[q.GroupBy[0]], s.next()
}

func (s *figuresStore) AggregateAll(_ context.Context, of ...analytics.Query) (out [][]analytics.Bucket, err error) {
	for _, q := range of {
		s.queries = append(s.queries, q)
		out = append(out, s.answers[q.GroupBy[0]])
	}
	return out, s.next()
}

func (s *figuresStore) Events(_ context.Context, q analytics.EventsQuery) ([]analytics.Event, int64, error) {
	s.pages = append(s.pages, q)
	if s.events == nil {
		s.events = slices.Repeat([]analytics.Event{{Metadata: json.RawMessage(`{}`)}}, max(0, min(q.Limit, int(s.total)-q.Offset)))
	}
	return s.events, s.total, s.next()
}

func (s *figuresStore) SoundByHour(_ context.Context, _, _ string, from, to time.Time) ([]models.Sound, error) {
	s.heard = append(s.heard, [2]time.Time{from, to})
	return s.sounds, nil
}

func (s *figuresStore) SoundOf(_ context.Context, _, _ string, from, to time.Time) (out models.Sound, err error) {
	s.heard = append(s.heard, [2]time.Time{from, to})
	if len(s.sounds) > 0 {
		out = s.sounds[0]
	}
	return out, nil
}

// analyst asks a world at 12:00 on March 1.
func analyst(t *testing.T, s *figuresStore) func(method, path, body string) *resttest.Reply {
	w := resttest.NewWorld(t)
	reporting.DeclareAnalytics(w.Api, reporting.Analytics{Store: s, Sound: s, Now: func() time.Time { return w.Now }})
	return func(method, path, body string) *resttest.Reply {
		return w.Call(method, "/api/projects/main"+path, body, "auth", w.Token(), "Content-Type", "application/json")
	}
}

func on(day, hour int) time.Time { return time.Date(2025, 3, day, hour, 0, 0, 0, time.UTC) }

const noon, range3 = 12, `"timeRange":{"from":"2025-03-01T01:00:00Z","to":"2025-03-01T03:00:00Z"}`

// What analytics-metrics and analytics-aggregate add up: each parameter and its
// default.
func TestWhatAnalyticsAddUp(t *testing.T) {
	category, aDayBefore := []analytics.Grouping{analytics.GroupCategory}, on(1, noon).Add(-24*time.Hour)
	metrics := func(change func(*analytics.Query)) analytics.Query {
		q := analytics.Query{Tenant: "acme", Project: "p-1", From: aDayBefore, To: on(1, noon), GroupBy: category, Most: 10_000}
		change(&q)
		return q
	}
	aggregate := func(f analytics.Filter) analytics.Query {
		return analytics.Query{Tenant: "acme", Project: "p-1", From: on(1, 1), To: on(1, 3), GroupBy: []analytics.Grouping{analytics.GroupDay},
			Most: 10_000, Filter: f}
	}
	aggregated := func(filters string) string {
		return `{` + range3 + `,"groupBy":["day"],"metrics":["count"],"filters":{` + filters + `}}`
	}
	bySMS := analytics.Filter{Channels: []string{"sms", "twilio_sms"}}
	hourly := []analytics.Grouping{analytics.GroupHour, analytics.GroupEventType}
	voice := func(from time.Time, groups ...analytics.Grouping) analytics.Query {
		return analytics.Query{Tenant: "acme", Project: "p-1", From: from, To: on(1, noon), GroupBy: groups,
			Filter: analytics.Filter{EventTypes: []string{"call_completed", "call_failed", "call_said"}}}
	}
	for name, c := range map[string]struct {
		method, path, body string
		want               analytics.Query
	}{
		"GET /metrics, defaults": {"GET", "/analytics/metrics", "", metrics(func(*analytics.Query) {})},
		"GET /metrics, from": {"GET", "/analytics/metrics?from=2025-03-01T02:00:00Z", "",
			metrics(func(q *analytics.Query) { q.From = on(1, 2) })},
		"GET /metrics, to": {"GET", "/analytics/metrics?to=2025-03-01T02:00:00Z", "",
			metrics(func(q *analytics.Query) { q.From, q.To = on(1, 2).Add(-24*time.Hour), on(1, 2) })},
		"GET /metrics, to a moment that is to come": {"GET", "/analytics/metrics?to=2999-01-01T00:00:00Z", "",
			metrics(func(q *analytics.Query) { q.To = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) })},
		"GET /metrics, a day": {"GET", "/analytics/metrics?from=2025-02-28&to=2025-02-28", "",
			metrics(func(q *analytics.Query) { q.From, q.To = on(0, 0), on(1, 0) })},
		"GET /metrics, groupBy": {"GET", "/analytics/metrics?groupBy=category,event_type,agent_name,channel,hour,day", "",
			metrics(func(q *analytics.Query) {
				q.GroupBy = []analytics.Grouping{"category", "event_type", "agent_name", "channel", "hour", "day"}
			})},
		"GET /metrics, metrics": {"GET", "/analytics/metrics?metrics=p95_duration", "",
			metrics(func(q *analytics.Query) { q.Durations = true })},
		"GET /metrics, groupBy, twice and with spaces": {"GET", "/analytics/metrics?groupBy=day,%20hour,day", "",
			metrics(func(q *analytics.Query) { q.GroupBy = []analytics.Grouping{"day", "hour"} })},
		"GET /metrics, category": {"GET", "/analytics/metrics?category=llm", "",
			metrics(func(q *analytics.Query) { q.Filter.Category = analytics.LLM })},
		"GET /agents/{name}": {"GET", "/analytics/agents/greeter?from=2025-03-01T02:00:00Z", "", metrics(func(q *analytics.Query) {
			q.From, q.Filter.AgentName, q.Durations, q.Most = on(1, 2), "greeter", true, 0
		})},
		"GET /cost-breakdown": {"GET", "/analytics/cost-breakdown", "", metrics(func(q *analytics.Query) {
			q.GroupBy, q.Filter.Model, q.Most = []analytics.Grouping{analytics.GroupModel}, true, 0
		})},
		"GET /session-metrics":       {"GET", "/analytics/session-metrics", "", metrics(func(q *analytics.Query) { q.Most = 0 })},
		"POST /aggregate, timeRange": {"POST", "/analytics/aggregate", aggregated(""), aggregate(analytics.Filter{})},
		"POST /aggregate, category": {"POST", "/analytics/aggregate", aggregated(`"category":"tool"`),
			aggregate(analytics.Filter{Category: analytics.Tool})},
		"POST /aggregate, eventTypes": {"POST", "/analytics/aggregate", aggregated(`"eventTypes":["a","b"]`),
			aggregate(analytics.Filter{EventTypes: []string{"a", "b"}})},
		"POST /aggregate, sessionId": {"POST", "/analytics/aggregate", aggregated(`"sessionId":"s"`),
			aggregate(analytics.Filter{SessionID: "s"})},
		"POST /aggregate, agentName": {"POST", "/analytics/aggregate", aggregated(`"agentName":"greeter"`),
			aggregate(analytics.Filter{AgentName: "greeter"})},
		"POST /aggregate, channel": {"POST", "/analytics/aggregate", aggregated(`"channel":"sms"`), aggregate(bySMS)},
		"POST /aggregate, as groupBy names them": {"POST", "/analytics/aggregate",
			aggregated(`"event_type":"a","session_id":"s","agent_name":"greeter"`),
			aggregate(analytics.Filter{EventTypes: []string{"a"}, SessionID: "s", AgentName: "greeter"})},
		"POST /aggregate, in both spellings": {"POST", "/analytics/aggregate",
			aggregated(`"event_type":"a","eventTypes":["a"],"agent_name":"greeter","agentName":"greeter"`),
			aggregate(analytics.Filter{EventTypes: []string{"a"}, AgentName: "greeter"})},
		"POST /aggregate, hasError": {"POST", "/analytics/aggregate", aggregated(`"hasError":true`),
			aggregate(analytics.Filter{HasError: true})},
		"POST /aggregate, no error":        {"POST", "/analytics/aggregate", aggregated(`"hasError":false`), aggregate(analytics.Filter{})},
		"voice-analytics hourly, default":  {"GET", "/voice-analytics/hourly", "", voice(on(-6, noon), hourly...)},
		"voice-analytics hourly, hours":    {"GET", "/voice-analytics/hourly?hours=1", "", voice(on(1, noon-1), hourly...)},
		"voice-analytics summary, default": {"GET", "/voice-analytics/summary", "", voice(on(-6, noon), analytics.GroupEventType)},
		"voice-analytics summary, hours":   {"GET", "/voice-analytics/summary?hours=2", "", voice(on(1, noon-2), analytics.GroupEventType)},
		"POST /aggregate, channel's other name": {
			"POST", "/analytics/aggregate", aggregated(`"channel":"Voice"`), aggregate(analytics.Filter{Channels: []string{"voice"}})},
		"POST /aggregate, client": {
			"POST", "/analytics/aggregate", aggregated(`"channel":"Web/Mobile Client"`),
			aggregate(analytics.Filter{Channels: []string{"rtm", "web", "web_debug", "mobile", "sdk"}})},
	} {
		t.Run(name, func(t *testing.T) {
			s := &figuresStore{}
			got := analyst(t, s)(c.method, c.path, c.body)
			require.Equal(t, http.StatusOK, got.Status, got.Text)
			require.Equal(t, c.want, s.queries[0])
		})
	}
}

// The parameters of analytics-events and analytics-query, and their pages.
func TestWhichEventsAnalyticsShow(t *testing.T) {
	page := func(change func(*analytics.EventsQuery)) analytics.EventsQuery {
		q := analytics.EventsQuery{Tenant: "acme", Project: "p-1", From: on(1, noon).Add(-24 * time.Hour), To: on(1, noon), Limit: 100}
		change(&q)
		return q
	}
	within := func(change func(*analytics.EventsQuery)) analytics.EventsQuery {
		return page(func(q *analytics.EventsQuery) { q.From, q.To = on(1, 1), on(1, 3); change(q) })
	}
	asked := func(members string) string { return `{` + range3 + members + `}` }
	for name, c := range map[string]struct {
		method, path, body string
		want               analytics.EventsQuery
	}{
		"GET /events, defaults": {"GET", "/analytics/events", "", page(func(*analytics.EventsQuery) {})},
		"GET /events, from and to": {"GET", "/analytics/events?from=2025-03-01T01:00:00Z&to=2025-03-01T03:00:00Z", "",
			within(func(*analytics.EventsQuery) {})},
		"GET /events, category": {"GET", "/analytics/events?category=gather", "",
			page(func(q *analytics.EventsQuery) { q.Filter.Category = analytics.Gather })},
		"GET /events, eventTypes": {"GET", "/analytics/events?eventTypes=a,%20b,", "",
			page(func(q *analytics.EventsQuery) { q.Filter.EventTypes = []string{"a", "b"} })},
		"GET /events, sessionId": {"GET", "/analytics/events?sessionId=s", "",
			page(func(q *analytics.EventsQuery) { q.Filter.SessionID = "s" })},
		"GET /events, agentName": {"GET", "/analytics/events?agentName=greeter", "",
			page(func(q *analytics.EventsQuery) { q.Filter.AgentName = "greeter" })},
		"GET /events, hasError": {"GET", "/analytics/events?hasError=true", "",
			page(func(q *analytics.EventsQuery) { q.Filter.HasError = true })},
		"GET /events, no error": {"GET", "/analytics/events?hasError=false", "", page(func(*analytics.EventsQuery) {})},
		"GET /events, limit":    {"GET", "/analytics/events?limit=10000", "", page(func(q *analytics.EventsQuery) { q.Limit = 10_000 })},
		"GET /events, offset":   {"GET", "/analytics/events?offset=7", "", page(func(q *analytics.EventsQuery) { q.Offset = 7 })},
		"POST /query, defaults": {"POST", "/analytics/query", asked(""), within(func(*analytics.EventsQuery) {})},
		"POST /query, category": {"POST", "/analytics/query", asked(`,"category":"flow"`),
			within(func(q *analytics.EventsQuery) { q.Filter.Category = analytics.Flow })},
		"POST /query, eventTypes": {"POST", "/analytics/query", asked(`,"eventTypes":["a"]`),
			within(func(q *analytics.EventsQuery) { q.Filter.EventTypes = []string{"a"} })},
		"POST /query, sessionId": {"POST", "/analytics/query", asked(`,"sessionId":"s"`),
			within(func(q *analytics.EventsQuery) { q.Filter.SessionID = "s" })},
		"POST /query, agentName": {"POST", "/analytics/query", asked(`,"agentName":"greeter"`),
			within(func(q *analytics.EventsQuery) { q.Filter.AgentName = "greeter" })},
		"POST /query, hasError": {"POST", "/analytics/query", asked(`,"hasError":true`),
			within(func(q *analytics.EventsQuery) { q.Filter.HasError = true })},
		"POST /query, limit": {"POST", "/analytics/query", asked(`,"limit":10000`),
			within(func(q *analytics.EventsQuery) { q.Limit = 10_000 })},
		"POST /query, offset": {"POST", "/analytics/query", asked(`,"offset":7`), within(func(q *analytics.EventsQuery) { q.Offset = 7 })},
		"POST /query, zone of time": {"POST", "/analytics/query", `{"timeRange":{"from":"2025-03-01T02:00:00+01:00","to":"2025-03-01T03:00"}}`,
			within(func(*analytics.EventsQuery) {})},
	} {
		t.Run(name, func(t *testing.T) {
			s := &figuresStore{}
			got := analyst(t, s)(c.method, c.path, c.body)
			require.Equal(t, http.StatusOK, got.Status, got.Text)
			require.Equal(t, []analytics.EventsQuery{c.want}, s.pages)
		})
	}
}

// The last hours are counted back from now, to the minute and not by the clock's hours.
func TestLastHoursEndNow(t *testing.T) {
	s := &figuresStore{}
	w := resttest.NewWorld(t)
	w.Now = time.Date(2025, 3, 1, 12, 34, 56, 0, time.UTC)
	reporting.DeclareAnalytics(w.Api, reporting.Analytics{Store: s, Sound: s, Now: func() time.Time { return w.Now }})
	for _, path := range []string{"hourly", "summary"} {
		s.queries = nil
		require.Equal(t, http.StatusOK, w.Call("GET", "/api/projects/main/voice-analytics/"+path+"?hours=3", "", "auth", w.Token()).Status)
		require.Equal(t, []time.Time{w.Now.Add(-3 * time.Hour), w.Now}, []time.Time{s.queries[0].From, s.queries[0].To}, path)
	}
}

// The members of a page stand in data and beside it, in both lists of events.
func TestPagesOfEventsSayHowManyThereAreInAndBesideData(t *testing.T) {
	for offset, more := range map[int]bool{0: true, 7: true, 8: false, 20: false} {
		s := &figuresStore{total: 9}
		ask := analyst(t, s)
		for name, got := range map[string]*resttest.Reply{"GET": ask("GET", fmt.Sprintf("/analytics/events?limit=1&offset=%d", offset), ""),
			"POST": ask("POST", "/analytics/query", fmt.Sprintf(`{%s,"limit":1,"offset":%d}`, range3, offset))} {
			var page map[string]any
			got.Decode(t, &page)
			data := page["data"].(map[string]any)
			require.Equal(t, []any{9.0, more}, []any{page["total"], page["hasMore"]}, "%s from %d: %s", name, offset, got.Text)
			require.Equal(t, []any{9.0, more}, []any{data["total"], data["hasMore"]}, "%s from %d", name, offset)
		}
	}
}

// given are a thousand and one events of 1 s to 1001 s, of which some have tokens.
func given() analytics.Sums {
	out := analytics.Sums{Count: 2002, Errors: 1001, Timed: 1001, TokensIn: 70, TokensOut: 30, Cost: 2_500_000_000_000, Unpriced: 2}
	for s := range int64(1001) {
		out.DurationMs += 1000 * (s + 1)
		out.Durations.Add(1000 * (s + 1))
	}
	return out
}

// Each metric by its name.
func TestMetricsByName(t *testing.T) {
	s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{
		analytics.GroupCategory: {{Keys: map[analytics.Grouping]string{"category": "llm"}, Sums: given()},
			{Keys: map[analytics.Grouping]string{"category": "audit"}, Sums: analytics.Sums{Count: 1}}}}}
	ask := analyst(t, s)
	for metric, want := range map[string][2]any{
		"count": {2002.0, 1.0}, "avg_duration": {501_000.0, nil}, "error_rate": {0.5, 0.0}, "p95_duration": {951_000.0, nil},
		"sum_tokens": {100.0, 0.0}, "sum_cost": {2.5, 0.0},
	} {
		t.Run(metric, func(t *testing.T) {
			var got struct {
				Data struct{ Buckets []map[string]any }
			}
			ask("GET", "/analytics/metrics?metrics="+metric, "").Decode(t, &got)
			for i, category := range []string{"llm", "audit"} {
				b := got.Data.Buckets[i]
				if metric == "sum_cost" {
					require.Equal(t, []any{2.0, 0.0}[i], b["unpriced"])
					delete(b, "unpriced")
				}
				require.Len(t, b, 2)
				require.Equal(t, category, b["category"])
				if want[i] == nil {
					require.Nil(t, b[metric])
				} else {
					require.InEpsilon(t, 1+want[i].(float64), 1+b[metric].(float64), 0.01)
				}
			}
		})
	}
}

// The reports: of an agent, of costs, of sessions.
func TestReportsOfAnalytics(t *testing.T) {
	key := func(g analytics.Grouping, name string) map[analytics.Grouping]string {
		return map[analytics.Grouping]string{g: name}
	}
	spent, nothing := analytics.Sums{Count: 3, TokensIn: 70, TokensOut: 30, Cost: 2_500_000_000_000}, analytics.Sums{Count: 9}
	s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{
		analytics.GroupModel: {{Keys: key(analytics.GroupModel, "large"), Sums: spent}, {Keys: key(analytics.GroupModel, "local"),
			Sums: nothing}},
		analytics.GroupAgent: {{Keys: key(analytics.GroupAgent, ""), Sums: spent}, {Keys: key(analytics.GroupAgent, "greeter"),
			Sums: nothing}},
		analytics.GroupDay: {{Day: on(1, 0), Sums: spent}, {Day: on(2, 0), Sums: spent}, {Day: on(3, 0), Sums: nothing}},
		analytics.GroupCategory: {{Keys: key(analytics.GroupCategory, "session"), Sums: analytics.Sums{Count: 5, Errors: 1}},
			{Keys: key(analytics.GroupCategory, "message"), Sums: analytics.Sums{Count: 6}}},
		analytics.GroupEventType: {{Keys: key(analytics.GroupEventType, "session_ended"), Sums: analytics.Sums{Count: 2, Timed: 2,
			DurationMs: 9000}}, {Keys: key(analytics.GroupEventType, "session_opened"), Sums: analytics.Sums{Count: 4}}},
	}}
	ask := analyst(t, s)
	cost, none := `"tokens_in":70,"tokens_out":30,"sum_tokens":100,"sum_cost":2.5,"unpriced":0`,
		`"tokens_in":0,"tokens_out":0,"sum_tokens":0,"sum_cost":0,"unpriced":0`
	for path, want := range map[string]string{
		"/analytics/cost-breakdown": `{"tokens_in":140,"tokens_out":60,"sum_tokens":200,"sum_cost":5,"unpriced":0,
			"by_model":[{"model":"large","count":3,` + cost + `},{"model":"local","count":9,` + none + `}],
			"by_agent":[{"agent_name":null,` + cost + `}],
			"by_day":[{"day":"2025-03-01T00:00:00.000Z",` + cost + `},{"day":"2025-03-02T00:00:00.000Z",` + cost + `}]}`,
		"/analytics/session-metrics": `{"total_sessions":4,"ended_sessions":2,"error_count":1,"avg_duration_ms":4500,"p95_duration_ms":null,
			"message_count":6,"avg_messages_per_session":1.5}`,
		"/analytics/agents/greeter": `{"agent_name":"greeter","count":11,"error_count":1,"error_rate":0.09090909090909091,"avg_duration":null,
			"p95_duration":null,"sum_tokens":0,"sum_cost":0,"unpriced":0,
			"by_category":[{"category":"session","count":5,"error_rate":0.2,"avg_duration":null},{"category":"message","count":6,"error_rate":0,
			"avg_duration":null}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			var got struct{ Data json.RawMessage }
			ask("GET", path, "").Decode(t, &got)
			require.JSONEq(t, want, string(got.Data))
		})
	}
}

// Voice analytics: calls count in the hour in which they end, turns in that in which
// they are said.
func TestVoiceFiguresOfAnHourAndOfAll(t *testing.T) {
	bucket := func(hour int, eventType string, sums analytics.Sums) analytics.Bucket {
		return analytics.Bucket{Time: on(1, hour), Keys: map[analytics.Grouping]string{analytics.GroupEventType: eventType}, Sums: sums}
	}
	completed, failed, said := analytics.Sums{Count: 2, Errors: 1, Timed: 2, DurationMs: 3000}, analytics.Sums{Count: 3, Errors: 3},
		analytics.Sums{Count: 7}
	all := []analytics.Bucket{bucket(0, "call_completed", completed), bucket(0, "call_failed", failed), bucket(0, "call_said", said)}
	s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{
		analytics.GroupHour: {bucket(1, "call_completed", completed), bucket(1, "call_failed", failed), bucket(1, "call_said", said),
			bucket(3, "call_said", said), bucket(4, "call_failed", failed)},
		analytics.GroupEventType: all,
	}}
	ask := analyst(t, s)
	var hourly struct{ Data []map[string]any }
	ask("GET", "/voice-analytics/hourly", "").Decode(t, &hourly)
	var got [][]any
	for _, h := range hourly.Data {
		got = append(got, []any{h["hour"], h["session_count"], h["error_count"], h["avg_call_duration_ms"], h["total_turns"]})
	}
	require.Equal(t, [][]any{{"2025-03-01T01:00:00.000Z", 5.0, 4.0, 1500.0, 7.0}, {"2025-03-01T03:00:00.000Z", 0.0, 0.0, nil, 7.0},
		{"2025-03-01T04:00:00.000Z", 3.0, 3.0, nil, 0.0}}, got)

	var summary struct{ Data map[string]any }
	ask("GET", "/voice-analytics/summary", "").Decode(t, &summary)
	d := summary.Data
	require.Equal(t, []any{5.0, 4.0, 1500.0, 7.0}, []any{d["total_calls"], d["total_errors"], d["avg_call_duration_ms"], d["total_turns"]})
}
