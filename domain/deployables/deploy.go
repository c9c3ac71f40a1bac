package deployables

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Deploy makes the newest version of a workflow or tool the live one, for a job.
type Deploy struct {
	TenantID  string
	ProjectID string
	Kind      Kind
	ID        string
	JobID     string
	At        time.Time
}

// Deployed says which version is live now, and what it does.
type Deployed struct {
	TenantID  string          `json:"tenantId"`
	ProjectID string          `json:"projectId"`
	Kind      Kind            `json:"kind"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Version   int             `json:"version"`
	Content   json.RawMessage `json:"content"`
	JobID     string          `json:"jobId"`
	At        time.Time       `json:"at"`
}

var _ = event.Register[Deployed](Docks, "deployed", 1)

// Decide refuses what cannot be deployed with the reason that the job will show. A
// version that is live already is deployed again: the job that asked did it.
func (c Deploy) Decide(s State) ([]event.Payload, error) {
	d, ok := s.Find(c.Kind, c.ID)
	if !ok {
		return nil, fault.New(fault.NotFound, "the %s %s is not defined any more", c.Kind, c.ID)
	}
	if missing := s.missing(c.Kind, d); len(missing) > 0 {
		return nil, fault.New(fault.Conflict, "the workflow %s refers to %s, not defined in the project: %s", c.ID, count(missing),
			strings.Join(missing, ", "))
	}
	return []event.Payload{Deployed{TenantID: c.TenantID, ProjectID: c.ProjectID, Kind: c.Kind, ID: c.ID, Name: d.Name, Version: d.Version,
		Content: d.Content, JobID: c.JobID, At: event.Stamp(c.At)}}, nil
}

// missing are the tools that a workflow refers to and that are not there.
func (s State) missing(kind Kind, d Definition) (ids []string) {
	if kind != Workflow {
		return nil
	}
	for _, id := range Refers(d.Content) {
		if _, ok := s.Tools[id]; !ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func count(ids []string) string {
	if len(ids) == 1 {
		return "a tool"
	}
	return fmt.Sprintf("%d tools", len(ids))
}

// Apply folds the event.
func (e Deployed) Apply(s *State) {
	s.change(e.Kind, e.ID, func(d *Definition) { d.Live, d.LiveContent = e.Version, append(json.RawMessage(nil), e.Content...) })
}
