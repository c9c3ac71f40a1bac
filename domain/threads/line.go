package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// OpenLine notes that the person's side hears on a line what is said, beside its requests. The newest line
// is the one that counts: of an older one nobody may know yet that it is dead.
type OpenLine struct {
	ID           string
	TenantID     string
	ProjectID    string
	ConnectionID string
	Kind         string
	Thread       string
	At           time.Time
}

// LineOpened says so.
type LineOpened struct {
	ID           string    `json:"id"`
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	ConnectionID string    `json:"connectionId"`
	Kind         string    `json:"channelType"`
	Thread       string    `json:"thread" personal:"customer"`
	At           time.Time `json:"at"`
}

// CloseLine notes that nobody hears on a line any more.
type CloseLine struct {
	ID string
	At time.Time
}

// LineClosed says so: requests have in their answers again what is said.
type LineClosed struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// HandOver notes that what is asked for is said on the line, so that no request waits for it.
type HandOver struct {
	Line string
	At   time.Time
}

// Spoken says which replies were said on the line.
type Spoken struct {
	Line    string    `json:"line"`
	Replies []int     `json:"replies"`
	At      time.Time `json:"at"`
}

// Speak notes that replies were said on the line, also where it is another one's by now: who was told
// has heard it.
type Speak struct {
	Line    string
	Replies []int
	At      time.Time
}

var (
	_ = event.Register[LineOpened](Threads, "line-opened", 1)
	_ = event.Register[LineClosed](Threads, "line-closed", 1)
	_ = event.Register[Spoken](Threads, "spoken", 1)
)

// Decide notes each once.
func (c OpenLine) Decide(s State) ([]event.Payload, error) {
	if s.Line == c.ID {
		return nil, nil
	}
	return []event.Payload{LineOpened{ID: c.ID, TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ConnectionID, Kind: c.Kind,
		Thread: c.Thread, At: event.Stamp(c.At)}}, nil
}

// Apply has it take the place of one that there was, which may be saying something still.
func (e LineOpened) Apply(s *State) {
	s.ConnectionID, s.TenantID, s.ProjectID, s.Kind = e.ConnectionID, e.TenantID, e.ProjectID, e.Kind
	s.Line, s.LineBefore = e.ID, s.Line
}

// Decide notes it once. A line that is two lines back by now is nobody's concern.
func (c CloseLine) Decide(s State) ([]event.Payload, error) {
	if c.ID != s.Line && c.ID != s.LineBefore {
		return nil, nil
	}
	return []event.Payload{LineClosed{ID: c.ID, At: event.Stamp(c.At)}}, nil
}

// Apply leaves another line alone.
func (e LineClosed) Apply(s *State) {
	switch e.ID {
	case s.Line:
		s.Line = ""
	case s.LineBefore:
		s.LineBefore = ""
	}
}

// Decide says nothing for a line that is another one's by now.
func (c HandOver) Decide(s State) (out []event.Payload, err error) {
	if s.Line != c.Line {
		return nil, nil
	}
	for _, q := range s.Questions {
		if !q.Answered {
			out = append(out, Answered{Number: q.Number, SessionID: s.Session, Replies: []int{}, Elsewhere: true, At: event.Stamp(c.At)})
		}
	}
	return out, nil
}

// Decide notes each reply once.
func (c Speak) Decide(s State) ([]event.Payload, error) {
	replies := slices.DeleteFunc(slices.Clone(c.Replies), func(n int) bool {
		return !slices.ContainsFunc(s.Unheard, func(q Queued) bool { return q.Reply == n })
	})
	if len(replies) == 0 {
		return nil, nil
	}
	return []event.Payload{Spoken{Line: c.Line, Replies: replies, At: event.Stamp(c.At)}}, nil
}

// Apply has them be heard.
func (e Spoken) Apply(s *State) {
	s.Unheard = slices.DeleteFunc(slices.Clone(s.Unheard), func(q Queued) bool { return slices.Contains(e.Replies, q.Reply) })
}

// OnLine is what is to be said on the line, and how the conversation goes on then. handsOver: somebody asks
// for it, and need not.
func (s State) OnLine() (out channels.Reply, replies []int, handsOver bool) {
	out.State, out.Language = channels.GoesOn, s.Language
	for _, r := range s.Unheard {
		replies = append(replies, r.Reply)
		for part := range r.Parts {
			out.Said = append(out.Said, r.Outbound(part))
		}
	}
	for _, q := range s.Questions {
		handsOver = handsOver || !q.Answered
	}
	switch n := len(s.Questions) - 1; {
	case n >= 0 && s.Questions[n].Refused != "" && s.Questions[n].Refused != CodeLeft:
		out.State, out.Code = channels.Unanswered, s.Questions[n].Refused
	case s.hasEnded():
		out.State = channels.Ended
	}
	return out, replies, handsOver
}

// HasLeft is whether the person has left, and nothing came since.
func (s State) HasLeft() bool { return s.Left > 0 && s.Left == s.Received && len(s.Waiting) == 0 }
