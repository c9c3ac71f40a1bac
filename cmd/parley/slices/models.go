package slices

import (
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/campaigns"
	"github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/platform"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Models lists the read models that are awaited: a reply arrives when all of them
// hold its events. A read model is added here, with its one line.
func Models() []*projections.Model {
	return []*projections.Model{access.AccessModel, campaigns.CampaignRunsModel, campaigns.CampaignsModel, campaigns.ContactListsModel,
		contactcenter.ConversationsModel, reporting.DashboardsModel, platform.DeliveriesModel,
		runtime.DocksModel, contactcenter.HumanAgentsModel, voice.CallsModel, channels.TextsModel, platform.ReactorsModel,
		voice.SessionsModel, access.StaffModel, contactcenter.TransfersModel,
		voice.VoiceSetupModel, reporting.ExportsModel, reporting.FilesModel, reporting.SearchIndexesModel, contactcenter.VoicemailsModel}
}
