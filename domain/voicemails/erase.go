package voicemails

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget ends the transcription of a voicemail because the caller is to be erased.
type Forget struct{ At time.Time }

// Decide gives up a transcript that is still to come: what is being made of the recording is
// not taken any more.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	if s.Status != TranscriptPending {
		return nil, nil
	}
	return []event.Payload{TranscriptionFailed{Round: s.later(), Attempts: s.Attempt.Number, Reason: "the caller was erased",
		At: event.Stamp(c.At)}}, nil
}

// Erased: the caller was erased.
type Erased struct{ event.Erasure }

// Apply remembers that the recording is deleted. What else is gone the store takes away; see event.Erasure.
func (Erased) Apply(s *State) { s.Forgotten, s.Persons = true, nil }

var _ = event.Register[Erased](Voicemails, event.ErasedName, 1)
