//go:build !apache

package node_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// today is a range that holds what a test does, also around midnight.
func today() string {
	now := time.Now().UTC()
	return "?startDate=" + now.AddDate(0, 0, -1).Format(time.DateOnly) + "&endDate=" + now.AddDate(0, 0, 1).Format(time.DateOnly)
}

func newDashboardTenant(t *testing.T) dashboardTenant {
	t.Helper()
	w := dashboardTenant{shared(t).tenant(t, "")}
	for _, callee := range []string{"0001", "0001", "0005"} {
		var p placed
		w.on.do(t, "POST", dialOutPath, aCall().and(fields{"target": "tel:+1555000" + callee}), "auth", w.token(t)).must(t, 200).into(t, &p)
		until(t, "the end of the call", func() bool {
			loaded, err := eventstore.Read(t.Context(), w.on.Store(), calls.Calls, calls.Calls.Stream(p.CallID))
			return err == nil && loaded.State.Ended()
		})
	}
	until(t, "the end of the sessions of those that were answered", func() bool {
		var page struct{ Total int }
		w.on.do(t, "GET", sessionsPath+"?status=ended", nil, "auth", w.token(t)).must(t, 200).into(t, &page)
		return page.Total == 2
	})
	w.apply(t, "Dashboard", "d-ops", "Operations", fields{"projectId": mainApp, "widgets": []any{
		fields{"id": "w-1", "name": "Calls by status", "type": "bar", "dataSet": "interactions", "properties": fields{"color": "blue"},
			"dimensions": []any{fields{"fieldName": "status", "displayName": "Status"}},
			"metrics":    []any{fields{"function": "count", "displayName": "Calls"}, fields{"function": "max", "fieldName": "durationMs"}},
			"orderBy":    fields{"fieldName": "count", "descending": true}},
		fields{"id": "w-2", "name": "Newest calls", "type": "table", "dataSet": "interactions",
			"dimensions": []any{fields{"fieldName": "conversationId"}, fields{"fieldName": "requestedAt"}, fields{"fieldName": "durationMs"},
				fields{"fieldName": "date"}},
			"filters": []any{fields{"fieldName": "channel", "values": []any{"voice"}}}},
	}})
	return w
}

func TestAWidgetOfFiguresOverWhatHappened(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	a := w.widget(t, "GET", "Calls by status", today(), nil)
	require.Equal(t, "w-1", a.ID)
	require.Equal(t, "Calls by status", a.Name)
	require.Equal(t, "bar", a.Type)
	require.Equal(t, []any{}, a.Overlay)
	require.Equal(t, []any{}, a.Row)
	require.Equal(t, map[string]any{"color": "blue"}, a.Properties)
	require.Equal(t, []map[string]any{{"fieldName": "status", "displayName": "Status", "type": "string"}}, a.Dimensions)
	require.Equal(t, []map[string]any{{"fieldName": "count", "displayName": "Calls", "function": "count", "type": "number"},
		{"fieldName": "max_durationMs", "displayName": "max_durationMs", "function": "max", "type": "number"}}, a.Metrics)
	require.Equal(t, "interactions", a.SQLQuery["dataSet"])
	require.Equal(t, mainApp, a.SQLQuery["botId"])
	require.Equal(t, "status, count(*) AS count, max(durationMs) AS max_durationMs", a.SQLQuery["select"])
	require.Equal(t, map[string]string{"status": "string", "count": "number", "max_durationMs": "number"}, a.QueryResponse.MetaData)
	rows := a.QueryResponse.QueryResponse
	require.Len(t, rows, 2)
	require.Equal(t, "completed", rows[0]["status"])
	require.Equal(t, 2.0, rows[0]["count"])
	require.NotNil(t, rows[0]["max_durationMs"])
	require.Equal(t, map[string]any{"status": "failed", "count": 1.0, "max_durationMs": nil}, rows[1])
}

func TestAWidgetOfRecordsListsTheNewestFirst(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	a := w.widget(t, "GET", "Newest calls", today(), nil)
	require.Len(t, a.QueryResponse.QueryResponse, 3)
	require.Equal(t, map[string]string{"conversationId": "string", "requestedAt": "timestamp", "durationMs": "number", "date": "date"},
		a.QueryResponse.MetaData)
	newest, oldest := a.QueryResponse.QueryResponse[0], a.QueryResponse.QueryResponse[2]
	require.Greater(t, newest["requestedAt"], oldest["requestedAt"])
	require.Regexp(t, isoForm, newest["requestedAt"])
	require.Equal(t, newest["requestedAt"].(string)[:10], newest["date"])
	require.Len(t, w.widget(t, "GET", "Newest calls", today()+"&limit=2", nil).QueryResponse.QueryResponse, 2)
	require.Equal(t, []map[string]any{}, w.widget(t, "GET", "Newest calls", "?startDate=2020-01-01&endDate=2020-01-01",
		nil).QueryResponse.QueryResponse)
}

