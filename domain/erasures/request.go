package erasures

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
)

// Request asks for a person to be erased.
type Request struct {
	ErasureID  string // er-<uuid>
	TenantID   string
	Identities []privacy.Identity // in any spelling
	At         time.Time
}

// Requested says whom the job erases, in the spelling that stands for all.
type Requested struct {
	ErasureID  string             `json:"erasureId"`
	TenantID   string             `json:"tenantId"`
	Identities []privacy.Identity `json:"identities"`
	At         time.Time          `json:"at"`
}

var _ = event.Register[Requested](Jobs, "requested", 1)

// Decide takes the request once. Spellings of one identity are one.
func (c Request) Decide(s State) ([]event.Payload, error) {
	identities, err := privacy.Named(c.Identities)
	if err != nil {
		return nil, err
	}
	if s.Status != "" {
		return nil, fault.New(fault.Conflict, "the erasure %s exists already", c.ErasureID)
	}
	return []event.Payload{Requested{ErasureID: c.ErasureID, TenantID: c.TenantID, Identities: identities, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Requested) Apply(s *State) {
	s.ID, s.TenantID, s.Identities, s.Status = e.ErasureID, e.TenantID, e.Identities, Queued
	s.Attempt.Ask()
}
