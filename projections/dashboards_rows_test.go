package projections_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of dashboards, then these are the rows after each.
func TestRowsOfDashboards(t *testing.T) {
	model := world(t).Follow(projections.DashboardsModel)
	model.After("x", given.Filled[dashboards.DashboardDefined](),
		"+ dashboards tenant=tenantId project_id=projectId dashboard_id=dashboardId name=name "+
			`widgets=[{"dataSet":"dataSet","dimensions":[{"displayName":"displayName","fieldName":"fieldName"}],`+
			`"filters":[{"fieldName":"fieldName","values":["values"]}],"id":"id","metrics":[{"displayName":"displayName",`+
			`"fieldName":"fieldName","function":"function"}],"name":"name","orderBy":{"descending":true,"fieldName":"fieldName"},`+
			`"properties":{"properties":"properties"},"type":"type"}]`,
	)
	model.After("x", given.Filled[dashboards.DashboardRemoved](),
		"- dashboards tenant=tenantId project_id=projectId dashboard_id=dashboardId",
	)
}
