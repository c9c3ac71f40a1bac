package slices

import (
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors/campaigns"
	"github.com/parley-platform/parley/handlers/reactors/voice/medianodes"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/campaigns"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/campaigns"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

var campaignsModels = []*projections.Model{models.RunsModel, models.CampaignsModel, models.ContactListsModel,
	models.VerdictsModel}

// campaignsSlice is whom to reach, and making runs of that.
func campaignsSlice(n Needs, _ providers) Slice {
	known, lists, runs := models.NewCampaigns(n.Read), models.NewContactLists(n.Read), models.NewRuns(n.Read, n.Keys)
	engine := campaigns.Engine{Log: n.acting(), DialOut: acts.DialOut{Log: n.acting()}, Runs: runs, CampaignLines: n.CampaignLines,
		Room: medianodes.Room{Known: voicemodels.NewMediaNodes(n.Read)}.Wait}
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareCampaigns, api.API{Commands: n.commands(), Campaigns: known, Lists: lists, Runs: runs,
				Start: acts.StartCampaign{Log: n.acting(), Lists: lists, Flows: known}}),
			operations(api.DeclareCampaignRuns, api.RunsAPI{Runs: runs, Now: n.Now}),
			operations(api.DeclareVerdicts, api.VerdictsAPI{Campaigns: known, Verdicts: models.NewVerdicts(n.Read)}),
		},
		Reactors: engine.Reactors(),
		Timers:   []Timer{{pacing.Pacing.Category, models.OpeningTimer, engine.Wake}},
	}
}
