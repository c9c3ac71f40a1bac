package apply

import (
	"context"
	"encoding/json"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/event"
)

// ToolSpec is the spec of kind Tool.
type ToolSpec struct {
	ProjectID   string            `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Description string            `json:"description,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"What it does, for people and agents."`
	Type        string            `json:"type" jsonschema:"required,enum=http,enum=async_webhook,enum=mcp,enum=code" jsonschema_description:"How it works: a request, a request whose answer comes later, a server of the Model Context Protocol, or code."`
	URL         string            `json:"url,omitempty" jsonschema:"example=https://api.example.com/orders/{id}" jsonschema_description:"Of http, async_webhook and mcp: an absolute URL."`
	Method      string            `json:"method,omitempty" jsonschema:"enum=GET,enum=POST,enum=PUT,enum=PATCH,enum=DELETE" jsonschema_description:"Of http and async_webhook; POST without one."`
	Headers     map[string]string `json:"headers,omitempty" jsonschema_description:"Of http, async_webhook and mcp: sent along. A secret of the tool, by its id, is ${secret:KEY}."`
	Tool        string            `json:"tool,omitempty" jsonschema_description:"Of mcp: the tool's name at the server, for agents that use this one by its id."`
	Code        string            `json:"code,omitempty" jsonschema_description:"Of code: its source."`
	Parameters  json.RawMessage   `json:"parameters,omitempty" jsonschema:"type=object" jsonschema_description:"JSON Schema of the arguments."`
}

// WorkflowSpec is the spec of kind Workflow.
type WorkflowSpec struct {
	ProjectID   string         `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Description string         `json:"description,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"For people."`
	Steps       []WorkflowStep `json:"steps" jsonschema:"required,minItems=1,maxItems=200" jsonschema_description:"What it does, one step after the other."`
}

// WorkflowStep is one step of a Workflow.
type WorkflowStep struct {
	ID        string          `json:"id" jsonschema:"required,minLength=1" jsonschema_description:"Unique in the workflow."`
	Tool      string          `json:"tool" jsonschema:"required,minLength=1" jsonschema_description:"Id of a tool of the project. It may be defined later, but before the workflow is deployed."`
	Arguments json.RawMessage `json:"arguments,omitempty" jsonschema:"type=object" jsonschema_description:"Arguments of the tool."`
	Next      string          `json:"next,omitempty" jsonschema_description:"Id of the step that follows; without one the next of the list."`
}

var (
	toolKind = define(label{
		name:  toolName,
		about: "A tool that workflows and agents of a project can use. It is live when it has been deployed.",
	}, toolSteps, nil).pruned(docksLeft(deployables.Tool, toolName))

	workflowKind = define(label{
		name:  workflowName,
		about: "A workflow of a project: tools called one after the other. It is live when it has been deployed.",
	}, workflowSteps, nil).pruned(docksLeft(deployables.Workflow, workflowName))
)

func toolSteps(ctx context.Context, p *planner, d *draft, spec ToolSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	define := deployables.DefineTool{About: p.dock(d, project, spec.Description), Type: spec.Type, URL: spec.URL, Method: spec.Method,
		Headers: spec.Headers, Remote: spec.Tool, Code: spec.Code, Parameters: spec.Parameters}
	return []step{on(deployables.Docks, deployables.Stream(d.meta.Tenant, project), define.Decide, dockExists(deployables.Tool, d.meta.ID))},
		nil
}

func workflowSteps(ctx context.Context, p *planner, d *draft, spec WorkflowSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	define := deployables.DefineWorkflow{About: p.dock(d, project, spec.Description)}
	for _, s := range spec.Steps {
		define.Steps = append(define.Steps, deployables.Step(s))
	}
	return []step{on(deployables.Docks, deployables.Stream(d.meta.Tenant, project), define.Decide, dockExists(deployables.Workflow,
		d.meta.ID))}, nil
}

func (p *planner) dock(d *draft, project, description string) deployables.About {
	p.claim(d, "metadata.id", d.meta.Tenant, project, d.meta.ID)
	return deployables.About{TenantID: d.meta.Tenant, ProjectID: project, ID: d.meta.ID, Name: d.meta.Name, Description: description}
}

func dockExists(kind deployables.Kind, id string) func(deployables.State) bool {
	return func(s deployables.State) bool { _, ok := s.Find(kind, id); return ok }
}

func docksLeft(kind deployables.Kind, name string) leftovers {
	names := func(s *deployables.State) map[string]string {
		all := s.Workflows
		if kind == deployables.Tool {
			all = s.Tools
		}
		return namesOf(all, func(d deployables.Definition) string { return d.Name })
	}
	return leftInProjects(name, deployables.Docks, deployables.Stream, names,
		func(tenant, project, id string) func(deployables.State) ([]event.Payload, error) {
			return deployables.Remove{TenantID: tenant, ProjectID: project, Kind: kind, ID: id}.Decide
		})
}
