package campaigns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/projections"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given a run whose contacts have their turn, then they are reached with what the run was opened with, and the trunk and flow of now.
func TestAnswersAboutTheTermsOfARun(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewRuns(w.DB, nil)
	contact := func(number string) contactlists.Contact {
		return contactlists.Contact{PhoneNumber: number, FirstName: "Ann"}
	}
	w.Given(campaignmodels.RunsModel, "tenantId.run-1", given.Filled(func(e *runs.Opened) {
		e.RunID, e.FlowID = "run-1",
			"flowId"
	}),
		runs.ContactsListed{Pass: 1, From: 5, Contacts: []contactlists.Contact{contact("+1"), contact("+2"), contact("+3")}})
	w.Given(campaignmodels.RunsModel, "tenantId", pacing.ContactsTaken{RunID: "run-1", Contacts: []int{5, 6, 7, 8},
		At: given.Second(1)},
		pacing.ContactsReturned{RunID: "run-1", Contacts: []int{6}})
	w.Given(voice.SetupModel, "x", given.Filled[trunks.TrunkDefined]())
	w.Given(voice.SetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.AgentName = "ann" }))
	w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())

	terms, err := x.Terms(ctx, "tenantId", "run-1", []int{5, 6, 7})
	require.NoError(t, err)
	opened := given.Filled[runs.Opened]()
	require.Equal(t, campaignmodels.RunTerms{ProjectID: "projectId", CampaignID: "campaignId", Kind: opened.Kind, OurNumber: "caller",
		FlowID: "flowId", MachineDetect: true,
		MessageText: "messageText", Hours: opened.Hours,
		Call: projections.CallSetup{Trunk: "name", Provider: "provider",
			Flow: flows.Flow{ID: "flowId", Name: "name", AgentName: "ann", Language: "language", Recording: true}, AgentDSL: "dslContent"},
		Contacts: []campaignmodels.RunContact{{Index: 5, Contact: contact("+1")}, {Index: 7, Contact: contact("+3")}}}, terms)
	w.Given(runtime.DeploymentsModel, "p", given.Filled(func(e *deployments.Created) {
		e.Environment = "production"
		e.Manifest = map[string]deployments.Pin{"ann": {AgentID: "agentId", Version: 1, Hash: string(agents.HashOf("dslContent"))}}
	}))
	w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.DSLSaved) { e.DSLContent = "changed since" }))
	terms, err = x.Terms(ctx, "tenantId", "run-1", nil)
	require.NoError(t, err)
	require.Equal(t, "dslContent", terms.Call.AgentDSL, "what is deployed")
	_, err = x.Terms(ctx, "tenantId", "run-1", []int{8})
	require.ErrorContains(t, err, "reading contacts of run run-1", "one that was never listed")
	_, err = x.Terms(ctx, "other", "run-1", nil)
	require.ErrorContains(t, err, "reading the terms of run run-1")
}

// Given a run of a tenant whose trunk does not answer, then its terms say so, unless another takes its place.
func TestTermsKnowWhetherTheTrunkIsReached(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(campaignmodels.RunsModel, "tenantId.run-1", given.Filled(func(e *runs.Opened) { e.RunID = "run-1" }))
	trunk := func(name string, fallbacks ...string) {
		w.Given(voice.SetupModel, "x", given.Filled(func(e *trunks.TrunkDefined) {
			e.Name, e.Provider, e.Default, e.Settings = name, trunks.SIP, name == "main", &trunks.Settings{Fallbacks: fallbacks}
		}))
	}
	down := func(name string) {
		w.Given(voice.SetupModel, "x", trunks.TrunkUnreachable{TenantID: "tenantId", Name: name, Problem: "away"})
	}
	up := func(name string) {
		w.Given(voice.SetupModel, "x", trunks.TrunkReachable{TenantID: "tenantId", Name: name})
	}
	is := func(unreached string) {
		t.Helper()
		terms, err := campaignmodels.NewRuns(w.DB, nil).Terms(ctx, "tenantId", "run-1", nil)
		require.NoError(t, err)
		require.Equal(t, unreached, terms.Unreached)
	}
	is("")
	trunk("other")
	trunk("main", "spare", "nobody")
	is("")
	down("main")
	is("main")
	trunk("spare")
	is("")
	down("spare")
	is("main")
	up("main")
	is("")
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
		lists, err := campaignmodels.NewRuns(w.DB, nil).Lists(ctx, "tenantId", "projectId", version)
		require.NoError(t, err)
		require.Equal(t, want, lists, version)
	}
	w.Indexed(contactlists.Lists.Category, "tenantId.projectId")
	_, err := campaignmodels.NewRuns(w.DB, nil).Lists(ctx, "tenantId", "projectId", 8)
	require.ErrorContains(t, err, "reading contact lists")
}
