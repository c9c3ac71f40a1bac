package projections

// Models lists the read models that are awaited: a reply arrives when all of them
// hold its events. A read model is added here, with its one line.
func Models() []*Model {
	return []*Model{AccessModel, CampaignRunsModel, CampaignsModel, ContactListsModel, ConversationsModel, DashboardsModel, DeliveriesModel,
		DocksModel, HumanAgentsModel, InteractionsModel, TextsModel, ReactorsModel, SessionsModel, StaffModel, TransfersModel,
		VoiceSetupModel, ExportsModel, FilesModel, SearchIndexesModel, VoicemailsModel}
}
