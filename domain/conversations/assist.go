package conversations

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// How long a message waits for what the assisting agent suggests, and how many of a conversation
// wait at a time: whoever talks with the user has answered by then.
const (
	AssistWithin = 5 * time.Minute
	MostAsked    = 10
)

// Codes of why there is no suggestion, beside those that turns fail with.
const (
	AssistTimeout   = "TIMEOUT"            // it did not come within AssistWithin
	AssistTooMany   = "QUEUE_FULL"         // MostAsked messages waited
	AssistEnded     = "CONVERSATION_ENDED" // nobody has use for it any more
	AssistErased    = "ERASED"             // who said it was erased
	AssistNoAgent   = "NO_AGENT"           // none is named, and nothing is deployed
	AssistUnknown   = "UNKNOWN_AGENT"      // the one that is named is not there
	AssistNotRun    = "AGENT_NOT_RUN"      // it does not compile, or needs what the server has not
	AssistRefused   = "REFUSED"            // its session did not take the message
	AssistCancelled = "CANCELLED"          // somebody has cut it off
)

// Asked is a message that waits for what the assisting agent suggests.
type Asked struct {
	Number int // of the message
	At     time.Time
}

// Next is the message that the assisting agent is asked next: the oldest one.
func (s State) Next() (Asked, bool) {
	if len(s.Asked) == 0 {
		return Asked{}, false
	}
	return s.Asked[0], true
}

// asks is whether a message waits for a suggestion.
func (s State) asks(number int) bool {
	return slices.ContainsFunc(s.Asked, func(a Asked) bool { return a.Number == number })
}

// AnswerAssist says what the assisting agent suggests to say to a message.
type AnswerAssist struct {
	Number    int    // of the message
	Agent     string // who suggests it
	SessionID string
	Session   int // among those that have assisted the conversation, from 1
	Text      string
	At        time.Time
}

// AssistAnswered is what the assisting agent suggests to say to a message of the user.
type AssistAnswered struct {
	Number    int       `json:"number"` // of the message
	Agent     string    `json:"agent"`
	SessionID string    `json:"sessionId"`                             // in which it was asked
	Session   int       `json:"session"`                               // that one, among those of the conversation, from 1
	Text      string    `json:"text,omitempty" personal:"participant"` // absent: it says nothing to that
	Waiting   int       `json:"waiting,omitempty"`                     // messages that wait for theirs
	At        time.Time `json:"at"`
}

var _ = event.Register[AssistAnswered](Conversations, "assist-answered", 1)

// Decide takes one suggestion for each message, for as long as that waits.
func (c AnswerAssist) Decide(s State) ([]event.Payload, error) {
	if !s.asks(c.Number) {
		return nil, nil
	}
	return []event.Payload{AssistAnswered{Number: c.Number, Agent: c.Agent, SessionID: c.SessionID, Session: c.Session,
		Text: cut(c.Text, MaxQuery), Waiting: len(s.Asked) - 1, At: stamp(c.At)}}, nil
}

// Apply folds the event.
func (e AssistAnswered) Apply(s *State) { s.answered(e.Number, e.Session) }

// FailAssist says that there is no suggestion for a message.
type FailAssist struct {
	Number    int
	Code      string
	Problem   string // the same in words; may be empty
	SessionID string // empty: it was not asked
	Session   int
	At        time.Time
}

// AssistFailed says that the assisting agent suggests nothing to a message, and why.
type AssistFailed struct {
	Number    int       `json:"number"` // of the message
	Code      string    `json:"code"`   // why, such as NO_AGENT or TIMEOUT, or what the turn failed with
	Problem   string    `json:"problem,omitempty"`
	SessionID string    `json:"sessionId,omitempty"` // in which it was asked
	Session   int       `json:"session,omitempty"`
	Waiting   int       `json:"waiting,omitempty"` // messages that wait for theirs
	At        time.Time `json:"at"`
}

var _ = event.Register[AssistFailed](Conversations, "assist-failed", 1)

// Decide does nothing for a message that does not wait.
func (c FailAssist) Decide(s State) ([]event.Payload, error) {
	if !s.asks(c.Number) {
		return nil, nil
	}
	return []event.Payload{AssistFailed{Number: c.Number, Code: c.Code, Problem: cut(plain(c.Problem), MaxText), SessionID: c.SessionID,
		Session: c.Session, Waiting: len(s.Asked) - 1, At: stamp(c.At)}}, nil
}

// Apply folds the event.
func (e AssistFailed) Apply(s *State) { s.answered(e.Number, e.Session) }

func (s *State) answered(number, session int) {
	s.Asked = slices.DeleteFunc(slices.Clone(s.Asked), func(a Asked) bool { return a.Number == number })
	s.AssistedBy = max(s.AssistedBy, session)
}

// ExpireAssist gives up what has waited for too long.
type ExpireAssist struct{ At time.Time }

// mostExpired is how many messages one commit gives up.
const mostExpired = 100

// Decide does nothing before.
func (c ExpireAssist) Decide(s State) ([]event.Payload, error) {
	late := 0
	for late < min(len(s.Asked), mostExpired) && !c.At.Before(s.Asked[late].At.Add(AssistWithin)) {
		late++
	}
	return s.unassisted(s.Asked[:late], AssistTimeout, c.At), nil
}

// unassisted says of messages that there is no suggestion for them.
func (s State) unassisted(all []Asked, code string, at time.Time) (out []event.Payload) {
	for i, a := range all {
		out = append(out, AssistFailed{Number: a.Number, Code: code, Waiting: len(s.Asked) - i - 1, At: stamp(at)})
	}
	return out
}
