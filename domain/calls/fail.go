package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Fail ends a call that was not answered.
type Fail struct {
	SIPCode int    // the final response; 0 when there was none: no route, no carrier
	Phrase  string // from the wire; empty: the usual one of the code
	At      time.Time
}

// Failed is the end of a call that was not answered.
type Failed struct {
	At                time.Time  `json:"at"`
	SIPCode           int        `json:"sipCode"`
	ReasonCode        ReasonCode `json:"reasonCode"`
	Reason            string     `json:"reason"` // code and phrase
	RingDurationMs    int64      `json:"ringDurationMs"`
	ConnectDurationMs int64      `json:"connectDurationMs"` // dialling to the refusal; 0 when never dialled
}

var _ = event.Register[Failed](Calls, "failed", 1)

// Decide ends a call before answer, dialled or not.
func (c Fail) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseRequested && !s.underway() {
		return nil, nil
	}
	at, code := event.Stamp(c.At), c.SIPCode
	if code == 0 {
		code = 503
	}
	return []event.Payload{Failed{At: at, SIPCode: code, ReasonCode: FailureCode(code), Reason: reason(code, c.Phrase),
		RingDurationMs: since(s.RingingAt, at), ConnectDurationMs: since(s.DialedAt, at)}}, nil
}

// Apply ends the call.
func (e Failed) Apply(s *State) {
	s.Phase, s.EndedAt = PhaseFailed, e.At
	s.RingDurationMs, s.ConnectDurationMs = e.RingDurationMs, e.ConnectDurationMs
	s.ReasonCode, s.Reason = e.ReasonCode, e.Reason
	s.Attempt.End()
}
