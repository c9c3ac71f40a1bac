package completions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// DropAnswer says that a kept answer is gone: its time was over.
type DropAnswer struct {
	Erased bool // before its time: whoever it was for was erased
	At     time.Time
}

// AnswerDropped says that the answer is not kept any more.
type AnswerDropped struct {
	CompletionID string    `json:"completionId"`
	At           time.Time `json:"at"`
}

var _ = event.Register[AnswerDropped](Completions, "answer-dropped", 1)

// Due reports whether an answer is kept whose time is over.
func (s State) Due(now time.Time) bool { return s.Blob != "" && !now.Before(s.KeptTill) }

// For is the command on one stream; it says nothing where nothing is to be dropped.
func (c DropAnswer) For(completionID string) func(State) ([]event.Payload, error) {
	return func(s State) ([]event.Payload, error) {
		if s.Blob == "" || !c.Erased && !s.Due(c.At) {
			return nil, nil
		}
		return []event.Payload{AnswerDropped{CompletionID: completionID, At: event.Stamp(c.At)}}, nil
	}
}

// Apply folds the event.
func (e AnswerDropped) Apply(s *State) { s.Blob = "" }
