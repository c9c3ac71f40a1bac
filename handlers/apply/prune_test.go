package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/apply"
)

// history is a log that has events.
type history struct {
	log   *memory.Log
	store *eventstore.Store
}

func on[S any](t *testing.T, h *history, agg *event.Aggregate[S], tenant, stream string, payloads ...event.Payload) {
	t.Helper()
	require.NoError(t, memory.Put(t.Context(), h.store, agg, tenant, stream, payloads...))
}

// given are tenants acme and globex, each with all that a manifest can make. Acme's
// trunk carrier is its default, and its agent's name stands in its flow.
func given(t *testing.T) *history {
	t.Helper()
	h := &history{}
	h.log, h.store = newLog(t)
	for _, tenant := range []string{"acme", "globex"} {
		on(t, h, access.Tenants, tenant, access.TenantStream(tenant),
			access.TenantDefined{TenantID: tenant, Name: "T", OrgID: "o"},
			access.ProjectDefined{TenantID: tenant, ProjectID: "bot", Name: "Bot", Slug: "bot", Aliases: []string{"IID-1"}, WebhookSecret: "sealed"},
			access.ClientDefined{TenantID: tenant, ClientID: "crm", Name: "CRM", Origin: access.OriginApp, Alg: access.HS256, Secret: "sealed"},
			access.ScopeRegistered{TenantID: tenant, ProjectID: "bot", ScopeID: "as-1", Name: "main"})
		on(t, h, access.Scopes, tenant, access.ScopeStream(tenant, "as-1"),
			access.ScopeDefined{TenantID: tenant, ProjectID: "bot", ScopeID: "as-1", ScopeName: "main",
				Permissions: map[access.KeyPermission]string{}},
			access.KeyCreated{TenantID: tenant, ProjectID: "bot", ScopeID: "as-1", KeyID: "ak-1", Name: "first"})
		on(t, h, trunks.Trunks, tenant, trunks.Stream(tenant),
			trunks.TrunkDefined{TenantID: tenant, Name: "carrier", Provider: trunks.Local, Default: true, DeclaredDefault: true},
			trunks.TrunkDefined{TenantID: tenant, Name: "spare", Provider: trunks.Local})
		on(t, h, agents.Agents, tenant, agents.Stream(tenant, "bot"),
			agents.AgentDefined{TenantID: tenant, ProjectID: "bot", AgentID: "a-1", Name: "greeter"})
		on(t, h, flows.Flows, tenant, flows.Stream(tenant, "bot"),
			flows.FlowDefined{TenantID: tenant, ProjectID: "bot", FlowID: "cf-1", Name: "Line", Number: "15550100", AgentName: "greeter"})
	}
	return h
}

// prune plans on the history; it is a dry run.
func (h *history) prune(t *testing.T, yaml string, by apply.Caller) (apply.Report, error) {
	t.Helper()
	h.log.Fail(nothingIsAppended(t))
	defer h.log.Fail(memory.Faults{})
	r := request(t, yaml)
	r.DryRun, r.Prune = true, true
	return apply.New(h.store, newVault(t)).Do(t.Context(), r, by)
}

// removals are the removed things in order, as "tenant: Kind id (name)" and the types
// of their events.
func removals(r apply.Report) (things, events []string) {
	for _, one := range r.Results {
		if one.Outcome != apply.Removed {
			continue
		}
		things = append(things, one.Tenant+": "+one.Kind+" "+one.ID+" ("+one.Name+")")
		for _, e := range one.Events {
			events = append(events, e.Type)
		}
	}
	return things, events
}

const (
	acme    = "kind: Tenant\nmetadata: {id: acme, name: T}\nspec: {orgId: o}\n"
	bot     = "---\nkind: Project\nmetadata: {id: bot, name: Bot, tenant: acme}\nspec: {aliases: [IID-1], slug: bot}\n"
	crm     = "---\nkind: Client\nmetadata: {id: crm, name: CRM, tenant: acme}\nspec: {alg: HS256}\n"
	scope   = "---\nkind: Scope\nmetadata: {id: as-1, name: main, tenant: acme}\nspec: {projectId: bot}\n"
	carrier = "---\nkind: Trunk\nmetadata: {name: carrier, tenant: acme}\nspec: {provider: local, default: true}\n"
	spare   = "---\nkind: Trunk\nmetadata: {name: spare, tenant: acme}\nspec: {provider: local}\n"
	greeter = "---\nkind: Agent\nmetadata: {id: a-1, name: greeter, tenant: acme}\nspec: {projectId: bot, dslContent: 'x: y'}\n"
	line    = "---\nkind: ExperienceFlow\nmetadata: {id: cf-1, name: Line, tenant: acme}\nspec: {projectId: IID-1, number: '15550100', " +
		"agentName: greeter}\n"
	all = acme + bot + crm + scope + carrier + spare + greeter + line
)

