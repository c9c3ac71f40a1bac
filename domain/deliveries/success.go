package deliveries

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// RecordSuccess says that the receiver took the notice (2xx).
type RecordSuccess struct {
	NoticeID string
	Attempt  int
	Status   int // HTTP status
	At       time.Time
}

// Decide says nothing unless that attempt is the one under way.
func (c RecordSuccess) Decide(s State) ([]event.Payload, error) {
	if n := s.Head(); n.ID != c.NoticeID || !n.Attempt.Takes(c.Attempt) {
		return nil, nil
	}
	return []event.Payload{Delivered{NoticeID: c.NoticeID, Attempt: c.Attempt, Status: c.Status, At: stamp(c.At)}}, nil
}

// Delivered ends a notice well; it is the next one's turn.
type Delivered struct {
	NoticeID string    `json:"noticeId"`
	Attempt  int       `json:"attempt"`
	Status   int       `json:"status"`
	At       time.Time `json:"at"`
}

// Apply takes the notice off the queue.
func (e Delivered) Apply(s *State) { s.finish(e.NoticeID) }

var _ = event.Register[Delivered](Deliveries, "delivered", 1)
