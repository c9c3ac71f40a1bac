package dashboards_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var operations = dashboards.DashboardDefined{TenantID: "acct", ProjectID: "shop", Dashboard: dashboards.Dashboard{ID: "d-1",
	Name: "Operations", Widgets: []dashboards.Widget{{
		ID: "w-1", Name: "Calls by status", Type: dashboards.Bar, DataSet: "interactions",
		Dimensions: []dashboards.Dimension{{FieldName: "status", DisplayName: "Status"}},
		Metrics: []dashboards.Metric{{Function: dashboards.Count, DisplayName: "Calls"}, {Function: dashboards.Avg, FieldName: "durationMs",
			DisplayName: "avg_durationMs"}},
		Filters:    []dashboards.Filter{{FieldName: "channel", Values: []any{"voice"}}},
		OrderBy:    &dashboards.Order{FieldName: "count", Descending: true},
		Properties: map[string]any{"color": "blue"},
	}}}}

func define(edit func(*dashboards.DefineDashboard)) dashboards.DefineDashboard {
	w := operations.Widgets[0]
	w.Dimensions = []dashboards.Dimension{{FieldName: "status", DisplayName: " Status "}}
	w.Metrics = []dashboards.Metric{{Function: dashboards.Count, DisplayName: "Calls"}, {Function: dashboards.Avg, FieldName: "durationMs"}}
	w.Filters = []dashboards.Filter{{FieldName: "channel", Values: []any{"voice"}}}
	w.OrderBy = &dashboards.Order{FieldName: "count", Descending: true}
	c := dashboards.DefineDashboard{TenantID: "acct", ProjectID: "shop", ID: "d-1", Name: " Operations ", Widgets: []dashboards.Widget{w}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, dashboards.Dashboards.Category, "testdata/events", operations,
		dashboards.DashboardRemoved{TenantID: "acct", ProjectID: "shop", DashboardID: "d-1"})
}

func TestADashboardIsDefinedOnce(t *testing.T) {
	got, err := define(nil).Decide(dashboards.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{operations}, got)
	got, err = define(nil).Decide(dashboards.Dashboards.State(operations))
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = define(func(c *dashboards.DefineDashboard) { c.ID = "d-2" }).Decide(dashboards.Dashboards.State(operations))
	require.True(t, fault.Is(err, fault.Conflict), "the name is taken")
}

func TestARemovedDashboardFreesItsName(t *testing.T) {
	remove := dashboards.RemoveDashboard{TenantID: "acct", ProjectID: "shop", ID: "d-1"}
	got, err := remove.Decide(dashboards.Dashboards.State(operations))
	require.NoError(t, err)
	gone := dashboards.Dashboards.State(operations, got[0])
	_, err = define(func(c *dashboards.DefineDashboard) { c.ID = "d-2" }).Decide(gone)
	require.NoError(t, err)
	again, err := remove.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	require.Empty(t, gone.Dashboards)
}

