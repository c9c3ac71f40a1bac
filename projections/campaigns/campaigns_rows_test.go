package campaigns_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/campaigns"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of campaigns, then these are the rows after each.
func TestRowsOfCampaigns(t *testing.T) {
	model := given.Open(t).Follow(campaignmodels.CampaignsModel)
	model.After("x", given.Filled[campaigns.Defined](),
		"+ campaigns tenant=tenantId campaign_id=campaignId project_id=projectId kind=campaignType status=Ready "+
			`definition={"caller":"caller","callingHours":{"days":[{"day":"day","end":"end","start":"start"}],`+
			`"frequency":"frequency","timezone":"timezone"},"campaignType":"campaignType","contactLists":["contactLists"],`+
			`"description":"description","enableMachineDetect":true,"experienceFlow":"experienceFlow",`+
			`"experienceFlowName":"experienceFlowName","format":"format","isRecurrenceEnabled":true,"isSchedulingEnabled":true,`+
			`"name":"name","priority":9} `+
			"created_at=12:00:28 updated_at=12:00:28",
	)
	model.After("x", given.Filled[campaigns.Started](),
		"~ campaigns tenant=tenantId campaign_id=campaignId: status=Active instance_id=campaignInstanceId updated_at=12:00:26",
	)
	model.After("x", given.Filled[campaigns.RunPaused](),
		"~ campaigns tenant=tenantId campaign_id=campaignId: status=Paused updated_at=12:00:06",
	)
	model.After("x", given.Filled[campaigns.RunResumed](),
		"~ campaigns tenant=tenantId campaign_id=campaignId: status=Active",
	)
	model.After("x", given.Filled[campaigns.RunCompleted](),
		"~ campaigns tenant=tenantId campaign_id=campaignId: status=Completed",
	)
	model.After("x", given.Filled[campaigns.Updated](),
		"~ campaigns tenant=tenantId campaign_id=campaignId: status=Ready updated_at=12:00:51",
	)
	model.After("x", given.Filled[campaigns.Removed](),
		"- campaigns tenant=tenantId campaign_id=campaignId",
	)
}
