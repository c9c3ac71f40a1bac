package assign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
)

// claimFor is how long capacity is kept for a transfer that is not assigned yet. Who
// dies in between leaves it taken for so long.
const claimFor = 30 * time.Second

// Process takes transfers to their outcome: it claims an agent's capacity with
// an expiry, assigns the transfer, and confirms the claim; or lets it wait in the
// queue's line.
//
// Each step is decided by the streams and may be made by anyone, any number of times:
// the request that asked for the transfer goes through it at once, reactors go through
// it again after every event, and so end what a dead node began.
type Process struct {
	Streams    transferStreams
	View       view
	Telephones telephones  // nil: nobody is called
	Lines      *acts.Lines // of who serve the lines of queues on this node; nil: each goes through them
	Now        func() time.Time
}

// steps bounds how often one drive may be turned down before somebody else tries.
const steps = 64

// Drive takes the transfer as far as it can go now.
func (p Process) Drive(ctx context.Context, by Cause, id string) (transfers.State, error) {
	s, stuck, err := p.advance(ctx, by, id, false)
	if err != nil || stuck == nil {
		return s, err
	}
	if err := p.Serve(ctx, by, s.Request.TenantID, s.Request.QueueID); err != nil {
		return s, err
	}
	return p.Streams.Transfer(ctx, id)
}

// stuck says why a transfer waits on. nobody: no agent of its queue is free for its
// kind and skills. Else some are, but must not get it: one who refused it before, or
// who has the session now.
type stuck struct{ nobody bool }

// advance takes a transfer on until it has an outcome or waits. A transfer in a line
// looks for an agent only when its turn has come.
func (p Process) advance(ctx context.Context, by Cause, id string, itsTurn bool) (s transfers.State, waits *stuck, err error) {
	var refused []string
	for range steps {
		if s, err = p.Streams.Transfer(ctx, id); err != nil {
			return s, nil, fmt.Errorf("folding transfer %s: %w", id, err)
		}
		switch {
		case s.Phase == "":
			return s, nil, fault.New(fault.NotFound, "there is no such transfer")
		case s.Final():
			if itsTurn && p.Now().Sub(s.EndedAt) < claimFor { // its end takes it out of the line: not all who serve it have to
				return s, nil, nil
			}
			return s, nil, p.clear(ctx, by, s)
		case s.Phase == transfers.PhaseAssigned:
			if done, err := p.keep(ctx, by, s); done || err != nil {
				return s, nil, err
			}
		case s.Offer != nil:
			refused = append(refused, s.Offer.HumanAgentID)
			err = p.claim(ctx, by, s)
		case s.Phase == transfers.PhaseRequested:
			err = p.place(ctx, by, s, refused)
		case itsTurn:
			if waits, err = p.pick(ctx, by, s, refused); waits != nil {
				return s, waits, err
			}
		default:
			if done, err := p.stand(ctx, by, s); done || err != nil {
				return s, &stuck{}, err
			}
		}
		if err != nil {
			return s, nil, err
		}
	}
	return s, nil, fault.New(fault.NotExecuted, "agents are being taken by others all the time").After(time.Second)
}

// place offers a transfer that has just been asked for, unless others wait already: it
// then goes behind them.
func (p Process) place(ctx context.Context, by Cause, s transfers.State, refused []string) error {
	if over, err := p.over(ctx, by, s); over || err != nil {
		return err
	}
	_, others, err := p.View.Standing(ctx, s.Request.TenantID, s.Request.QueueID, s.Request.TransferID)
	if err != nil {
		return err
	}
	if !others {
		waits, err := p.pick(ctx, by, s, refused)
		if waits == nil || err != nil {
			return err
		}
	}
	return p.on(ctx, by, s.Request.TransferID, transfers.Wait{At: p.Now()}.Decide)
}