func TestCustomFiltersNarrowAWidget(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	count := func(filters ...any) int {
		return len(w.widget(t, "POST", "Newest calls", today(), map[string]any{"customFilters": filters}).QueryResponse.QueryResponse)
	}
	filter := func(field string, values ...any) any {
		return map[string]any{"filterSource": "interactions", "fieldName": field, "values": values}
	}
	require.Equal(t, 3, count())
	require.Equal(t, 1, count(filter("status", "failed")))
	require.Equal(t, 3, count(filter("channel", "voice")))
	require.Equal(t, 3, count(filter("channel", "Voice")))
	require.Equal(t, 0, count(filter("channel", "rtm", "fax")))
	require.Equal(t, 3, count(filter("status", "failed", "completed")))
	require.Equal(t, 0, count(filter("status", "failed"), filter("status", "completed")))
	require.Equal(t, 0, count(filter("durationMs", -1)))
	require.Equal(t, 0, count(filter("status", "failed' OR '1'='1")), "it is a value, not SQL")
	require.Equal(t, 0, count(filter("userId", `'; DROP TABLE interactions; --`)))
	require.Equal(t, 3, count(), "and nothing was dropped")

	most := append(slices.Repeat([]any{strings.Repeat("x", dashboards.MaxValue)}, dashboards.MaxValues-1), "failed")
	require.Equal(t, 1, count(filter("status", most...)), "as many values as there may be, and as long ones")
	require.Equal(t, 1, count(slices.Repeat([]any{filter("status", "failed")}, 20)...), "as many filters as there may be")
}

// Every field of every data set is a dimension, a filter and an order; every field of
// numbers gives every figure.
func TestAllThatAWidgetCanBeMadeOf(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	for _, name := range dashboards.DataSets() {
		set, _ := dashboards.DataSetNamed(name)
		dimensions, metrics := []any{}, []any{fields{"function": "count"}}
		for _, field := range set.Fields() {
			dimensions = append(dimensions, fields{"fieldName": field})
			if set[field] == dashboards.Number {
				for _, f := range dashboards.Functions()[1:] {
					metrics = append(metrics, fields{"function": f, "fieldName": field})
				}
			}
		}
		w.apply(t, "Dashboard", "d-"+name, name, fields{"projectId": mainApp, "widgets": []any{
			fields{"id": "w-1", "name": "records", "type": "table", "dataSet": name, "dimensions": dimensions,
				"orderBy": fields{"fieldName": "hour"}},
			fields{"id": "w-2", "name": "groups", "type": "bar", "dataSet": name, "dimensions": dimensions, "metrics": metrics,
				"orderBy": fields{"fieldName": "p95_hour", "descending": true}},
			fields{"id": "w-3", "name": "all", "type": "tile", "dataSet": name, "metrics": metrics},
		}})
		ask := func(method, widget string, body any) []map[string]any {
			var a widgetAnswer
			w.on.do(t, method, widgetOf(name, widget, today()), body, "auth", w.token(t)).must(t, 200).into(t, &a)
			for _, row := range a.QueryResponse.QueryResponse {
				require.Len(t, row, len(a.QueryResponse.MetaData), "%s of %s", widget, name)
			}
			return a.QueryResponse.QueryResponse
		}
		ask("GET", "groups", nil)
		require.Len(t, ask("GET", "all", nil), 1, name)
		for _, record := range ask("GET", "records", nil) {
			for field, value := range record {
				if value != nil {
					filter := fields{"customFilters": []any{fields{"filterSource": name, "fieldName": field, "values": []any{value}}}}
					require.Contains(t, ask("POST", "records", filter), record, "%s of %s: what a row shows finds it", field, name)
				}
			}
		}
	}
}

func TestDaysOfAWidgetAreInclusiveAndThoseOfUTC(t *testing.T) {
	t.Parallel()
	w := newVoicemailWorld(t, shared(t)).tenant
	for _, at := range []string{"2026-11-09T23:59:59.999Z", "2026-11-10T00:00:00Z", "2026-11-11T23:59:59.999Z", "2026-11-12T00:00:00Z"} {
		opened, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		id := uuid.NewString()
		open := sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: "api", At: opened}
		executed(t, w.on, w.id, sessions.Sessions, sessions.Sessions.Stream(id), open.Decide)
	}
	w.apply(t, "Dashboard", "d-ops", "Operations", fields{"projectId": mainApp, "widgets": []any{
		fields{"id": "w-1", "name": "Sessions", "type": "table", "dataSet": "sessions", "dimensions": []any{fields{"fieldName": "openedAt"}}}}})
	for query, want := range map[string][]any{
		"?startDate=2026-11-10&endDate=2026-11-11": {"2026-11-11T23:59:59.999Z", "2026-11-10T00:00:00.000Z"},
		"?startDate=2026-11-10&endDate=2026-11-10": {"2026-11-10T00:00:00.000Z"},
		"?startDate=2026-11-12&endDate=2026-11-12": {"2026-11-12T00:00:00.000Z"},
	} {
		var a widgetAnswer
		w.on.do(t, "GET", widgetPath("Sessions", query+"&limit=50"), nil, "auth", w.token(t)).must(t, 200).into(t, &a)
		var got []any
		for _, row := range a.QueryResponse.QueryResponse {
			got = append(got, row["openedAt"])
		}
		require.Equal(t, want, got, query)
	}
}

