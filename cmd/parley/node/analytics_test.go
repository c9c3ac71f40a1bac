//go:build !apache

package node_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/analytics"
)

func TestAnalyticsShowWhatHappened(t *testing.T) {
	t.Parallel()
	c := shared(t)
	a := called(t, c)

	t.Run("metrics by category hold every category that there was", func(t *testing.T) {
		got := map[string]map[string]any{}
		for _, b := range a.figures(t, "/analytics/metrics").Data.Buckets {
			got[b["category"].(string)] = b
			require.Len(t, b, 3, "the default metrics: %v", b)
		}
		require.EqualValues(t, 2, got["session"]["count"])
		require.EqualValues(t, 1, got["message"]["count"])
		require.NotZero(t, got["audit"]["count"])
		require.NotZero(t, got["voice"]["count"])
		require.InDelta(t, 1/got["voice"]["count"].(float64), got["voice"]["error_rate"], 1e-9)
	})
	t.Run("an event has the fields of the spec, and what its stream said before", func(t *testing.T) {
		for _, e := range a.figures(t, "/analytics/events?eventTypes=call_completed").Data.Events {
			require.Equal(t, "voice", e["category"])
			require.Equal(t, "greeter", e["agent_name"])
			require.NotEmpty(t, e["session_id"])
			require.NotZero(t, e["duration_ms"])
			require.Nil(t, e["error"])
			require.Equal(t, "caller", e["metadata"].(map[string]any)["by"])
			require.Len(t, e, 9)
			at, err := time.Parse(time.RFC3339, e["timestamp"].(string))
			require.NoError(t, err)
			require.WithinDuration(t, time.Now(), at, 2*patience)
		}
	})
	t.Run("errors", func(t *testing.T) {
		f := a.figures(t, "/analytics/events?hasError=true")
		require.Equal(t, 1, f.Data.Total)
		require.Equal(t, "call_failed", f.Data.Events[0]["event_type"])
		require.Contains(t, f.Data.Events[0]["error"], "603")
	})
	t.Run("one session", func(t *testing.T) {
		session := a.figures(t, "/analytics/events?eventTypes=session_opened").Data.Events[0]["session_id"].(string)
		f := a.figures(t, "/analytics/events?sessionId="+session)
		types := map[string]int{}
		for _, e := range f.Data.Events {
			types[e["event_type"].(string)]++
		}
		require.Equal(t, map[string]int{"session_opened": 1, "session_ended": 1, "call_answered": 1, "call_said": 1, "call_completed": 1}, types)
	})
	t.Run("pages", func(t *testing.T) {
		total := a.figures(t, "/analytics/events").Data.Total
		seen := map[string]bool{}
		for offset := 0; offset < total; offset += 3 {
			f := a.figures(t, fmt.Sprintf("/analytics/events?limit=3&offset=%d", offset))
			require.Equal(t, offset+3 < total, f.Data.HasMore, "at %d of %d", offset, total)
			require.Equal(t, total, f.Data.Total)
			for _, e := range f.Data.Events {
				seen[e["id"].(string)] = true
			}
		}
		require.Len(t, seen, total)
		past := a.figures(t, fmt.Sprintf("/analytics/events?offset=%d", total))
		require.Empty(t, past.Data.Events)
		require.False(t, past.Data.HasMore)
		edge := a.figures(t, fmt.Sprintf("/analytics/events?limit=%d", total))
		require.Len(t, edge.Data.Events, total)
		require.False(t, edge.Data.HasMore)
	})
	t.Run("the same by a query in the body", func(t *testing.T) {
		now := time.Now().UTC()
		body := fields{"timeRange": fields{"from": now.Add(-time.Hour), "to": now.Add(time.Hour)}, "eventTypes": []string{"call_failed",
			"call_completed"}, "category": "voice", "limit": 1}
		var f figures
		a.post(t, "/analytics/query", body).must(t, 200).into(t, &f)
		require.Equal(t, 2, f.Data.Total)
		require.Len(t, f.Data.Events, 1)
		require.True(t, f.Data.HasMore)
		a.post(t, "/analytics/query", body.and(fields{"hasError": true, "agentName": "greeter"})).must(t, 200).into(t, &f)
		require.Equal(t, 1, f.Data.Total)
	})
	t.Run("aggregate over two dimensions", func(t *testing.T) {
		now := time.Now().UTC()
		body := fields{"timeRange": fields{"from": now.Add(-time.Hour), "to": now.Add(time.Hour)}, "groupBy": []string{"channel", "agent_name",
			"day"},
			"metrics": []string{"count", "avg_duration", "p95_duration", "error_rate", "sum_tokens", "sum_cost"},
			"filters": fields{"eventTypes": []string{"call_completed"}}}
		var f figures
		a.post(t, "/analytics/aggregate", body).must(t, 200).into(t, &f)
		require.Len(t, f.Data.Buckets, 1)
		b := f.Data.Buckets[0]
		require.Len(t, b, 10, "with what sum_cost leaves out")
		require.Equal(t, "voice", b["channel"])
		require.Equal(t, "greeter", b["agent_name"])
		require.EqualValues(t, 1, b["count"])
		require.Equal(t, b["avg_duration"], b["p95_duration"], "of one call")
		require.Zero(t, b["sum_tokens"])
	})
	t.Run("by hour and by day", func(t *testing.T) {
		hours := a.figures(t, "/analytics/metrics?groupBy=hour,day&metrics=count").Data.Buckets
		require.NotEmpty(t, hours)
		count := 0.0
		for _, b := range hours {
			at, err := time.Parse(time.RFC3339, b["hour"].(string))
			require.NoError(t, err)
			require.Equal(t, at.Truncate(time.Hour), at)
			require.Equal(t, at.Truncate(24*time.Hour).Format("2006-01-02T15:04:05.000Z"), b["day"])
			count += b["count"].(float64)
		}
		require.EqualValues(t, a.figures(t, "/analytics/events").Data.Total, count)
	})
	t.Run("an agent, costs, sessions", func(t *testing.T) {
		var got struct{ Data map[string]any }
		a.get(t, "/analytics/agents/greeter").must(t, 200).into(t, &got)
		require.Equal(t, "greeter", got.Data["agent_name"])
		require.NotZero(t, got.Data["count"])
		require.EqualValues(t, 1, got.Data["error_count"])
		require.NotEmpty(t, got.Data["by_category"])
		a.get(t, "/analytics/agents/nobody").must(t, 200).into(t, &got)
		require.EqualValues(t, 0, got.Data["count"])
		require.Empty(t, got.Data["by_category"])
		a.get(t, "/analytics/cost-breakdown").must(t, 200).into(t, &got)
		require.EqualValues(t, 0, got.Data["sum_cost"])
		require.Empty(t, got.Data["by_model"])
		a.get(t, "/analytics/session-metrics").must(t, 200).into(t, &got)
		require.EqualValues(t, 1, got.Data["total_sessions"])
		require.EqualValues(t, 1, got.Data["ended_sessions"])
		require.EqualValues(t, 1, got.Data["avg_messages_per_session"])
		require.NotNil(t, got.Data["avg_duration_ms"])
	})
}

