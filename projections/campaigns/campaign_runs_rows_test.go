package campaigns_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of runs, then these are the rows after each.
func TestRowsOfCampaignRuns(t *testing.T) {
	model := given.Open(t).Follow(campaignmodels.RunsModel)
	model.After("x", given.Filled[campaigns.Started](),
		"+ campaign_starts tenant=tenantId instance_id=campaignInstanceId project_id=projectId campaign_id=campaignId "+
			"kind=campaignType "+
			`hours={"days":[{"day":"day","end":"end","start":"start"}],"frequency":"frequency","timezone":"timezone"} `+
			"started_at=12:00:26",
	)
	model.After("tenantId.instanceId", given.Filled(func(e *runs.Opened) { e.RunID = "instanceId" }),
		"+ campaign_runs tenant=tenantId instance_id=instanceId project_id=projectId campaign_id=campaignId kind=campaignType "+
			"caller=caller flow_id=experienceFlow machine_detect=true message_text=messageText "+
			`hours={"days":[{"day":"day","end":"end","start":"start"}],"frequency":"frequency","timezone":"timezone"} `+
			"started_at=12:00:24",
	)
	model.After("tenantId.instanceId", given.Filled[runs.PassOpened](),
		"~ campaign_runs tenant=tenantId instance_id=instanceId: pass=2",
	)
	model.After("tenantId.instanceId", given.Filled[runs.ContactsListed](),
		"+ campaign_contacts tenant=tenantId instance_id=instanceId idx=3 pass=2 phone=phoneNumber "+
			`data={"customFields":{"customFields":"customFields"},"email":"email","firstName":"firstName","language":"language",`+
			`"lastName":"lastName","phoneNumber":"phoneNumber"} key_id=`+given.Key,
	)
	model.After("tenantId.instanceId", runs.Erased{Erasure: event.Erasure{Keys: []string{"another", given.Key}}},
		`~ campaign_contacts tenant=tenantId instance_id=instanceId idx=3: phone=[erased] data={"phoneNumber":"[erased]"}`,
	)
	model.After("tenantId.instanceId", runs.ContactsListed{Pass: 2, From: 4, Contacts: make([]contactlists.Contact, 2)},
		`+ campaign_contacts tenant=tenantId instance_id=instanceId idx=4 pass=2 data={"phoneNumber":""} key_id=`+given.Key,
		`+ campaign_contacts tenant=tenantId instance_id=instanceId idx=5 pass=2 data={"phoneNumber":""}`,
	)
	model.After("tenantId.instanceId", given.Filled[runs.PassListed](),
		"~ campaign_runs tenant=tenantId instance_id=instanceId: contacts=4",
	)
	model.After("p", given.Filled[pacing.RunEntered](),
		"+ campaign_progress tenant=tenantId instance_id=instanceId project_id=projectId campaign_id=campaignId status=running "+
			"pass=1 entered_at=12:00:17",
	)
	model.After("p", given.Filled[pacing.RunHeld](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: held=true",
	)
	model.After("p", given.Filled[pacing.RunReleased](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: held=",
	)
	model.After("p", given.Filled[pacing.ContactsTaken](),
		"+ campaign_outcomes tenant=tenantId instance_id=instanceId idx=4 status=taken taken_at=12:00:06",
	)
	model.After("p", given.Filled[pacing.ContactsReturned](),
		"~ campaign_outcomes tenant=tenantId instance_id=instanceId idx=4: status=returned",
	)
	model.After("p", given.Filled(func(e *pacing.ContactsTaken) { e.Contacts = []int{3} }),
		"+ campaign_outcomes tenant=tenantId instance_id=instanceId idx=3 status=taken taken_at=12:00:06",
	)
	model.After("p", given.Filled[pacing.ContactFinished](),
		"~ campaign_outcomes tenant=tenantId instance_id=instanceId idx=3: status=outcome effect_id=effectId reason=reason "+
			"finished_at=12:00:11",
		"~ campaign_progress tenant=tenantId instance_id=instanceId: calls_completed=8 messages_sent=9 failed=10",
	)
	model.After("p", given.Filled[pacing.PassFinished](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: status=waiting next_pass_at=12:00:04",
	)
	model.After("p", given.Filled[pacing.PassDue](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: status=listing next_pass_at=",
	)
	model.After("p", given.Filled[pacing.PassBegun](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: status=running pass=3",
	)
	model.After("p", given.Filled[pacing.OpeningAwaited](),
		"+ timers stream=pacing-p name=opening topic=parley.pacing tenant=tenantId due_at=12:00:02 claimed_until=-infinity",
	)
	model.After("p", given.Filled[pacing.OpeningReached](),
		"- timers stream=pacing-p name=opening",
	)
	model.After("p", given.Filled[pacing.PassFinished](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: status=waiting next_pass_at=12:00:04",
	)
	model.After("p", given.Filled[pacing.RunFinished](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: status=finished next_pass_at= ended_at=12:00:13",
	)
	model.After("p", given.Filled[pacing.RunStopped](),
		"~ campaign_progress tenant=tenantId instance_id=instanceId: stopped=true",
	)
}
