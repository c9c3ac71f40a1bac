package completions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Fail says that no whole answer came.
type Fail struct {
	Figures
	Reason string
	At     time.Time
}

// Why no whole answer came, in one word each.
const (
	Left    = "caller_left"
	Refused = "provider_failed"
)

// Failed says that no whole answer came; what was produced is counted.
type Failed struct {
	Figures
	Reason string    `json:"reason"` // Left or Refused
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
