package apply

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
)

// HumanAgentSpec is the spec of kind HumanAgent; metadata.id begins with a-. The account
// and the organisation are those of metadata.tenant.
type HumanAgentSpec struct {
	humanagents.Given
	humanagents.Profile
}

var humanAgentKind = define(label{
	name: humanAgentName,
	about: "A person of the tenant's organisation who talks to customers. Its metadata.id begins with a-; metadata.name is the full name " +
		"unless spec.fullName says another. It starts offline.",
}, humanAgentSteps, nil).pruned(humanAgentsLeft)

func humanAgentSteps(ctx context.Context, p *planner, d *draft, spec HumanAgentSpec) ([]step, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	p.within(tenant, d, "spec.iId", spec.IID)
	given := spec.Given
	if given.FullName == nil {
		given.FullName = &d.meta.Name
	}
	define := humanagents.DefineHumanAgent{TenantID: d.meta.Tenant, OrgID: tenant.OrgID, ID: id, Given: given, Profile: spec.Profile,
		At: p.now()}
	exists := func(o humanagents.Organisation) bool { _, ok := o.Agents[id]; return ok }
	return []step{on(humanagents.Organisations, humanagents.OrganisationStream(d.meta.Tenant, tenant.OrgID), define.Decide, exists)}, nil
}

// humanAgentsLeft sets a removed agent offline first, so that one of the same id who is
// defined later does not begin as available.
func humanAgentsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	t, err := stateOf(ctx, p, access.Tenants, access.TenantStream(tenant))
	if err != nil {
		return nil, err
	}
	stream := humanagents.OrganisationStream(tenant, t.OrgID)
	s, err := stateOf(ctx, p, humanagents.Organisations, stream)
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, id := range unnamed(p, s.Agents, humanAgentName, tenant) {
		leave := humanagents.SetPresence{TenantID: tenant, HumanAgentID: id, Type: humanagents.Offline, At: p.now()}
		remove := humanagents.RemoveHumanAgent{TenantID: tenant, OrgID: t.OrgID, ID: id, At: p.now()}
		left = append(left, leftover{id: id, name: s.Agents[id].FullName, steps: []step{
			removing(humanagents.Desks, humanagents.DeskStream(tenant, id), leave.Decide),
			removing(humanagents.Organisations, stream, remove.Decide),
		}})
	}
	return left, nil
}

// QueueSpec is the spec of kind Queue; metadata.id begins with q-.
type QueueSpec struct {
	Description        string         `json:"description,omitempty" jsonschema:"maxLength=256" jsonschema_description:"For people."`
	Agents             []queues.Agent `json:"agents,omitempty" jsonschema:"maxItems=1000" jsonschema_description:"Agents who serve the queue, whatever their groups."`
	AgentGroups        []string       `json:"agentGroups,omitempty" jsonschema:"maxItems=1000" jsonschema_description:"Ids of groups whose agents serve the queue."`
	Skills             []queues.Skill `json:"skills,omitempty" jsonschema:"maxItems=1000" jsonschema_description:"What an agent must be able to do to get a conversation of the queue: all of them."`
	WaitTimeoutSeconds int            `json:"waitTimeoutSeconds,omitempty" jsonschema:"minimum=1,maximum=86400" jsonschema_description:"How long one waits for an agent; 120 without it."`
	OnTimeout          string         `json:"onTimeout,omitempty" jsonschema:"enum=voicemail,enum=fail" jsonschema_description:"What then happens; fail without it."`
}

var queueKind = define(label{
	name: queueName,
	about: "A queue of the tenant's organisation, in which conversations wait for a human agent. Its metadata.id begins with q-, its " +
		"metadata.name is unique in the organisation.",
}, queueSteps, nil).pruned(queuesLeft)

func queueSteps(ctx context.Context, p *planner, d *draft, spec QueueSpec) ([]step, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	define := queues.DefineQueue{TenantID: d.meta.Tenant, OrgID: tenant.OrgID, ID: id, Name: d.meta.Name, Description: spec.Description,
		Agents:      spec.Agents,
		AgentGroups: spec.AgentGroups, Skills: spec.Skills, WaitTimeoutSeconds: spec.WaitTimeoutSeconds,
		OnTimeout: queues.OnTimeout(spec.OnTimeout)}
	exists := func(s queues.State) bool { _, ok := s.Queues[id]; return ok }
	return []step{on(queues.Queues, queues.Stream(d.meta.Tenant, tenant.OrgID), define.Decide, exists)}, nil
}

func queuesLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	t, err := stateOf(ctx, p, access.Tenants, access.TenantStream(tenant))
	if err != nil {
		return nil, err
	}
	stream := queues.Stream(tenant, t.OrgID)
	s, err := stateOf(ctx, p, queues.Queues, stream)
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, id := range unnamed(p, s.Queues, queueName, tenant) {
		remove := queues.RemoveQueue{TenantID: tenant, OrgID: t.OrgID, ID: id}
		left = append(left, leftover{id: id, name: s.Queues[id].Name, steps: []step{removing(queues.Queues, stream, remove.Decide)}})
	}
	return left, nil
}
