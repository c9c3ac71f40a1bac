package sessions

import (
	"encoding/json"

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
}

var _ = event.Register[CallOpened](Sessions, "call-opened", 1)

// Apply folds the event.
func (e CallOpened) Apply(s *State) { s.Talk.Calls++ }

// CallOutcome is how a call ended.
type CallOutcome string

// The outcomes.
const (
	CallOK     CallOutcome = "ok"
	CallFailed CallOutcome = "error"
)

// CallEnded says what came of a call: its first outcome, from whomever.
type CallEnded struct {
	InTurn
	CallID  string          `json:"callId"`
	Agent   string          `json:"agent"`
	Step    string          `json:"step,omitempty"`
	Tool    string          `json:"tool"`
	Outcome CallOutcome     `json:"outcome"`
	Code    string          `json:"code,omitempty"` // why, such as TIMEOUT or HTTP_404
	Result  json.RawMessage `json:"result,omitempty" personal:"customer"`
	Mock    int             `json:"mock,omitempty"` // which of the test's answered, from 1
}

var _ = event.Register[CallEnded](Sessions, "call-ended", 1)

// Apply folds the event.
func (e CallEnded) Apply(s *State) {
	s.Talk.Traces++
	if e.Outcome != CallOK {
		s.Talk.Errors++
	}
	if r := s.Talk.Running; r != nil && e.Mock > 0 && e.Mock <= len(r.Mocks) {
		r.Mocks[e.Mock-1]++
	}
}
