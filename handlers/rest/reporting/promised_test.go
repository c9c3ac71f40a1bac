package reporting_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareDashboards(a, api.DashboardsAPI{})
		api.DeclareExports(a, api.ExportsAPI{})
		api.DeclareCallDetails(a, api.CallDetailsAPI{})
		api.DeclareAnalytics(a, api.Analytics{})
	})
}
