package voicemails

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxRounds is how often a transcript is asked for; the recording itself is the first time.
const MaxRounds = 10

// TranscribeAgain asks for the transcript once more: for one that failed, and for one
// that is to be better.
type TranscribeAgain struct{ At time.Time }

// TranscriptionAsked asks for another transcript, which takes the place of the one before.
type TranscriptionAsked struct {
	Round int       `json:"round"` // from 2: the recording itself asked for the first transcript
	At    time.Time `json:"at"`
}

var _ = event.Register[TranscriptionAsked](Voicemails, "transcription-asked", 1)

// Decide begins another round, with an hour of its own.
func (c TranscribeAgain) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Status == "":
		return nil, fault.New(fault.NotFound, "there is no such voicemail")
	case s.Forgotten:
		return nil, fault.New(fault.Gone, "the recording of the voicemail is not kept any more")
	case s.Status == TranscriptPending:
		return nil, fault.New(fault.Conflict, "a transcript of the voicemail is under way")
	case s.Round >= MaxRounds:
		return nil, fault.New(fault.LimitReached, "the transcript of a voicemail can be asked for %d times at most", MaxRounds)
	}
	return []event.Payload{TranscriptionAsked{Round: s.Round + 1, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e TranscriptionAsked) Apply(s *State) {
	s.Status, s.Round, s.Asked = TranscriptPending, e.Round, e.At
	s.Attempt.Ask()
}
