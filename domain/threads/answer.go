package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Question is a message of which somebody asks what became of it.
type Question struct {
	Fate    // of one that waits is that of all before it
	ReplyTo string

	Answered  bool
	Held      bool     // it was answered before its turn was over
	Elsewhere bool     // what is said to it is said on the line
	Said      []Queued // what it was answered with
	Language  string   // in which it was
}

const (
	mostQuestions = 20
	mostUnheard   = 50
)

// ask keeps a question with the newest ones, and with those before them that are not over yet: what will be said to them is theirs.
func (s *State) ask(q Question) {
	all := append(slices.Clip(s.Questions), q)
	newest := max(0, len(all)-mostQuestions)
	open := slices.DeleteFunc(slices.Clone(all[:newest]), func(q Question) bool { return q.Says == channels.Waits || q.Decided() })
	s.Questions = append(open[max(0, len(open)-MostWaiting):], all[newest:]...)
}

func (s State) question(number int) int {
	return slices.IndexFunc(s.Questions, func(q Question) bool { return q.Number == number })
}

// Over is whether a message has all of its answer.
func (s State) Over(number int) bool {
	i := s.question(number)
	switch {
	case i < 0:
		return false
	case s.Questions[i].Says == channels.Waits:
		return !slices.ContainsFunc(s.Questions[:i], func(q Question) bool { return q.Says != channels.Waits && !q.Decided() })
	}
	return s.Questions[i].Decided()
}

// tell tells of an event all of whom somebody asks.
func (s *State) tell(e event.Payload) {
	s.Questions = slices.Clone(s.Questions)
	for i := range s.Questions {
		s.Questions[i].told(e, s.LastOver)
	}
}

// about is which message a reply is for, and where it goes. What is not known to be taken, and is answered, is the one that
// is being given to a session. Where none is, or no message began the turn (unasked), it goes on behind people, and it is the
// last one that they had.
func (s State) about(session string, turn int, unasked bool) (number int, replyTo string) {
	if !unasked {
		if q, is := s.asked(session, turn); is {
			return q.Number, q.ReplyTo
		}
		if len(s.Waiting) > 0 && s.Waiting[0].Asked {
			return s.Waiting[0].Number, s.Waiting[0].ReplyTo
		}
	}
	if q, is := s.asked(session, 0); is {
		return q.Number, q.ReplyTo
	}
	return 0, s.ReplyTo
}

// asked is the newest question that a turn of a session answers; of turn 0 it is that of any.
func (s State) asked(session string, turn int) (q Question, is bool) {
	for i := len(s.Questions) - 1; i >= 0; i-- {
		if q := s.Questions[i]; q.Session == session && (q.Turn == turn || turn == 0) {
			return q, true
		}
	}
	return q, false
}

// Supposes is whether what is said in a turn is taken for the answer to the message that waits first, and nothing tells so: a turn
// that no message began would be, too.
func (s State) Supposes(session string, turn int) bool {
	_, known := s.asked(session, turn)
	return turn > 0 && !known && len(s.Waiting) > 0 && s.Waiting[0].Asked
}

// TurnOver notes that the turn of a session is over, and all that was said in it is there.
type TurnOver struct {
	SessionID string
	Turn      int // 0: the session has ended, whoever ended it
	Action    sessions.Action
	At        time.Time
}

// WasOver says that all that is said to a message is there.
type WasOver struct {
	SessionID string          `json:"sessionId"`
	Turn      int             `json:"turn"`
	Action    sessions.Action `json:"action"`
	At        time.Time       `json:"at"`
}

var _ = event.Register[WasOver](Threads, "turn-over", 1)

// Decide notes it once.
func (c TurnOver) Decide(s State) ([]event.Payload, error) {
	if c.Turn == 0 {
		return c.ended(s), nil
	}
	if s.ConnectionID == "" || s.LastOver.SessionID == c.SessionID && s.LastOver.Turn >= c.Turn {
		return nil, nil
	}
	return []event.Payload{WasOver{SessionID: c.SessionID, Turn: c.Turn, Action: c.Action, At: event.Stamp(c.At)}}, nil
}

// ended has whoever is there still hear that the session is over: its agent has told so already, and a person who has left knows.
func (c TurnOver) ended(s State) []event.Payload {
	last := s.LastOver
	if s.Session != c.SessionID || s.HasLeft() || last.SessionID == c.SessionID && last.Action == sessions.EndAction {
		return nil
	}
	out := WasOver{SessionID: c.SessionID, Turn: s.Took.Turn, Action: sessions.EndAction, At: event.Stamp(c.At)}
	if last.SessionID == c.SessionID {
		out.Turn = max(out.Turn, last.Turn)
	}
	return []event.Payload{out}
}

// Apply lets whoever waits for it be answered. It may come before it is noted which message the turn was for.
func (e WasOver) Apply(s *State) {
	s.LastOver = e
	s.tell(e)
}

// Answers is whether a request is to be answered with what is said. While a line is open, that is said there,
// and who serves it answers the request with nothing; where that takes too long, the line is dead.
func (s State) Answers(number int, now bool) bool { return now || s.Over(number) && s.Line == "" }

