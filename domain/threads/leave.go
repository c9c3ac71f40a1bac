package threads

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Leave notes that the person is gone, and will hear nothing more.
type Leave struct{ At time.Time }

// Left says so. What they said and no session has taken is answered by nobody; who writes or calls
// again begins anew.
type Left struct {
	SessionID string    `json:"sessionId,omitempty"` // that is to end
	Waiting   []int     `json:"waiting"`             // messages that a session may have begun with
	Unheard   []int     `json:"unheard,omitempty"`   // replies that waited for their next request
	At        time.Time `json:"at"`
}

var _ = event.Register[Left](Threads, "left", 1)

// CodeLeft is why nobody answers what was said before somebody left, and why they did not hear an answer.
const CodeLeft = "LEFT"

// Decide notes it where there is a conversation.
func (c Leave) Decide(s State) ([]event.Payload, error) {
	if s.Session == "" && len(s.Waiting) == 0 {
		return nil, nil
	}
	out := Left{SessionID: s.Session, Waiting: []int{}, Unheard: s.unheard(), At: event.Stamp(c.At)}
	for _, m := range s.Waiting {
		out.Waiting = append(out.Waiting, m.Number)
	}
	return []event.Payload{out}, nil
}

// unheard are the replies that wait for a request which brings them.
func (s State) unheard() (replies []int) {
	for _, q := range s.Unheard {
		replies = append(replies, q.Reply)
	}
	return replies
}

// Apply ends what is still to be heard.
func (e Left) Apply(s *State) {
	for _, m := range s.Waiting {
		s.leave(m.Number, BlobsOf(s.Fetched[m.Number]))
	}
	s.Session, s.Line, s.LineBefore = "", "", ""
	s.Waiting, s.Unheard, s.Menus, s.Open, s.Left = nil, nil, nil, 0, s.Received
	s.tell(e)
}
