package webhooks

import (
	"strings"
	"time"
	"unicode"

	"github.com/parley-platform/parley/domain/event"
)

// maxErrorRunes is how much of an error text an event keeps.
const maxErrorRunes = 200

// RecordFailure says that an attempt did not deliver the notice.
type RecordFailure struct {
	NoticeID  string
	Attempt   int
	At        time.Time     // when the attempt ended
	Status    int           // HTTP status; 0 when there was no answer
	Error     string        // short, no secrets; cut to 200 characters
	Retryable bool          // whether another attempt can help
	Delay     time.Duration // pause the sender proposes; kept within MinDelay and MaxDelay
}

// Decide plans the next attempt, or gives the notice up when another one cannot
// help or would start after the deadline.
func (c RecordFailure) Decide(s State) ([]event.Payload, error) {
	n := s.running(c.NoticeID, c.Attempt)
	if n == nil {
		return nil, nil
	}
	at, text := stamp(c.At), short(c.Error)
	final := Undelivered{NoticeID: c.NoticeID, Attempts: c.Attempt, At: at, Status: c.Status, Error: text}
	if !c.Retryable {
		final.Reason = ReasonFinal
		return []event.Payload{final}, nil
	}
	next := at.Add(min(max(c.Delay, MinDelay), MaxDelay))
	if next.After(n.Deadline) {
		final.Reason = ReasonDeadline
		return []event.Payload{final}, nil
	}
	return []event.Payload{AttemptFailed{
		NoticeID: c.NoticeID, Attempt: c.Attempt, At: at, Status: c.Status, Error: text,
		NextAttempt: c.Attempt + 1, NextAttemptAt: next,
	}}, nil
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
	if n := s.head(); n != nil && n.ID == e.NoticeID {
		n.Attempt, n.Waiting, n.NextAt = e.NextAttempt, true, e.NextAttemptAt
	}
}

var _ = event.Register[AttemptFailed](Deliveries, "attempt-failed", 1)
