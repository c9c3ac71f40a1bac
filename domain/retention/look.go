package retention

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Look is sent when the project's timer is due.
type Look struct {
	ErasureID string // of the job, if it is time for one
	At        time.Time
}

// Looked says what is too old from now on, and which job forgets it.
type Looked struct {
	TenantID  string             `json:"tenantId"`
	ProjectID string             `json:"projectId"`
	ErasureID string             `json:"erasureId"`
	Before    map[Kind]time.Time `json:"before"` // too old is what was over before it
	NextAt    time.Time          `json:"nextAt"`
	At        time.Time          `json:"at"`
}

var _ = event.Register[Looked](Rules, "looked", 1)

// Decide says nothing before its time, and nothing where everything is kept.
func (c Look) Decide(s State) ([]event.Payload, error) {
	if s.NextAt.IsZero() || c.At.Before(s.NextAt) {
		return nil, nil
	}
	return []event.Payload{Looked{TenantID: s.TenantID, ProjectID: s.ProjectID, ErasureID: c.ErasureID, Before: s.Days.before(c.At),
		NextAt: event.Stamp(c.At.Add(every)), At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Looked) Apply(s *State) { s.NextAt = e.NextAt }
