package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/projections"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/voice"
)

// Given campaigns of two projects, then a project has its own, in the order in which they were made.
func TestAnswersAboutCampaigns(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaigns(w.DB)
	for i, id := range []string{"cd-2", "cd-1", "cd-3"} {
		w.Given(campaignmodels.CampaignsModel, "x", given.Filled(func(e *campaigns.Defined) {
			if e.CampaignID, e.At = id, second(i); id == "cd-3" {
				e.ProjectID = "other"
			}
		}))
	}
	w.Given(campaignmodels.CampaignsModel, "x", given.Filled(func(e *campaigns.Started) { e.CampaignID = "cd-1" }))
	list, total, err := x.List(ctx, "tenantId", "projectId", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"cd-2", "cd-1"}, []string{list[0].ID, list[1].ID})
	list, total, err = x.List(ctx, "tenantId", "projectId", 1, 1)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Len(t, list, 1)
	require.Equal(t, campaigns.Active, list[0].Status)

	c, ok, err := x.Get(ctx, "tenantId", "projectId", "cd-1")
	require.NoError(t, err)
	require.True(t, ok)
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	require.Equal(t, campaignmodels.Campaign{ID: "cd-1", Definition: given.Filled[campaigns.Defined]().Definition, Status: campaigns.Active,
		InstanceID: "campaignInstanceId", CreatedAt: second(1), UpdatedAt: second(26)}, c)
	for _, place := range [][3]string{{"other", "projectId", "cd-1"}, {"tenantId", "other", "cd-1"}, {"tenantId", "projectId", "cd-9"}} {
		_, ok, err = x.Get(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
}

// Given an experience flow with an agent, then a campaign finds it by its name and by its id.
func TestAnswersAboutTheFlowOfACampaign(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaigns(w.DB)
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.AgentName = "ann" }))
	want := campaignmodels.CampaignFlow{ID: "flowId", Name: "name", AgentName: "ann"}
	f, ok, err := x.FlowOf(ctx, "tenantId", "projectId", "flowId")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, f, "an agent that is not there has no source")
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())
	want.AgentDSL = "dslContent"
	f, ok, err = x.FlowNamed(ctx, "tenantId", "projectId", "name")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, f)
	for _, place := range [][3]string{{"other", "projectId", "name"}, {"tenantId", "other", "name"}, {"tenantId", "projectId", "flowId"}} {
		_, ok, err = x.FlowNamed(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
}

// Given a run, when it goes on, then it is listing, running, held, waiting, stopped or finished.
func TestAnswersAboutARun(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaignRuns(w.DB)
	run := func() campaignmodels.CampaignRun {
		r, ok, err := x.Run(ctx, "tenantId", "campaignId", "run-1")
		require.NoError(t, err)
		require.True(t, ok)
		return r
	}
	w.Given(campaignmodels.CampaignRunsModel, "x", given.Filled(func(e *campaigns.Started) { e.InstanceID = "run-1" }))
	require.Equal(t, campaignmodels.RunListing, run().Status)
	require.Equal(t, []int{0, 0}, []int{run().Pass, run().Contacts})
	w.Given(campaignmodels.CampaignRunsModel, "tenantId.run-1", given.Filled(func(e *runs.Opened) { e.InstanceID = "run-1" }),
		runs.PassOpened{Pass: 1}, runs.PassListed{Pass: 1, Contacts: 7})
	pace := func(events ...event.Payload) campaignmodels.CampaignRun {
		w.Given(campaignmodels.CampaignRunsModel, "tenantId", events...)
		return run()
	}
	require.Equal(t, campaignmodels.RunRunning, pace(given.Filled(func(e *pacing.RunEntered) { e.InstanceID = "run-1" })).Status)
	r := pace(pacing.ContactsTaken{InstanceID: "run-1", Contacts: []int{0, 1, 2}, At: second(1)},
		pacing.ContactsReturned{InstanceID: "run-1", Contacts: []int{2}},
		pacing.ContactFinished{InstanceID: "run-1", Contact: 0, Tally: pacing.Tally{CallsCompleted: 1, MessagesSent: 2, Failed: 3}})
	require.Equal(t, []int{1, 7, 1, 1, 2, 3}, []int{r.Pass, r.Contacts, r.UnderWay, r.CallsCompleted, r.MessagesSent, r.Failed})
	require.Equal(t, campaignmodels.RunHeld, pace(pacing.RunHeld{InstanceID: "run-1"}).Status)
	require.Equal(t, campaignmodels.RunRunning, pace(pacing.RunReleased{InstanceID: "run-1"}).Status)
	r = pace(given.Filled(func(e *pacing.PassFinished) { e.InstanceID = "run-1" }))
	require.Equal(t, campaignmodels.RunWaiting, r.Status)
	require.Equal(t, second(4), r.NextPassAt.UTC())
	require.Equal(t, 2, pace(pacing.PassBegun{InstanceID: "run-1", Pass: 2}).Pass)
	r = pace(pacing.RunHeld{InstanceID: "run-1"}, given.Filled(func(e *pacing.RunFinished) { e.InstanceID = "run-1" }))
	require.Equal(t, campaignmodels.RunFinished, r.Status, "held no more, once it is over")
	require.Equal(t, second(13), r.EndedAt.UTC())
	require.Equal(t, campaignmodels.RunStopped, pace(pacing.RunStopped{InstanceID: "run-1"}).Status)
	require.Equal(t, given.Filled[campaigns.Started]().Hours, r.Hours)
	require.Equal(t, []string{"run-1", "campaignId", "projectId", "campaignType"},
		[]string{r.InstanceID, r.CampaignID, r.ProjectID, string(r.Kind)})

	for _, place := range [][3]string{{"other", "campaignId", "run-1"}, {"tenantId", "other", "run-1"}, {"tenantId", "campaignId", "run-2"}} {
		_, ok, err := x.Run(ctx, place[0], place[1], place[2])
		require.NoError(t, err)
		require.False(t, ok)
	}
	pace(given.Filled(func(e *pacing.RunEntered) { e.InstanceID = "run-2" }),
		pacing.ContactsTaken{InstanceID: "run-2", Contacts: []int{0}, At: second(1)},
		pacing.ContactFinished{InstanceID: "run-2", Tally: pacing.Tally{CallsCompleted: 10}})
	totals, err := x.RunTotals(ctx, "tenantId", []string{"campaignId", "another"})
	require.NoError(t, err)
	require.Equal(t, map[string]campaignmodels.CampaignTotals{"campaignId": {CallsCompleted: 11, MessagesSent: 2, Failed: 3}}, totals)
}

// Given a run whose contacts have their turn, then they are reached with what the run was opened with, and the trunk and flow of now.
func TestAnswersAboutTheTermsOfARun(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewCampaignRuns(w.DB)
	contact := func(number string) contactlists.Contact {
		return contactlists.Contact{PhoneNumber: number, FirstName: "Ann"}
	}
	w.Given(campaignmodels.CampaignRunsModel, "tenantId.run-1", given.Filled(func(e *runs.Opened) {
		e.InstanceID, e.FlowID = "run-1",
			"flowId"
	}),
		runs.ContactsListed{Pass: 1, From: 5, Contacts: []contactlists.Contact{contact("+1"), contact("+2"), contact("+3")}})
	w.Given(campaignmodels.CampaignRunsModel, "tenantId", pacing.ContactsTaken{InstanceID: "run-1", Contacts: []int{5, 6, 7, 8},
		At: second(1)},
		pacing.ContactsReturned{InstanceID: "run-1", Contacts: []int{6}})
	w.Given(voice.VoiceSetupModel, "x", given.Filled[trunks.TrunkDefined]())
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.AgentName = "ann" }))
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())

	terms, err := x.Terms(ctx, "tenantId", "run-1", []int{5, 6, 7})
	require.NoError(t, err)
	opened := given.Filled[runs.Opened]()
	require.Equal(t, campaignmodels.RunTerms{ProjectID: "projectId", CampaignID: "campaignId", Kind: opened.Kind, Caller: "caller",
		FlowID: "flowId", MachineDetect: true,
		MessageText: "messageText", Hours: opened.Hours,
		Call: projections.CallSetup{Trunk: "name", Provider: "provider",
			Flow: flows.Flow{ID: "flowId", Name: "name", AgentName: "ann", Language: "language"}, AgentDSL: "dslContent"},
		Contacts: []campaignmodels.RunContact{{Index: 5, Contact: contact("+1")}, {Index: 7, Contact: contact("+3")}}}, terms)
	_, err = x.Terms(ctx, "tenantId", "run-1", []int{8})
	require.ErrorContains(t, err, "reading contacts of run run-1", "one that was never listed")
	_, err = x.Terms(ctx, "other", "run-1", nil)
	require.ErrorContains(t, err, "reading the terms of run run-1")
}