// Answer answers a request with what is said and not heard yet.
type Answer struct {
	Number int  // of the message that the request was
	Now    bool // also where its turn is not over, or a line is open
	At     time.Time
}

// Answered says what a request was answered with: the same for one that is sent again.
type Answered struct {
	Number    int       `json:"number"`
	SessionID string    `json:"sessionId,omitempty"`
	Replies   []int     `json:"replies"`
	Held      bool      `json:"held,omitempty"`      // the turn was not over
	Elsewhere bool      `json:"elsewhere,omitempty"` // what is said is said on the line
	At        time.Time `json:"at"`
}

var _ = event.Register[Answered](Threads, "answered", 1)

// Decide answers once.
func (c Answer) Decide(s State) ([]event.Payload, error) {
	i := s.question(c.Number)
	if i < 0 {
		return nil, fault.New(fault.Gone, "the message is too old to be answered")
	}
	if s.Questions[i].Answered || !s.Answers(c.Number, c.Now) {
		return nil, nil
	}
	out := Answered{Number: c.Number, SessionID: s.Session, Replies: []int{}, Held: !s.Over(c.Number), At: event.Stamp(c.At)}
	for _, q := range s.Unheard {
		out.Replies = append(out.Replies, q.Reply)
	}
	return []event.Payload{out}, nil
}

// Apply keeps the answer for repeats. Of a line that answered nothing by then nobody is left.
func (e Answered) Apply(s *State) {
	if !e.Elsewhere {
		s.Line, s.LineBefore = "", ""
	}
	i := s.question(e.Number)
	if i < 0 {
		return
	}
	s.Questions = slices.Clone(s.Questions)
	q := &s.Questions[i]
	q.Answered, q.Held, q.Elsewhere, q.Said, q.Language = true, e.Held, e.Elsewhere, nil, s.Language
	if q.Says == channels.Waits && !e.Held { // else it is told of a turn that is not over
		q.Over = s.leftBehind(i)
	}
	var left []Queued
	for _, r := range s.Unheard {
		if slices.Contains(e.Replies, r.Reply) {
			q.Said = append(q.Said, r)
		} else {
			left = append(left, r)
		}
	}
	s.Unheard = left
}

// TellsMore is whether there is more for whoever was told how the conversation goes on: what they have not heard, that the
// session has ended, that the agent which worked is done, or that people are.
func (s State) TellsMore(told channels.ReplyState) bool {
	switch open := func(q Question) bool { return q.Says != channels.Waits && !q.Decided() }; {
	case len(s.Unheard) > 0, s.hasEnded():
		return true
	case told == channels.Working:
		return !slices.ContainsFunc(s.Questions, open)
	}
	last := len(s.Questions) - 1
	return told == channels.Escalated && last >= 0 && s.leftBehind(last) == sessions.Continue
}

// Speaks is whether what nobody has heard yet is not all of its turn.
func (s State) Speaks() bool {
	if len(s.Unheard) == 0 {
		return false
	}
	last := s.Unheard[len(s.Unheard)-1]
	return last.Turn > 0 && (s.LastOver.SessionID != last.SessionID || s.LastOver.Turn < last.Turn)
}

// hasEnded is whether the session has ended by its agent, and nothing that begins another has come since.
func (s State) hasEnded() bool {
	return s.LastOver.Action == sessions.EndAction && s.LastOver.SessionID == s.Session && len(s.Waiting) == 0
}

// leftBehind is how the conversation was left for who waits: as the message before it left it, or as a turn did that no
// message began, such as the agent's when people are done.
func (s State) leftBehind(waits int) sessions.Action {
	of := s.Questions[waits]
	for i := waits; of.Says == channels.Waits && i > 0; i-- {
		of = s.Questions[i-1]
	}
	last := s.LastOver
	behind := of.Session == s.Session && last.Turn > max(of.Turn, of.Behind)
	if last.SessionID == s.Session && (behind || last.Action == sessions.EndAction) {
		return last.Action
	}
	return of.Over
}

// AnswerTo is what a message was answered with; false: it was not yet.
func (s State) AnswerTo(number int) (out channels.Reply, answered bool) {
	i := s.question(number)
	if i < 0 || !s.Questions[i].Answered {
		return out, false
	}
	q := s.Questions[i]
	out.Language = q.Language
	out.Said = q.said()
	of, last := q, i
	for ; of.Says == channels.Waits && of.Over == "" && i > 0; i-- { // it is left as the one before it was
		of = s.Questions[i-1]
	}
	switch {
	case q.Elsewhere:
		out.State = channels.Elsewhere
	case q.Held:
		out.State = channels.Working
	case of.Refused != "":
		out.State, out.Code = channels.Unanswered, of.Refused
	case of.Over == sessions.EndAction:
		out.State = channels.Ended
	case of.Over == sessions.ToPeople:
		out.State = channels.Escalated
	default:
		out.State = channels.GoesOn
	}
	for ; out.State == channels.GoesOn && len(out.Said) == 0 && len(out.Before) == 0 && last > 0; last-- {
		out.Before = s.Questions[last-1].said()
	}
	return out, true
}

// said is what it was answered with.
func (q Question) said() (out []channels.Outbound) {
	for _, r := range q.Said {
		for part := range r.Parts {
			out = append(out, r.Outbound(part))
		}
	}
	return out
}
