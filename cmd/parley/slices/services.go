package slices

import (
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/audit"
	"github.com/parley-platform/parley/handlers/rest/campaigns"
	"github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/voice"
)

// Services is everything the operations need. Its zero value can be declared too,
// for what only looks at the declarations, such as the OpenAPI document.
type Services struct {
	Keys          platform.Keys
	Calls         voice.Calls
	Interactions  voice.InteractionsAPI
	Texts         channels.TextsAPI
	Webhooks      channels.Webhooks // no inbox yet: its paths are not there
	HumanAgents   contactcenter.HumanAgents
	Transfers     contactcenter.Transfers
	Hooks         contactcenter.Hooks
	Conversations contactcenter.ConversationsAPI
	Campaigns     campaigns.CampaignsAPI
	CampaignRuns  campaigns.CampaignRunsAPI
	CallDetails   reporting.CallDetailsAPI
	Dashboards    reporting.DashboardsAPI
	Staff         platform.StaffAPI
	Docks         runtime.Docks
	Exports       reporting.ExportsAPI
	Voicemail     contactcenter.VoicemailAPI
	Files         platform.FilesAPI
	Analytics     reporting.Analytics
	Events        audit.EventsAPI
	Admin         platform.Applier
}

// Declare adds every operation to the API.
func (s Services) Declare(api *rest.API) *rest.API {
	platform.DeclareKeys(api, s.Keys)
	voice.DeclareCalls(api, s.Calls)
	reporting.DeclareDashboards(api, s.Dashboards)
	reporting.DeclareExports(api, s.Exports)
	contactcenter.DeclareVoicemail(api, s.Voicemail)
	platform.DeclareFiles(api, s.Files)
	platform.DeclareStaff(api, s.Staff)
	runtime.DeclareDocks(api, s.Docks)
	voice.DeclareInteractions(api, s.Interactions)
	channels.DeclareTexts(api, s.Texts)
	channels.DeclareWebhooks(api, s.Webhooks)
	contactcenter.DeclareHumanAgents(api, s.HumanAgents)
	contactcenter.DeclareTransfers(api, s.Transfers)
	contactcenter.DeclareHooks(api, s.Hooks)
	contactcenter.DeclareConversations(api, s.Conversations)
	campaigns.DeclareCampaigns(api, s.Campaigns)
	campaigns.DeclareCampaignRuns(api, s.CampaignRuns)
	reporting.DeclareCallDetails(api, s.CallDetails)
	reporting.DeclareAnalytics(api, s.Analytics)
	audit.DeclareEvents(api, s.Events)
	platform.DeclareAdmin(api, s.Admin)
	return api
}
