//go:build !apache

package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
)

// figuresOf is what anybody works out by hand of so many durations.
type figuresOf struct {
	durations               []int // milliseconds
	sum, avg, min, max, p95 any
}

// byHand is each day's, the first with none; day is how many there are on it.
var byHand = []figuresOf{
	{nil, nil, nil, nil, nil, nil},
	{[]int{30}, 30.0, 30.0, 30.0, 30.0, 30.0},
	{[]int{30, 146}, 176.0, 88.0, 30.0, 146.0, 146.0},
	{[]int{700, 31, 149}, 880.0, 880.0 / 3, 31.0, 700.0, 700.0},
}

// Every figure is right with no, one, two and three values, in widgets and in analytics,
// of calls and of sessions alike.
func TestFiguresOfOneTwoAndThreeCalls(t *testing.T) {
	t.Parallel()
	world := newCallWorld(t, nobodyDials)
	functions := []any{fields{"function": "count"}}
	for _, f := range []string{"sum", "avg", "min", "max", "p95"} {
		functions = append(functions, fields{"function": f, "fieldName": "durationMs"})
	}
	widget := func(id, set string) fields {
		return fields{"id": id, "name": set, "type": "tile", "dataSet": set, "metrics": functions}
	}
	noon := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	for n, want := range byHand {
		on := newTenant(t, world.server, fmt.Sprint("account", n))
		w := &callWorld{server: world.server, cluster: world.cluster, one: on, auth: on.token(t)}
		on.apply(t, "Dashboard", "d-ops", "Operations", fields{"projectId": mainApp,
			"widgets": []any{widget("w-1", "interactions"), widget("w-2", "sessions")}})
		for _, ms := range want.durations {
			w.completed(t, w.answered(t, w.past(t, on, mainApp, noon), noon), calls.ByCallee, noon.Add(time.Duration(ms)*time.Millisecond))
			w.pastChat(t, noon, time.Duration(ms)*time.Millisecond)
		}
		a := newAnalyst(t, w.server, on)
		a.current(t)
		for _, set := range []string{"interactions", "sessions"} {
			var got widgetAnswer
			w.ask(t, "GET", widgetPath(set, "?startDate=2026-11-10&endDate=2026-11-10"), nil).must(t, 200).into(t, &got)
			require.Equal(t, []map[string]any{{"count": float64(n), "sum_durationMs": want.sum, "avg_durationMs": want.avg,
				"min_durationMs": want.min, "max_durationMs": want.max, "p95_durationMs": want.p95}},
				got.QueryResponse.QueryResponse, "the widget of %s with %d", set, n)
		}
		checkAnalytics(t, a, n, want)
	}
}

// checkAnalytics: from sums of hours and from events, by event type and as a report.
func checkAnalytics(t *testing.T, a analyst, n int, want figuresOf) {
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	asked := []string{"count", "avg_duration", "p95_duration", "error_rate"}
	shown := func(of map[string]any, names ...string) (out []any) {
		for _, name := range names {
			require.Contains(t, of, name)
			out = append(out, of[name])
		}
		return out
	}
	for _, eventType := range []string{"call_completed", "session_ended"} {
		for _, groups := range [][]string{{"event_type"}, {"hour", "event_type"}, {"day"}, {"channel", "event_type"}} {
			var got figures
			a.post(t, "/analytics/aggregate", fields{"timeRange": fields{"from": from, "to": to}, "groupBy": groups, "metrics": asked,
				"filters": fields{"eventTypes": []string{eventType}}}).must(t, 200).into(t, &got)
			if n == 0 {
				require.Empty(t, got.Data.Buckets)
				continue
			}
			if len(got.Data.Buckets) > 1 { // an hour, or a day, ended while this wrote
				require.Equal(t, float64(n), countedIn(got.Data.Buckets), "%s by %v with %d", eventType, groups, n)
				continue
			}
			require.Len(t, got.Data.Buckets, 1)
			require.Equal(t, []any{float64(n), want.avg, want.p95, 0.0}, shown(got.Data.Buckets[0], asked...),
				"%s by %v with %d", eventType, groups, n)
		}
	}
	var report struct{ Data map[string]any }
	a.get(t, "/analytics/session-metrics").must(t, 200).into(t, &report)
	perSession := any(0.0)
	if n == 0 {
		perSession = nil
	}
	require.Equal(t, []any{float64(n), float64(n), want.avg, want.p95, 0.0, perSession}, shown(report.Data,
		"total_sessions", "ended_sessions", "avg_duration_ms", "p95_duration_ms", "message_count", "avg_messages_per_session"),
		"sessions with %d", n)
	a.get(t, "/voice-analytics/summary").must(t, 200).into(t, &report)
	require.Equal(t, []any{float64(n), 0.0, want.avg, 0.0},
		shown(report.Data, "total_calls", "total_errors", "avg_call_duration_ms", "total_turns"), "calls with %d", n)
}

func countedIn(buckets []map[string]any) (n float64) {
	for _, b := range buckets {
		n += b["count"].(float64)
	}
	return n
}

// pastChat is a chat of account one that was opened then and lasted so long.
func (w *callWorld) pastChat(t *testing.T, at time.Time, lasted time.Duration) {
	t.Helper()
	id := uuid.NewString()
	stream := sessions.Sessions.Stream(id)
	open := sessions.Open{ID: id, TenantID: w.one.id, ProjectID: mainApp, Channel: "api", At: at}
	executed(t, w.server, w.one.id, sessions.Sessions, stream, open.Decide)
	executed(t, w.server, w.one.id, sessions.Sessions, stream, sessions.End{At: at.Add(lasted)}.Decide)
}
