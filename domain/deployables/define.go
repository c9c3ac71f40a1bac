package deployables

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Limits of a definition.
const (
	MaxContent = 128_000 // bytes of JSON
	MaxSteps   = 200
)

// About is what workflows and tools have in common.
type About struct {
	TenantID    string
	ProjectID   string // spec.projectId, resolved
	ID          string // metadata.id
	Name        string // metadata.name
	Description string // spec.description
}

// DefineWorkflow makes or changes a workflow (manifest kind Workflow).
type DefineWorkflow struct {
	About
	Steps []Step // spec.steps
}

// Step is one step of a workflow. Steps run one after the other unless Next says more.
type Step struct {
	ID        string          `json:"id"`                  // unique in the workflow
	Tool      string          `json:"tool"`                // id of a tool of the project
	Arguments json.RawMessage `json:"arguments,omitempty"` // object
	Next      string          `json:"next,omitempty"`      // id of the step that follows; empty: the next in the list
}

// DefineTool makes or changes a tool (manifest kind Tool).
type DefineTool struct {
	About
	Type       string            // spec.type
	URL        string            // spec.url, of http, async_webhook and mcp
	Method     string            // spec.method, of http and async_webhook
	Headers    map[string]string // spec.headers, of http, async_webhook and mcp; secrets as ${secret:KEY}
	Remote     string            // spec.tool, of mcp: which tool of the server
	Code       string            // spec.code, of code
	Parameters json.RawMessage   // spec.parameters: a JSON Schema of the arguments
}

// ToolType says how a tool does its work.
type ToolType string

// The types.
const (
	ToolHTTP         ToolType = "http"
	ToolAsyncWebhook ToolType = "async_webhook"
	ToolMCP          ToolType = "mcp"
	ToolCode         ToolType = "code"
)

// Settings is the content of a tool.
type Settings struct {
	URL        string            `json:"url,omitempty"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Remote     string            `json:"tool,omitempty"`
	Code       string            `json:"code,omitempty"`
	Parameters json.RawMessage   `json:"parameters,omitempty"`
}

// WorkflowDefined says what the workflow now is. A version is counted when its steps
// changed, not when its name did.
type WorkflowDefined struct {
	TenantID    string `json:"tenantId"`
	ProjectID   string `json:"projectId"`
	WorkflowID  string `json:"workflowId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Steps       []Step `json:"steps"`
	Version     int    `json:"version"`
}

// ToolDefined says what the tool now is.
type ToolDefined struct {
	TenantID    string   `json:"tenantId"`
	ProjectID   string   `json:"projectId"`
	ToolID      string   `json:"toolId"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Type        ToolType `json:"type"`
	Settings    Settings `json:"settings"`
	Version     int      `json:"version"`
}

var (
	_ = event.Register[WorkflowDefined](Docks, "workflow-defined", 1)
	_ = event.Register[ToolDefined](Docks, "tool-defined", 1)
)

// Decide checks the definition by itself. A tool that it refers to may be missing:
// that is found when it is deployed.
func (c DefineWorkflow) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	name := c.check(&f)
	steps := c.steps(&f)
	content := canonical(steps)
	checkSize(&f, "spec.steps", content)
	if err := f.Err(); err != nil {
		return nil, err
	}
	version, changed, err := s.next(Workflow, c.About, name, "", content)
	if err != nil || !changed {
		return nil, err
	}
	return []event.Payload{WorkflowDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, WorkflowID: c.ID, Name: name,
		Description: strings.TrimSpace(c.Description), Steps: steps, Version: version}}, nil
}

// Decide checks the definition by itself.
func (c DefineTool) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	name := c.check(&f)
	settings := c.settings(&f)
	content := canonical(settings)
	checkSize(&f, "spec", content)
	if err := f.Err(); err != nil {
		return nil, err
	}
	version, changed, err := s.next(Tool, c.About, name, ToolType(c.Type), content)
	if err != nil || !changed {
		return nil, err
	}
	return []event.Payload{ToolDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, ToolID: c.ID, Name: name,
		Description: strings.TrimSpace(c.Description), Type: ToolType(c.Type), Settings: settings, Version: version}}, nil
}

// next is the version of a definition that may differ from the stored one.
func (s State) next(kind Kind, c About, name string, toolType ToolType, content json.RawMessage) (version int, changed bool, err error) {
	if other, taken := s.named(kind, name, c.ID); taken {
		return 0, false, fault.New(fault.Conflict, "the %s name %q belongs to %s", kind, name, other.ID)
	}
	old, exists := s.Find(kind, c.ID)
	same := exists && bytes.Equal(old.Content, content) && old.ToolType == toolType
	if same && old.Name == name && old.Description == strings.TrimSpace(c.Description) {
		return 0, false, nil
	}
	if same {
		return old.Version, true, nil
	}
	return old.Version + 1, true, nil
}

func (c About) check(f *fault.Fields) (name string) {
	access.CheckID(f, "metadata.id", c.ID)
	access.CheckID(f, "spec.projectId", c.ProjectID)
	name = access.CheckName(f, "metadata.name", c.Name)
	access.CheckDescription(f, "spec.description", c.Description)
	return name
}

// Apply folds the event.
func (e WorkflowDefined) Apply(s *State) {
	s.change(Workflow, e.WorkflowID, func(d *Definition) {
		d.Name, d.Description, d.Content, d.Version = e.Name, e.Description, canonical(e.Steps), e.Version
	})
}

// Apply folds the event.
func (e ToolDefined) Apply(s *State) {
	s.change(Tool, e.ToolID, func(d *Definition) {
		d.Name, d.Description, d.ToolType, d.Content, d.Version = e.Name, e.Description, e.Type, canonical(e.Settings), e.Version
	})
}

func (s *State) change(kind Kind, id string, change func(*Definition)) {
	d, _ := s.Find(kind, id)
	d.ID = id
	change(&d)
	s.put(kind, d)
}

// Refers lists the tools that a workflow's content names, sorted.
func Refers(content json.RawMessage) []string {
	var steps []Step
	if json.Unmarshal(content, &steps) != nil {
		return nil
	}
	var tools []string
	for _, s := range steps {
		tools = append(tools, s.Tool)
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}
