package deliveries

import (
	"strings"
	"time"
	"unicode"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// maxErrorRunes is how much of an error text an event keeps.
const maxErrorRunes = 200

// RecordFailure says that an attempt did not deliver the notice.
type RecordFailure struct {
	NoticeID        string
	Status          int // HTTP status; 0 when there was no answer
	attempt.Failure     // its reason is cut to 200 characters, its pause kept within MinDelay and MaxDelay
}

// Decide plans the next attempt, or gives the notice up when another one cannot
// help or would start after the deadline.
func (c RecordFailure) Decide(s State) ([]event.Payload, error) {
	n := s.Head()
	if n.ID != c.NoticeID {
		return nil, nil
	}
	switch then, next := n.Attempt.Failed(c.Failure, n.bounds()); then {
	case attempt.Pause:
		return []event.Payload{AttemptFailed{NoticeID: n.ID, Attempt: c.Number, At: stamp(c.At), Status: c.Status, Error: short(c.Reason),
			NextAttempt: c.Number + 1, NextAttemptAt: stamp(next)}}, nil
	case attempt.GiveUp:
		reason := ReasonDeadline
		if c.Final {
			reason = ReasonFinal
		}
		return []event.Payload{Undelivered{NoticeID: n.ID, Attempts: c.Number, At: stamp(c.At), Status: c.Status, Error: short(c.Reason),
			Reason: reason}}, nil
	}
	return nil, nil
}

// short keeps the beginning of a text, on one line.
func short(text string) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if runes := []rune(line); len(runes) > maxErrorRunes {
		return string(runes[:maxErrorRunes])
	}
	return line
}

// AttemptFailed is an attempt without success; the notice waits for the timer of
// its next one.
type AttemptFailed struct {
	NoticeID      string    `json:"noticeId"`
	Attempt       int       `json:"attempt"`
	At            time.Time `json:"at"`
	Status        int       `json:"status,omitempty"`
	Error         string    `json:"error,omitempty"`
	NextAttempt   int       `json:"nextAttempt"`
	NextAttemptAt time.Time `json:"nextAttemptAt"`
}

// Apply makes the notice wait.
func (e AttemptFailed) Apply(s *State) {
	if n, is := s.at(e.NoticeID); is {
		n.Attempt.Pause(e.NextAttempt, e.NextAttemptAt)
	}
}

var _ = event.Register[AttemptFailed](Deliveries, "attempt-failed", 1)
