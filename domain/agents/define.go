package agents

import (
	"regexp"
	"strings"
	"time"

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
	At          time.Time
}

// AgentDefined says who the agent now is.
type AgentDefined struct {
	TenantID    string    `json:"tenantId"`
	ProjectID   string    `json:"projectId"`
	AgentID     string    `json:"agentId"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	CreatedAt   time.Time `json:"createdAt,omitzero"` // when the agent was made first
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
	if !exists {
		old.CreatedAt = event.Stamp(c.At)
	}
	description := strings.TrimSpace(c.Description)
	var events []event.Payload
	if !exists || old.Name != c.Name || old.Description != description {
		events = append(events, AgentDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: c.ID,
			Name: c.Name, Description: description, CreatedAt: old.CreatedAt})
	}
	if !exists || old.Declared != HashOf(c.DSLContent) {
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
	checkName(&f, "metadata.name", c.Name)
	access.CheckDescription(&f, "spec.description", c.Description)
	if strings.TrimSpace(c.DSLContent) == "" {
		f.Add("spec.dslContent", "is required")
	} else if len(c.DSLContent) > MaxSource { // it would be the end of a set on the log, half of which is applied by then
		f.Add("spec.dslContent", "must be at most %d bytes, has %d", MaxSource, len(c.DSLContent))
	} else if _, problem := startText(c.DSLContent); problem != "" {
		f.Add("spec.dslContent", "%s", problem)
	}
	return f.Err()
}

// ValidName reports whether an agent can be called so.
func ValidName(name string) bool { return agentName.MatchString(name) }

func checkName(f *fault.Fields, field, name string) {
	if !agentName.MatchString(name) {
		f.Add(field, "must be 1 to 64 letters, digits, _ . or -, and begin with a letter or digit")
	}
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
	s.change(e.AgentID, func(a *Agent) { a.Name, a.Description, a.CreatedAt = e.Name, e.Description, e.CreatedAt })
}

// Apply folds the event.
func (e DSLDeclared) Apply(s *State) {
	source := HashOf(e.DSLContent)
	s.change(e.AgentID, func(a *Agent) { a.Working, a.Declared = source, source })
}