func TestPruneRemovesWhatTheSetDoesNotName(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want []string
	}{
		"everything is named": {all, nil},
		"only the tenant": {acme, []string{
			"acme: ExperienceFlow cf-1 (Line)", "acme: Agent a-1 (greeter)", "acme: Trunk spare (spare)", "acme: Trunk carrier (carrier)",
			"acme: Scope as-1 (main)", "acme: Client crm (CRM)", "acme: Project bot (Bot)"}},
		"a flow with its agent": {acme + bot + crm + scope + carrier + spare, []string{"acme: ExperienceFlow cf-1 (Line)",
			"acme: Agent a-1 (greeter)"}},
		"a scope of a project that stays": {acme + bot + crm + carrier + spare + greeter + line, []string{"acme: Scope as-1 (main)"}},
		"a client":                        {acme + bot + scope + carrier + spare + greeter + line, []string{"acme: Client crm (CRM)"}},
		"a trunk":                         {acme + bot + crm + scope + carrier + greeter + line, []string{"acme: Trunk spare (spare)"}},
		"the default when another takes it": {acme + bot + crm + scope + greeter + line +
			"---\nkind: Trunk\nmetadata: {name: spare, tenant: acme}\nspec: {provider: local, default: true}",
			[]string{"acme: Trunk carrier (carrier)"}},
		"an agent that its flow names no more": {acme + bot + crm + scope + carrier + spare +
			"---\nkind: ExperienceFlow\nmetadata: {id: cf-1, name: Line, tenant: acme}\nspec: {projectId: IID-1, number: '15550100'}",
			[]string{"acme: Agent a-1 (greeter)"}},
		"a tenant that is only used is left alone": {all + "---\nkind: Trunk\nmetadata: {name: spare, tenant: globex}\nspec: {provider: local}",
			nil},
		"two tenants": {all + "---\nkind: Tenant\nmetadata: {id: globex, name: T}\nspec: {orgId: o}\n---\nkind: Trunk\nmetadata: {name: " +
			"carrier, tenant: globex}\nspec: {provider: local, default: true}", []string{
			"globex: ExperienceFlow cf-1 (Line)", "globex: Agent a-1 (greeter)", "globex: Trunk spare (spare)", "globex: Scope as-1 (main)",
			"globex: Client crm (CRM)", "globex: Project bot (Bot)"}},
		"a new tenant has nothing": {"kind: Tenant\nmetadata: {id: fresh, name: F}\nspec: {orgId: o}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := given(t).prune(t, c.set, operator)
			require.NoError(t, err)
			got, _ := removals(report)
			require.Equal(t, c.want, got)
			for _, r := range report.Results[len(report.Results)-len(got):] {
				require.Equal(t, apply.Removed, r.Outcome, "removals stand behind the manifests")
			}
		})
	}
}

func TestARemovedScopeNamesTheKeysThatGoWithIt(t *testing.T) {
	report, err := given(t).prune(t, acme, operator)
	require.NoError(t, err)
	_, types := removals(report)
	require.Equal(t, []string{"parley.flows.removed.v1", "parley.agents.removed.v1", "parley.trunks.removed.v1", "parley.trunks.removed.v1",
		"parley.scopes.removed.v1", "parley.tenants.scope-unregistered.v1", "parley.tenants.client-removed.v1",
		"parley.tenants.project-removed.v1"}, types)
	for _, r := range report.Results {
		if r.Kind == "Scope" {
			require.Contains(t, string(r.Events[0].Data), `"keyIds":["ak-1"]`)
		}
	}
}

