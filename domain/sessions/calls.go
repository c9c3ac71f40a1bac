package sessions

import (
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// CallID is the id of the n-th call of a session, from 1: the same whoever computes it.
func CallID(session string, n int) string { return nthID(session, 'c', n) }

// CallOpened says that a turn wants something of a tool.
type CallOpened struct {
	InTurn
	CallID    string                     `json:"callId"`
	Key       string                     `json:"key"` // the Idempotency-Key that goes with it
	Agent     string                     `json:"agent"`
	Step      string                     `json:"step,omitempty"`
	Tool      string                     `json:"tool"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty" personal:"customer"` // *** for those of MASK
	Retry     int                        `json:"retry,omitempty"`                         // how often ON_ERROR had it made again

	// Of one that somebody makes; a mock answers all others in the same commit.
	Claimed
	Start  bool `json:"start,omitempty"`  // it is that of ON_START
	Later  bool `json:"later,omitempty"`  // its answer comes later, to a callback
	Repeat bool `json:"repeat,omitempty"` // it may be made again: it reads, or knows its key

	Wish string `json:"wish,omitempty"` // the model's call that it is made for
}

// Claimed is who makes a call: one try of one process, never a node. A node that comes back
// would make again what it made before it died.
type Claimed struct {
	Process string `json:"process,omitempty"` // one run of a node, whose signs of life speak for the try
	Try     string `json:"try,omitempty"`
}

var _ = event.Register[CallOpened](Sessions, "call-opened", 1)

// Apply folds the event.
func (e CallOpened) Apply(s *State) {
	s.Talk.Calls++
	t := s.at(e.InTurn)
	if t.Waits.For == ForConfirm { // the user said yes
		t.Waits = Waiting{}
	}
	if r := t.Running; r != nil && e.Try != "" {
		e.Arguments = nil // which follow from the state
		r.Open = append(r.Open, e)
	}
}

// CallClaimed says that another try makes an open call, because the one before gives no sign
// of life any more.
type CallClaimed struct {
	InTurn
	CallID string `json:"callId"`
	Claimed
}

var _ = event.Register[CallClaimed](Sessions, "call-claimed", 1)

// Apply folds the event.
func (e CallClaimed) Apply(s *State) {
	r := s.at(e.InTurn).Running
	if call := r.Call(e.CallID); call != nil {
		call.Claimed = e.Claimed
	} else if asked := r.Question(e.CallID); asked != nil {
		asked.Claimed = e.Claimed
	} else if root := s.Talk.Running; root != nil && root.Memory != nil && root.Memory.CallID == e.CallID {
		root.Memory.Claimed = e.Claimed
	}
}

// CallSent says that a call whose answer comes later was made, or may have been: nobody makes it
// any more. The session is suspended until its answer comes, or until it is too late for that.
type CallSent struct {
	InTurn
	CallID    string    `json:"callId"`
	ExpiresAt time.Time `json:"expiresAt"`
	Figures   *Figures  `json:"figures,omitempty"` // of the session, where all of it waits: the end of the turn, which says them, may be far
}

var _ = event.Register[CallSent](Sessions, "call-sent", 1)

// Apply folds the event.
func (e CallSent) Apply(s *State) {
	s.Talk.Traces++
	r := s.at(e.InTurn).Running
	if call := r.Call(e.CallID); call != nil {
		call.Claimed = Claimed{}
		r.Suspended = &Suspension{CallID: e.CallID, ExpiresAt: e.ExpiresAt}
	}
}

// CallOutcome is how a call ended.
type CallOutcome string

// The outcomes.
const (
	CallOK     CallOutcome = "ok"
	CallFailed CallOutcome = "error"
	// CallUnknown is one of a write that is never made again: whether it was done is not known.
	CallUnknown CallOutcome = "unknown"
)

// Codes that a call may end with, whoever says them.
const (
	CodeTimeout  = "TIMEOUT"
	CodeTooLarge = "TOOL_RESULT_TOO_LARGE" // it has more than LargestResult
	CodeUnknown  = "UNKNOWN_OUTCOME"       // with CallUnknown
	CodeDefect   = "INTERNAL_ERROR"        // it came to nothing because of us
)

// LargestResult is how many bytes of compact JSON a result may have.
const LargestResult = 256 << 10

// CallEnded says what came of a call: its first outcome, from whomever.
type CallEnded struct {
	InTurn
	CallID  string          `json:"callId"`
	Agent   string          `json:"agent"`
	Step    string          `json:"step,omitempty"`
	Tool    string          `json:"tool"`
	Outcome CallOutcome     `json:"outcome"`
	Code    string          `json:"code,omitempty"`                        // why, such as TIMEOUT or HTTP_404
	Problem string          `json:"problem,omitempty" personal:"customer"` // the same in the words of the tool, if it has any
	Result  json.RawMessage `json:"result,omitempty" personal:"customer"`
	Mock    int             `json:"mock,omitempty"` // which of the test's answered, from 1

	// Of one that was made.
	Status int   `json:"status,omitempty"` // of HTTP
	Tries  int   `json:"tries,omitempty"`  // requests that went out
	TookMs int64 `json:"tookMs,omitempty"`
	Later  bool  `json:"later,omitempty"` // by a callback

	Steps []StepRan `json:"steps,omitempty"` // of a workflow, in their order, up to the one that failed

	Wish string `json:"wish,omitempty"` // the model's call that it answers
}

// StepRan is what came of a step of a workflow. What it answered is in the result of the whole, if
// anywhere.
type StepRan struct {
	Step    string      `json:"step"`
	Tool    string      `json:"tool"` // the id of the deployed one
	Outcome CallOutcome `json:"outcome"`
	Code    string      `json:"code,omitempty"`
	Tries   int         `json:"tries,omitempty"`
	TookMs  int64       `json:"tookMs,omitempty"`
}

var _ = event.Register[CallEnded](Sessions, "call-ended", 1)

// Apply folds the event.
func (e CallEnded) Apply(s *State) {
	s.Talk.Traces++
	if e.Outcome != CallOK && e.Outcome != CallCancelled {
		s.Talk.Errors++
	}
	if r := s.Talk.Running; r != nil && e.Mock > 0 && e.Mock <= len(r.Mocks) {
		r.Mocks[e.Mock-1]++
	}
	t := s.at(e.InTurn)
	s.wrote(e)
	t.Running.close(e)
	t.ended(e)
	if last := len(t.Unsure) - 1; t != &s.Talk && e.Outcome == CallUnknown && last >= 0 { // which outlives the delegate
		s.Talk.Unsure = append(newest(s.Talk.Unsure, MostUnsure-1), t.Unsure[last])
	}
}