// pick offers the transfer to the best agent, or says why there is none. Agents who
// have refused meanwhile, and who has the session now, are left out. Of a queue that was
// removed there will never be one: the transfer fails.
func (p Process) pick(ctx context.Context, by Cause, s transfers.State, refused []string) (*stuck, error) {
	r := s.Request
	served, err := p.View.Served(ctx, r.TenantID, r.SessionID, r.CustomerID)
	if err != nil {
		return nil, err
	}
	among, nobody, err := p.free(ctx, r.TenantID, r.QueueID, r.Kind, r.Skills, served)
	if err != nil || nobody {
		return &stuck{nobody: nobody}, err
	}
	if len(among) == 0 {
		return nil, p.on(ctx, by, r.TransferID, transfers.LoseQueue{At: p.Now()}.Decide)
	}
	rivals, err := p.View.Rivals(ctx, r.TenantID, r.SessionID)
	if err != nil {
		return nil, err
	}
	for _, other := range rivals {
		if other.HumanAgentID != "" {
			refused = append(slices.Clone(refused), other.HumanAgentID)
		}
	}
	agent, ok := transfers.Choose(among, served, refused...)
	if !ok {
		return &stuck{}, nil
	}
	return nil, p.on(ctx, by, r.TransferID, transfers.MakeOffer{HumanAgentID: agent, At: p.Now()}.Decide)
}

// claim takes the capacity of the agent who is offered the transfer, and assigns it.
// If the transfer went another way meanwhile, the capacity is given back.
func (p Process) claim(ctx context.Context, by Cause, s transfers.State) error {
	if over, err := p.over(ctx, by, s); over || err != nil {
		return err
	}
	r, offer, at := s.Request, *s.Offer, p.Now()
	can, exists, err := p.View.Capacity(ctx, r.TenantID, offer.HumanAgentID, r.Kind)
	if err != nil {
		return err
	}
	decline := func(reason transfers.Reason) error {
		return p.on(ctx, by, r.TransferID, transfers.Decline{Attempt: offer.Attempt, Reason: reason, At: p.Now()}.Decide)
	}
	if !exists {
		return decline(transfers.AgentRemoved)
	}
	claim := humanagents.Claim{TenantID: r.TenantID, HumanAgentID: offer.HumanAgentID, ClaimID: transfers.ClaimID(r.TransferID, offer.Attempt),
		ConversationID: r.ConversationID,
		Kind:           r.Kind, Limit: can.Limit, Inactive: can.Inactive, ExpiresAt: at.Add(claimFor), At: at}
	desk, err := p.Streams.OnDesk(ctx, by, r.TenantID, offer.HumanAgentID, r.TransferID, "claim "+strconv.Itoa(offer.Attempt), claim.Decide)
	var refusal *humanagents.Refusal
	switch {
	case errors.As(err, &refusal) && fault.Is(err, fault.Gone):
		return decline(transfers.ClaimLost)
	case errors.As(err, &refusal):
		return decline(transfers.Reason(refusal.Reason))
	}
	if acts.Aside(ctx, "claiming capacity for transfer "+r.TransferID, "agent "+offer.HumanAgentID, err) { // nobody knows what the agent has
		return decline(transfers.Reason(humanagents.ReasonNotAvailable))
	}
	if err != nil {
		return fmt.Errorf("claiming capacity of agent %s: %w", offer.HumanAgentID, err)
	}
	taken, held := desk.Claims[claim.ClaimID]
	if !held || !taken.Confirmed && !taken.ExpiresAt.After(p.Now()) {
		return decline(transfers.ClaimLost)
	}
	assign := transfers.Assign{Attempt: offer.Attempt, ClaimUntil: taken.ExpiresAt, At: p.Now()}
	now, err := p.Streams.OnTransfer(ctx, by, r.TransferID, assign.Decide)
	if err != nil || now.ClaimID == claim.ClaimID && !now.Final() || now.Offer != nil && now.Offer.Attempt == offer.Attempt {
		return err
	}
	return p.release(ctx, by, s, offer.HumanAgentID, claim.ClaimID)
}

