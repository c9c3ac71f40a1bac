package dashboards_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

// Given the data sets, then each has its fields, and the date and hour of its records.
func TestWhatADataSetHas(t *testing.T) {
	require.Equal(t, []string{"interactions", "notifications", "sessions"}, dashboards.DataSets())
	for name, fields := range map[string][]string{
		"interactions": {"agentName", "centerId", "channel", "conversationId", "date", "direction", "durationMs", "endedAt", "finalStatus",
			"hour",
			"machineDetection", "reasonCode", "requestedAt", "sessionId", "startedAt", "status", "userId"},
		"sessions":      {"agentName", "channel", "date", "durationMs", "endedAt", "hour", "openedAt", "sessionId", "status"},
		"notifications": {"attempts", "date", "finishedAt", "hour", "queuedAt", "status"},
	} {
		set, known := dashboards.DataSetNamed(name)
		require.True(t, known)
		require.Equal(t, fields, set.Fields(), name)
		require.Equal(t, dashboards.Date, set["date"])
		require.Equal(t, dashboards.Number, set["hour"])
	}
}

// Given a dashboard with as much as it may have, then it is taken, and with one more it is refused.
func TestLimitsOfADashboard(t *testing.T) {
	w := func(change func(*dashboards.Widget)) func(*dashboards.DefineDashboard) {
		return func(c *dashboards.DefineDashboard) { change(&c.Widgets[0]) }
	}
	filters := func(n int) func(*dashboards.DefineDashboard) {
		return w(func(w *dashboards.Widget) { w.Filters = slices.Repeat(w.Filters, n) })
	}
	values := func(n int) func(*dashboards.DefineDashboard) {
		return w(func(w *dashboards.Widget) { w.Filters[0].Values = slices.Repeat([]any{"voice"}, n) })
	}
	value := func(n int) func(*dashboards.DefineDashboard) {
		return w(func(w *dashboards.Widget) { w.Filters[0].Values = []any{strings.Repeat("ü", n)} })
	}
	properties := func(n int) func(*dashboards.DefineDashboard) {
		return w(func(w *dashboards.Widget) { w.Properties = map[string]any{"x": strings.Repeat("x", n-len(`{"x":""}`))} })
	}
	widgets := func(n int) func(*dashboards.DefineDashboard) {
		return func(c *dashboards.DefineDashboard) {
			for i := 1; i < n; i++ {
				w := c.Widgets[0]
				w.ID, w.Name = fmt.Sprintf("w-%d", i+1), fmt.Sprintf("Widget %d", i+1)
				c.Widgets = append(c.Widgets, w)
			}
		}
	}
	for field, c := range map[string]struct {
		most int
		edit func(int) func(*dashboards.DefineDashboard)
	}{
		"spec.widgets":                         {dashboards.MaxWidgets, widgets},
		"spec.widgets[0].filters":              {dashboards.MaxFilters, filters},
		"spec.widgets[0].filters[0].values":    {dashboards.MaxValues, values},
		"spec.widgets[0].filters[0].values[0]": {dashboards.MaxValue, value},
		"spec.widgets[0].properties":           {dashboards.MaxProperties, properties},
	} {
		_, err := define(c.edit(c.most)).Decide(dashboards.State{})
		require.NoError(t, err, field)
		_, err = define(c.edit(c.most + 1)).Decide(dashboards.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}

// Given more dimensions or metrics than there may be, then that is said, whatever else is wrong with them.
func TestAWidgetHasSoManyFigures(t *testing.T) {
	for field, edit := range map[string]func(*dashboards.Widget, int){
		"spec.widgets[0].dimensions": func(w *dashboards.Widget, n int) { w.Dimensions = slices.Repeat(w.Dimensions, n) },
		"spec.widgets[0].metrics":    func(w *dashboards.Widget, n int) { w.Metrics = slices.Repeat(w.Metrics[:1], n) },
	} {
		for _, n := range []int{20, 21} {
			_, err := define(func(c *dashboards.DefineDashboard) { edit(&c.Widgets[0], n) }).Decide(dashboards.State{})
			require.Equal(t, n > 20, slices.Contains(faulttest.Fields(t, err), field), "%s %d", field, n)
		}
	}
}

// Given a field that the data set has not, then only that is refused, and nothing of its values.
func TestValuesOfAnUnknownFieldAreNotLookedAt(t *testing.T) {
	for _, c := range []struct {
		filter dashboards.Filter
		field  string
		says   string
	}{
		{dashboards.Filter{FieldName: "color", Values: []any{5.0}}, "fieldName", "agentName, centerId"},
		{dashboards.Filter{FieldName: "channel", Values: []any{"\xff"}}, "values[0]", "null characters"},
	} {
		_, err := define(func(d *dashboards.DefineDashboard) { d.Widgets[0].Filters[0] = c.filter }).Decide(dashboards.State{})
		require.Equal(t, []string{"spec.widgets[0].filters[0]." + c.field}, faulttest.Fields(t, err))
		require.ErrorContains(t, err, c.says)
	}
	_, err := define(func(d *dashboards.DefineDashboard) { d.Widgets[0].Metrics[1].FieldName = "status" }).Decide(dashboards.State{})
	require.ErrorContains(t, err, "must be a field of numbers: durationMs, hour")
}

func TestAMetricHasADisplayName(t *testing.T) {
	_, err := define(func(d *dashboards.DefineDashboard) { d.Widgets[0].Metrics[0].DisplayName = "a\x00" }).Decide(dashboards.State{})
	require.Equal(t, []string{"spec.widgets[0].metrics[0].displayName"}, faulttest.Fields(t, err))
	_, err = define(
		func(d *dashboards.DefineDashboard) { d.Widgets[0].Properties = map[string]any{"x": func() {}} },
	).Decide(dashboards.State{})
	require.Equal(t, []string{"spec.widgets[0].properties"}, faulttest.Fields(t, err), "what is no JSON")
	_, err = define(
		func(d *dashboards.DefineDashboard) { d.Widgets[0].OrderBy = &dashboards.Order{FieldName: "status"} },
	).Decide(dashboards.State{})
	require.NoError(t, err, "an order by a dimension")
}

// Given two dashboards, when one is changed, renamed or removed, then the other one stays.
func TestDashboardsStandBesideEachOther(t *testing.T) {
	other := operations
	other.ID, other.Name = "d-2", "Sales"
	past := []event.Payload{operations, other}
	decided := func(edit func(*dashboards.DefineDashboard)) []event.Payload {
		got, err := define(edit).Decide(dashboards.Dashboards.State(past...))
		require.NoError(t, err)
		return got
	}
	require.Empty(t, decided(nil), "nothing changed")
	renamed := operations
	renamed.Name = "Renamed"
	require.Equal(t, []event.Payload{renamed}, decided(func(c *dashboards.DefineDashboard) { c.Name = "Renamed" }))
	_, err := define(func(c *dashboards.DefineDashboard) { c.Name = "Sales" }).Decide(dashboards.Dashboards.State(past...))
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "d-2")

	before := dashboards.Dashboards.State(past...)
	gone, err := dashboards.RemoveDashboard{TenantID: "acct", ProjectID: "shop", ID: "d-2"}.Decide(before)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{dashboards.DashboardRemoved{TenantID: "acct", ProjectID: "shop", DashboardID: "d-2"}}, gone)
	after := before
	dashboards.Dashboards.Fold(&after, gone[0])
	require.NotContains(t, after.Dashboards, "d-2")
	require.Contains(t, before.Dashboards, "d-2", "who decides on it keeps his state")
}
