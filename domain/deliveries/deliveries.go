// Package deliveries decides how notices reach a receiver that a caller named: one
// stream per ordered subject (all notices of one call, all of one callback), one
// notice at a time.
//
// It owns the order, the attempt numbers, the deadline and the outcome of every
// notice. It never sends anything, never opens a sealed URL or header and never draws a
// random number: the sender does, and its findings come in with the command.
package deliveries

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// The rules (docs/api-rules.md "Notifications"):
//
//   - Notices of a stream go out in the order in which they were enqueued; the
//     next one starts when the one before it is delivered or given up.
//   - A notice has one deadline, by default an hour from its event. No attempt
//     starts after it.
//   - 2xx is delivered. 408, 429, 5xx and network errors are tried again by a
//     timer; any other answer, a redirect included, ends the notice.
//   - An outcome counts only for the notice at the head and for its current
//     attempt. What is late or doubled changes nothing.
//   - Who asked to be told may want it no more, or elsewhere: what is queued for
//     them is withdrawn, and may be enqueued again.

// Deliveries is the category of all webhook streams; the delivery of a call's
// notices is Deliveries.Stream("call-<uuid>").
var Deliveries = event.NewAggregate[State]("deliveries", "delivery", event.Busy)

const (
	// DefaultLimit is how long after its event a notice may still be attempted.
	DefaultLimit = time.Hour
	// MinDelay and MaxDelay bound the pause between two attempts, whatever the
	// sender's backoff or the receiver's Retry-After ask for.
	MinDelay = time.Second
	MaxDelay = 5 * time.Minute
	// MaxBody bounds a notice, in bytes; larger values do not belong in an event.
	MaxBody = 256 << 10
)

// State is what one stream knows: the notices still to be delivered, and the ids
// of those that are finished, kept so that the same notice is never enqueued
// twice. Bodies and what is sealed leave it with the notice's outcome.
type State struct {
	Queue    []Notice        `json:"queue,omitempty"`    // the head is at 0
	Finished map[string]bool `json:"finished,omitempty"` // by notice id
	Tried    map[string]int  `json:"tried,omitempty"`    // attempts for those that were withdrawn, by notice id
	Shut     bool            `json:"shut,omitempty"`     // the subject was erased
	ShutAt   time.Time       `json:"shutAt,omitzero"`    // when it was last
}

// Notice is one body on its way to one URL.
type Notice struct {
	ID            string          `json:"id"`
	TenantID      string          `json:"tenantId"`
	ProjectID     string          `json:"projectId"`
	URL           string          `json:"url"`
	URLSealed     string          `json:"urlSealed,omitempty"`
	HeadersSealed string          `json:"headersSealed,omitempty"`
	AskedBy       string          `json:"askedBy,omitempty"`
	Body          json.RawMessage `json:"body"`
	Deadline      time.Time       `json:"deadline"`

	Attempt attempt.State `json:"attempt"`
}

// Attempts is how a stream is spoken to about the attempts to deliver its head.
var Attempts = attempt.Rules[State]{
	State: func(s State) attempt.State { return s.Head().Attempt },
	Name:  func(s State) string { return fmt.Sprintf("%s/%d", s.Head().ID, s.Head().Attempt.Number) },
	Fail: func(s State, f attempt.Failure) attempt.Decision[State] {
		return RecordFailure{NoticeID: s.Head().ID, Failure: f}.Decide
	},
	Wake: func(at time.Time) attempt.Decision[State] { return Wake{at}.Decide },
	// From the eighth on 200 s: about two dozen attempts in an hour, none after more than MaxDelay.
	Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: MaxDelay * 2 / 3},
}

// Head is the notice whose turn it is; zero when nothing is left to deliver.
func (s State) Head() Notice {
	if len(s.Queue) == 0 {
		return Notice{}
	}
	return s.Queue[0]
}

// at is the head to be changed, if it is the notice of that id.
func (s *State) at(id string) (head *Notice, is bool) {
	if len(s.Queue) == 0 || s.Queue[0].ID != id {
		return nil, false
	}
	return &s.Queue[0], true
}

func (n Notice) bounds() attempt.Bounds {
	return attempt.Bounds{Until: n.Deadline, Shortest: MinDelay, Longest: MaxDelay}
}

// knows reports whether the notice was enqueued before, finished or not.
func (s State) knows(id string) bool {
	if s.Finished[id] {
		return true
	}
	for i := range s.Queue {
		if s.Queue[i].ID == id {
			return true
		}
	}
	return false
}

// finish takes the notice out of the queue and keeps no more than its id.
func (s *State) finish(id string) {
	s.drop(id)
	if s.Finished == nil {
		s.Finished = map[string]bool{}
	}
	s.Finished[id] = true
}

// drop takes the notice out of the queue. The rest moves to a slice of its own, so that its body can be freed.
func (s *State) drop(id string) {
	rest := make([]Notice, 0, len(s.Queue))
	for _, n := range s.Queue {
		if n.ID != id {
			rest = append(rest, n)
		}
	}
	s.Queue = rest
}

// stamp is how times stand in events: UTC, without the reading of a process's
// monotonic clock.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }
