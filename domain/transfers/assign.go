package transfers

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Assign gives the transfer to the agent of its open offer, whose capacity is claimed.
type Assign struct {
	Attempt    int
	ClaimUntil time.Time // the claim goes by itself then, unless it is confirmed
	At         time.Time
}

// Assigned says that an agent has the conversation. There is nothing to accept: an
// assignment is accepted when it is made.
type Assigned struct {
	HumanAgentID string    `json:"agentId"`
	ClaimID      string    `json:"claimId"` // of the agent's capacity
	At           time.Time `json:"at"`
}

var _ = event.Register[Assigned](Transfers, "assigned", 1)

// Decide does nothing for an offer that is not open, and for a claim that is over.
func (c Assign) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if !s.offers(c.Attempt) || !at.Before(c.ClaimUntil) {
		return nil, nil
	}
	return []event.Payload{Assigned{HumanAgentID: s.Offer.HumanAgentID, ClaimID: ClaimID(s.Request.TransferID, c.Attempt), At: at}}, nil
}

// TakeUp says that somebody has come to the conversation without being offered it: whoever routes
// conversations elsewhere has told of it.
type TakeUp struct {
	HumanAgentID string // empty: no agent of ours
	ClaimID      string // what the agent has of its capacity for it, or had: who came may have left by now
	At           time.Time
}

// Decide lets nobody wait in a queue who is talked with already, and nobody else be offered it: an open offer
// to another agent comes too late. Who was there before the transfer was asked for is who hands it on.
func (c TakeUp) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	if !s.ToQueue() || !s.Open() || at.Before(s.Request.At) || s.Offer != nil && s.Offer.HumanAgentID == c.HumanAgentID {
		return nil, nil
	}
	return []event.Payload{Assigned{HumanAgentID: c.HumanAgentID, ClaimID: c.ClaimID, At: at}}, nil
}

// Apply folds the event.
func (e Assigned) Apply(s *State) {
	s.Phase, s.Offer = PhaseAssigned, nil
	s.HumanAgentID, s.ClaimID, s.AssignedAt = e.HumanAgentID, e.ClaimID, e.At
	s.answer(StatusTransferred, "", e.At)
}
