package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// ExpireLease ends a call whose deadline has passed: nobody dialled it in time, or the
// node that had it is gone (docs/decisions/2026-11-21-leases-of-calls.md).
type ExpireLease struct {
	At        time.Time
	Report    LegReport // of the carrier; zero: it cannot tell
	SessionID string    // of the session that is opened if the report brings the answer
}

// Decide says nothing while the deadline holds. What it ends, it ends by what is
// known: by what the carrier says of the leg, else an answered call lasted until the
// last sign of life, and one that was not answered has failed.
func (c ExpireLease) Decide(s State) ([]event.Payload, error) {
	if !s.Expired(event.Stamp(c.At)) {
		return nil, nil
	}
	switch status := c.Report.Status; {
	case s.Phase == PhaseRequested:
	case status == LegOver || status.Running():
		return c.settle(s)
	case status == LegUnheard && s.Phase == PhaseDialing:
		return Fail{SIPCode: 503, Phrase: neverPlaced, At: c.At}.Decide(s)
	}
	if s.Answered() {
		return Complete{By: ByGateway, Cause: "node lost", At: s.LastSeen}.Decide(s)
	}
	return Fail{SIPCode: 503, At: c.At}.Decide(s)
}
