package deliveries

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Withdraw takes back what somebody asked to be told of and is not told yet, as they want that no more.
type Withdraw struct {
	AskedBy string
	Keeps   func(Notice) bool // of those the ones that are still wanted; nil: none
	At      time.Time
}

// Decide withdraws each once. An attempt that is under way may still arrive.
func (c Withdraw) Decide(s State) ([]event.Payload, error) {
	var out []event.Payload
	for i, n := range s.Queue {
		if c.AskedBy == "" || n.AskedBy != c.AskedBy || c.Keeps != nil && c.Keeps(n) {
			continue
		}
		out = append(out, Withdrawn{NoticeID: n.ID, Attempts: n.Attempt.Number, Head: i == 0, At: stamp(c.At)})
	}
	return out, nil
}

// Withdrawn ends a notice that nobody wants any more; it is the next one's turn.
type Withdrawn struct {
	NoticeID string    `json:"noticeId"`
	Attempts int       `json:"attempts"`       // how many were made, or may be under way
	Head     bool      `json:"head,omitempty"` // it was its turn
	At       time.Time `json:"at"`
}

// Apply takes the notice off the queue. It is not finished: who wants it again gets it.
func (e Withdrawn) Apply(s *State) {
	s.drop(e.NoticeID)
	if s.Tried == nil {
		s.Tried = map[string]int{}
	}
	s.Tried[e.NoticeID] = e.Attempts
}

var _ = event.Register[Withdrawn](Deliveries, "withdrawn", 1)
