package voice

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/eventstore"
	broughtcalls "github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/reactors"
)

// CallTransfers brings the telephones of people onto the calls whose sessions they have by a transfer,
// tells the transfer where that came to nothing, and lets them go when it is over. A call over a trunk is joined by that trunk, one that
// was brought (from a page, by a socket, as a room) by the default one of its account. Where there is none, or the
// call has no sound, it stays what it was: the person has its session.
type CallTransfers struct {
	Store *eventstore.Store
	Calls broughtcalls.OfSessions
	// Telephone is where a person is reached, as a call names its target; empty: by no telephone.
	Telephone func(ctx context.Context, tenant, humanAgent string) (string, error)
	// Trunk is the one by which an account calls unless it says otherwise; empty: that calls nobody.
	Trunk func(ctx context.Context, tenant, project string) (string, error)
	// Settled returns when what is on the log of some categories is found by who reads.
	Settled func(ctx context.Context, of ...*event.Category) error
	Now     func() time.Time
}

const callTransfers = "call-transfers"

// Reactor declares it. Each step is taken once: the streams know.
func (x CallTransfers) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: callTransfers, Side: reactors.AtLeastOnce, Handle: x.handle,
		Categories: []*event.Category{transfers.Transfers.Category, calls.Calls.Category},
		Events:     []event.Payload{transfers.Assigned{}, transfers.Ended{}, transfers.Failed{}, calls.LegTransferred{}}}
}

func (x CallTransfers) handle(ctx context.Context, e reactors.Event) error {
	switch p := e.Payload.(type) {
	case transfers.Assigned:
		return x.assigned(ctx, e, p)
	case transfers.Ended:
		return x.over(ctx, e, p.At)
	case transfers.Failed:
		return x.over(ctx, e, p.At)
	case calls.LegTransferred:
		if p.Talk() {
			return nil
		}
		return eventstore.Do(ctx, x.Store, transfers.Transfers, transfers.Stream(p.TransferID), reactors.Because(callTransfers, "failed", e),
			transfers.Fail{ClaimID: p.ClaimID, Reason: whyNot(p.Code), At: p.At}.Decide)
	}
	return nil
}

// whyNot is what a code of SIP means for a transfer.
func whyNot(code int) transfers.Reason {
	switch code {
	case 408, 480, 487:
		return transfers.NoAnswer
	case 486, 600, 603:
		return transfers.TurnedDown
	}
	return transfers.Unreachable
}

func (x CallTransfers) assigned(ctx context.Context, e reactors.Event, p transfers.Assigned) error {
	transfer, err := eventstore.Read(ctx, x.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	r := transfer.State.Request
	if r.Kind != humanagents.Voice || transfer.State.Final() || p.HumanAgentID == "" {
		return nil
	}
	of, err := x.Calls.Find(ctx, r.TenantID, r.SessionID)
	if err != nil || of.Stream == "" || of.Call.Provider == calls.ProviderLocal {
		return err
	}
	if left, err := x.left(ctx, transfer.State); left || err != nil {
		return err
	}
	target, err := x.known(ctx, humanagents.Organisations.Category, func() (string, error) {
		return x.Telephone(ctx, r.TenantID, p.HumanAgentID)
	})
	if err != nil || target == "" {
		return err
	}
	trunk := ""
	if of.Call.Provider != calls.ProviderSIP {
		trunk, err = x.known(ctx, trunks.Trunks.Category, func() (string, error) { return x.Trunk(ctx, r.TenantID, r.ProjectID) })
		if err != nil || trunk == "" {
			return err
		}
	}
	ask := calls.CallPerson{TransferID: r.TransferID, Turn: r.Turn, ClaimID: p.ClaimID, Target: target, Trunk: trunk,
		Summary: r.Escalation.Spoken(), At: x.Now()}
	return eventstore.Do(ctx, x.Store, calls.Calls, of.Stream, reactors.Because(callTransfers, "call", e), ask.Decide)
}

// left reports whether whoever has a conversation because hooks told that they had come has gone since, as hooks tell too: their
// telephone would ring for nothing. Their desk counts it while they are there.
func (x CallTransfers) left(ctx context.Context, s transfers.State) (bool, error) {
	if !s.TakenUp() {
		return false, nil
	}
	desk, err := eventstore.Read(ctx, x.Store, humanagents.Desks, humanagents.DeskStream(s.Request.TenantID, s.HumanAgentID))
	if err != nil {
		return false, fmt.Errorf("folding the desk of agent %s: %w", s.HumanAgentID, err)
	}
	_, there := desk.State.Claims[s.ClaimID]
	return !there, nil
}

// over lets a person go from the line whose transfer is over: it was handed back, they have ended the conversation, or somebody else
// has it. The call goes on. Where it was the call that ended the transfer, it says nothing.
func (x CallTransfers) over(ctx context.Context, e reactors.Event, at time.Time) error {
	transfer, err := eventstore.Read(ctx, x.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	r := transfer.State.Request
	if r.Kind != humanagents.Voice || transfer.State.AssignedAt.IsZero() {
		return nil
	}
	of, err := x.Calls.Find(ctx, r.TenantID, r.SessionID)
	if err != nil || of.Stream == "" {
		return err
	}
	return eventstore.Do(ctx, x.Store, calls.Calls, of.Stream, reactors.Because(callTransfers, "free", e),
		calls.FreePerson{TransferID: r.TransferID, At: at}.Decide)
}

// known is what a read model of a category says. One that says nothing may be behind what was just defined, and is asked again when it is
// not: the assignment is told of once, and nobody would call the person later.
func (x CallTransfers) known(ctx context.Context, of *event.Category, ask func() (string, error)) (string, error) {
	found, err := ask()
	if err != nil || found != "" {
		return found, err
	}
	if err := x.Settled(ctx, of); err != nil {
		return "", fmt.Errorf("waiting for what was just defined: %w", err)
	}
	return ask()
}
