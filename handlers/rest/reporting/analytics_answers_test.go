package reporting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/analytics"
)

// inquiry is a request, and how many questions to the store answer it: the first is as of
// when.
type inquiry struct {
	method, path, body string
	questions          int
}

// inquiries are one of each operation.
var inquiries = []inquiry{
	{"GET", "/analytics/metrics", "", 2}, {"POST", "/analytics/aggregate", `{` + range3 + `,"groupBy":["day"],"metrics":["count"]}`, 2},
	{"GET", "/analytics/events", "", 2}, {"POST", "/analytics/query", `{` + range3 + `}`, 2}, {"GET", "/analytics/agents/greeter", "", 2},
	{"GET", "/analytics/cost-breakdown", "", 2}, {"GET", "/analytics/session-metrics", "", 2}, {"GET", "/voice-analytics/hourly", "", 2},
	{"GET", "/voice-analytics/summary", "", 2},
}

func TestEveryAnswerOfAnalyticsSaysAsOfWhenItIs(t *testing.T) {
	for _, q := range inquiries {
		t.Run(q.path, func(t *testing.T) {
			s := &figuresStore{}
			var got map[string]any
			analyst(t, s)(q.method, q.path, q.body).Decode(t, &got)
			require.Equal(t, true, got["success"])
			require.NotContains(t, got, "asOf", "not all is in yet")

			s.asOf = on(1, 11)
			analyst(t, s)(q.method, q.path, q.body).Decode(t, &got)
			require.Equal(t, []any{true, "2025-03-01T11:00:00.000Z"}, []any{got["success"], got["asOf"]})
		})
	}
}

// No answer has a part of what was asked: whichever question fails, all of it is refused.
func TestWhatTheStoreCannotAnswerIsAnErrorOfTheWhole(t *testing.T) {
	for _, q := range inquiries {
		t.Run(q.path, func(t *testing.T) {
			for n := range q.questions {
				s := &figuresStore{failing: n + 1, failure: fault.New(fault.Unavailable, "the read models catch up"), asOf: on(1, 11)}
				got := analyst(t, s)(q.method, q.path, q.body)
				require.Equal(t, http.StatusServiceUnavailable, got.Status, "question %d: %s", n+1, got.Text)
			}
			s := &figuresStore{failing: q.questions + 1, failure: errors.New("nobody asks")}
			require.Equal(t, http.StatusOK, analyst(t, s)(q.method, q.path, q.body).Status)
		})
	}
}

// A range that nothing happened in has figures of nothing: no null where a list is, and a
// rate of nothing is 0.
func TestAnswersOfARangeInWhichNothingHappened(t *testing.T) {
	const none = `"tokens_in":0,"tokens_out":0,"sum_tokens":0,"sum_cost":0,"unpriced":0`
	for path, want := range map[string]string{
		"/analytics/metrics": `{"buckets":[]}`,
		"/analytics/events":  `{"events":[],"total":0,"hasMore":false}`,
		"/analytics/agents/greeter": `{"agent_name":"greeter","count":0,"error_count":0,"error_rate":0,"avg_duration":null,"p95_duration":null,
			"sum_tokens":0,"sum_cost":0,"unpriced":0,"by_category":[]}`,
		"/analytics/cost-breakdown": `{` + none + `,"by_model":[],"by_agent":[],"by_day":[]}`,
		"/analytics/session-metrics": `{"total_sessions":0,"ended_sessions":0,"error_count":0,"avg_duration_ms":null,"p95_duration_ms":null,
			"message_count":0,"avg_messages_per_session":null}`,
		"/voice-analytics/hourly": `[]`,
	} {
		t.Run(path, func(t *testing.T) {
			var got struct{ Data json.RawMessage }
			analyst(t, &figuresStore{})("GET", path, "").Decode(t, &got)
			require.JSONEq(t, want, string(got.Data))
		})
	}
}

func TestTheSpellingsOfATime(t *testing.T) {
	for given, want := range map[string]time.Time{"2025-03-01T02:00:00Z": on(1, 2), "2025-03-01T02:00Z": on(1, 2),
		"2025-03-01T04:00:00.000+02:00": on(1, 2), "2025-03-01T02:00:00": on(1, 2), "2025-03-01T02:00": on(1, 2), "2025-03-01": on(1, 0),
		"2025-03-01T02:00:00.25": on(1, 2).Add(250 * time.Millisecond)} {
		s := &figuresStore{}
		got := analyst(t, s)("GET", "/analytics/metrics?from="+url.QueryEscape(given), "")
		require.Equal(t, http.StatusOK, got.Status, got.Text)
		require.Equal(t, want, s.queries[0].From, given)
	}
	s := &figuresStore{}
	analyst(t, s)("GET", "/analytics/metrics?from=2025-03-01T04:00:00+02:00", "")
	require.Equal(t, on(1, 2), s.queries[0].From, "a plus sign that was not escaped")
}

