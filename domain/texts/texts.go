// Package texts owns the outbound text message: what was asked for, each attempt
// to hand it to a provider, and whether a provider took it.
//
// It never sends, reads no clock and draws no id: times, ids and what providers said
// come in with the commands. What happens after a provider took a text (delivered,
// undelivered) is not here.
package texts

import (
	"cmp"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
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

// State is the state of one text's stream.
type State struct {
	Request Requested
	Attempt attempt.State
	Started AttemptStarted // the latest attempt; zero before the first

	Sent              bool // a provider has taken it
	ProviderMessageID string
	Segments          int
	Code              string // of a failure
	Reason            string
	EndedAt           time.Time
}

// Attempts is how a text is spoken to about the attempts to hand it to a provider.
func Attempts(provider string) attempt.Rules[State] {
	return attempt.Rules[State]{
		State: func(s State) attempt.State { return s.Attempt },
		Name:  func(s State) string { return cmp.Or(s.Attempt.ID, strconv.Itoa(s.Attempt.Number)) },
		Start: func(c attempt.Claim) attempt.Decision[State] {
			return StartAttempt{AttemptID: c.ID, Node: c.Node, Provider: provider, At: c.At, LeaseUntil: c.LeaseUntil}.Decide
		},
		Fail: func(s State, f attempt.Failure) attempt.Decision[State] {
			late := channels.Outcome{Status: channels.NotTaken, Code: CodeLate, Reason: f.Reason}
			return RecordOutcome{AttemptID: s.Attempt.ID, Outcome: late, Delay: f.Pause, At: f.At}.Decide
		},
		Wake:    func(at time.Time) attempt.Decision[State] { return Expire{At: at}.Decide },
		Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: 10 * time.Minute},
	}
}

// bounds are those of the text. At SendBy itself it is too late.
func (s State) bounds() attempt.Bounds {
	return attempt.Bounds{Until: s.Request.SendBy.Add(-1), Shortest: MinDelay, Longest: MaxDelay}
}

// Outbound is what a provider is asked to send in the current attempt.
func (s State) Outbound() channels.Outbound {
	r := s.Request
	return channels.Outbound{Reference: r.MessageID, Attempt: s.Attempt.Number, From: r.From, To: r.To, Text: r.Text}
}

// Doubt is what a provider is asked about the current attempt, when nobody knows what became of it.
func (s State) Doubt() channels.Doubt {
	return channels.Doubt{Outbound: s.Outbound(), Node: s.Started.Node, StartedAt: s.Started.At}
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
