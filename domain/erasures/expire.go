package erasures

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/retention"
)

// Aged is what a job is about that forgets what a project keeps no longer, whoever it is of.
// The zero value is none.
type Aged struct {
	ProjectID string
	Before    map[retention.Kind]time.Time // too old is what was over before it
}

// Expire asks for what is too old to be forgotten.
type Expire struct {
	ErasureID string // er-<uuid>
	TenantID  string
	Aged
	At time.Time
}

// Expired says what a project keeps no longer.
type Expired struct {
	ErasureID string                       `json:"erasureId"`
	TenantID  string                       `json:"tenantId"`
	ProjectID string                       `json:"projectId"`
	Before    map[retention.Kind]time.Time `json:"before"`
	At        time.Time                    `json:"at"`
}

var _ = event.Register[Expired](Jobs, "expired", 1)

// Decide takes it once.
func (c Expire) Decide(s State) ([]event.Payload, error) {
	if s.Status != "" {
		return nil, nil
	}
	return []event.Payload{Expired{ErasureID: c.ErasureID, TenantID: c.TenantID, ProjectID: c.ProjectID, Before: c.Before,
		At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Expired) Apply(s *State) {
	s.ID, s.TenantID, s.Aged, s.Status = e.ErasureID, e.TenantID, Aged{e.ProjectID, e.Before}, Queued
	s.Attempt.Ask()
}