func TestWhatAnalyticsRefuse(t *testing.T) {
	between := func(from, to string) string { return fmt.Sprintf(`{"timeRange":{"from":%q,"to":%q}`, from, to) }
	for name, c := range map[string]struct {
		method, path, body string
		fields             []string
		says               string
	}{
		"no time":             {"GET", "/analytics/metrics?from=yesterday", "", []string{"from"}, "must be an ISO 8601 date and time"},
		"a date with a space": {"GET", "/analytics/metrics?to=2025-03-01%2002:00", "", []string{"to"}, "must be an ISO 8601 date and time"},
		"no times, both":      {"GET", "/analytics/events?from=x&to=2025-02-30", "", []string{"from", "to"}, ""},
		"backwards": {"GET", "/analytics/cost-breakdown?from=2025-03-01T02:00&to=2025-03-01T01:59", "", []string{"from"},
			"is after to"},
		"after now": {"GET", "/analytics/session-metrics?from=2025-03-01T12:00:01", "", []string{"from"}, "is after to"},
		"backwards, but no time": {"GET", "/analytics/agents/greeter?from=2025-03-02&to=x", "", []string{"to"},
			"must be an ISO 8601 date and time"},
		"backwards, in a body": {"POST", "/analytics/query", between("2025-03-02", "2025-03-01") + `}`, []string{"timeRange.from"},
			"is after to"},
		"no times, in a body": {"POST", "/analytics/aggregate", between("x", "y") + `,"groupBy":["day"],"metrics":["count"]}`,
			[]string{"timeRange.from", "timeRange.to"}, ""},
		"the day behind the end": {"GET", "/analytics/metrics?from=2025-03-02&to=2025-03-01", "", []string{"from"}, "is after to"},
		"two spellings that differ": {"POST", "/analytics/aggregate", between("2025-03-01", "2025-03-02") +
			`,"groupBy":["day"],"metrics":["count"],"filters":{"agent_name":"a","agentName":"b","event_type":"x","eventTypes":["x","y"]}}`,
			[]string{"filters.agent_name", "filters.event_type"}, ""},
		"an unknown group": {"GET", "/analytics/metrics?groupBy=day,colour", "", []string{"groupBy"},
			`has \"colour\", and knows category, event_type, agent_name, channel, hour, day`},
		"an unknown figure": {"GET", "/analytics/metrics?metrics=,count", "", []string{"metrics"}, `has \"\", and knows count, avg_duration, `},
		"all at once":       {"GET", "/analytics/metrics?metrics=x&groupBy=y&from=z", "", []string{"from", "groupBy", "metrics"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &figuresStore{}
			got := analyst(t, s)(c.method, c.path, c.body)
			require.Equal(t, http.StatusBadRequest, got.Status, got.Text)
			require.Equal(t, c.fields, got.Fields(), got.Text)
			require.Contains(t, got.Text, c.says)
			require.Zero(t, s.asked, "nothing is read for what is refused")
		})
	}
	s := &figuresStore{}
	require.Equal(t, http.StatusOK, analyst(t, s)("GET", "/analytics/metrics?from=2025-03-01&to=2025-03-01", "").Status, "a moment is a range")
}

// What would take too long to answer is refused by the field that would have to change.
func TestWhatIsTooMuchToAddUp(t *testing.T) {
	aggregate := `{` + range3 + `,"groupBy":["day"],"metrics":["count"]}`
	for _, c := range []struct {
		failure     error
		method      string
		field, says string
	}{
		{analytics.ErrTooMany, "GET", "groupBy", "gives more than 10000 buckets: ask for a shorter range or fewer groups"},
		{analytics.ErrTooMany, "POST", "groupBy", "gives more than 10000 buckets: ask for a shorter range or fewer groups"},
		{analytics.ErrTooLong, "GET", "from", "is more than 7 days long: a longer range can be grouped and filtered by one of event_type"},
		{analytics.ErrTooLong, "POST", "timeRange", "is more than 7 days long: a longer range can be grouped and filtered by one of event_type"},
	} {
		path, body := "/analytics/metrics", ""
		if c.method == "POST" {
			path, body = "/analytics/aggregate", aggregate
		}
		got := analyst(t, &figuresStore{failing: 2, failure: fmt.Errorf("asking: %w", c.failure)})(c.method, path, body)
		require.Equal(t, http.StatusBadRequest, got.Status, got.Text)
		require.Equal(t, []string{c.field}, got.Fields())
		require.Contains(t, got.Text, c.says)
	}
}

// A bucket has what was asked for and nothing else; what an event has none of is null.
func TestABucketNamesItsGroups(t *testing.T) {
	s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{analytics.GroupHour: {{Time: on(1, 7), Day: on(1, 0),
		Keys: map[analytics.Grouping]string{"category": "llm", "channel": "voice"}, Sums: analytics.Sums{Count: 3}}}}}
	var got struct{ Data json.RawMessage }
	analyst(t, s)("GET", "/analytics/metrics?groupBy=hour,day,category,agent_name,channel&metrics=count", "").Decode(t, &got)
	require.JSONEq(t, `{"buckets":[{"hour":"2025-03-01T07:00:00.000Z","day":"2025-03-01T00:00:00.000Z","category":"llm","agent_name":null,
		"channel":"voice","count":3}]}`, string(got.Data))
}

