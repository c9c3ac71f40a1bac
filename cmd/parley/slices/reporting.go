package slices

import (
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/analytics"
	"github.com/parley-platform/parley/projections/contactcenter"
	models "github.com/parley-platform/parley/projections/reporting"
)

var reportingModels = []*projections.Model{models.DashboardsModel, models.ExportsModel, models.FilesModel, models.SearchIndexesModel}

// reportingSlice is what was: call details, dashboards, analytics, exports.
func reportingSlice(n Needs, _ providers) Slice {
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareDashboards, api.DashboardsAPI{Dashboards: models.NewDashboards(n.Read)}),
			operations(api.DeclareExports, api.ExportsAPI{Commands: n.commands(), Indexes: models.NewSearchIndexes(n.Read),
				Jobs: models.NewExports(n.Read), Links: n.links()}),
			operations(api.DeclareCallDetails, api.CallDetailsAPI{Sessions: contactcenter.NewCallDetails(n.Read),
				Agents: contactcenter.NewHumanAgents(n.Read)}),
			operations(api.DeclareAnalytics, api.Analytics{Store: analytics.NewStore(n.Read), Sound: models.NewSounds(n.Read), Now: n.Now}),
		},
		Effects: []reactors.Effect{reporting.Exporter{Store: n.Store, Blobs: n.Blobs, Now: n.Now, Log: n.Log}.Attempts()},
	}
}
