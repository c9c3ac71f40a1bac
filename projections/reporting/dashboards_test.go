package reporting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dashboards"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given a dashboard, then its widget is found by both names in its project, and in no other place.
func TestAnswersAboutWidgets(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(reporting.DashboardsModel, "x", given.Filled[dashboards.DashboardDefined]())
	x := reporting.NewDashboards(w.DB)
	for place, there := range map[[2]string]bool{{"tenantId", "projectId"}: true, {"other", "projectId"}: false,
		{"tenantId", "other"}: false} {
		widget, ok, err := x.Widget(ctx, place[0], place[1], "name", "name")
		require.NoError(t, err)
		require.Equal(t, there, ok)
		require.Equal(t, there, widget.ID == "id" && widget.DataSet == "dataSet")
		_, ok, err = x.Widget(ctx, place[0], place[1], "name", "another")
		require.NoError(t, err)
		require.False(t, ok)
	}
}