func TestVoiceAnalytics(t *testing.T) {
	t.Parallel()
	c := shared(t)
	a := called(t, c)
	unknown := []string{"avg_inbound_mos", "avg_outbound_mos", "avg_inbound_jitter_ms", "avg_outbound_jitter_ms", "avg_e2e_latency_ms",
		"avg_barge_in_rate", "avg_dtmf_fallback_rate",
		"avg_asr_score", "avg_tts_proxy_mos", "avg_silence_percent", "total_barge_in_count", "total_dtmf_turn_count"}
	var hourly struct{ Data []map[string]any }
	a.get(t, "/voice-analytics/hourly").must(t, 200).into(t, &hourly)
	calls, errs, turns := 0.0, 0.0, 0.0
	for _, h := range hourly.Data {
		calls, errs, turns = calls+h["session_count"].(float64), errs+h["error_count"].(float64), turns+h["total_turns"].(float64)
		require.Len(t, h, 5+len(unknown))
		for _, name := range unknown {
			value, there := h[name]
			require.True(t, there, name)
			require.Nil(t, value, "%s is null until there is media, never zero", name)
		}
	}
	require.Equal(t, []float64{2, 1, 1}, []float64{calls, errs, turns})

	var summary struct{ Data map[string]any }
	a.get(t, "/voice-analytics/summary?hours=8760").must(t, 200).into(t, &summary)
	d := summary.Data
	require.EqualValues(t, 2, d["total_calls"])
	require.EqualValues(t, 1, d["total_errors"])
	require.EqualValues(t, 1, d["total_turns"])
	require.NotZero(t, d["avg_call_duration_ms"])
	for _, name := range []string{"overall_avg_inbound_mos", "overall_avg_outbound_mos", "overall_avg_latency_ms", "overall_barge_in_rate",
		"overall_dtmf_fallback_rate", "overall_asr_score", "total_barge_in_count", "total_dtmf_turn_count"} {
		value, there := d[name]
		require.True(t, there, name)
		require.Nil(t, value, name)
	}
	require.Len(t, d, 12)
	for _, hours := range []string{"0", "8761", "x"} {
		a.get(t, "/voice-analytics/hourly?hours="+hours).refused(t, 400, "VALIDATION_ERROR", "hours")
		a.get(t, "/voice-analytics/summary?hours="+hours).refused(t, 400, "VALIDATION_ERROR", "hours")
	}
}

