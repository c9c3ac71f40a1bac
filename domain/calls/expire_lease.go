package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// ExpireLease ends a call whose deadline has passed: nobody dialled it in time, or
// the node that had it is gone (DECISIONS "A call whose node dies").
type ExpireLease struct{ At time.Time }

// Decide says nothing while the deadline holds. What it ends, it ends by what is
// known: an answered call lasted until the last sign of life.
func (c ExpireLease) Decide(s State) ([]event.Payload, error) {
	if s.Phase == PhaseNone || s.Ended() || stamp(c.At).Before(s.ExpiresAt) {
		return nil, nil
	}
	if s.Answered() {
		return Complete{By: ByGateway, Cause: "node lost", At: s.LastSeen}.Decide(s)
	}
	return Fail{SIPCode: 503, At: c.At}.Decide(s)
}
