package apply_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/handlers/apply"
)

const deskTenant = `kind: Tenant
metadata: {id: acme, name: Acme}
spec: {orgId: acme-org}
---
kind: Project
metadata: {id: bot, name: Bot, tenant: acme}
spec: {slug: bot, webhookSecret: a-webhook-secret-of-32-characters, aliases: [IID-1]}
---
`

func humanAgent(id, spec string) string {
	return "kind: HumanAgent\nmetadata: {id: " + id + ", name: Maria Keller, tenant: acme}\nspec: {userId: u-1, roleId: r-1, iId: IID-1, " +
		"agentGroupId: g-1, firstName: Maria, lastName: Keller, emailId: " + id + "@acme.example" + spec + "}\n---\n"
}

func TestFaultsOfHumanAgentsAndQueues(t *testing.T) {
	for name, c := range map[string]struct{ manifest, want string }{
		"id of an agent": {humanAgent("b-1", ""), "metadata.id must be a-"},
		"no group":       {humanAgent("a-1", ", agentGroups: [{role: lead}]"), "spec.agentGroups[0].groupId is required"},
		"no proficiency": {humanAgent("a-1", ", chatLanguageSupport: [{language: en}]"), "spec.chatLanguageSupport[0].proficiency is required"},
		"customId":       {humanAgent("a-1", `, customId: "a b"`), "spec.customId must not contain spaces"},
		"a taken e-mail": {humanAgent("a-1", "") + humanAgent("a-2", ", nickName: N}\n---\nkind: HumanAgent\nmetadata: {id: a-3, name: N, "+
			"tenant: acme}\nspec: {userId: u-1, roleId: r-1, iId: bot, agentGroupId: g-1, firstName: M, lastName: K, emailId: A-1@acme.example"),
			"belongs to another agent"},
		"unknown instance": {"kind: HumanAgent\nmetadata: {id: a-1, name: N, tenant: acme}\nspec: {userId: u-1, roleId: r-1, iId: none, " +
			"agentGroupId: g-1, firstName: M, lastName: K, emailId: m@acme.example}\n", `spec.iId "none" is not a project of tenant acme`},
		"presence":      {humanAgent("a-1", ", onlineStatus: Available"), "spec.onlineStatus"},
		"id of a queue": {"kind: Queue\nmetadata: {id: q, name: Q, tenant: acme}\nspec: {}\n", "metadata.id must be q-"},
		"timeout":       {"kind: Queue\nmetadata: {id: q-1, name: Q, tenant: acme}\nspec: {onTimeout: music}\n", "spec.onTimeout"},
		"a queue twice": {"kind: Queue\nmetadata: {id: q-1, name: Q, tenant: acme}\nspec: {}\n---\nkind: Queue\nmetadata: {id: q-2, name: Q, " +
			"tenant: acme}\nspec: {}\n", `the queue name "Q" belongs to queue q-1`},
	} {
		_, err := onNothing(t).Do(context.Background(), request(t, deskTenant+c.manifest), apply.Caller{Operator: true})
		require.Error(t, err, name)
		told := refusals(t, err)
		require.Len(t, told, 1, "%s: %v", name, told)
		require.Contains(t, told[0], c.want, name)
	}
}

func TestPruneRemovesHumanAgentsAndQueues(t *testing.T) {
	h := given(t)
	record := humanagents.Record{ID: "a-9", FullName: "Maria Keller", EmailID: "maria@acme.example"}
	on(t, h, humanagents.Organisations, "acme", humanagents.OrganisationStream("acme", "o"),
		humanagents.HumanAgentDefined{TenantID: "acme", OrgID: "o", HumanAgentID: "a-9", Agent: record, Declared: record})
	on(t, h, humanagents.Desks, "acme", humanagents.DeskStream("acme", "a-9"),
		humanagents.AgentPresenceChanged{TenantID: "acme", HumanAgentID: "a-9", Type: humanagents.Available, Name: "Available",
			Was: humanagents.Offline})
	on(t, h, queues.Queues, "acme", queues.Stream("acme", "o"),
		queues.QueueDefined{TenantID: "acme", OrgID: "o", QueueID: "q-9", Queue: queues.Queue{ID: "q-9", Name: "Support"}})
	report, err := h.prune(t, "kind: Tenant\nmetadata: {id: acme, name: T}\nspec: {orgId: o}\n", apply.Caller{Operator: true})
	require.NoError(t, err)
	things, events := removals(report)
	require.Subset(t, things, []string{"acme: HumanAgent a-9 (Maria Keller)", "acme: Queue q-9 (Support)"}, "%v", things)
	require.Subset(t, events, []string{"parley.humanagents.presence-changed.v1", "parley.organisations.human-agent-removed.v1",
		"parley.queues.queue-removed.v1"}, "%v", events)
}