func TestAnalyticsRefusals(t *testing.T) {
	t.Parallel()
	c := shared(t)
	a := newAnalyst(t, c.a, c.tenant(t, ""))
	for path, field := range map[string]string{
		"/analytics/metrics?from=yesterday":                                   "from",
		"/analytics/metrics?to=2026-13-01":                                    "to",
		"/analytics/metrics?from=2026-11-02&to=2026-11-01":                    "from",
		"/analytics/metrics?groupBy=colour":                                   "groupBy",
		"/analytics/metrics?metrics=count,happiness":                          "metrics",
		"/analytics/metrics?category=nonsense":                                "category",
		"/analytics/metrics?from=2020-01-01&groupBy=agent_name,channel":       "from",
		"/analytics/events?limit=0":                                           "limit",
		"/analytics/events?limit=10001":                                       "limit",
		"/analytics/events?offset=-1":                                         "offset",
		"/analytics/events?hasError=maybe":                                    "hasError",
		"/analytics/agents/x?from=2026-11-02&to=2026-11-01":                   "from",
		"/analytics/cost-breakdown?to=never":                                  "to",
		"/analytics/session-metrics?from=2026-11-02T00:00:00%2B25:00":         "from",
		"/analytics/events?from=2026-11-22T00:00:00Z&to=2026-11-21T23:59:59Z": "from",
	} {
		a.get(t, path).refused(t, 400, "VALIDATION_ERROR", field)
	}
	day := fields{"from": "2026-11-01", "to": "2026-11-02"}
	for _, bad := range []struct {
		path, field string
		body        fields
	}{
		{"/analytics/query", "timeRange", fields{}},
		{"/analytics/query", "timeRange.from", fields{"timeRange": fields{"from": "2026-11-03", "to": "2026-11-02"}}},
		{"/analytics/query", "timeRange.from", fields{"timeRange": fields{"from": "", "to": "2026-11-02"}}},
		{"/analytics/aggregate", "timeRange.to", fields{"timeRange": fields{"from": "2026-11-02", "to": ""}, "groupBy": []string{"day"},
			"metrics": []string{"count"}}},
		{"/analytics/query", "limit", fields{"timeRange": day, "limit": 10001}},
		{"/analytics/aggregate", "groupBy", fields{"timeRange": day, "metrics": []string{"count"}}},
		{"/analytics/aggregate", "metrics", fields{"timeRange": day, "groupBy": []string{"day"}}},
		{"/analytics/aggregate", "groupBy[0]", fields{"timeRange": day, "groupBy": []string{"colour"}, "metrics": []string{"count"}}},
		{"/analytics/aggregate", "metrics[0]", fields{"timeRange": day, "groupBy": []string{"day"}, "metrics": []string{"happiness"}}},
		{"/analytics/aggregate", "timeRange", fields{"timeRange": fields{"from": "2026-01-01", "to": "2026-11-02"}, "groupBy": []string{"channel",
			"agent_name"}, "metrics": []string{"count"}}},
	} {
		a.post(t, bad.path, bad.body).refused(t, 400, "VALIDATION_ERROR", bad.field)
	}
	a.get(t, "/analytics/events?limit=10000").must(t, 200)
	a.get(t, "/analytics/events?limit=1").must(t, 200)

	other := c.tenant(t, "")
	c.a.do(t, "GET", "/api/projects/nothing/analytics/metrics", nil, "auth", a.auth).refused(t, 404, "NOT_FOUND")
	other.apply(t, "Project", "theirs", "Theirs", nil)
	c.a.do(t, "GET", "/api/projects/theirs/analytics/metrics", nil, "auth", a.auth).refused(t, 404, "NOT_FOUND")
	secret := a.key(t, otherScope)
	c.a.do(t, "GET", a.path("/analytics/metrics"), nil, "x-api-key", secret).refused(t, 404, "NOT_FOUND")
	c.a.do(t, "GET", a.path("/analytics/metrics"), nil, "x-api-key", a.key(t, mainScope)).must(t, 200)
	poor := a.token(t, func(g *tokens.Grant) { g.Permissions = []access.Permission{access.PermAuditRead} })
	c.a.do(t, "GET", a.path("/analytics/metrics"), nil, "auth", poor).refused(t, 403, "FORBIDDEN")
}

