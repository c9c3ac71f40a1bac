package reporting_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/reporting"
)

// wall has widgets by "tenant/project/dashboard/widget", and notes what they were asked.
type wall struct {
	widgets map[string]dashboards.Widget
	rows    []map[string]any
	asked   []models.WidgetQuery
	down    map[string]error
}

func (x *wall) Widget(_ context.Context, tenant, project, dashboard, widget string) (dashboards.Widget, bool, error) {
	w, ok := x.widgets[tenant+"/"+project+"/"+dashboard+"/"+widget]
	return w, ok, x.down["Widget"]
}

func (x *wall) Rows(_ context.Context, q models.WidgetQuery) ([]map[string]any, error) {
	x.asked = append(x.asked, q)
	return x.rows, x.down["Rows"]
}

var byStatus = dashboards.Widget{ID: "w-1", Name: "By status", Type: dashboards.Bar, DataSet: "interactions",
	Dimensions: []dashboards.Dimension{{FieldName: "status", DisplayName: "Status"}},
	Metrics: []dashboards.Metric{{Function: dashboards.Count, DisplayName: "Calls"}, {FieldName: "durationMs", Function: "avg",
		DisplayName: "Mean"}}, Properties: map[string]any{"colour": "red"}}

func newWall(t *testing.T) (*resttest.Stored, *wall) {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeCustomReports})
	x := &wall{widgets: map[string]dashboards.Widget{"acme/p-1/Operations/By status": byStatus,
		"acme/p-1/Operations/plain": {ID: "w-2", DataSet: "interactions"}, "acme/p-9/Operations/hidden": byStatus,
		"globex/p-1/Operations/hidden": byStatus},
		rows: []map[string]any{}, down: map[string]error{}}
	reporting.DeclareDashboards(w.Api, reporting.DashboardsAPI{Dashboards: x})
	return w, x
}

func widgetOf(name, query string) string {
	return "/api/public/bot/main/dashboard/Operations/widget/" + url.PathEscape(name) + "?" + query
}

const aWeek = "startDate=2026-11-16&endDate=2026-11-22"

func day(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }

func TestAWidgetShowsItsRowsAndWhatTheyAre(t *testing.T) {
	w, x := newWall(t)
	x.rows = []map[string]any{{"status": "COMPLETED", "count": 3, "avg_durationMs": nil}}
	got := w.Ask("GET", widgetOf("By status", aWeek+"&limit=7"), "")
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"_id":"w-1","overlay":[],"name":"By status","type":"bar","row":[],"properties":{"colour":"red"},
		"sqlQuery":{"dataSet":"interactions","select":"status, count(*) AS count, avg(durationMs) AS avg_durationMs",
			"startDate":"2026-11-16","endDate":"2026-11-22","botId":"p-1"},
		"dimensions":[{"fieldName":"status","displayName":"Status","type":"string"}],
		"metrics":[{"fieldName":"count","displayName":"Calls","function":"count","type":"number"},
			{"fieldName":"avg_durationMs","displayName":"Mean","function":"avg","type":"number"}],
		"queryResponse":{"metaData":{"status":"string","count":"number","avg_durationMs":"number"},
			"queryResponse":[{"status":"COMPLETED","count":3,"avg_durationMs":null}]}}`, got.Text)
	week := models.WidgetQuery{Tenant: "acme", Project: "p-1", Widget: byStatus, From: day(16), Until: day(23), Limit: 7}
	require.Equal(t, []models.WidgetQuery{week}, x.asked, "the last day is within")

	got = w.Ask("GET", widgetOf("plain", "startDate=2026-11-22&endDate=2026-11-22"), "")
	require.Equal(t, http.StatusOK, got.Status, "one day: %s", got.Text)
	require.Contains(t, got.Text, `"properties":{}`)
	require.Contains(t, got.Text, `"dimensions":[],"metrics":[]`)
	require.Equal(t, 50, x.asked[1].Limit)
	got = w.Ask("GET", widgetOf("plain", "startDate=0001-01-01&endDate=2026-11-22"), "")
	require.Equal(t, http.StatusOK, got.Status, "all that ever was: %s", got.Text)
}

func TestAWidgetTakesMoreFilters(t *testing.T) {
	w, x := newWall(t)
	got := w.Ask("POST", widgetOf("By status", aWeek),
		`{"customFilters":[{"filterSource":"interactions","fieldName":"status","values":["COMPLETED","FAILED"]}]}`)
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.Equal(t, []dashboards.Filter{{FieldName: "status", Values: []any{"COMPLETED", "FAILED"}}}, x.asked[0].Filters)
	for body, fields := range map[string][]string{
		`{"customFilters":[{"filterSource":"sessions","fieldName":"status","values":["x"]}]}`:     {"customFilters[0].filterSource"},
		`{"customFilters":[{"filterSource":"interactions","fieldName":"colour","values":["x"]}]}`: {"customFilters[0].fieldName"},
		`{"customFilters":[{"filterSource":"interactions","fieldName":"status","values":["x"]},
			{"filterSource":"interactions","fieldName":"status","values":[1]}]}`: {"customFilters[1].values[0]"},
		`{"customFilters":[{"filterSource":"interactions","fieldName":"status","values":[]}]}`: {"customFilters[0].values"},
	} {
		w.Refused(w.Ask("POST", widgetOf("By status", aWeek), body), http.StatusBadRequest, fields...)
	}
	require.Len(t, x.asked, 1, "nothing is read for what is refused")
}

func TestWhatAWidgetIsRefused(t *testing.T) {
	w, x := newWall(t)
	for query, fields := range map[string][]string{
		"startDate=2026-11-23&endDate=2026-11-22": {"endDate"}, "startDate=today&endDate=2026-11-22": {"startDate"},
		"startDate=2026-11-16&endDate=22.11.2026": {"endDate"}, "startDate=x&endDate=y": {"endDate", "startDate"},
		"startDate=0000-01-01&endDate=2026-11-22": {"startDate"}, aWeek + "&limit=51": {"limit"}, aWeek + "&limit=0": {"limit"},
		"endDate=2026-11-22": {"startDate"},
	} {
		w.Refused(w.Ask("GET", widgetOf("By status", query), ""), http.StatusBadRequest, fields...)
	}
	for _, name := range []string{"hidden", "By status ", " By status", "by status", "none"} {
		w.Refused(w.Ask("GET", widgetOf(name, aWeek), ""), http.StatusNotFound)
		w.Refused(w.Ask("POST", widgetOf(name, aWeek), `{}`), http.StatusNotFound)
	}
	require.Empty(t, x.asked)
	for _, away := range []string{"Widget", "Rows"} {
		x.down = map[string]error{away: fault.New(fault.Unavailable, "the read models catch up")}
		w.Refused(w.Ask("GET", widgetOf("By status", aWeek), ""), http.StatusServiceUnavailable)
	}
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeRouting})
	w.Refused(w.Ask("GET", widgetOf("By status", aWeek), ""), http.StatusForbidden)
}
