// Package calls owns the call: one that was asked for here, or that a provider brought; how it
// went, what the answering machine detection heard, and how it ended.
//
// It also owns the two pure machines around it: the detection itself (Detector) and
// the making of notifications from events (NoticeOf). It never dials, never sends,
// reads no clock: times and ids come in with the commands.
package calls

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Calls holds one stream per call, call-<uuid>. Its rules:
//
//   - a call is attempted at most once, and only before its dial deadline
//   - one that a provider brings is known by the provider's name for it; its line is given to one node
//   - facts come in any order, late and twice; those that no longer matter change nothing
//   - a detection runs from answer to exactly one amd_stopped, which is its last result
//   - one verdict of human, machine, no speech, decision timeout; one tone at most
//   - every call ends: failed when it was not answered, completed when it was; whoever
//     is to move it holds a deadline, and past it ExpireLease ends the call
var Calls = event.NewAggregate[State]("calls", "call", event.Busy)

// Phase is how far a call has come.
type Phase string

// The phases, in order. A call may skip Ringing, and may end from each of them.
const (
	PhaseNone      Phase = ""          // no such call
	PhaseRequested Phase = "requested" // nobody has dialled yet
	PhaseDialing   Phase = "dialing"
	PhaseRinging   Phase = "ringing"
	PhaseAnswered  Phase = "answered"
	PhaseFailed    Phase = "failed"    // ended before answer
	PhaseCompleted Phase = "completed" // ended after answer
)

// State is the state of one call's stream.
type State struct {
	Phase    Phase
	Request  Requested
	Attempt  attempt.State // the only one; its lease is renewed until the call has ended
	SID      string        // of the carrier leg
	Provider string        // the carrier that was asked: local is the simulated one
	Node     string        // the node that dialled

	Arrival *Arrived    // of a call that its provider brought; nil: it was placed here
	Told    *StatusTold // the newest that the provider said of such a call
	Line    string      // the try by which a node has its sound; empty: none has

	TakenOver bool // another node went on with it, at least once

	Dialog *Dialog // of the leg, where a carrier has such; nil: it was not answered, or its carrier has none
	OnHold bool    // the other side has put us on hold

	Person     *PersonCalled      // who is to be on the line, or is; nil: nobody ever was
	PersonCode int                // what came of calling them, as SIP says it; 0: nothing yet
	PersonFree bool               // their transfer is over: they are to be on the line no more
	Referral   Referral           // whether the trunk was asked to call them
	Referrals  int                // how often it was asked, for whomever
	PersonLeg  *PersonEstablished // how their leg is spoken to; nil: it was not answered, or is no more

	Message     *MessageWanted // that the other side is to leave, or has left; nil: nobody ever asked for one
	MessageOver bool           // it was left, or is not there
	MessageBlob string         // what was left; empty: nothing
	Messages    []string       // the ids of all voicemails that were ever wanted of the call

	LastSeen time.Time // the last sign of life from the node that has the call

	DialedAt   time.Time
	RingingAt  time.Time // zero when the callee never rang
	AnsweredAt time.Time
	EndedAt    time.Time

	RingDurationMs    int64 // ringing to answer or refusal
	ConnectDurationMs int64 // dialling to answer or refusal
	DurationMs        int64 // answer to end
	SessionID         string
	Agent             *Agent // nil: none that could be run

	Said            []string
	Spoken          int           // the last message of the session that was said
	Heard           int           // how often the callee was heard, or pressed keys
	Played          int           // the last message of the session of which it is known how far it was heard
	Recording       Recorded      // of the whole call; no blob: there is none
	Measured        bool          // how well it sounded
	Forgotten       bool          // the callee was erased, or the call was ended to do so
	Detections      []AmdDetected // all of them, in order
	ReasonCode      ReasonCode
	Reason          string
	MachineDetected bool
}

// Ended reports whether nothing more can happen to the call.
func (s State) Ended() bool { return s.Phase == PhaseFailed || s.Phase == PhaseCompleted }

// Live reports whether there is a call that may be answered, or is.
func (s State) Live() bool { return s.Phase != PhaseNone && !s.Ended() }

// Answered reports whether the callee is connected now.
func (s State) Answered() bool { return s.Phase == PhaseAnswered }

// Attempts is how a call is spoken to about its attempt. What follows on it is the call's
// own: nothing is ever dialled again.
var Attempts = attempt.Rules[State]{
	State: func(s State) attempt.State { return s.Attempt },
	Start: func(c attempt.Claim) attempt.Decision[State] {
		return StartAttempt{AttemptID: c.ID, Node: c.Node, At: c.At, LeaseUntil: c.LeaseUntil}.Decide
	},
}

// InTime reports whether the call waits to be dialled and may be.
func (s State) InTime(at time.Time) bool { return s.Attempt.Wanted() && at.Before(s.Request.DialBy) }

// Expired reports whether the call's deadline has passed: nobody dialled it in time, or
// the node that had it has given no sign of life.
func (s State) Expired(at time.Time) bool {
	return s.Attempt.Lapsed(at) || s.Attempt.Wanted() && !at.Before(s.Request.DialBy)
}

// underway: dialled and neither answered nor ended.
func (s State) underway() bool { return s.Phase == PhaseDialing || s.Phase == PhaseRinging }

// detecting: the detection was asked for and has begun.
func (s State) detecting() bool {
	return s.Answered() && s.Request.MachineDetection != DetectionDisabled
}

// heard finds the first detection of one of the results.
func (s State) heard(results ...Result) (AmdDetected, bool) {
	for _, d := range s.Detections {
		for _, r := range results {
			if d.Result == r {
				return d, true
			}
		}
	}
	return AmdDetected{}, false
}

// Verdict is what the detection came to: who answered, else the error that ended it,
// else the beep, else that it was stopped. Empty while nothing was detected.
func (s State) Verdict() Result {
	for _, rank := range [][]Result{verdicts, {AmdError}, {AmdToneDetected}, {AmdStopped}} {
		if d, ok := s.heard(rank...); ok {
			return d.Result
		}
	}
	return ""
}

// foundMachine: the results for which a disconnect call is hung up and marked
// (docs/api-rules.md "Answering machine detection"). A tone in the middle of what turns out to be a
// person is none of them.
func (s State) foundMachine() bool {
	if s.Request.MachineDetection != DetectionDisconnect {
		return false
	}
	_, machine := s.heard(AmdMachineDetected, AmdToneDetected)
	_, human := s.heard(AmdHumanDetected)
	return machine && !human
}

// sign notes a sign of life.
func (s *State) sign(at time.Time) {
	if at.After(s.LastSeen) {
		s.LastSeen = at
	}
}

// since is the milliseconds between two stamps; zero when one is missing or the
// clocks of two machines disagree about their order.
func since(from, to time.Time) int64 {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from).Milliseconds()
}

func cloneJSON(raw json.RawMessage) json.RawMessage {
	return append(json.RawMessage(nil), raw...)
}

// InTurn decides one thing after the other, each on what those before it left, for one
// commit. If one is refused, all are.
func InTurn(all ...func(State) ([]event.Payload, error)) func(State) ([]event.Payload, error) {
	return func(s State) ([]event.Payload, error) {
		s.Said, s.Detections = slices.Clip(s.Said), slices.Clip(s.Detections) // what is folded stays in here
		var said []event.Payload
		for _, decide := range all {
			events, err := decide(s)
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				Calls.Fold(&s, e)
			}
			said = append(said, events...)
		}
		return said, nil
	}
}
