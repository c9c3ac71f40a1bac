// Package texts owns the outbound text message: what was asked for, each attempt
// to hand it to a provider, and whether a provider took it.
//
// It never sends, reads no clock and draws no id: times, ids and what providers said
// come in with the commands. What happens after a provider took a text (delivered,
// undelivered) is not here.
package texts

import (
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// Texts holds one stream per text, message-<uuid>. Its rules:
//
//   - a provider takes a text at most once: an accepted attempt-started event comes
//     before the provider is asked, and no other attempt starts until it is certain that
//     the provider did not take it
//   - an attempt without an outcome is in doubt until its lease ends; then the provider's
//     own record decides, and where it has none the text has failed, outcome unknown
//   - no attempt starts at or after SendBy; past it the text has failed
//   - every text ends once: sent or failed. What is late or doubled changes nothing
var Texts = event.NewAggregate[State]("messages", "message", event.Busy)

// Phase is how far a text has come.
type Phase string

// The phases.
const (
	PhaseNone    Phase = ""        // no such text
	PhaseDue     Phase = "due"     // an attempt is to be made now
	PhaseSending Phase = "sending" // an attempt is under way, or in doubt
	PhaseWaiting Phase = "waiting" // for the time of the next attempt
	PhaseSent    Phase = "sent"    // a provider has taken it
	PhaseFailed  Phase = "failed"
)

// State is the state of one text's stream.
type State struct {
	Phase   Phase
	Request Requested

	Attempt   AttemptStarted // the latest; zero before the first
	Attempts  int            // started so far
	ExpiresAt time.Time      // after it, Expire moves the text on; zero when it has ended

	ProviderMessageID string
	Segments          int
	Code              string // of a failure
	Reason            string
	EndedAt           time.Time
}

// Ended reports whether nothing more can happen to the text.
func (s State) Ended() bool { return s.Phase == PhaseSent || s.Phase == PhaseFailed }

// Outbound is what a provider is asked to send in the current attempt.
func (s State) Outbound() channels.Outbound {
	r := s.Request
	return channels.Outbound{Reference: r.MessageID, Attempt: s.Attempts, From: r.From, To: r.To, Text: r.Text}
}

// Doubt is what a provider is asked about the current attempt, when nobody knows what became of it.
func (s State) Doubt() channels.Doubt {
	return channels.Doubt{Outbound: s.Outbound(), Node: s.Attempt.Node, StartedAt: s.Attempt.At}
}

// Deadline says what an event does to the text's deadline, at which Expire is due:
// it sets it to a time, or the text has ended and has none.
func Deadline(p event.Payload) (at time.Time, set, ended bool) {
	switch e := p.(type) {
	case Requested:
		return e.SendBy, true, false
	case AttemptStarted:
		return e.LeaseUntil, true, false
	case AttemptRefused:
		return e.NextAttemptAt, true, false
	case AttemptDue:
		return e.SendBy, true, false
	case Sent, Failed:
		return time.Time{}, false, true
	}
	return time.Time{}, false, false
}

// stamp is the form of every time in an event: UTC, whole milliseconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
