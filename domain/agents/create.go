package agents

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Create makes an agent with a working copy that may be anything.
type Create struct {
	TenantID    string
	ProjectID   string
	ID          string // a-<uuid>
	Name        string
	Description string
	DSLContent  string
	At          time.Time
}

// Decide refuses a name that another agent of the project has.
func (c Create) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	checkName(&f, "name", c.Name)
	access.CheckDescription(&f, "description", c.Description)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := checkSource(c.DSLContent); err != nil {
		return nil, err
	}
	if _, taken := s.ByName(c.Name); taken {
		return nil, fault.New(fault.Conflict, "the project has an agent of the name %s already", c.Name)
	}
	return []event.Payload{
		AgentDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: c.ID, Name: c.Name, Description: strings.TrimSpace(c.Description),
			CreatedAt: event.Stamp(c.At)},
		DSLSaved{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: c.ID, Name: c.Name, DSLContent: c.DSLContent, At: event.Stamp(c.At)},
	}, nil
}