// Either scope opens widgets: that of App Builder, and that of the Admin Console.
func TestScopesOfWidgets(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	for _, scope := range []access.ClientScope{"Custom Reports", "Custom Reports > Custom Reports"} {
		token := w.token(t, func(g *tokens.Grant) { g.Scopes, g.Permissions = []access.ClientScope{scope}, nil })
		w.on.do(t, "GET", widgetPath("Newest calls", today()+"&limit=50"), nil, "auth", token).must(t, 200)
	}
}

func TestWidgetsAreRefused(t *testing.T) {
	t.Parallel()
	w := newDashboardTenant(t)
	token := w.token(t)
	filters := func(f ...any) any { return map[string]any{"customFilters": f} }
	good := map[string]any{"filterSource": "interactions", "fieldName": "status", "values": []any{"failed"}}
	with := func(member string, value any) any {
		bad := map[string]any{}
		for k, v := range good {
			bad[k] = v
		}
		bad[member] = value
		return filters(bad)
	}
	many := slices.Repeat([]any{"x"}, dashboards.MaxValues+1)
	for name, c := range map[string]struct {
		method, widget, query string
		body                  any
		status                int
		field                 string
	}{
		"no startDate":             {"GET", "Newest calls", "?endDate=2026-01-01", nil, 400, "startDate"},
		"no endDate":               {"GET", "Newest calls", "?startDate=2026-01-01", nil, 400, "endDate"},
		"a date that is none":      {"GET", "Newest calls", "?startDate=2026-02-30&endDate=2026-03-01", nil, 400, "startDate"},
		"a time":                   {"GET", "Newest calls", "?startDate=2026-02-01T00:00:00Z&endDate=2026-03-01", nil, 400, "startDate"},
		"backwards":                {"GET", "Newest calls", "?startDate=2026-02-02&endDate=2026-02-01", nil, 400, "endDate"},
		"limit past 50":            {"GET", "Newest calls", today() + "&limit=51", nil, 400, "limit"},
		"limit of nothing":         {"GET", "Newest calls", today() + "&limit=0", nil, 400, "limit"},
		"unknown widget":           {"GET", "Other", today(), nil, 404, ""},
		"widget with SQL":          {"GET", "' OR 1=1 --", today(), nil, 404, ""},
		"unknown filterSource":     {"POST", "Newest calls", today(), with("filterSource", "pg_authid"), 400, "customFilters[0].filterSource"},
		"unknown fieldName":        {"POST", "Newest calls", today(), with("fieldName", "status) OR (1=1"), 400, "customFilters[0].fieldName"},
		"no values":                {"POST", "Newest calls", today(), with("values", []any{}), 400, "customFilters[0].values"},
		"too many filters":         {"POST", "Newest calls", today(), filters(slices.Repeat([]any{good}, 21)...), 400, "customFilters"},
		"too many values":          {"POST", "Newest calls", today(), with("values", many), 400, "customFilters[0].values"},
		"a value of another type":  {"POST", "Newest calls", today(), with("values", []any{map[string]any{}}), 400, "customFilters[0].values[0]"},
		"a value with a null byte": {"POST", "Newest calls", today(), with("values", []any{"a\x00"}), 400, "customFilters[0].values[0]"},
		"a value that is too long": {"POST", "Newest calls", today(), with("values", []any{strings.Repeat("x", 1001)}), 400,
			"customFilters[0].values[0]"},
	} {
		got := w.on.do(t, c.method, widgetPath(c.widget, c.query), c.body, "auth", token)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Text)
		require.Contains(t, got.Text, c.field, name)
	}
	w.on.do(t, "GET", widgetOf("Other", "Newest calls", today()), nil, "auth", token).refused(t, 404, fault.NotFound) // unknown dashboardName
	for name, c := range map[string]struct {
		header []string
		status int
		code   fault.Code
	}{
		"nobody":     {nil, 401, fault.Unauthorized},
		"an API key": {[]string{"x-api-key", w.key(t, mainScope)}, 401, fault.Unauthorized},
		"without the scope": {[]string{"auth", w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeRouting} })}, 403,
			fault.Forbidden},
		"another tenant": {[]string{"auth", shared(t).tenant(t, "").token(t)}, 404, fault.NotFound},
	} {
		got := w.on.do(t, "GET", widgetPath("Newest calls", today()), nil, c.header...)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Text)
		require.Contains(t, got.Text, string(c.code), name)
	}
}