func (p Process) release(ctx context.Context, by Cause, s transfers.State, agent, claim string) error {
	release := humanagents.Release{TenantID: s.Request.TenantID, HumanAgentID: agent, ClaimID: claim, At: p.Now()}
	_, err := p.Streams.OnDesk(ctx, by, s.Request.TenantID, agent, s.Request.TransferID, "", release.Decide)
	return err
}

// keep confirms the claim of an assigned transfer and ends what it replaces. done is
// false when the transfer changed by it.
func (p Process) keep(ctx context.Context, by Cause, s transfers.State) (done bool, err error) {
	r := s.Request
	if lost, err := p.confirm(ctx, by, s); err != nil {
		return false, fmt.Errorf("confirming the claim of agent %s: %w", s.HumanAgentID, err)
	} else if lost {
		return false, p.on(ctx, by, r.TransferID, transfers.Fail{ClaimID: s.ClaimID, Reason: transfers.ClaimLost, At: p.Now()}.Decide)
	}
	if err := p.Streams.Opened(ctx, by, s); err != nil {
		return false, err
	}
	if err := p.leave(ctx, by, s, waitinglines.Assigned); err != nil {
		return false, err
	}
	return p.settle(ctx, by, s)
}

// confirm makes the claim of an assigned transfer last; lost: there is none any more.
func (p Process) confirm(ctx context.Context, by Cause, s transfers.State) (lost bool, err error) {
	if s.TakenUp() {
		return false, nil
	}
	r := s.Request
	confirm := humanagents.Confirm{TenantID: r.TenantID, HumanAgentID: s.HumanAgentID, ClaimID: s.ClaimID, At: p.Now()}
	_, err = p.Streams.OnDesk(ctx, by, r.TenantID, s.HumanAgentID, r.TransferID, "confirm "+s.ClaimID, confirm.Decide)
	var refusal *humanagents.Refusal
	if errors.As(err, &refusal) {
		return true, nil
	}
	return false, err
}

// stand puts a transfer into the line and ends what it replaces. done is false when the
// transfer changed by it.
func (p Process) stand(ctx context.Context, by Cause, s transfers.State) (done bool, err error) {
	r := s.Request
	if err := p.enter(ctx, by, r); err != nil {
		return false, fmt.Errorf("entering the line of queue %s: %w", r.QueueID, err)
	}
	if err := p.Streams.Opened(ctx, by, s); err != nil {
		return false, err
	}
	return p.settle(ctx, by, s)
}

// enter puts a transfer into the line. Each drive of one that waits comes here, so it asks first whether it stands there: who changes the
// line decides one behind the other, and a line in which a thousand stand takes long to read.
func (p Process) enter(ctx context.Context, by Cause, r transfers.Requested) error {
	stands, _, err := p.View.Standing(ctx, r.TenantID, r.QueueID, r.TransferID)
	if err != nil || stands {
		return err
	}
	enter := waitinglines.Enter{TenantID: r.TenantID, QueueID: r.QueueID, TransferID: r.TransferID, SessionID: r.SessionID, Kind: r.Kind,
		Skills: r.Skills, Rank: r.Rank(), At: p.Now()}
	return p.Streams.OnLine(ctx, by, r.TenantID, r.QueueID, r.TransferID, "enter", enter.Decide)
}

// over ends a transfer whose session has ended.
func (p Process) over(ctx context.Context, by Cause, s transfers.State) (bool, error) {
	over, err := p.View.SessionOver(ctx, s.Request.TenantID, s.Request.ProjectID, s.Request.SessionID)
	if err != nil || !over {
		return false, err
	}
	_, err = p.end(ctx, by, s.Request.TransferID, transfers.SessionEnded)
	return true, err
}

// end ends a transfer, and gives its state as it is then.
func (p Process) end(ctx context.Context, by Cause, id string, reason transfers.Reason) (s transfers.State, err error) {
	ringing, err := p.ringing(ctx, id)
	if err != nil {
		return s, err
	}
	return p.Streams.OnTransfer(ctx, by, id, transfers.End{Reason: reason, Ringing: ringing, At: p.Now()}.Decide)
}

