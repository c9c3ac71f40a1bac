package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// Bounds of the pause before another attempt, whatever the sender or the provider ask for.
const (
	MinDelay = time.Second
	MaxDelay = 15 * time.Minute
)

// RecordOutcome records what an attempt came to.
type RecordOutcome struct {
	AttemptID string
	Outcome   channels.Outcome
	Delay     time.Duration // before the next attempt, if there is one
	At        time.Time
}

// Sent says that a provider has taken the message.
type Sent struct {
	AttemptID         string    `json:"attemptId"`
	Provider          string    `json:"provider"`
	ProviderMessageID string    `json:"providerMessageId,omitempty"`
	Segments          int       `json:"segments"` // parts of a text message that it is billed as
	Campaign          *Campaign `json:"campaign,omitempty"`
	At                time.Time `json:"at"`
}

// AttemptRefused says that a provider did not take the message, and when it is asked again.
type AttemptRefused struct {
	AttemptID     string    `json:"attemptId"`
	Provider      string    `json:"provider"`
	Code          string    `json:"code"`
	Reason        string    `json:"reason" personal:"recipient"`
	At            time.Time `json:"at"`
	NextAttemptAt time.Time `json:"nextAttemptAt"`
}

// Failed says that the message is not sent and never will be; with the code
// OUTCOME_UNKNOWN it may have been.
type Failed struct {
	Provider string    `json:"provider,omitempty"` // absent when none was asked
	Code     string    `json:"code"`
	Reason   string    `json:"reason" personal:"recipient"`
	Attempts int       `json:"attempts"` // that were started
	Campaign *Campaign `json:"campaign,omitempty"`
	At       time.Time `json:"at"`
}

// The codes of failures that are not a provider's.
const (
	CodeExpired        = "EXPIRED"
	CodeOutcomeUnknown = "OUTCOME_UNKNOWN"
	CodeLate           = "LATE" // the provider was certainly not asked
)

var (
	_ = event.Register[Sent](Texts, "sent", 1)
	_ = event.Register[AttemptRefused](Texts, "attempt-refused", 1)
	_ = event.Register[Failed](Texts, "failed", 1)
)

// Decide takes a certain outcome of the attempt that is under way. An uncertain one
// is left to its lease: see Expire.
func (c RecordOutcome) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Claimed() || s.Attempt.ID != c.AttemptID || c.Outcome.Status == channels.Unknown {
		return nil, nil
	}
	return c.conclude(s), nil
}

func (c RecordOutcome) conclude(s State) []event.Payload {
	at := event.Stamp(c.At)
	switch r := c.Outcome; r.Status {
	case channels.Taken:
		segments := r.Segments
		if segments < 1 {
			segments = Segments(s.Request.Text)
		}
		return []event.Payload{Sent{AttemptID: s.Attempt.ID, Provider: s.Started.Provider, ProviderMessageID: r.ProviderMessageID,
			Segments: segments, Campaign: s.Request.Campaign.clone(), At: at}}
	case channels.NotTaken:
		f := attempt.Failure{Number: s.Attempt.Number, Pause: max(c.Delay, r.RetryAfter), At: at}
		if then, next := s.Attempt.Failed(f, s.bounds()); then == attempt.Pause {
			return []event.Payload{AttemptRefused{AttemptID: s.Attempt.ID, Provider: s.Started.Provider, Code: r.Code, Reason: r.Reason, At: at,
				NextAttemptAt: next}}
		}
		return []event.Payload{s.failed(r.Code, r.Reason, at)}
	case channels.Refused:
		return []event.Payload{s.failed(r.Code, r.Reason, at)}
	default:
		return []event.Payload{s.failed(CodeOutcomeUnknown, "outcome unknown", at)}
	}
}

func (s State) failed(code, reason string, at time.Time) Failed {
	return Failed{Provider: s.Started.Provider, Code: code, Reason: reason, Attempts: s.Started.Attempt,
		Campaign: s.Request.Campaign.clone(), At: at}
}

// Apply ends the text.
func (e Sent) Apply(s *State) {
	s.Sent, s.EndedAt, s.ProviderMessageID, s.Segments = true, e.At, e.ProviderMessageID, e.Segments
	s.Attempt.End()
}

// Apply waits for the next attempt.
func (e AttemptRefused) Apply(s *State) {
	s.Code, s.Reason = e.Code, e.Reason
	s.Attempt.Pause(s.Attempt.Number+1, e.NextAttemptAt)
}

// Apply ends the text.
func (e Failed) Apply(s *State) {
	s.EndedAt, s.Code, s.Reason = e.At, e.Code, e.Reason
	s.Attempt.End()
}
