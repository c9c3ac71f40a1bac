package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Told is how far a call is, as its provider says.
type Told string

// What a provider may tell of a call. Its own word stands beside it.
const (
	ToldInitiated  Told = "initiated"
	ToldRinging    Told = "ringing"
	ToldInProgress Told = "in-progress"
	ToldCompleted  Told = "completed"
	ToldFailed     Told = "failed"
)

// What stands in place of a provider's word, of a room of which it did not say that it was made.
const (
	RoomInDoubt     = "room_in_doubt"     // nobody was let in
	RoomWantedAgain = "room_wanted_again" // somebody may be now
	RoomMade        = "room_made"         // somebody is: it has said so now
)

// rank is the order in which a call goes through what is told, where the provider numbers nothing.
var rank = map[Told]int{ToldInitiated: 1, ToldRinging: 2, ToldInProgress: 3, ToldCompleted: 4, ToldFailed: 4}

// Tell takes what the provider of a call says of it. It may come twice, late, and in any order.
type Tell struct {
	Status   Told
	Raw      string // the provider's own word
	Sequence *int   // by which the provider orders what it says; nil: it does not
	SIPCode  int    // of ToldFailed; 0: the provider did not say
	Duration *time.Duration
	At       time.Time

	// Of a call that is answered by what is told. A session is needed for ToldInProgress, and for
	// ToldCompleted, which may come alone.
	SessionID string
	Agent     *Agent
	Until     time.Time // of ToldInProgress: without another word the call is over then; zero: nothing changes
}

// StatusTold is what the provider of a call said of it.
type StatusTold struct {
	Status     Told      `json:"status"`
	Raw        string    `json:"raw"`
	Sequence   *int      `json:"sequence,omitempty"`
	SIPCode    int       `json:"sipCode,omitempty"`
	DurationMs *int64    `json:"durationMs,omitempty"` // as the provider counts it
	Late       bool      `json:"late,omitempty"`       // it says less than what was known
	At         time.Time `json:"at"`
}

var _ = event.Register[StatusTold](Calls, "status-told", 1)

// Decide notes what was said, and does what follows from it if it is news.
func (c Tell) Decide(s State) ([]event.Payload, error) {
	if rank[c.Status] == 0 {
		return nil, fault.Field("status", "must be initiated, ringing, in-progress, completed or failed")
	}
	if !s.Came() {
		return nil, fault.New(fault.NotFound, "there is no such call")
	}
	if s.Told != nil && s.Told.same(c) {
		return nil, nil
	}
	e := StatusTold{Status: c.Status, Raw: c.Raw, Sequence: c.Sequence, SIPCode: c.SIPCode, Late: s.Told != nil && s.Told.after(c),
		At: event.Stamp(c.At)}
	if c.Duration != nil {
		ms := c.Duration.Milliseconds()
		e.DurationMs = &ms
	}
	if e.Late {
		return []event.Payload{e}, nil
	}
	follows, err := InTurn(c.follows(s)...)(s)
	return append([]event.Payload{e}, follows...), err
}

// same: it was said before, as far as is known.
func (e StatusTold) same(c Tell) bool {
	return e.Raw == c.Raw && (e.Sequence == nil) == (c.Sequence == nil) && (e.Sequence == nil || *e.Sequence == *c.Sequence)
}

// after: what was said before is newer than what comes now.
func (e StatusTold) after(c Tell) bool {
	if e.Sequence != nil && c.Sequence != nil {
		return *e.Sequence > *c.Sequence
	}
	was, is := rank[e.Status], rank[c.Status]
	return was > is || was == is && is == rank[ToldCompleted] // one end only: nobody says which is newer
}

// follows is what becomes of the call.
func (c Tell) follows(s State) []callDecision {
	answer := Answer{SessionID: c.SessionID, Agent: c.Agent, At: c.At}
	failed := Fail{SIPCode: c.code(), At: c.At}
	switch c.Status {
	case ToldRinging:
		return []callDecision{Ring{At: c.At}.Decide}
	case ToldInProgress:
		return []callDecision{answer.Decide, c.goesOn}
	case ToldCompleted:
		over := Complete{By: ByCallee, Cause: "the provider says so", At: c.At}
		if s.Room() { // nobody came, where nobody is there
			failed.SIPCode = codeTerminated
			return []callDecision{failed.Decide, over.Decide}
		}
		if c.Duration != nil {
			answer.At = c.At.Add(-*c.Duration)
		}
		answer.Agent = nil // nobody said anything
		return []callDecision{answer.Decide, over.Decide}
	case ToldFailed:
		return []callDecision{failed.Decide, Complete{By: ByGateway, Cause: c.Raw, At: c.At}.Decide}
	}
	return nil
}

type callDecision = func(State) ([]event.Payload, error)

// goesOn keeps a call that has no line here, of which only its provider tells.
func (c Tell) goesOn(s State) ([]event.Payload, error) {
	if c.Until.IsZero() || s.Line != "" {
		return nil, nil
	}
	return RenewLease{At: c.At, LeaseUntil: c.Until}.Decide(s)
}

// codes are what providers' words for calls that failed would have been in SIP.
var codes = map[string]int{"busy": 486, "no-answer": 480, "canceled": 487}

func (c Tell) code() int {
	switch {
	case c.SIPCode >= 300 && c.SIPCode < 700:
		return c.SIPCode
	case codes[c.Raw] != 0:
		return codes[c.Raw]
	}
	return 503
}

// Apply keeps the newest.
func (e StatusTold) Apply(s *State) {
	if !e.Late {
		s.Told = &e
	}
	s.sign(e.At)
}
