package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Forget ends a call because the callee is to be erased: what is said after the erasure would
// be kept. The node that carries it notices that it has ended, and hangs up.
type Forget struct{ At time.Time }

const (
	codeTerminated = 487 // Request Terminated
	causeErased    = "callee erased"
)

// Decide ends a call that has not ended yet.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	if s.Answered() {
		return Complete{By: ByBot, Cause: causeErased, At: c.At}.Decide(s)
	}
	return Fail{SIPCode: codeTerminated, At: c.At}.Decide(s)
}

// Erased: the callee was erased.
type Erased struct{ event.Erasure }

// Apply keeps what is still being made of the call from being kept; see event.Erasure.
func (Erased) Apply(s *State) { s.Forgotten = true }

var _ = event.Register[Erased](Calls, event.ErasedName, 1)