// The range is [from, to), in whatever zone it is said.
func TestAnalyticsRanges(t *testing.T) {
	t.Parallel()
	c := shared(t)
	a := newAnalyst(t, c.b, c.tenant(t, ""))
	a.current(t)
	all := a.figures(t, "/analytics/events?limit=10000").Data.Events
	require.NotEmpty(t, all)
	oldest, err := time.Parse(time.RFC3339, all[len(all)-1]["timestamp"].(string))
	require.NoError(t, err)
	zone := time.FixedZone("", 5*3600+1800)
	for _, from := range []string{oldest.Format(time.RFC3339Nano), oldest.In(zone).Format(time.RFC3339Nano),
		oldest.UTC().Format("2006-01-02T15:04:05.999")} {
		for _, escaped := range []string{url.QueryEscape(from), from} { // a plus sign that nobody escaped
			f := a.figures(t, "/analytics/events?from="+escaped+"&limit=10000")
			require.Equal(t, len(all), f.Data.Total, from)
		}
	}
	require.Zero(t, a.figures(t, "/analytics/events?to="+oldest.UTC().Format("2006-01-02T15:04:05.000Z")).Data.Total, "to is exclusive")
	empty := a.figures(t, "/analytics/metrics?from=2020-01-01&to=2020-01-01")
	require.NotNil(t, empty.Data.Buckets)
	require.Empty(t, empty.Data.Buckets)
	require.Empty(t, a.figures(t, "/analytics/metrics?from=2020-01-01&to=2020-02-01&groupBy=hour").Data.Buckets)
	older := a.figures(t, "/analytics/events?from=2000-01-01").Data.Total
	require.Equal(t, len(all), older, "the default is the last 24 hours, and this tenant is younger")
}

