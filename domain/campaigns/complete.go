package campaigns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Complete is the engine's report that a run has reached its end.
type Complete struct {
	RunID string
	At    time.Time
}

// RunCompleted says that the run is over. The campaign can be started again, with a
// new run.
type RunCompleted struct {
	TenantID   string    `json:"tenantId"`
	ProjectID  string    `json:"projectId"`
	CampaignID string    `json:"campaignId"`
	RunID      string    `json:"campaignInstanceId"`
	At         time.Time `json:"at"`
}

var _ = event.Register[RunCompleted](Campaigns, "completed", 1)

// Decide says nothing when the run is not under way any more: the report came twice,
// or after the campaign was changed, started anew or removed. A run whose last calls
// end while it is paused is complete.
func (c Complete) Decide(s State) ([]event.Payload, error) {
	if !s.Running() || s.RunID != c.RunID {
		return nil, nil
	}
	return []event.Payload{RunCompleted{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, RunID: s.RunID, At: c.At}},
		nil
}

// Apply folds the event.
func (e RunCompleted) Apply(s *State) { s.Status, s.UpdatedAt = Completed, e.At }
