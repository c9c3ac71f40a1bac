package assign

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
)

// claim takes the capacity of the agent who is offered the transfer, and assigns it.
// If the transfer went another way meanwhile, the capacity is given back.
func (p Process) claim(ctx context.Context, by Cause, s transfers.State) (transfers.State, error) {
	if over, now, err := p.over(ctx, by, s); over || err != nil {
		return now, err
	}
	r, offer, at := s.Request, *s.Offer, p.Now()
	can, exists, err := p.View.Capacity(ctx, r.TenantID, offer.HumanAgentID, r.Kind)
	if err != nil {
		return s, err
	}
	decline := func(reason transfers.Reason) (transfers.State, error) {
		return p.Streams.OnTransfer(ctx, by, r.TransferID, transfers.Decline{Attempt: offer.Attempt, Reason: reason, At: p.Now()}.Decide)
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
		return s, fmt.Errorf("claiming capacity of agent %s: %w", offer.HumanAgentID, err)
	}
	taken, held := desk.Claims[claim.ClaimID]
	if !held || !taken.Confirmed && !taken.ExpiresAt.After(p.Now()) {
		return decline(transfers.ClaimLost)
	}
	assign := transfers.Assign{Attempt: offer.Attempt, ClaimUntil: taken.ExpiresAt, At: p.Now()}
	now, err := p.Streams.OnTransfer(ctx, by, r.TransferID, assign.Decide)
	if err != nil || now.ClaimID == claim.ClaimID && !now.Final() || now.Offer != nil && now.Offer.Attempt == offer.Attempt {
		return now, err
	}
	return now, p.release(ctx, by, s, offer.HumanAgentID, claim.ClaimID)
}

func (p Process) release(ctx context.Context, by Cause, s transfers.State, agent, claim string) error {
	release := humanagents.Release{TenantID: s.Request.TenantID, HumanAgentID: agent, ClaimID: claim, At: p.Now()}
	_, err := p.Streams.OnDesk(ctx, by, s.Request.TenantID, agent, s.Request.TransferID, "", release.Decide)
	return err
}

// keep confirms the claim of an assigned transfer and ends what it replaces. done is
// false when the transfer changed by it.
func (p Process) keep(ctx context.Context, by Cause, s transfers.State) (now transfers.State, done bool, err error) {
	if lost, err := p.confirm(ctx, by, s); err != nil {
		return s, false, fmt.Errorf("confirming the claim of agent %s: %w", s.HumanAgentID, err)
	} else if lost {
		now, err := p.Streams.OnTransfer(ctx, by, s.Request.TransferID,
			transfers.Fail{ClaimID: s.ClaimID, Reason: transfers.ClaimLost, At: p.Now()}.Decide)
		return now, false, err
	}
	if err := p.Streams.Opened(ctx, by, s); err != nil {
		return s, false, err
	}
	if err := p.leave(ctx, by, s, waitinglines.Assigned); err != nil {
		return s, false, err
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
	_, err = p.Streams.OnDesk(ctx, by, r.TenantID, s.HumanAgentID, r.TransferID, "", confirm.Decide)
	var refusal *humanagents.Refusal
	if errors.As(err, &refusal) {
		return true, nil
	}
	return false, err
}
