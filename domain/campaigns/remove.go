package campaigns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Remove takes a campaign away (prune).
type Remove struct{ At time.Time }

// Removed says that there is no such campaign any more.
type Removed struct {
	TenantID   string    `json:"tenantId"`
	ProjectID  string    `json:"projectId"`
	CampaignID string    `json:"campaignId"`
	EndedRunID string    `json:"endedInstanceId,omitempty"` // the paused run that ends with this; empty: none was under way
	At         time.Time `json:"at"`
}

var _ = event.Register[Removed](Campaigns, "removed", 1)

// Decide does nothing for a campaign that is not there, and refuses to remove one whose
// run reaches people at this moment.
func (c Remove) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, nil
	}
	if s.Status == Active {
		e := s.alreadyRunning()
		e.Message += ": pause it, or wait for its end, before it is removed"
		return nil, e
	}
	e := Removed{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, At: c.At}
	if s.Status == Paused {
		e.EndedRunID = s.RunID
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Removed) Apply(s *State) { *s = State{} }