func TestWrongFieldsOfADashboard(t *testing.T) {
	w := func(change func(*dashboards.Widget)) func(*dashboards.DefineDashboard) {
		return func(c *dashboards.DefineDashboard) { change(&c.Widgets[0]) }
	}
	for field, edits := range map[string][]func(*dashboards.DefineDashboard){
		"metadata.id": {func(c *dashboards.DefineDashboard) { c.ID = "" }},
		"metadata.name": {func(c *dashboards.DefineDashboard) { c.Name = "a/b" }, func(c *dashboards.DefineDashboard) {
			c.Name = ""
		}, func(c *dashboards.DefineDashboard) { c.Name = ".." }},
		"spec.projectId":     {func(c *dashboards.DefineDashboard) { c.ProjectID = "" }},
		"spec.widgets":       {func(c *dashboards.DefineDashboard) { c.Widgets = nil }},
		"spec.widgets[0].id": {w(func(w *dashboards.Widget) { w.ID = "a b" })},
		"spec.widgets[0].name": {w(func(w *dashboards.Widget) { w.Name = "a?b" }), w(func(w *dashboards.Widget) { w.Name = " . " }),
			w(func(w *dashboards.Widget) { w.Name = strings.Repeat("x", 101) })},
		"spec.widgets[0].type":    {w(func(w *dashboards.Widget) { w.Type = "gauge" })},
		"spec.widgets[0]":         {w(func(w *dashboards.Widget) { w.Dimensions, w.Metrics, w.OrderBy = nil, nil, nil })},
		"spec.widgets[0].dataSet": {w(func(w *dashboards.Widget) { w.DataSet = "pg_catalog.pg_authid" })},
		"spec.widgets[0].dimensions[0].fieldName": {
			w(func(w *dashboards.Widget) { w.Dimensions[0].FieldName = "status; DROP TABLE interactions" })},
		"spec.widgets[0].dimensions[1].fieldName": {w(func(w *dashboards.Widget) { w.Dimensions = append(w.Dimensions, w.Dimensions[0]) })},
		"spec.widgets[0].metrics[0].function":     {w(func(w *dashboards.Widget) { w.Metrics[0].Function, w.OrderBy = "pg_sleep", nil })},
		"spec.widgets[0].metrics[0].fieldName":    {w(func(w *dashboards.Widget) { w.Metrics[0].FieldName = "durationMs" })},
		"spec.widgets[0].metrics[1].fieldName":    {w(func(w *dashboards.Widget) { w.Metrics[1].FieldName = "status" })},
		"spec.widgets[0].metrics[2]":              {w(func(w *dashboards.Widget) { w.Metrics = append(w.Metrics, w.Metrics[0]) })},
		"spec.widgets[0].filters[0].fieldName":    {w(func(w *dashboards.Widget) { w.Filters[0].FieldName = "" })},
		"spec.widgets[0].filters[0].values": {w(func(w *dashboards.Widget) { w.Filters[0].Values = nil }), w(func(w *dashboards.Widget) {
			w.Filters[0].Values = make([]any, dashboards.MaxValues+1)
			fill(w.Filters[0].Values)
		})},
		"spec.widgets[0].filters[0].values[0]": {w(func(w *dashboards.Widget) { w.Filters[0].Values = []any{5.0} }),
			w(func(w *dashboards.Widget) { w.Filters[0].Values = []any{"a\x00b"} }),
			w(func(w *dashboards.Widget) {
				w.Filters[0] = dashboards.Filter{FieldName: "durationMs", Values: []any{"5"}}
			}),
			w(func(w *dashboards.Widget) {
				w.Filters[0] = dashboards.Filter{FieldName: "date", Values: []any{"28.11.2026"}}
			}),
			w(func(w *dashboards.Widget) {
				w.Filters[0] = dashboards.Filter{FieldName: "endedAt", Values: []any{"2026-11-28"}}
			}),
			w(func(w *dashboards.Widget) { w.Filters[0].Values = []any{strings.Repeat("x", dashboards.MaxValue+1)} })},
		"spec.widgets[0].orderBy.fieldName": {w(func(w *dashboards.Widget) { w.OrderBy.FieldName = "channel" })},
		"spec.widgets[0].properties": {w(func(w *dashboards.Widget) {
			w.Properties = map[string]any{"x": strings.Repeat("x", dashboards.MaxProperties)}
		})},
		"spec.widgets[1].name": {func(c *dashboards.DefineDashboard) {
			c.Widgets = append(c.Widgets, c.Widgets[0])
			c.Widgets[1].ID = "w-2"
		}},
		"spec.widgets[1].id": {func(c *dashboards.DefineDashboard) {
			c.Widgets = append(c.Widgets, c.Widgets[0])
			c.Widgets[1].Name = "Other"
		}},
	} {
		for _, edit := range edits {
			_, err := define(edit).Decide(dashboards.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
}

func fill(values []any) {
	for i := range values {
		values[i] = "voice"
	}
}
