package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// GiveFeedback says what somebody thinks of something that an agent said.
type GiveFeedback struct {
	MessageID string
	Rating    string
	Comment   string
	At        time.Time
}

// FeedbackGiven says so; the last one of a message counts.
type FeedbackGiven struct {
	MessageID string    `json:"messageId"`
	Rating    string    `json:"rating"` // up, down, or 1 to 5
	Comment   string    `json:"comment,omitempty" personal:"customer"`
	Test      bool      `json:"test,omitempty"` // of a test session: in no report
	At        time.Time `json:"at"`
}

var _ = event.Register[FeedbackGiven](Sessions, "feedback-given", 1)

// Decide takes it of an ended session too, until that is forgotten: nobody would look for a comment behind that. That
// the message is one of the session, and an agent's, is for the caller to know: a state does not have them.
func (c GiveFeedback) Decide(s State) ([]event.Payload, error) {
	if s.Status == "" {
		return nil, fault.New(fault.NotFound, "there is no such session")
	}
	if s.Forgotten {
		return nil, fault.New(fault.Gone, "what was said in the session is not kept any more")
	}
	return []event.Payload{FeedbackGiven{MessageID: c.MessageID, Rating: c.Rating, Comment: c.Comment, Test: s.Talk.Test,
		At: event.Stamp(c.At)}}, nil
}

// Apply changes nothing that anything is decided on.
func (FeedbackGiven) Apply(*State) {}