func TestAnEventOfAnalyticsIsShownWithAllThatIsKnown(t *testing.T) {
	took, failed := int64(1500), "NO_ANSWER"
	s := &figuresStore{total: 2, events: []analytics.Event{
		{ID: "e-1", Category: analytics.LLM, Type: "llm_call", AgentName: "greeter", SessionID: "s-1", Channel: "voice", Time: on(1, 7),
			DurationMs: &took, Error: &failed, Metadata: json.RawMessage(`{"model":"large"}`)},
		{ID: "e-2", Category: analytics.Audit, Type: "trunk_changed", Time: on(1, 6), Metadata: json.RawMessage(`{}`)}}}
	for _, q := range inquiries[2:4] {
		var got struct {
			Data struct{ Events json.RawMessage }
		}
		analyst(t, s)(q.method, q.path, q.body).Decode(t, &got)
		require.JSONEq(t, `[{"id":"e-1","category":"llm","event_type":"llm_call","agent_name":"greeter","session_id":"s-1",
				"timestamp":"2025-03-01T07:00:00.000Z","duration_ms":1500,"error":"NO_ANSWER","metadata":{"model":"large"}},
			{"id":"e-2","category":"audit","event_type":"trunk_changed","agent_name":null,"session_id":null,
				"timestamp":"2025-03-01T06:00:00.000Z","duration_ms":null,"error":null,"metadata":{}}]`, string(got.Data.Events))
	}
}

// What tokens cost is not known where nobody knows their price: null, and not 0.
func TestTheCostOfTokens(t *testing.T) {
	for name, c := range map[string]struct {
		sums analytics.Sums
		want string
	}{
		"nothing":    {analytics.Sums{Count: 1}, `null`}, // not listed: nothing was used up
		"tokens in":  {analytics.Sums{TokensIn: 1}, `{"tokens_in":1,"tokens_out":0,"sum_tokens":1,"sum_cost":null,"unpriced":0}`},
		"tokens out": {analytics.Sums{TokensOut: 2}, `{"tokens_in":0,"tokens_out":2,"sum_tokens":2,"sum_cost":null,"unpriced":0}`},
		"with a price": {analytics.Sums{TokensIn: 3, TokensOut: 4, Cost: 5e11},
			`{"tokens_in":3,"tokens_out":4,"sum_tokens":7,"sum_cost":0.5,"unpriced":0}`},
		"a free model": {analytics.Sums{TokensIn: 3, TokensOut: 4, Priced: 1},
			`{"tokens_in":3,"tokens_out":4,"sum_tokens":7,"sum_cost":0,"unpriced":0}`},
		"one of two without a price": {analytics.Sums{TokensIn: 3, TokensOut: 4, Cost: 5e11, Priced: 1, Unpriced: 1},
			`{"tokens_in":3,"tokens_out":4,"sum_tokens":7,"sum_cost":0.5,"unpriced":1}`},
		"a price by call": {analytics.Sums{Cost: 1e12}, `{"tokens_in":0,"tokens_out":0,"sum_tokens":0,"sum_cost":1,"unpriced":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{
				analytics.GroupAgent: {{Keys: map[analytics.Grouping]string{analytics.GroupAgent: "greeter"}, Sums: c.sums}}}}
			var got struct {
				Data struct {
					By []map[string]any `json:"by_agent"`
				}
			}
			analyst(t, s)("GET", "/analytics/cost-breakdown", "").Decode(t, &got)
			if c.want == `null` {
				require.Empty(t, got.Data.By)
				return
			}
			require.Equal(t, "greeter", got.Data.By[0]["agent_name"])
			delete(got.Data.By[0], "agent_name")
			cost, err := json.Marshal(got.Data.By[0])
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(cost))
		})
	}
}

// The figures of an agent are those of all its categories together, and of each.
func TestTheFiguresOfAnAgent(t *testing.T) {
	bucket := func(category string, sums analytics.Sums) analytics.Bucket {
		return analytics.Bucket{Keys: map[analytics.Grouping]string{analytics.GroupCategory: category}, Sums: sums}
	}
	timed := analytics.Sums{Count: 4, Errors: 1, Timed: 2, DurationMs: 3000, TokensIn: 30, TokensOut: 12, Cost: 25e10}
	timed.Durations.Add(1000)
	timed.Durations.Add(2000)
	s := &figuresStore{answers: map[analytics.Grouping][]analytics.Bucket{analytics.GroupCategory: {bucket("llm", timed),
		bucket("tool", analytics.Sums{Count: 4, Errors: 3, Timed: 1, DurationMs: 6000})}}}
	var got struct{ Data json.RawMessage }
	analyst(t, s)("GET", "/analytics/agents/greeter", "").Decode(t, &got)
	require.JSONEq(t, `{"agent_name":"greeter","count":8,"error_count":4,"error_rate":0.5,"avg_duration":3000,"p95_duration":2000,
		"sum_tokens":42,"sum_cost":0.25,"unpriced":0,"by_category":[{"category":"llm","count":4,"error_rate":0.25,"avg_duration":1500},
		{"category":"tool","count":4,"error_rate":0.75,"avg_duration":6000}]}`, string(got.Data))
}
