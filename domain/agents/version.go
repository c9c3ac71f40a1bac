package agents

import (
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxVersions is how many versions an agent may have.
const MaxVersions = 1000

// SaveVersion makes the next version of an agent's working copy.
type SaveVersion struct {
	TenantID  string
	ProjectID string
	AgentID   string
	At        time.Time
}

// VersionSaved says that the working copy as it is stays as a version. Its text is that of
// the newest event before it that has one of this hash.
type VersionSaved struct {
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	AgentID   string    `json:"agentId"`
	Name      string    `json:"name"`
	Version   string    `json:"version"` // "1", "2", ...
	Source    Hash      `json:"sourceHash"`
	At        time.Time `json:"at"`
}

var _ = event.Register[VersionSaved](Agents, "version-saved", 1)

// Decide says nothing where the newest version is the working copy.
func (c SaveVersion) Decide(s State) ([]event.Payload, error) {
	a, ok := s.Agents[c.AgentID]
	if !ok {
		return nil, Unknown()
	}
	versions := s.Versions[c.AgentID]
	n := len(versions)
	if n > 0 && versions[n-1] == a.Working {
		return nil, nil
	}
	if n == MaxVersions {
		return nil, fault.New(fault.LimitReached, "an agent has at most %d versions", MaxVersions)
	}
	return []event.Payload{VersionSaved{TenantID: c.TenantID, ProjectID: c.ProjectID, AgentID: a.ID, Name: a.Name,
		Version: strconv.Itoa(n + 1), Source: a.Working, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e VersionSaved) Apply(s *State) {
	if s.Versions == nil {
		s.Versions = map[string][]Hash{}
	}
	s.Versions[e.AgentID] = append(s.Versions[e.AgentID], e.Source)
}
