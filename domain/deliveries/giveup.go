package deliveries

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Why a notice was given up, as Undelivered.Reason.
const (
	ReasonFinal    = "final"    // the answer, or the address, made another attempt pointless
	ReasonDeadline = "deadline" // no attempt may start any more
)

// GiveUp ends the notice at the head when its deadline is over before an attempt
// could start: it stood behind others for too long, or nothing ran.
type GiveUp struct {
	NoticeID string
	At       time.Time
}

// Decide says nothing before the deadline has passed, or for a notice that is
// not at the head.
func (c GiveUp) Decide(s State) ([]event.Payload, error) {
	n := s.Head()
	if n.ID != c.NoticeID || !n.bounds().Over(c.At) {
		return nil, nil
	}
	return []event.Payload{n.expired(c.At)}, nil
}

// expired is the end of a notice whose current attempt was never recorded.
func (n Notice) expired(at time.Time) Undelivered {
	return Undelivered{NoticeID: n.ID, Attempts: n.Attempt.Number - 1, At: stamp(at), Reason: ReasonDeadline}
}

// Undelivered ends a notice badly; it is the next one's turn.
type Undelivered struct {
	NoticeID string    `json:"noticeId"`
	Attempts int       `json:"attempts"` // how many were recorded
	At       time.Time `json:"at"`
	Status   int       `json:"status,omitempty"` // of the last answer, when that ended it
	Error    string    `json:"error,omitempty"`
	Reason   string    `json:"reason"` // ReasonFinal, ReasonDeadline or ReasonErased
}

// Apply takes the notice off the queue.
func (e Undelivered) Apply(s *State) { s.finish(e.NoticeID) }

var _ = event.Register[Undelivered](Deliveries, "undelivered", 1)
