package apply

import (
	"context"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/handlers/apply/suite"
)

// AgentSpec is the spec of kind Agent; its metadata.name stands in paths and flows.
type AgentSpec struct {
	ProjectID   string `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"For people."`
	DSLContent  string `json:"dslContent" jsonschema:"required,minLength=1" jsonschema_description:"Its source, a YAML text. ON_START / SAY is what it says first."`
}

var agentKind = define(label{
	name:  agentName,
	about: "An AI agent of a project. Its metadata.name is unique in the project.",
}, agentSteps, pretendAgent).pruned(agentsLeft)

func agentSteps(ctx context.Context, p *planner, d *draft, spec AgentSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	define := agents.DefineAgent{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name,
		Description: spec.Description, DSLContent: spec.DSLContent, At: p.now()}
	exists := func(s agents.State) bool { _, ok := s.Agents[id]; return ok }
	return []step{on(agents.Agents, agents.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

func pretendAgent(ctx context.Context, p *planner, d *draft, spec AgentSpec) error {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return err
	}
	s, err := stateOf(ctx, p, agents.Agents, agents.Stream(d.meta.Tenant, project))
	if err != nil {
		return err
	}
	if _, known := s.ByName(d.meta.Name); !known {
		if s.Agents == nil {
			s.Agents = map[string]agents.Agent{}
		}
		s.Agents[d.place()] = agents.Agent{Name: d.meta.Name} // under a key that no id has
	}
	return nil
}

func agentsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
		stream := agents.Stream(tenant, project)
		s, err := stateOf(ctx, p, agents.Agents, stream)
		if err != nil {
			return nil, err
		}
		var left []leftover
		for _, id := range unnamed(p, s.Agents, agentName, tenant, project) {
			remove := agents.RemoveAgent{TenantID: tenant, ProjectID: project, ID: id}
			left = append(left, leftover{id: id, name: s.Agents[id].Name, refused: p.neededBy(agentName, tenant, project, id),
				steps: []step{removing(agents.Agents, stream, remove.Decide)}})
		}
		return left, nil
	})
}

var testSuiteKind = define(label{
	name:  testSuiteName,
	about: "What is expected of an AI agent: conversations that can be run as a test. Its metadata.name is unique in the project.",
}, testSuiteSteps, nil).pruned(testSuitesLeft)

func testSuiteSteps(ctx context.Context, p *planner, d *draft, spec suite.Spec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	if err := p.agent(ctx, d, "spec.agentName", project, spec.AgentName); err != nil {
		return nil, err
	}
	define := testsuites.DefineSuite{TenantID: d.meta.Tenant, ProjectID: project, Suite: spec.Suite(id, d.meta.Name)}
	exists := func(s testsuites.State) bool { _, ok := s.Suites[id]; return ok }
	return []step{on(testsuites.Suites, testsuites.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

func testSuitesLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
		stream := testsuites.Stream(tenant, project)
		s, err := stateOf(ctx, p, testsuites.Suites, stream)
		if err != nil {
			return nil, err
		}
		var left []leftover
		for _, id := range unnamed(p, s.Suites, testSuiteName, tenant, project) {
			remove := testsuites.RemoveSuite{TenantID: tenant, ProjectID: project, ID: id}
			left = append(left, leftover{id: id, name: s.Suites[id].Name,
				steps: []step{removing(testsuites.Suites, stream, remove.Decide)}})
		}
		return left, nil
	})
}
