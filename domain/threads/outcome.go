package threads

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Record notes what came of an attempt.
type Record struct {
	ID      string // of the attempt
	Outcome channels.Outcome
	Delay   time.Duration
	At      time.Time
}

// PartSent says that the provider has taken a part of a reply.
type PartSent struct {
	Reply             int       `json:"reply"`
	Part              int       `json:"part"`
	Last              bool      `json:"last"` // of the reply
	SessionID         string    `json:"sessionId"`
	ProviderMessageID string    `json:"providerMessageId,omitempty" personal:"customer"` // of WhatsApp it holds their number
	At                time.Time `json:"at"`
}

// Missed says that the provider did not take it, and when it is asked again.
type Missed struct {
	Reply     int       `json:"reply"`
	Part      int       `json:"part"`
	Attempt   int       `json:"attempt"`
	SessionID string    `json:"sessionId"`
	Code      string    `json:"code"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
	RetryAt   time.Time `json:"retryAt"`
}

// Failed says that a reply, or the rest of it, does not go out.
type Failed struct {
	Reply     int       `json:"reply"`
	Part      int       `json:"part"`
	SessionID string    `json:"sessionId"`
	Code      string    `json:"code"`
	Reason    string    `json:"reason"`
	Attempts  int       `json:"attempts"` // at the part
	At        time.Time `json:"at"`
}

// Due says that the next attempt is to be made now.
type Due struct {
	Reply   int       `json:"reply"`
	Part    int       `json:"part"`
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
}

var (
	_ = event.Register[PartSent](Threads, "reply-part-sent", 1)
	_ = event.Register[Missed](Threads, "reply-missed", 1)
	_ = event.Register[Failed](Threads, "reply-failed", 1)
	_ = event.Register[Due](Threads, "reply-due", 1)
)

// CodeUnknown is the code of a reply of which nobody can say whether it was taken.
const CodeUnknown = "OUTCOME_UNKNOWN"

// Decide takes what is certain of the attempt under way. What may have been taken is asked for
// once more, unless that is to happen once only: then the end of its lease decides.
func (c Record) Decide(s State) ([]event.Payload, error) {
	h, at := s.head(), event.Stamp(c.At)
	o := c.Outcome
	if !s.Attempt.Claimed() || s.Attempt.ID != c.ID || o.Status == channels.Unknown && h.Once {
		return nil, nil
	}
	switch o.Status {
	case channels.Taken:
		return []event.Payload{PartSent{Reply: h.Reply, Part: h.Part, Last: h.Part >= len(h.Parts)-1, SessionID: h.SessionID,
			ProviderMessageID: o.ProviderMessageID, At: at}}, nil
	case channels.Refused:
		return append(s.refusedBy(o, at), s.failed(o.Code, o.Reason, at)), nil
	case channels.Unknown:
		o.Code = CodeUnknown
	}
	if s.Stopped { // while it was on its way
		return []event.Payload{s.failed(CodeOptedOut, optedOut, at)}, nil
	}
	f := attempt.Failure{Number: s.Attempt.Number, Pause: max(c.Delay, o.RetryAfter), At: at}
	if then, next := s.Attempt.Failed(f, s.bounds()); then == attempt.Pause {
		return []event.Payload{Missed{Reply: h.Reply, Part: h.Part, Attempt: s.Attempt.Number, SessionID: h.SessionID, Code: o.Code,
			Reason: o.Reason, At: at, RetryAt: next}}, nil
	}
	return []event.Payload{s.failed(o.Code, o.Reason, at)}, nil
}

func (s State) failed(code, reason string, at time.Time) Failed {
	h := s.head()
	return Failed{Reply: h.Reply, Part: h.Part, SessionID: h.SessionID, Code: code, Reason: reason, Attempts: s.Attempt.Begun(), At: at}
}

// Wake is what the timer says: a pause or a lease may be over.
type Wake struct{ At time.Time }

// Decide says nothing while they last.
func (c Wake) Decide(s State) ([]event.Payload, error) {
	h, at := s.head(), event.Stamp(c.At)
	then, next := s.Attempt.Woken(at, s.bounds()), s.Attempt.Number
	if s.Attempt.Lapsed(at) {
		if next++; h.Once {
			return []event.Payload{s.failed(CodeUnknown, "the provider may have taken it", at)}, nil
		}
	}
	switch then {
	case attempt.Again:
		return []event.Payload{Due{Reply: h.Reply, Part: h.Part, Attempt: next, At: at}}, nil
	case attempt.GiveUp:
		return []event.Payload{s.failed("EXPIRED", "not sent in time", at)}, nil
	}
	return nil, nil
}

// Apply goes on with the next part, or the next reply.
func (e PartSent) Apply(s *State) {
	if s.head().Reply != e.Reply {
		return
	}
	s.Replies = slices.Clone(s.Replies)
	if s.Replies[0].Part = e.Part + 1; e.Last {
		s.pop()
		return
	}
	s.Attempt.Ask()
}

func (s *State) pop() {
	s.Replies = slices.Clone(s.Replies[1:])
	if s.Attempt.End(); len(s.Replies) > 0 {
		s.Attempt.Ask()
	}
}

// Apply waits.
func (e Missed) Apply(s *State) { s.Attempt.Pause(e.Attempt+1, e.RetryAt) }

// Apply wants the attempt.
func (e Due) Apply(s *State) { s.Attempt.Again() }

// Apply keeps it for those who want it tried again, and lets the next one go.
func (e Failed) Apply(s *State) {
	if s.head().Reply != e.Reply {
		return
	}
	s.Failed = append(slices.Clip(s.Failed), s.Replies[0])
	s.Failed = slices.Clone(s.Failed[max(0, len(s.Failed)-mostFailed):])
	s.pop()
}

// Retry has a reply tried again that failed.
type Retry struct {
	Reply int
	At    time.Time
}

// Retried says that somebody wants it.
type Retried struct {
	Reply  int       `json:"reply"`
	At     time.Time `json:"at"`
	SendBy time.Time `json:"sendBy"`
}

var _ = event.Register[Retried](Threads, "reply-retried", 1)

// Decide refuses what has not failed, or is not kept any more.
func (c Retry) Decide(s State) ([]event.Payload, error) {
	if !slices.ContainsFunc(s.Failed, func(r Reply) bool { return r.Reply == c.Reply }) {
		return nil, fault.New(fault.Conflict, "the delivery has not failed, or too long ago to be tried again")
	}
	at := event.Stamp(c.At)
	return []event.Payload{Retried{Reply: c.Reply, At: at, SendBy: at.Add(LastFor)}}, nil
}

// Apply puts it behind those that wait.
func (e Retried) Apply(s *State) {
	for i, r := range s.Failed {
		if r.Reply == e.Reply {
			r.SendBy = e.SendBy
			r.Round++
			s.Failed = slices.Delete(slices.Clone(s.Failed), i, i+1)
			s.queue(r)
			return
		}
	}
}
