package apply

import (
	"context"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
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
	s, err := stateOf(ctx, p, agents.Agents, agents.Stream(d.meta.Tenant, project))
	if err != nil {
		return nil, err
	}
	was := s.Agents[id].Name
	taken := func(name string) bool { _, ok := s.ByName(name); return ok }
	p.renames(d, was, taken, func(ctx context.Context, p *planner) (string, error) {
		return p.callsAgent(ctx, d.meta.Tenant, project, was)
	})
	return []step{on(agents.Agents, agents.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

// callsAgent is the first flow or suite of a project that calls its agent so; empty: none does.
func (p *planner) callsAgent(ctx context.Context, tenant, project, name string) (string, error) {
	f, err := stateOf(ctx, p, flows.Flows, flows.Stream(tenant, project))
	if err != nil {
		return "", err
	}
	if by := first(flowName, f.Flows, func(x flows.Flow) bool { return x.AgentName == name }); by != "" {
		return by, nil
	}
	t, err := stateOf(ctx, p, testsuites.Suites, testsuites.Stream(tenant, project))
	if err != nil {
		return "", err
	}
	return first(testSuiteName, t.Suites, func(x testsuites.Suite) bool { return x.Agent == name }), nil
}

// first is the one of a kind with the least id that is so; empty: none is.
func first[T any](kind string, of map[string]T, is func(T) bool) string {
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if is(of[id]) {
			return kind + " " + id
		}
	}
	return ""
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

var agentsLeft = leftInProjects(agentName, agents.Agents, agents.Stream,
	func(s *agents.State) map[string]string {
		return namesOf(s.Agents, func(t agents.Agent) string { return t.Name })
	},
	func(tenant, project, id string) func(agents.State) ([]event.Payload, error) {
		return agents.RemoveAgent{TenantID: tenant, ProjectID: project, ID: id}.Decide
	})

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

var testSuitesLeft = leftInProjects(testSuiteName, testsuites.Suites, testsuites.Stream,
	func(s *testsuites.State) map[string]string {
		return namesOf(s.Suites, func(t testsuites.Suite) string { return t.Name })
	},
	func(tenant, project, id string) func(testsuites.State) ([]event.Payload, error) {
		return testsuites.RemoveSuite{TenantID: tenant, ProjectID: project, ID: id}.Decide
	})
