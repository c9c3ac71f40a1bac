package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// RenewLease says that the node still has the call.
type RenewLease struct {
	At         time.Time
	LeaseUntil time.Time
}

// LeaseRenewed is a sign of life, and a new deadline for the next.
type LeaseRenewed struct {
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[LeaseRenewed](Calls, "lease-renewed", 1)

// Decide moves the deadline of a running call, forward only.
func (c RenewLease) Decide(s State) ([]event.Payload, error) {
	until := event.Stamp(c.LeaseUntil)
	if !s.Attempt.Claimed() || !until.After(s.Attempt.LeaseUntil) {
		return nil, nil
	}
	return []event.Payload{LeaseRenewed{At: event.Stamp(c.At), LeaseUntil: until}}, nil
}

// LetGo ends the lease of an answered call at once, by the node that has it and is ending: another that can
// speak to the other side goes on with it. The node says nothing more to anybody of the call.
type LetGo struct{ At time.Time }

// Decide says nothing of a call with which no other node could go on.
func (c LetGo) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Claimed() || !s.Answered() || s.Dialog == nil {
		return nil, nil
	}
	at := event.Stamp(c.At)
	return []event.Payload{LeaseRenewed{At: at, LeaseUntil: at}}, nil
}

// Apply moves the deadline.
func (e LeaseRenewed) Apply(s *State) {
	s.Attempt.Renew(e.LeaseUntil)
	s.sign(e.At)
}

// Deadline is the one that an event sets for its call, if it sets one: when it has
// passed and no later event of the call moved it, ExpireLease is due. ended reports
// that the call needs no deadline any more.
func Deadline(p event.Payload) (at time.Time, set, ended bool) {
	switch e := p.(type) {
	case Requested:
		return e.DialBy, true, false
	case Arrived:
		return e.AnswerBy, true, false
	case AttemptStarted:
		return e.LeaseUntil, true, false
	case LineTaken:
		return e.LeaseUntil, true, false
	case LeaseRenewed:
		return e.LeaseUntil, true, false
	case Adopted:
		return e.LeaseUntil, true, false
	case Failed, Completed:
		return time.Time{}, false, true
	}
	return time.Time{}, false, false
}

// Adopt takes over an answered call whose node is lost, for a node that can go on with its leg. It
// precedes the first word to the other side: two nodes never have one call.
type Adopt struct {
	Try        string // fresh for each try, so that a node knows its own
	Node       string
	At         time.Time
	LeaseUntil time.Time
}

// Adopted: the call is this node's now. It is no sign of life of the call: whether the other side is
// still there is seen by the next one.
type Adopted struct {
	Try        string    `json:"try"`
	Node       string    `json:"node"`
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[Adopted](Calls, "adopted", 1)

// Adoptable reports whether a node may go on with the call: people talk, nobody has it any more, and
// it is known how to speak to the other side.
func (s State) Adoptable(at time.Time) bool {
	return s.Answered() && s.Attempt.Lapsed(at) && s.Dialog != nil
}

// Decide gives the call to who asks first.
func (c Adopt) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if !s.Adoptable(at) {
		return nil, nil
	}
	return []event.Payload{Adopted{Try: c.Try, Node: c.Node, At: at, LeaseUntil: event.Stamp(c.LeaseUntil)}}, nil
}

// requestsOfANode is how many requests a node may have sent in a dialog beyond those that were
// recorded: the next one counts on from behind them.
const requestsOfANode = 1000

// Apply hands the call over. The requests of its new node count on from behind those of the old one. A person
// who was on the line is so no more until their leg is taken over as well; else they are called again. One who has the call at the
// trunk is not.
func (e Adopted) Apply(s *State) {
	s.Node, s.TakenOver = e.Node, true
	if talk(s.PersonCode) && s.Referral != ReferralDone {
		s.PersonCode = 0
	}
	s.Attempt.Start(1, e.Try, e.LeaseUntil)
	if s.Dialog != nil {
		d := s.Dialog.clone()
		d.CSeq += requestsOfANode
		s.Dialog = &d
	}
	if s.PersonLeg != nil {
		p := *s.PersonLeg
		p.Dialog = p.Dialog.clone()
		p.Dialog.CSeq += requestsOfANode
		s.PersonLeg = &p
	}
}

// ExpireLease ends a call whose deadline has passed: nobody dialled it in time, or the
// node that had it is gone (docs/decisions/2026-11-21-leases-of-calls.md).
type ExpireLease struct {
	At        time.Time
	Report    LegReport // of the carrier; zero: it cannot tell
	SessionID string    // of the session that is opened if the report brings the answer
}

// Decide says nothing while the deadline holds. What it ends, it ends by what is
// known: by what the carrier says of the leg, else an answered call lasted until the
// last sign of life, and one that was not answered has failed. A message that was being
// left is lost with its node.
func (c ExpireLease) Decide(s State) ([]event.Payload, error) {
	if !s.Expired(event.Stamp(c.At)) {
		return nil, nil
	}
	end, err := c.end(s)
	if err != nil || len(end) == 0 {
		return nil, err
	}
	lost, err := s.loseMessage(c.At)
	return append(lost, end...), err
}

// lineAtOnce is whether the line of a call that came is taken at once, and nobody has told anything of the call since: that of a page or a
// pipeline, by the node that answers it; another, whose deadline is still that of its line, by the provider.
func (s State) lineAtOnce() bool {
	return s.Arrival.Provider == ProviderPage || s.Arrival.Provider == ProviderPipeline ||
		s.Attempt.LeaseUntil.Equal(s.AnsweredAt.Add(LineWithin))
}

func (c ExpireLease) end(s State) ([]event.Payload, error) {
	switch status := c.Report.Status; {
	case s.Phase == PhaseRequested:
	case status == LegOver || status.Running():
		return c.settle(s)
	case status == LegUnheard && s.Phase == PhaseDialing:
		return Fail{SIPCode: 503, Phrase: neverPlaced, At: c.At}.Decide(s)
	}
	switch {
	case s.Answered() && s.Came() && s.Line == "" && s.lineAtOnce(): // nobody but its node tells of it
		return Complete{By: ByGateway, Cause: "its line was not taken", At: s.LastSeen}.Decide(s)
	case s.Answered() && s.Came() && s.Line == "":
		return Complete{By: ByGateway, Cause: "nothing more was heard of it", At: c.At}.Decide(s)
	case s.Answered():
		return Complete{By: ByGateway, Cause: "node lost", At: s.LastSeen}.Decide(s)
	case s.Came() && !s.AtTrunk():
		return Fail{SIPCode: codeTerminated, At: c.At}.Decide(s)
	}
	return Fail{SIPCode: 503, At: c.At}.Decide(s)
}