// on is a step of a transfer after which it is looked at again.
func (p Process) on(ctx context.Context, by Cause, id string, decide func(transfers.State) ([]event.Payload, error)) error {
	_, err := p.Streams.OnTransfer(ctx, by, id, decide)
	return err
}

// settle leaves an accepted transfer as the only one of its session. It is called when
// the acceptance is visible, so of two accepted at the same time at least one finds the
// other, and both agree on which is the later. A transfer that was not accepted replaces
// nothing: who is turned down stays where they are.
func (p Process) settle(ctx context.Context, by Cause, s transfers.State) (done bool, err error) {
	r := s.Request
	if over, err := p.over(ctx, by, s); over || err != nil {
		return false, err
	}
	rivals, err := p.View.Rivals(ctx, r.TenantID, r.SessionID)
	if err != nil {
		return false, err
	}
	ends := acts.Others{Ctx: ctx, During: "ending the transfers that transfer " + r.TransferID + " replaces"}
	for _, other := range rivals {
		if other.TransferID == r.TransferID || !other.Accepted {
			continue
		}
		if transfers.Later(other.Turn, other.TransferID, r.Turn, r.TransferID) {
			_, err := p.end(ctx, by, r.TransferID, transfers.Replaced)
			return false, err
		}
		ends.Failed("transfer "+other.TransferID, p.Finish(ctx, by, other.TransferID, transfers.Replaced))
	}
	return ends.Err() == nil, ends.Err()
}

// Finish ends a transfer because what it was for is over, and frees what it holds.
func (p Process) Finish(ctx context.Context, by Cause, id string, reason transfers.Reason) error {
	s, err := p.end(ctx, by, id, reason)
	if err != nil {
		return fmt.Errorf("ending transfer %s: %w", id, err)
	}
	if !s.Final() {
		return nil
	}
	return p.clear(ctx, by, s)
}

// ringing reports whether who was assigned a call has not taken it yet: they are not told to have answered it.
func (p Process) ringing(ctx context.Context, id string) (bool, error) {
	if p.Telephones == nil {
		return false, nil
	}
	s, err := p.Streams.Transfer(ctx, id)
	if err != nil {
		return false, fmt.Errorf("folding transfer %s: %w", id, err)
	}
	if s.Phase != transfers.PhaseAssigned || s.Request.Kind != humanagents.Voice {
		return false, nil
	}
	ringing, err := p.Telephones.Ringing(ctx, s.Request.TenantID, s.Request.SessionID)
	if acts.Aside(ctx, "ending transfer "+id, "the call of session "+s.Request.SessionID, err) { // nobody knows whether it rings
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking whose telephone rings: %w", err)
	}
	return ringing == id, nil
}

// clear frees what a transfer that is over may still hold.
func (p Process) clear(ctx context.Context, by Cause, s transfers.State) error {
	if s.Last.Attempt > 0 {
		if err := p.release(ctx, by, s, s.Last.HumanAgentID, transfers.ClaimID(s.Request.TransferID, s.Last.Attempt)); err != nil {
			return fmt.Errorf("releasing capacity of agent %s: %w", s.Last.HumanAgentID, err)
		}
	}
	why := waitinglines.Ended
	if s.Phase == transfers.PhaseTimedOut {
		why = waitinglines.Timeout
	}
	return p.leave(ctx, by, s, why)
}

func (p Process) leave(ctx context.Context, by Cause, s transfers.State, why waitinglines.Reason) error {
	if s.QueuedAt.IsZero() {
		return nil
	}
	r := s.Request
	leave := waitinglines.Leave{TransferID: r.TransferID, Reason: why, At: p.Now()}
	if err := p.Streams.OnLine(ctx, by, r.TenantID, r.QueueID, r.TransferID, "", leave.Decide); err != nil {
		return fmt.Errorf("leaving the line of queue %s: %w", r.QueueID, err)
	}
	return nil
}
