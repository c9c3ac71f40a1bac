package completions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Fail says that no whole answer came, or none that is kept.
type Fail struct {
	Figures
	Reason string
	At     time.Time
}

// Why no whole answer came, or none that is kept, in one word each.
const (
	Left    = "caller_left"
	Refused = "provider_failed"
	Unkept  = "not_kept" // it was whole: another answer to the same Idempotency-Key was first, or its file could not be kept
)

// Failed says that no whole answer came, or none that is kept; what was produced is counted.
type Failed struct {
	Figures
	Reason string    `json:"reason"` // Left, Refused or Unkept
	At     time.Time `json:"at"`
}

var _ = event.Register[Failed](Completions, "failed", 1)

// Decide records it once.
func (c Fail) Decide(s State) ([]event.Payload, error) {
	if err := s.end(); err != nil {
		return nil, err
	}
	return []event.Payload{Failed{Figures: c.Figures, Reason: c.Reason, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Failed) Apply(s *State) { s.Ended, s.TenantID = true, e.TenantID }
