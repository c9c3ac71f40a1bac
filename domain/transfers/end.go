package transfers

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// End says that what the transfer was for is over: the session or the conversation
// ended, or a later transfer replaced it.
type End struct {
	Reason  Reason
	Ringing bool // the telephone of who was assigned it rang until then, and nobody has taken it
	At      time.Time
}

// Ended says that the agent is free of the conversation.
type Ended struct {
	Reason Reason    `json:"reason"`
	At     time.Time `json:"at"`
}

var _ = event.Register[Ended](Transfers, "ended", 1)

// Decide ends an assigned transfer well, and one that nobody had taken as failed.
func (c End) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Phase == PhaseAssigned && !c.Ringing:
		return []event.Payload{Ended{Reason: c.Reason, At: event.Stamp(c.At)}}, nil
	case s.Open(), s.Phase == PhaseAssigned:
		return []event.Payload{Failed{Reason: c.Reason, At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Apply folds the event.
func (e Ended) Apply(s *State) { s.finish(PhaseEnded, e.Reason, e.At) }

// Fail gives up a transfer whose claim on the agent's capacity went before it could be
// confirmed, and could not be had again.
type Fail struct {
	ClaimID string
	Reason  Reason
	At      time.Time
}

// Failed says that nobody has the conversation because of this transfer.
type Failed struct {
	Reason Reason    `json:"reason"`
	At     time.Time `json:"at"`
}

var _ = event.Register[Failed](Transfers, "failed", 1)

// Decide counts for the claim of the assignment that stands.
func (c Fail) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseAssigned || s.ClaimID != c.ClaimID {
		return nil, nil
	}
	return []event.Payload{Failed{Reason: c.Reason, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Failed) Apply(s *State) { s.finish(PhaseFailed, e.Reason, e.At) }

func (s *State) finish(phase Phase, reason Reason, at time.Time) {
	s.Phase, s.Offer, s.Reason, s.EndedAt = phase, nil, reason, at
	s.answer(StatusFailed, reason, at)
}
