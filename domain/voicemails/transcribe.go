package voicemails

import (
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Attempts is how a voicemail is spoken to about the attempts to have it transcribed.
var Attempts = attempt.Rules[State]{
	State: func(s State) attempt.State { return s.Attempt },
	Name: func(s State) string {
		if s.Round == 1 { // has no number, as there was none before there were others
			return fmt.Sprint(s.Attempt.Number)
		}
		return fmt.Sprintf("%d/%d", s.Round, s.Attempt.Number)
	},
	Fail: func(s State, f attempt.Failure) attempt.Decision[State] {
		return FailTranscription{Round: s.Round, Failure: f}.Decide
	},
	Wake:    func(at time.Time) attempt.Decision[State] { return RetryTranscription{at}.Decide },
	Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: 200 * time.Second},
}

// bounds are those of the round under way.
func (s State) bounds() attempt.Bounds {
	return attempt.Bounds{Until: s.Asked.Add(TranscribeFor), AtEnd: true, Longest: MaxDelay}
}

// Transcribe keeps what was said; without a language it is that of the recording.
type Transcribe struct {
	Round int // that the attempt was made in, from 1
	Transcript
	At time.Time
}

// Transcribed says what the recording says.
type Transcribed struct {
	Round     int       `json:"round,omitempty"` // that gave it; absent: the first
	Text      string    `json:"text" personal:"caller"`
	Language  string    `json:"language,omitempty"`
	Provider  string    `json:"provider"`
	Model     string    `json:"model,omitempty"`    // absent with local
	TokensIn  int64     `json:"tokensIn,omitempty"` // that the provider counted; absent: it did not
	TokensOut int64     `json:"tokensOut,omitempty"`
	ChargedMs int64     `json:"chargedMs,omitempty"` // of audio, by a provider that counts that instead
	At        time.Time `json:"at"`
}

// TranscriptionAttemptFailed says that no text came of it and when the next attempt
// is due.
type TranscriptionAttemptFailed struct {
	Round   int       `json:"round,omitempty"` // absent: the first
	Attempt int       `json:"attempt"`         // of the round, from 1
	Reason  string    `json:"reason"`
	RetryAt time.Time `json:"retryAt"`
	At      time.Time `json:"at"`
}

// TranscriptionDue says that the pause after a failed attempt is over.
type TranscriptionDue struct {
	Round   int       `json:"round,omitempty"` // absent: the first
	Attempt int       `json:"attempt"`         // the one to make
	At      time.Time `json:"at"`
}

// TranscriptionFailed says that the voicemail will have no transcript, unless it is asked
// for again.
type TranscriptionFailed struct {
	Round    int       `json:"round,omitempty"` // absent: the first
	Attempts int       `json:"attempts"`        // of the round
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

var (
	_ = event.Register[Transcribed](Voicemails, "transcribed", 1)
	_ = event.Register[TranscriptionAttemptFailed](Voicemails, "transcription-attempt-failed", 1)
	_ = event.Register[TranscriptionDue](Voicemails, "transcription-due", 1)
	_ = event.Register[TranscriptionFailed](Voicemails, "transcription-failed", 1)
)

// maxText keeps an event within its topic's bounds, in bytes: hours of speech.
const maxText = 256 << 10

// Decide takes the first transcript of the round under way.
func (c Transcribe) Decide(s State) ([]event.Payload, error) {
	if s.Status != TranscriptPending || c.Round != s.Round {
		return nil, nil
	}
	text := strings.ToValidUTF8(strings.ReplaceAll(c.Text, "\x00", ""), "")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	language := c.Language
	if language == "" {
		language = s.Recording.Language
	}
	return []event.Payload{Transcribed{Round: s.later(), Text: text, Language: language, Provider: c.Provider, Model: c.Model,
		TokensIn: max(c.TokensIn, 0), TokensOut: max(c.TokensOut, 0), ChargedMs: max(c.Charged.Milliseconds(), 0), At: event.Stamp(c.At)}}, nil
}

// FailTranscription says that an attempt came to nothing.
type FailTranscription struct {
	Round           int // from 1
	attempt.Failure     // numbered in that round, from 1
}

// Decide does nothing for an attempt that is not the one under way.
func (c FailTranscription) Decide(s State) ([]event.Payload, error) {
	if c.Round != s.Round {
		return nil, nil
	}
	switch then, next := s.Attempt.Failed(c.Failure, s.bounds()); then {
	case attempt.Pause:
		return []event.Payload{TranscriptionAttemptFailed{Round: s.later(), Attempt: c.Number, Reason: c.Reason, RetryAt: event.Stamp(next),
			At: event.Stamp(c.At)}}, nil
	case attempt.GiveUp:
		return []event.Payload{TranscriptionFailed{Round: s.later(), Attempts: c.Number, Reason: c.Reason, At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// RetryTranscription is sent when the voicemail's timer is due.
type RetryTranscription struct{ At time.Time }

// Decide says nothing before the time that the voicemail waits for.
func (c RetryTranscription) Decide(s State) ([]event.Payload, error) {
	if s.Attempt.Woken(c.At, s.bounds()) != attempt.Again {
		return nil, nil
	}
	return []event.Payload{TranscriptionDue{Round: s.later(), Attempt: s.Attempt.Number, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Transcribed) Apply(s *State) {
	s.Status = TranscriptDone
	s.Attempt.End()
}

// Apply folds the event.
func (e TranscriptionAttemptFailed) Apply(s *State) { s.Attempt.Pause(e.Attempt+1, e.RetryAt) }

// Apply folds the event.
func (e TranscriptionDue) Apply(s *State) { s.Attempt.Again() }

// Apply folds the event.
func (e TranscriptionFailed) Apply(s *State) {
	s.Status = TranscriptFailed
	s.Attempt.End()
}
