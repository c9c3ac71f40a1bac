package transfers

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// MakeOffer offers a transfer of a queue to one of its agents.
type MakeOffer struct {
	HumanAgentID string
	At           time.Time
}

// Offered says which agent's capacity is being claimed. It is on the log before the
// claim is, so that whoever goes on after a crash knows of it.
type Offered struct {
	HumanAgentID string    `json:"agentId"`
	Attempt      int       `json:"attempt"` // from 1
	At           time.Time `json:"at"`
}

var _ = event.Register[Offered](Transfers, "offered", 1)

// Decide does nothing while another offer is open, or when none is wanted.
func (c MakeOffer) Decide(s State) ([]event.Payload, error) {
	if !s.Waits() {
		return nil, nil
	}
	return []event.Payload{Offered{HumanAgentID: c.HumanAgentID, Attempt: s.Last.Attempt + 1, At: event.Stamp(c.At)}}, nil
}

// Apply opens the offer.
func (e Offered) Apply(s *State) {
	s.Last = Offer{HumanAgentID: e.HumanAgentID, Attempt: e.Attempt}
	s.Offer = &Offer{HumanAgentID: e.HumanAgentID, Attempt: e.Attempt}
}

// Decline says that the agent of an offer cannot take it.
type Decline struct {
	Attempt int
	Reason  Reason
	At      time.Time
}

// Declined closes an offer. Somebody else of the queue may be offered the transfer.
type Declined struct {
	HumanAgentID string    `json:"agentId"`
	Attempt      int       `json:"attempt"`
	Reason       Reason    `json:"reason"`
	At           time.Time `json:"at"`
}

var _ = event.Register[Declined](Transfers, "declined", 1)

// Decide counts for the open offer only. A transfer to an agent has nobody else to go
// to: it is offered once more if the agent did not refuse and only the claim was lost.
func (c Decline) Decide(s State) ([]event.Payload, error) {
	if !s.offers(c.Attempt) {
		return nil, nil
	}
	at := event.Stamp(c.At)
	out := []event.Payload{Declined{HumanAgentID: s.Offer.HumanAgentID, Attempt: c.Attempt, Reason: c.Reason, At: at}}
	switch {
	case s.ToQueue():
	case c.Reason == ClaimLost:
		out = append(out, Offered{HumanAgentID: s.Offer.HumanAgentID, Attempt: c.Attempt + 1, At: at})
	default:
		out = append(out, Failed{Reason: c.Reason, At: at})
	}
	return out, nil
}

// Apply closes the offer.
func (e Declined) Apply(s *State) { s.Offer = nil }

func (s State) offers(attempt int) bool {
	return s.Open() && s.Offer != nil && s.Offer.Attempt == attempt
}
