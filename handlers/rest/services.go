package rest

// Services is everything the operations need. Its zero value can be declared too,
// for what only looks at the declarations, such as the OpenAPI document.
type Services struct {
	Keys          Keys
	Calls         Calls
	Interactions  InteractionsAPI
	Texts         TextsAPI
	HumanAgents   HumanAgents
	Transfers     Transfers
	Hooks         Hooks
	Conversations ConversationsAPI
	Campaigns     CampaignsAPI
	CampaignRuns  CampaignRunsAPI
	CallDetails   CallDetailsAPI
	Dashboards    DashboardsAPI
	Staff         StaffAPI
	Docks         Docks
	Exports       ExportsAPI
	Voicemail     VoicemailAPI
	Files         FilesAPI
	Analytics     Analytics
	Events        EventsAPI
	Admin         Applier
}

// Declare adds every operation to the API.
func (s Services) Declare(api *API) *API {
	DeclareKeys(api, s.Keys)
	DeclareCalls(api, s.Calls)
	DeclareDashboards(api, s.Dashboards)
	DeclareExports(api, s.Exports)
	DeclareVoicemail(api, s.Voicemail)
	DeclareFiles(api, s.Files)
	DeclareStaff(api, s.Staff)
	DeclareDocks(api, s.Docks)
	DeclareInteractions(api, s.Interactions)
	DeclareTexts(api, s.Texts)
	DeclareHumanAgents(api, s.HumanAgents)
	DeclareTransfers(api, s.Transfers)
	DeclareHooks(api, s.Hooks)
	DeclareConversations(api, s.Conversations)
	DeclareCampaigns(api, s.Campaigns)
	DeclareCampaignRuns(api, s.CampaignRuns)
	DeclareCallDetails(api, s.CallDetails)
	DeclareAnalytics(api, s.Analytics)
	DeclareEvents(api, s.Events)
	DeclareAdmin(api, s.Admin)
	return api
}
