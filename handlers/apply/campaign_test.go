package apply_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
)

const campaignTenant = `kind: Tenant
metadata: {id: acme, name: Acme}
spec: {orgId: acme-org}
---
kind: Project
metadata: {id: bot, name: Bot, tenant: acme}
---
kind: ExperienceFlow
metadata: {id: cf-1, name: Line, tenant: acme}
spec: {projectId: bot, number: "15550100"}
---
`

func contactList(id, name, contacts string) string {
	return fmt.Sprintf("kind: ContactList\nmetadata: {id: %s, name: %s, tenant: acme}\nspec: {projectId: bot, contacts: [%s]}\n---\n", id,
		name, contacts)
}

// campaign is a good manifest with one text of it replaced.
func campaign(old, replacement string) string {
	good := `kind: Campaign
metadata: {id: cd-1, name: Renewals, tenant: acme}
spec:
  projectId: bot
  description: About invoices
  campaignType: voice
  contactLists: [VIPs]
  priority: "5"
  format: advanced
  dialingStrategy:
    callerId: {phoneNumber: "15550100100"}
    callingHours: {frequency: WEEKLY, timezone: Europe/Vienna, days: [{day: MO, start: "9:00 AM", end: "5:00 PM"}]}
  experienceFlowName: Line
---
`
	return strings.Replace(good, old, replacement, 1)
}

const ann = `{phoneNumber: "+15550000001", firstName: Ann, customFields: {plan: gold}}`

func TestFaultsOfContactListsAndCampaigns(t *testing.T) {
	lists := contactList("vips", "VIPs", ann)
	hours := `days: [{day: MO, start: "9:00 AM", end: "5:00 PM"}]`
	for name, c := range map[string]struct{ manifest, want string }{
		"number":         {contactList("vips", "VIPs", `{phoneNumber: "15550000001"}`), "spec.contacts[0].phoneNumber must match"},
		"no number":      {contactList("vips", "VIPs", ann+", {firstName: Bob}"), "spec.contacts[1].phoneNumber is required"},
		"a number twice": {contactList("vips", "VIPs", ann+", "+ann), "spec.contacts[1].phoneNumber"},
		"e-mail":         {contactList("vips", "VIPs", `{phoneNumber: "+15550000001", email: nobody}`), "spec.contacts[0].email must be"},
		"language": {contactList("vips", "VIPs", `{phoneNumber: "+15550000001", language: English!}`),
			"spec.contacts[0].language must be"},
		"custom fields": {contactList("vips", "VIPs", `{phoneNumber: "+15550000001", customFields: {x: `+strings.Repeat("x", 4096)+`}}`),
			"spec.contacts[0].customFields must be at most 4096 bytes"},
		"unknown member": {contactList("vips", "VIPs", `{phoneNumber: "+15550000001", firstname: Ann}`),
			"spec.contacts[0].firstname is not known: did you mean firstName?"},
		"a name twice": {lists + contactList("others", "VIPs", ""), `the contact list name "VIPs" belongs to list vips`},
		"project of a list": {"kind: ContactList\nmetadata: {id: l, name: L, tenant: acme}\nspec: {projectId: bat}\n",
			`spec.projectId "bat" is not a project of tenant acme`},

		"id":        {lists + campaign("id: cd-1", "id: c-1"), "metadata.id must be cd-"},
		"long name": {lists + campaign("Renewals", strings.Repeat("n", campaigns.MaxName+1)), "metadata.name must be at most 48 characters"},
		"description": {lists + campaign("About invoices", strings.Repeat("d", campaigns.MaxDescription+1)),
			"spec.description must be at most 256 characters"},
		"kind": {lists + campaign("campaignType: voice", "campaignType: fax"), "spec.campaignType must be one of voice, sms"},
		"unknown list": {lists + campaign("[VIPs]", "[VIPs, Strangers]"),
			`spec.contactLists[1] "Strangers" is not a contact list of project bot`},
		"a list twice": {lists + campaign("[VIPs]", "[VIPs, VIPs]"), "spec.contactLists[1] names a list a second time"},
		"priority":     {lists + campaign(`"5"`, `"6"`), "spec.priority must be one of 1, 2, 3, 4, 5"},
		"caller":       {lists + campaign("15550100100", "none"), "spec.dialingStrategy.callerId.phoneNumber must be a telephone number"},
		"zone":         {lists + campaign("Europe/Vienna", "Europe/Wien"), "spec.dialingStrategy.callingHours.timezone"},
		"no hours":     {lists + campaign(hours, "days: []"), "spec.dialingStrategy.callingHours.days"},
		"time":         {lists + campaign("9:00 AM", "9 o'clock"), "spec.dialingStrategy.callingHours.days[0].start"},
		"end is start": {lists + campaign("5:00 PM", "9:00 AM"), "spec.dialingStrategy.callingHours.days[0].end"},
		"unknown flow": {lists + campaign("Name: Line", "Name: Lime"), `spec.experienceFlowName "Lime" is not an experience flow of project bot`},
	} {
		_, err := onNothing(t).Do(context.Background(), request(t, campaignTenant+c.manifest), apply.Caller{Operator: true})
		require.Error(t, err, name)
		told := refusals(t, err)
		require.Len(t, told, 1, "%s: %v", name, told)
		require.Contains(t, told[0], c.want, name)
	}
}

