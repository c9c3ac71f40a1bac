package campaigns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Pause stops the run from reaching further contacts (trigger=pause). What is under
// way goes on to its end.
type Pause struct {
	CallsCompleted *int // of all runs so far, for who repeats the request
	At             time.Time
}

// RunPaused says that the run waits for RunResumed.
type RunPaused struct {
	TenantID       string    `json:"tenantId"`
	ProjectID      string    `json:"projectId"`
	CampaignID     string    `json:"campaignId"`
	RunID          string    `json:"campaignInstanceId"`
	At             time.Time `json:"at"`
	CallsCompleted *int      `json:"callsCompleted,omitempty"` // of all runs, as the answer told it
}

var _ = event.Register[RunPaused](Campaigns, "paused", 1)

// Decide does nothing for a campaign that is Paused already.
func (c Pause) Decide(s State) ([]event.Payload, error) {
	if err := s.needsRun(); err != nil || s.Status == Paused {
		return nil, err
	}
	return []event.Payload{RunPaused{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, RunID: s.RunID,
		CallsCompleted: c.CallsCompleted, At: c.At}}, nil
}

// Apply folds the event.
func (e RunPaused) Apply(s *State) { s.Status, s.UpdatedAt = Paused, e.At }

// Resume lets the paused run go on where it was (trigger=resume, and trigger=play of a
// Paused campaign).
type Resume struct {
	CallsCompleted *int // of all runs so far, for who repeats the request
	At             time.Time
}

// RunResumed says that the run goes on.
type RunResumed struct {
	TenantID       string    `json:"tenantId"`
	ProjectID      string    `json:"projectId"`
	CampaignID     string    `json:"campaignId"`
	RunID          string    `json:"campaignInstanceId"`
	At             time.Time `json:"at"`
	CallsCompleted *int      `json:"callsCompleted,omitempty"` // of all runs, as the answer told it
}

var _ = event.Register[RunResumed](Campaigns, "resumed", 1)

// Decide does nothing for a campaign that is Active already.
func (c Resume) Decide(s State) ([]event.Payload, error) {
	if err := s.needsRun(); err != nil || s.Status == Active {
		return nil, err
	}
	return []event.Payload{RunResumed{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, RunID: s.RunID,
		CallsCompleted: c.CallsCompleted, At: c.At}}, nil
}

// Apply folds the event.
func (e RunResumed) Apply(s *State) { s.Status, s.UpdatedAt = Active, e.At }

// needsRun refuses what only a run can do.
func (s State) needsRun() error {
	if !s.Exists() {
		return noCampaign()
	}
	if !s.Running() {
		return fault.New(fault.Conflict, "the campaign is %s: nothing runs that could be paused or resumed", s.Status)
	}
	return nil
}

func noCampaign() *fault.Error { return fault.New(fault.NotFound, "there is no such campaign") }
