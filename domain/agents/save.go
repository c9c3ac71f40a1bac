package agents

import (
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxSource is the longest source, in bytes of UTF-8 (docs/api-rules.md "AI
// agents").
const MaxSource = 256 << 10

// Save makes a text the working copy of an agent, whatever it says: it is compiled when it
// is deployed.
type Save struct {
	TenantID   string
	ProjectID  string
	AgentID    string
	DSLContent string
	Restored   string // the version that it was taken from; empty: none
	At         time.Time
}

// DSLSaved says that somebody saved the working copy.
type DSLSaved struct {
	TenantID   string    `json:"tenantId"`
	ProjectID  string    `json:"projectId"`
	AgentID    string    `json:"agentId"`
	Name       string    `json:"name"`
	DSLContent string    `json:"dslContent"`
	Restored   string    `json:"restoredVersion,omitempty"` // the version that it was taken from
	At         time.Time `json:"at"`
}

var _ = event.Register[DSLSaved](Agents, "dsl-saved", 1)

// Decide says nothing where the working copy says so already.
func (c Save) Decide(s State) ([]event.Payload, error) {
	a, ok := s.Agents[c.AgentID]
	if !ok {
		return nil, Unknown()
	}
	if err := checkSource(c.DSLContent); err != nil {
		return nil, err
	}
	if a.Working == HashOf(c.DSLContent) {
		return nil, nil
	}
	return []event.Payload{DSLSaved{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: a.ID, Name: a.Name, DSLContent: c.DSLContent,
		Restored: c.Restored, At: event.Stamp(c.At)}}, nil
}

// Unknown is the refusal of an agent that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such agent") }

func checkSource(source string) error {
	var f fault.Fields
	switch {
	case source == "":
		f.Add("dslContent", "is required")
	case len(source) > MaxSource:
		f.Add("dslContent", "must be at most %d bytes, has %d", MaxSource, len(source))
	case !utf8.ValidString(source):
		f.Add("dslContent", "must be valid UTF-8")
	}
	return f.Err()
}

// Apply folds the event.
func (e DSLSaved) Apply(s *State) {
	s.change(e.AgentID, func(a *Agent) { a.Working = HashOf(e.DSLContent) })
}
