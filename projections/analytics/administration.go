package analytics

import (
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/domain/trunks"
)

// Acts of administration are audit: who did what to which stream, never the content.
var (
	_ = act[access.TenantDefined]()
	_ = act[access.ClientDefined]()
	_ = act[access.ClientRemoved]()
	_ = act[access.ProjectDefined]()
	_ = act[access.ProjectRemoved]()
	_ = act[access.ScopeRegistered]()
	_ = act[access.ScopeUnregistered]()
	_ = act[access.ScopeDefined]()
	_ = act[access.ScopeRemoved]()
	_ = act[access.PermissionsChanged]()
	_ = act[access.KeyCreated]()
	_ = act[access.KeyRevoked]()
	_ = act[access.KeyOriginsChanged]()
	_ = act[trunks.TrunkDefined]()
	_ = act[trunks.TrunkRemoved]()
	_ = On(System, "trunk_unreachable", func(_ At, e trunks.TrunkUnreachable) Entry {
		return Entry{Error: e.Problem, Metadata: map[string]any{"trunk": e.Name}}
	})
	_ = On(System, "trunk_reachable", func(_ At, e trunks.TrunkReachable) Entry { return Entry{Metadata: map[string]any{"trunk": e.Name}} })
	_ = On(System, "trunk_registered", func(_ At, e trunks.TrunkRegistered) Entry {
		return Entry{Metadata: map[string]any{"trunk": e.Name, "node": e.Node}}
	})
	_ = On(System, "trunk_not_registered", func(_ At, e trunks.TrunkNotRegistered) Entry {
		return Entry{Error: e.Problem, Metadata: map[string]any{"trunk": e.Name, "node": e.Node}}
	})
	_ = act[modelproviders.Defined]()
	_ = act[modelproviders.Removed]()
	_ = act[projectsettings.Changed]()
	_ = On(System, "budget_reached", func(_ At, e projectsettings.BudgetReached) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Metadata: map[string]any{"month": e.Month, "percent": e.Percent,
			"budgetUsd": completions.Dollars(e.BudgetPico), "spentUsd": completions.Dollars(e.SpentPico), "unpricedRequests": e.Unpriced}}
	})
	_ = act[flows.FlowDefined]()
	_ = act[flows.FlowRemoved]()
	_ = act[contacts.Created]()
	_ = act[contacts.Changed]()
	_ = act[contacts.Deleted]()
	_ = Ignore[contacts.ClaimGivenUp](claiming)
	_ = Ignore[contacts.Claimed](claiming)
	_ = act[secrets.Created]()
	_ = act[secrets.Changed]()
	_ = act[secrets.Deleted]()

	_ = On(Audit, "", func(at At, e agents.AgentDefined) Entry { return ofAgent(at, e.ProjectID, e.Name) })
	_ = On(Audit, "", func(at At, e agents.DSLDeclared) Entry { return ofAgent(at, e.ProjectID, e.Name) })
	_ = On(Audit, "", func(at At, e agents.DSLSaved) Entry { return ofAgent(at, e.ProjectID, e.Name) })
	_ = On(Audit, "", func(at At, e agents.VersionSaved) Entry { return ofAgent(at, e.ProjectID, e.Name) })
	_ = On(Audit, "", func(at At, e agents.AgentRemoved) Entry { return ofAgent(at, e.ProjectID, e.Name) })

	_ = Ignore[registrations.Registered](installation)
	_ = Ignore[registrations.Extended](installation)
	_ = Ignore[registrations.Placed](installation)
	_ = Ignore[registrations.Settled](installation)
	_ = act[registrations.ReplayAsked]()
	_ = act[registrations.ReplaySucceeded]()
	_ = On(Audit, "", func(at At, e registrations.ReplayFailed) Entry {
		out := audited(at, "")
		out.Error = e.Error
		return out
	})
)

const claiming = "who takes an identity first is no figure; that it was taken for good is one"

const installation = "of the installation, not of a tenant"

// act registers an act of administration in the project that its projectId names.
func act[E event.Payload]() registered {
	return On(Audit, "", func(at At, e E) Entry { return audited(at, stated(e).Project) })
}

func ofAgent(at At, project, name string) Entry {
	out := audited(at, project)
	out.AgentName = name
	return out
}
