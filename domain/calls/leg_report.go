package calls

import (
	"cmp"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// LegQuery asks a carrier about a leg that it may have been told to place.
type LegQuery struct {
	SID      string    // id of the leg
	Node     string    // the node that was about to dial
	DialedAt time.Time // when it said so, on the clock that all nodes share; it dialled later or not at all

	TenantID string
	Trunk    string  // that took the call, as far as is known; else the one that it was asked for over
	Dialog   *Dialog // of an answered leg, where its carrier has such
	Referred bool    // the other side was asked to call somebody, and has not told what came of it
	// ReferredBefore says that it was asked for somebody else before, who is not wanted any more: what it tells of that is to be told apart.
	ReferredBefore bool
}

// LegStatus is how far a leg has come, as its carrier tells.
type LegStatus string

// The statuses. The zero value claims nothing.
const (
	LegUntold  LegStatus = ""         // the carrier cannot tell, or was not asked
	LegUnheard LegStatus = "unheard"  // it was never asked to place the leg: nobody was rung
	LegRinging LegStatus = "ringing"  // placed, neither answered nor over
	LegTalking LegStatus = "talking"  // answered and not over
	LegOver    LegStatus = "finished" // it is no more
)

// Running: there is somebody at the other end, or soon may be.
func (s LegStatus) Running() bool { return s == LegRinging || s == LegTalking }

// LegReport is a carrier's answer to a LegQuery.
type LegReport struct {
	Status  LegStatus
	Facts   []Fact    // so far, in order: ringing, answered and how the far side ended it; others may be missing
	EndedAt time.Time // of a finished leg. Without a last fact it was our side that hung up
}

// Query of the call's leg, in the state after its attempt was started.
func (s State) Query() LegQuery {
	q := LegQuery{SID: s.SID, Node: s.Node, DialedAt: s.DialedAt, TenantID: s.Request.TenantID, Trunk: s.Request.Trunk, Dialog: s.Dialog}
	if s.Dialog != nil {
		q.Trunk = cmp.Or(s.Dialog.Trunk, q.Trunk)
	}
	_, wanted := s.WantsPerson()
	q.Referred = wanted && s.Referral == Referred
	q.ReferredBefore = s.Referrals > 1 || s.Referrals == 1 && !q.Referred
	return q
}

// neverPlaced is the phrase of a call that its carrier was never asked to place.
const neverPlaced = "The carrier was never asked"

// settle ends a call whose node is lost by what its carrier says of the leg.
func (c ExpireLease) settle(s State) ([]event.Payload, error) {
	var all []event.Payload
	do := func(decide func(State) ([]event.Payload, error)) error {
		events, err := decide(s)
		for _, e := range events {
			Calls.Fold(&s, e)
		}
		all = append(all, events...)
		return err
	}
	end := legEnd{by: ByBot, cause: "hung up", code: 487, at: c.Report.EndedAt}
	if c.Report.Status.Running() {
		end = legEnd{by: ByGateway, cause: "node lost", code: 503, at: c.At}
	}
	for _, f := range c.Report.Facts {
		var err error
		switch f.Kind {
		case FactRinging:
			err = do(Ring{At: f.At}.Decide)
		case FactAnswered:
			err = do(Answer{SessionID: c.SessionID, At: f.At}.Decide)
		default:
			end = end.told(f)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case end.at.IsZero() && s.Answered() && !c.Report.Status.Running(): // nobody knows since when
		end.at = s.LastSeen
	case end.at.IsZero():
		end.at = c.At
	}
	err := do(end.decide)
	return all, err
}

// legEnd is how a leg ended: code and phrase when nobody had answered, by and cause
// when somebody had.
type legEnd struct {
	by     Party
	cause  string
	code   int
	phrase string
	at     time.Time
}

// told is the end by a fact, if it is a final one.
func (e legEnd) told(f Fact) legEnd {
	switch f.Kind {
	case FactHungUp:
		return legEnd{by: ByCallee, cause: "the callee hung up", code: 487, at: f.At}
	case FactRejected:
		return legEnd{by: ByGateway, cause: "the carrier ended the leg", code: f.Code, phrase: f.Phrase, at: f.At}
	case FactLost:
		return legEnd{by: ByGateway, cause: f.Error, at: f.At}
	}
	return e
}

func (e legEnd) decide(s State) ([]event.Payload, error) {
	if s.Answered() {
		return Complete{By: e.by, Cause: e.cause, At: e.at}.Decide(s)
	}
	return Fail{SIPCode: e.code, Phrase: e.phrase, At: e.at}.Decide(s)
}
