package reporting_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/dashboards"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given the events of dashboards, then these are the rows after each.
func TestRowsOfDashboards(t *testing.T) {
	model := given.Open(t).Follow(reporting.DashboardsModel)
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
