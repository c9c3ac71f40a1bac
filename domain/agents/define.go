package agents

import (
	"regexp"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineAgent makes or changes an AI agent (manifest kind Agent).
type DefineAgent struct {
	TenantID    string
	ProjectID   string // spec.projectId, resolved
	ID          string // metadata.id
	Name        string // metadata.name; stands in paths and in flows
	Description string // spec.description
	DSLContent  string // spec.dslContent
}

// AgentDefined says who the agent now is.
type AgentDefined struct {
	TenantID    string `json:"tenantId"`
	ProjectID   string `json:"projectId"`
	AgentID     string `json:"agentId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// DSLDeclared says that a definition has set the working copy.
type DSLDeclared struct {
	TenantID   string `json:"tenantId"`
	ProjectID  string `json:"projectId"`
	AgentID    string `json:"agentId"`
	Name       string `json:"name"`
	DSLContent string `json:"dslContent"`
}

var (
	_ = event.Register[AgentDefined](Agents, "defined", 1)
	_ = event.Register[DSLDeclared](Agents, "dsl-declared", 1)
)

// Decide gives an event for each half that differs from the last definition.
func (c DefineAgent) Decide(s State) ([]event.Payload, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if other, taken := s.ByName(c.Name); taken && other.ID != c.ID {
		return nil, fault.New(fault.Conflict, "the agent name %q belongs to agent %s", c.Name, other.ID)
	}
	old, exists := s.Agents[c.ID]
	description := strings.TrimSpace(c.Description)
	var events []event.Payload
	if !exists || old.Name != c.Name || old.Description != description {
		events = append(events, AgentDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: c.ID,
			Name: c.Name, Description: description})
	}
	if !exists || old.DeclaredDSL != c.DSLContent {
		events = append(events, DSLDeclared{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: c.ID,
			Name: c.Name, DSLContent: c.DSLContent})
	}
	return events, nil
}

// agentName is narrow because the name is a path segment, a manifest key and the
// address of hand-offs; 128 characters are the longest that the API takes for one.
var agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (c DefineAgent) check() error {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	access.CheckID(&f, "spec.projectId", c.ProjectID)
	if !agentName.MatchString(c.Name) {
		f.Add("metadata.name", "must be 1 to 64 letters, digits, _ . or -, and begin with a letter or digit")
	}
	access.CheckDescription(&f, "spec.description", c.Description)
	if strings.TrimSpace(c.DSLContent) == "" {
		f.Add("spec.dslContent", "is required")
	} else if _, problem := startText(c.DSLContent); problem != "" {
		f.Add("spec.dslContent", "%s", problem)
	}
	return f.Err()
}

func (s *State) change(id string, change func(*Agent)) {
	if s.Agents == nil {
		s.Agents = map[string]Agent{}
	}
	a := s.Agents[id]
	a.ID = id
	change(&a)
	s.Agents[id] = a
}

// Apply folds the event.
func (e AgentDefined) Apply(s *State) {
	s.change(e.AgentID, func(a *Agent) { a.Name, a.Description = e.Name, e.Description })
}

// Apply folds the event.
func (e DSLDeclared) Apply(s *State) {
	s.change(e.AgentID, func(a *Agent) { a.DSL, a.DeclaredDSL = e.DSLContent, e.DSLContent })
}
