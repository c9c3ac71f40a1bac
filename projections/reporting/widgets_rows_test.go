package reporting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/voice"
)

// Given sessions of two projects and two accounts, one of a test and one that assists people,
// then a widget counts, filters, orders and bounds those of its own, and of its range.
func TestAnswersOfAWidget(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	for i, s := range []struct {
		id, tenant, project, channel, agent string
		begun                               sessions.Begun
	}{
		{id: "s-1", tenant: "tenantId", project: "projectId", channel: "web", agent: "Ada"},
		{id: "s-2", tenant: "tenantId", project: "projectId", channel: "voice", agent: "Ada"},
		{id: "s-3", tenant: "tenantId", project: "projectId", channel: "voice", agent: "Ben"},
		{id: "s-4", tenant: "tenantId", project: "other", channel: "voice", agent: "Ada"},
		{id: "s-5", tenant: "other", project: "projectId", channel: "voice", agent: "Ada"},
		{id: "s-6", tenant: "tenantId", project: "projectId", channel: "web", agent: "Ada", begun: sessions.Begun{Test: true}},
		{id: "s-7", tenant: "tenantId", project: "projectId", channel: "web", agent: "Ada", begun: sessions.Begun{Assists: "c-1"}},
	} {
		w.Given(voice.SessionsModel, s.id, given.Filled(func(e *sessions.Opened) {
			e.SessionID, e.TenantID, e.ProjectID, e.Channel, e.AgentName, e.At = s.id, s.tenant, s.project, s.channel, s.agent, given.Second(i)
			e.Begun = &s.begun
		}))
	}
	count := []dashboards.Metric{{Function: dashboards.Count}}
	fields := func(names ...string) (out []dashboards.Dimension) {
		for _, name := range names {
			out = append(out, dashboards.Dimension{FieldName: name})
		}
		return out
	}
	type rows = []map[string]any
	for _, c := range []struct {
		name   string
		widget dashboards.Widget
		more   []dashboards.Filter
		from   time.Time
		until  time.Time
		limit  int
		want   rows
	}{
		{name: "a number", widget: dashboards.Widget{Metrics: count}, want: rows{{"count": 3.0}}},
		{name: "by a field, in its order", widget: dashboards.Widget{Dimensions: fields("agentName"), Metrics: count},
			want: rows{{"agentName": "Ada", "count": 2.0}, {"agentName": "Ben", "count": 1.0}}},
		{name: "the least first", widget: dashboards.Widget{Dimensions: fields("agentName"), Metrics: count,
			OrderBy: &dashboards.Order{FieldName: "count"}}, want: rows{{"agentName": "Ben", "count": 1.0}, {"agentName": "Ada", "count": 2.0}}},
		{name: "the last name first", widget: dashboards.Widget{Dimensions: fields("agentName"), Metrics: count,
			OrderBy: &dashboards.Order{FieldName: "agentName", Descending: true}},
			want: rows{{"agentName": "Ben", "count": 1.0}, {"agentName": "Ada", "count": 2.0}}},
		{name: "records, the newest first", widget: dashboards.Widget{Dimensions: fields("sessionId")},
			want: rows{{"sessionId": "s-3"}, {"sessionId": "s-2"}, {"sessionId": "s-1"}}},
		{name: "no more than the limit", widget: dashboards.Widget{Dimensions: fields("sessionId")}, limit: 1, want: rows{{"sessionId": "s-3"}}},
		{name: "its own filter and the caller's", widget: dashboards.Widget{Dimensions: fields("sessionId"),
			Filters: []dashboards.Filter{{FieldName: "agentName", Values: []any{"Ada"}}}},
			more: []dashboards.Filter{{FieldName: "channel", Values: []any{"voice", "email"}}}, want: rows{{"sessionId": "s-2"}}},
		{name: "a channel by the name of its kind", widget: dashboards.Widget{Dimensions: fields("sessionId")},
			more: []dashboards.Filter{{FieldName: "channel", Values: []any{"rtm"}}}, want: rows{{"sessionId": "s-1"}}},
		{name: "a number as a filter", widget: dashboards.Widget{Metrics: count},
			more: []dashboards.Filter{{FieldName: "hour", Values: []any{float64(given.Noon.Hour())}}}, want: rows{{"count": 3.0}}},
		{name: "another hour", widget: dashboards.Widget{Metrics: count},
			more: []dashboards.Filter{{FieldName: "hour", Values: []any{float64(given.Noon.Hour() + 1)}}}, want: rows{{"count": 0.0}}},
		{name: "a moment, as another zone tells it", widget: dashboards.Widget{Dimensions: fields("sessionId")},
			more: []dashboards.Filter{{FieldName: "openedAt", Values: []any{given.Second(1).In(time.FixedZone("", 3600)).Format(time.RFC3339)}}},
			want: rows{{"sessionId": "s-2"}}},
		{name: "a day", widget: dashboards.Widget{Metrics: count},
			more: []dashboards.Filter{{FieldName: "date", Values: []any{given.Noon.Format(time.DateOnly)}}}, want: rows{{"count": 3.0}}},
		{name: "from a moment on", widget: dashboards.Widget{Dimensions: fields("sessionId")}, from: given.Second(2),
			want: rows{{"sessionId": "s-3"}}},
		{name: "before a moment", widget: dashboards.Widget{Dimensions: fields("sessionId")}, until: given.Second(1),
			want: rows{{"sessionId": "s-1"}}},
		{name: "when", widget: dashboards.Widget{Dimensions: fields("date", "openedAt")}, limit: 1,
			want: rows{{"date": given.Noon.Format(time.DateOnly), "openedAt": given.Second(2).UTC().Format("2006-01-02T15:04:05.000Z")}}},
		{name: "what is not known", widget: dashboards.Widget{Dimensions: fields("endedAt", "durationMs")}, limit: 1,
			want: rows{{"endedAt": nil, "durationMs": nil}}},
		{name: "an average of nothing that is known", widget: dashboards.Widget{
			Metrics: []dashboards.Metric{{Function: "avg", FieldName: "durationMs"}}}, want: rows{{"avg_durationMs": nil}}},
		{name: "the worst but one in twenty", widget: dashboards.Widget{
			Metrics: []dashboards.Metric{{Function: dashboards.P95, FieldName: "hour"}}}, want: rows{{"p95_hour": float64(given.Noon.Hour())}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.widget.DataSet = "sessions"
			if c.limit == 0 {
				c.limit = 50
			}
			if c.until.IsZero() {
				c.until = given.Noon.Add(time.Hour)
			}
			if c.from.IsZero() {
				c.from = given.Noon.Add(-time.Hour)
			}
			got, err := reporting.NewDashboards(w.DB).Rows(ctx, reporting.WidgetQuery{Tenant: "tenantId", Project: "projectId", Widget: c.widget,
				From: c.from, Until: c.until, Filters: c.more, Limit: c.limit})
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}

	// A manifest of a newer version is refused, and is no part of a statement.
	for says, widget := range map[string]dashboards.Widget{
		`the data set "x" of widget "W"`:            {Name: "W", DataSet: "x"},
		`widget "W": the field "x" is not known`:    {Name: "W", DataSet: "sessions", Dimensions: fields("x")},
		`widget "W": the function "x" is not known`: {Name: "W", DataSet: "sessions", Metrics: []dashboards.Metric{{Function: "x"}}},
	} {
		_, err := reporting.NewDashboards(w.DB).Rows(ctx, reporting.WidgetQuery{Tenant: "tenantId", Project: "projectId", Widget: widget})
		require.ErrorContains(t, err, says)
	}
}
