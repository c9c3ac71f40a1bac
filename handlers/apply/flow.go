package apply

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
)

// FlowSpec is the spec of kind ExperienceFlow; metadata.id begins with cf-.
type FlowSpec struct {
	ProjectID string `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Number    string `json:"number" jsonschema:"required,minLength=1,maxLength=64" jsonschema_description:"The caller that chooses this flow: a telephone number, with or without +, or the user of a SIP address. Put it in quotes."`
	AgentName string `json:"agentName,omitempty" jsonschema_description:"The AI agent of the project that takes its calls. Without one we hang up after a moment."`
	Language  string `json:"language,omitempty" jsonschema:"example=en,example=de-AT" jsonschema_description:"Language tag; without one the project's."`
	Recording bool   `json:"recording,omitempty" jsonschema_description:"Its calls are recorded, both sides. Say so to who is called: many laws ask for it."`
}

var flowKind = define(label{
	name:  flowName,
	about: "Which number a call shows as its caller, and which AI agent takes the call. Its metadata.id begins with cf-.",
}, flowSteps, nil).pruned(flowsLeft)

func flowSteps(ctx context.Context, p *planner, d *draft, spec FlowSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	if err := p.agent(ctx, d, "spec.agentName", project, spec.AgentName); err != nil {
		return nil, err
	}
	define := flows.DefineFlow{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name,
		Number: spec.Number, AgentName: spec.AgentName, Language: spec.Language, Recording: spec.Recording}
	exists := func(s flows.State) bool { _, ok := s.Flows[id]; return ok }
	return []step{on(flows.Flows, flows.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

// agent refuses a name that no agent of the project has: the domain would take it,
// and every call of the flow would be silent because of a typing mistake.
func (p *planner) agent(ctx context.Context, d *draft, field, project, name string) error {
	name, problem := access.CleanName(name)
	if problem != "" {
		return nil // none is named, or the domain says what is wrong with it
	}
	s, err := stateOf(ctx, p, agents.Agents, agents.Stream(d.meta.Tenant, project))
	if err != nil {
		return err
	}
	found, ok := s.ByName(name)
	if !ok {
		d.fault(field, "%q is not an agent of project %s: put its Agent manifest into this set, or apply it before", name, project)
	}
	p.needs(d, field, agentName, d.meta.Tenant, project, found.ID)
	return nil
}

var flowsLeft = leftInProjects(flowName, flows.Flows, flows.Stream,
	func(s *flows.State) map[string]string {
		return namesOf(s.Flows, func(t flows.Flow) string { return t.Name })
	},
	func(tenant, project, id string) func(flows.State) ([]event.Payload, error) {
		return flows.RemoveFlow{TenantID: tenant, ProjectID: project, ID: id}.Decide
	})
