package agents

import (
	"maps"
	"slices"
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
	return s.next(c.TenantID, c.ProjectID, a, c.At)
}

// SaveVersions makes the next versions of several agents' working copies, all of them or none,
// and only of the texts that were looked at.
type SaveVersions struct {
	TenantID  string
	ProjectID string
	Of        map[string]Hash // what the working copies have to be, by the agents' ids
	At        time.Time
}

// Decide refuses all if one of the working copies is another by now. It says nothing of agents
// whose newest version is the working copy.
func (c SaveVersions) Decide(s State) ([]event.Payload, error) {
	var all []event.Payload
	for _, id := range slices.Sorted(maps.Keys(c.Of)) {
		a, ok := s.Agents[id]
		switch {
		case !ok:
			return nil, fault.New(fault.Conflict, "the agent %s was removed meanwhile", id)
		case a.Working != c.Of[id]:
			return nil, fault.New(fault.Conflict, "the working copy of %s was saved anew meanwhile", a.Name)
		}
		saved, err := s.next(c.TenantID, c.ProjectID, a, c.At)
		if err != nil {
			return nil, err
		}
		all = append(all, saved...)
	}
	return all, nil
}

// next is the version that an agent's working copy becomes; none, if the newest one is it.
func (s State) next(tenant, project string, a Agent, at time.Time) ([]event.Payload, error) {
	versions := s.Versions[a.ID]
	n := len(versions)
	if n > 0 && versions[n-1] == a.Working {
		return nil, nil
	}
	if n == MaxVersions {
		return nil, fault.New(fault.LimitReached, "an agent has at most %d versions, %s has them", MaxVersions, a.Name)
	}
	return []event.Payload{VersionSaved{TenantID: tenant, ProjectID: project, AgentID: a.ID, Name: a.Name,
		Version: strconv.Itoa(n + 1), Source: a.Working, At: event.Stamp(at)}}, nil
}

// Apply folds the event.
func (e VersionSaved) Apply(s *State) {
	if s.Versions == nil {
		s.Versions = map[string][]Hash{}
	}
	s.Versions[e.AgentID] = append(s.Versions[e.AgentID], e.Source)
}