func TestContactListsAndCampaignsOfManifests(t *testing.T) {
	n := inMemory(t)
	both := campaignTenant + contactList("vips", "VIPs", ann) + campaign("", "")
	_, err := n.apply(t, both, operator)
	require.NoError(t, err)
	stream := campaigns.Stream("acme", "cd-1")
	state := func() campaigns.State {
		l, err := eventstore.Read(t.Context(), n.store, campaigns.Campaigns, stream)
		require.NoError(t, err)
		return l.State
	}
	send := func(decide func(campaigns.State) ([]event.Payload, error)) {
		_, err := eventstore.Execute(t.Context(), n.store, campaigns.Campaigns, stream, eventstore.Command{Tenant: "acme", Actor: "test"}, decide)
		require.NoError(t, err)
	}
	d := state().Definition
	require.Equal(t, []any{"Renewals", campaigns.Ready, 5, "+15550100100", "cf-1", []string{"VIPs"}}, []any{d.Name, state().Status, d.Priority,
		d.OurNumber, d.FlowID, d.ContactLists})

	events := n.count(t, "")
	again, err := n.apply(t, both, operator)
	require.NoError(t, err)
	require.Equal(t, apply.Unchanged, outcomes(again)["ContactList VIPs"])
	require.Equal(t, apply.Unchanged, outcomes(again)["Campaign Renewals"])
	require.Equal(t, events, n.count(t, ""))

	send(campaigns.Start{RunID: "cid-1", Contacts: 1, At: time.Now()}.Decide)
	_, err = n.apply(t, both, operator)
	require.NoError(t, err, "the same manifest says nothing new of a campaign that runs")
	_, err = n.apply(t, campaignTenant+contactList("vips", "VIPs", ann)+campaign(`"5"`, `"4"`), operator)
	require.ErrorContains(t, err, "the campaign is Active already, with campaignInstanceId cid-1: pause it")
	_, err = n.prune(t, campaignTenant, false)
	require.ErrorContains(t, err, "cid-1", "nor is it removed")

	send(campaigns.Complete{RunID: "cid-1", At: time.Now()}.Decide)
	changed, err := n.apply(t, campaignTenant+contactList("vips", "VIPs", ann)+campaign(`"5"`, `"4"`), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Changed, outcomes(changed)["Campaign Renewals"])
	require.Equal(t, []any{4, campaigns.Ready}, []any{state().Definition.Priority, state().Status})

	flow := strings.Index(campaignTenant, "kind: ExperienceFlow")
	_, err = n.prune(t, campaignTenant[:flow]+campaign(`"5"`, `"4"`), false)
	require.Equal(t, []string{
		"prune cannot remove ContactList vips of tenant acme: Campaign cd-1 (ws.yaml:8) names it in spec.contactLists[0]: put its ContactList " +
			"manifest into the set, or name another one",
		"prune cannot remove ExperienceFlow cf-1 of tenant acme: Campaign cd-1 (ws.yaml:8) names it in spec.experienceFlowName: put its " +
			"ExperienceFlow manifest into the set, or name another one",
	}, refusals(t, err), "the campaign of the set would reach nobody")
	pruned, err := n.prune(t, campaignTenant, false)
	require.NoError(t, err)
	things, _ := removals(pruned)
	require.Equal(t, []string{"acme: Campaign cd-1 (Renewals)", "acme: ContactList vips (VIPs)"}, things)
	require.False(t, state().Exists())
	lists, err := eventstore.Read(t.Context(), n.store, contactlists.Lists, contactlists.Stream("acme", "bot"))
	require.NoError(t, err)
	require.Empty(t, lists.State.Lists)
}

// Others call an agent or a contact list by its name: one that is given a new name alone would be found by none of them.
func TestWhatOthersNameIsNotRenamedAlone(t *testing.T) {
	named := func(agent, flow, list string) string {
		return fmt.Sprintf("kind: Agent\nmetadata: {id: a-1, name: %s, tenant: acme}\nspec: {projectId: bot, dslContent: 'AGENT: x'}\n---\n"+
			"kind: ExperienceFlow\nmetadata: {id: cf-2, name: Desk, tenant: acme}\nspec: {projectId: bot, number: '2', agentName: %s}\n---\n",
			agent, flow) + contactList("vips", list, ann) + campaign("VIPs", list)
	}
	only := func(yaml, kind string) string { return yaml[strings.Index(yaml, "kind: "+kind):] }
	n := inMemory(t)
	_, err := n.apply(t, campaignTenant+named("Otto", "Otto", "VIPs"), operator)
	require.NoError(t, err)
	before := n.count(t, "")

	agent, _, _ := strings.Cut(named("Ada", "", ""), "---\n")
	_, err = n.apply(t, agent, operator)
	require.Equal(t, []string{`manifests[0] (ws.yaml:2) metadata.name ExperienceFlow cf-2 calls it "Otto": put that manifest with the new ` +
		"name into this set, or keep the old one"}, refusals(t, err))
	_, err = n.apply(t, contactList("vips", "Guests", ann), operator)
	require.ErrorContains(t, err, `Campaign cd-1 calls it "VIPs"`)
	require.Equal(t, before, n.count(t, ""))

	_, err = n.apply(t, agent+"---\n"+strings.Replace(agent, "id: a-1, name: Ada", "id: a-2, name: Otto", 1), operator)
	require.NoError(t, err, "there is an Otto still")
	_, err = n.apply(t, only(named("", "", "Guests"), "ContactList"), operator)
	require.NoError(t, err, "its campaign follows in the same set")
	_, err = n.prune(t, campaignTenant+strings.ReplaceAll(agent, "Ada", "Eve")+"---\n"+contactList("vips", "Others", ann), false)
	require.NoError(t, err, "what named them goes with the same set")
}