// Two nodes, of which any may write, have written what a rebuild from the log writes;
// and queries go on while a rebuild takes the place of the tables.
func TestAnalyticsAreWhatALogGives(t *testing.T) {
	t.Parallel()
	c := shared(t)
	a := called(t, c)
	var read, of int64
	master, err := vault.Open(c.keyset)
	require.NoError(t, err)
	keys, err := keyring.ReadCopy(t.Context(), c.a.Log().Keys(), master)
	require.NoError(t, err)
	cfg := analytics.RebuildConfig{Database: c.pool(t), Log: c.a.Log(), Categories: catalog.Categories(), Keys: keys, Check: true,
		Progress: func(r, o int64) { read, of = r, o }}
	report, err := analytics.Rebuild(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, of, read, "at the end all records are read")
	require.Greater(t, read, report.Events, "not every record is an event that is shown")
	require.Empty(t, report.Differences)
	require.NotZero(t, report.Events)

	_, err = cfg.Database.Exec(t.Context(), `DELETE FROM analytics_events WHERE tenant = $1 AND event_type = 'call_failed'`, a.id)
	require.NoError(t, err)
	report, err = analytics.Rebuild(t.Context(), cfg)
	require.NoError(t, err)
	require.Len(t, report.Differences, 1)
	require.Contains(t, report.Differences[0], "analytics_events: 1 rows of the log are missing")

	cfg.Check = false
	stop, asked := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			got, err := a.try("GET", a.path("/analytics/metrics?groupBy=hour&metrics=count,p95_duration"), nil, "auth", a.auth)
			if err == nil && got.Status != 200 {
				err = fmt.Errorf("%d %s", got.Status, got.Text)
			}
			select {
			case <-stop:
				asked <- err
				return
			default:
			}
			if err != nil {
				asked <- err
				return
			}
		}
	}()
	_, err = analytics.Rebuild(t.Context(), cfg)
	close(stop)
	require.NoError(t, err)
	require.NoError(t, <-asked)
	require.Equal(t, 1, a.figures(t, "/analytics/events?eventTypes=call_failed&limit=1").Data.Total)
	a.apply(t, "Trunk", "", "another", fields{"provider": "local"})
	a.current(t)
	require.Equal(t, 2, a.figures(t, "/analytics/events?eventTypes=trunks_defined").Data.Total, "the writer goes on where the rebuild stopped")
}

// A node that is started again goes on where it was; one on an empty database begins
// anew, and one that finds an older version builds it anew.
func TestAnalyticsAfterARestart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	s := c.start(t, func(cfg *node.Config) { cfg.Roles = []node.Role{node.RoleAPI, node.RoleProjector} })
	w := newTenant(t, s, "one")
	a := newAnalyst(t, s, w)
	a.current(t)
	before := a.figures(t, "/analytics/events").Data.Total
	require.NotZero(t, before)
	s.restart(t)
	a.current(t)
	require.Equal(t, before, a.figures(t, "/analytics/events").Data.Total)
	s.stop()
	pool := c.pool(t)
	_, err := pool.Exec(t.Context(),
		`UPDATE projections SET version = 0 WHERE name = 'analytics'; UPDATE analytics_hours SET n = 77; UPDATE analytics_events
			SET category = 'flow'`)
	require.NoError(t, err)
	s.up(t)
	until(t, "the rebuild", func() bool { return len(a.figures(t, "/analytics/metrics?category=flow").Data.Buckets) == 0 })
	a.current(t)
	require.Equal(t, before, a.figures(t, "/analytics/events").Data.Total)
	s.stop()
	_, err = pool.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
	require.NoError(t, err)
	s.up(t)
	a.current(t)
	require.Equal(t, before, a.figures(t, "/analytics/events").Data.Total)
}