// Given the stream of contact lists, then the lists are those of a version of it.
func TestAnswersAboutListsAsTheyWere(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	one, two, three := contactlists.Contact{PhoneNumber: "+1"}, contactlists.Contact{PhoneNumber: "+2"},
		contactlists.Contact{PhoneNumber: "+3"}
	put := func(first int, contacts ...contactlists.Contact) event.Payload {
		return contactlists.ContactsPut{ListID: "l-1", First: first, Contacts: contacts}
	}
	w.Indexed(contactlists.Lists.Category, "tenantId.projectId", contactlists.ListDefined{ListID: "l-1", Name: "VIPs"}, put(0, one, two),
		put(2, three), put(0, two), contactlists.ListDefined{ListID: "l-2", Name: "Others"}, contactlists.ListRemoved{ListID: "l-1"},
		contactlists.ListDefined{ListID: "l-1", Name: "VIPs"})
	for version, want := range map[int64]map[string][]contactlists.Contact{
		0: {}, 1: {"VIPs": nil}, 2: {"VIPs": {one, two}}, 3: {"VIPs": {one, two, three}}, 4: {"VIPs": {two}}, 6: {"Others": nil},
		7: {"Others": nil, "VIPs": nil},
	} {
		lists, err := campaignmodels.NewCampaignRuns(w.DB).Lists(ctx, "tenantId", "projectId", version)
		require.NoError(t, err)
		require.Equal(t, want, lists, version)
	}
	w.Indexed(contactlists.Lists.Category, "tenantId.projectId")
	_, err := campaignmodels.NewCampaignRuns(w.DB).Lists(ctx, "tenantId", "projectId", 8)
	require.ErrorContains(t, err, "reading contact lists")
}
