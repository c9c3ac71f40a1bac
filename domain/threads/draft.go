package threads

import (
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// Draft is what is shown of a reply while it is still being said. The reply takes its place.
type Draft struct {
	Reply     int // that it becomes; 0: there is no draft
	SessionID string
	Turn      int
	To        string
	channels.Shown
}

// BeginDraft claims that the next reply is shown while it is being said, before anything of it is.
type BeginDraft struct {
	SessionID string
	Turn      int
	After     string // the message that was said last in the session; empty: none was
	At        time.Time
}

// DraftBegun says that a part of a reply may be shown from now on. What becomes of who shows it, the reply
// knows by the reference.
type DraftBegun struct {
	Reply     int       `json:"reply"`
	SessionID string    `json:"sessionId"`
	Turn      int       `json:"turn"`
	To        string    `json:"to" personal:"customer"`
	Reference string    `json:"reference"`
	At        time.Time `json:"at"`
}

// ShowDraft notes what the provider calls it.
type ShowDraft struct {
	Reply             int
	ProviderMessageID string
	At                time.Time
}

// DraftShown says that a part of a reply stands in the conversation.
type DraftShown struct {
	Reply             int       `json:"reply"`
	ProviderMessageID string    `json:"providerMessageId" personal:"customer"`
	At                time.Time `json:"at"`
}

// DropDraft notes that what was shown becomes no reply.
type DropDraft struct {
	Reply int
	At    time.Time
}

// DraftDropped says so.
type DraftDropped struct {
	Reply int       `json:"reply"`
	At    time.Time `json:"at"`
}

var (
	_ = event.Register[DraftBegun](Threads, "draft-begun", 1)
	_ = event.Register[DraftShown](Threads, "draft-shown", 1)
	_ = event.Register[DraftDropped](Threads, "draft-dropped", 1)
)

// Decide says nothing while something is to go out before it, and to who wants no replies.
func (c BeginDraft) Decide(s State) ([]event.Payload, error) {
	if s.ReplyTo == "" || s.Stopped || len(s.Replies) > 0 || c.After != "" && c.After != s.Latest {
		return nil, nil
	}
	reply := s.Queued + 1
	if d := s.Draft; d.Reply == reply && d.SessionID == c.SessionID && d.Turn == c.Turn {
		return nil, nil
	}
	_, to := s.about(c.SessionID, c.Turn, false)
	return []event.Payload{DraftBegun{Reply: reply, SessionID: c.SessionID, Turn: c.Turn, To: to,
		Reference: fmt.Sprintf("%s/%d/%d", c.SessionID, c.Turn, reply), At: event.Stamp(c.At)}}, nil
}

// Apply keeps it until the reply is there.
func (e DraftBegun) Apply(s *State) {
	s.Draft = Draft{Reply: e.Reply, SessionID: e.SessionID, Turn: e.Turn, To: e.To, Shown: channels.Shown{Reference: e.Reference}}
}

// Decide notes it once.
func (c ShowDraft) Decide(s State) ([]event.Payload, error) {
	if s.Draft.Reply != c.Reply || s.Draft.ID != "" {
		return nil, nil
	}
	return []event.Payload{DraftShown{Reply: c.Reply, ProviderMessageID: c.ProviderMessageID, At: event.Stamp(c.At)}}, nil
}

// Apply keeps it.
func (e DraftShown) Apply(s *State) {
	if s.Draft.Reply == e.Reply {
		s.Draft.ID = e.ProviderMessageID
	}
}

// Decide notes it once.
func (c DropDraft) Decide(s State) ([]event.Payload, error) {
	if s.Draft.Reply != c.Reply {
		return nil, nil
	}
	return []event.Payload{DraftDropped{Reply: c.Reply, At: event.Stamp(c.At)}}, nil
}

// Apply lets it go.
func (e DraftDropped) Apply(s *State) {
	if s.Draft.Reply == e.Reply {
		s.Draft = Draft{}
	}
}

// becomes is what was shown of a reply that is said now; nil: nothing was.
func (s State) becomes(session string, turn int, to string) *channels.Shown {
	d := s.Draft
	if d.Reply == 0 || d.Reply != s.Queued+1 || d.SessionID != session || d.Turn != turn || d.To != to {
		return nil
	}
	return &d.Shown
}