func TestWhatCannotGoIsNamedAndNothingIsApplied(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want []string
	}{
		"a project that a scope of the set belongs to": {acme + crm + carrier + spare + scope,
			[]string{
				"prune cannot remove Project bot of tenant acme: Scope as-1 (ws.yaml:17) belongs to it: put its Project manifest into the set"}},
		"a project that an agent of the set belongs to": {acme + crm + carrier + spare + greeter,
			[]string{"prune cannot remove Project bot of tenant acme: Agent a-1 (ws.yaml:17) belongs to it: put its Project manifest into the set"}},
		"a project in which a user of the set has a role": {acme + crm + carrier + spare + "---\nkind: Role\nmetadata: {id: r-1, name: Tester, " +
			"tenant: acme}\nspec: {roleType: bot}\n---\nkind: User\nmetadata: {id: u-1, name: ada, tenant: acme}\nspec: {btRoles: [{roleId: r-1, " +
			"botId: bot}]}",
			[]string{"prune cannot remove Project bot of tenant acme: User u-1 (ws.yaml:21) belongs to it: put its Project manifest into the set"}},
		"an agent that a flow of the set names": {acme + bot + crm + scope + carrier + spare + line,
			[]string{"prune cannot remove Agent a-1 of tenant acme: ExperienceFlow cf-1 (ws.yaml:25) names it in spec.agentName: put its Agent " +
				"manifest into the set, or name another one"}},
		"the default trunk": {acme + bot + crm + scope + spare + greeter + line,
			[]string{
				`prune cannot remove Trunk carrier of tenant acme: trunk "carrier" is the default; define another one with spec.default: true first`}},
		"several": {acme + crm + spare + line, []string{
			"prune cannot remove Agent a-1 of tenant acme: ExperienceFlow cf-1 (ws.yaml:13) names it in spec.agentName: put its Agent manifest " +
				"into the set, or name another one",
			`prune cannot remove Trunk carrier of tenant acme: trunk "carrier" is the default; define another one with spec.default: true first`,
			"prune cannot remove Project bot of tenant acme: ExperienceFlow cf-1 (ws.yaml:13) belongs to it: " +
				"put its Project manifest into the set"}},
		"of a set that is wrong by itself only that is told": {
			acme + "---\nkind: Trunk\nmetadata: {name: spare, tenant: acme}\nspec: {provider: pigeon}",
			[]string{"manifests[1] (ws.yaml:7) spec.provider must be one of local, sip"}},
		"what a removal frees is free only afterwards": {acme + bot + crm + scope + carrier + spare +
			"---\nkind: Agent\nmetadata: {id: a-2, name: greeter, tenant: acme}\nspec: {projectId: bot, dslContent: 'x: y'}",
			[]string{`manifests[6] (ws.yaml:25) the agent name "greeter" belongs to agent a-1`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := given(t).prune(t, c.set, operator)
			require.Equal(t, c.want, refusals(t, err))
		})
	}
}

// A trunk that lost the default to another one has it back when that goes.
func TestADefaultThatWasTakenComesBack(t *testing.T) {
	h := given(t)
	on(t, h, trunks.Trunks, "acme", trunks.Stream("acme"),
		trunks.TrunkDefined{TenantID: "acme", Name: "thief", Provider: trunks.Local, Default: true, DeclaredDefault: true})
	report, err := h.prune(t, all, operator)
	require.NoError(t, err)
	got, events := removals(report)
	require.Equal(t, []string{"acme: Trunk thief (thief)"}, got)
	require.Equal(t, []string{"parley.trunks.defined.v1", "parley.trunks.removed.v1"}, events)
}

// Someone who prunes by one file of many would lose the rest.
func TestPruneWithoutTheTenantsManifestIsRefused(t *testing.T) {
	for _, by := range []apply.Caller{operator, {Actor: "user:ada@crm", TenantID: "acme", ClientID: "crm"}} {
		_, err := given(t).prune(t, bot+crm, by)
		got := refusals(t, err)
		require.Len(t, got, 1)
		require.Contains(t, got[0], "prune needs a Tenant manifest in the set")
	}
}

func TestWhoMayPruneWhat(t *testing.T) {
	ada := apply.Caller{Actor: "user:ada@crm", TenantID: "acme", ClientID: "crm"}
	t.Run("a client its own tenant", func(t *testing.T) {
		report, err := given(t).prune(t, acme+bot+crm+scope+carrier+spare, ada)
		require.NoError(t, err)
		got, _ := removals(report)
		require.Equal(t, []string{"acme: ExperienceFlow cf-1 (Line)", "acme: Agent a-1 (greeter)"}, got)
	})
	t.Run("no other tenant", func(t *testing.T) {
		_, err := given(t).prune(t, "kind: Tenant\nmetadata: {id: globex, name: T}\nspec: {orgId: o}", ada)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	})
	t.Run("not itself", func(t *testing.T) {
		_, err := given(t).prune(t, acme+bot+scope+carrier+spare, ada)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		require.ErrorContains(t, err, "Client crm, whose token this request came with")
	})
	t.Run("another client of its tenant", func(t *testing.T) {
		by := ada
		by.ClientID = "console"
		report, err := given(t).prune(t, acme+bot+scope+carrier+spare+greeter+line, by)
		require.NoError(t, err)
		got, _ := removals(report)
		require.Equal(t, []string{"acme: Client crm (CRM)"}, got)
	})
}

// A crash may leave a scope that ended but whose name is still taken.
func TestPruneFinishesAHalfRemovedScope(t *testing.T) {
	h := given(t)
	on(t, h, access.Scopes, "acme", access.ScopeStream("acme", "as-1"),
		access.ScopeRemoved{TenantID: "acme", ProjectID: "bot", ScopeID: "as-1", ScopeName: "main", KeyIDs: []string{"ak-1"}})
	report, err := h.prune(t, acme+bot+crm+carrier+spare+greeter+line, operator)
	require.NoError(t, err)
	things, types := removals(report)
	require.Equal(t, []string{"acme: Scope as-1 (main)"}, things)
	require.Equal(t, []string{"parley.tenants.scope-unregistered.v1"}, types)
}
