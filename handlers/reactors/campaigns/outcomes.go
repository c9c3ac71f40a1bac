package campaigns

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

const outcomesName = "campaign-outcomes"

// outcomes tells the lines how the calls and texts of campaigns ended. All of them
// end, by their leases if by nothing else, so every taken contact has an outcome.
func (c Engine) outcomes() reactors.Reactor {
	return reactors.Reactor{Name: outcomesName, Categories: []*event.Category{calls.Calls.Category, texts.Texts.Category},
		Side: reactors.AtLeastOnce, Handle: c.ended,
		Events: []event.Payload{calls.Completed{}, calls.Failed{}, texts.Sent{}, texts.Failed{}}}
}

func (c Engine) ended(ctx context.Context, e reactors.Event) error {
	finish, ok, err := c.outcome(ctx, e)
	if err != nil || !ok {
		return err
	}
	return c.finish(ctx, after(outcomesName, e), finish)
}

// outcome is what the end of a call or text means; ok is false for those that no
// campaign asked for.
func (c Engine) outcome(ctx context.Context, e reactors.Event) (f pacing.Finish, ok bool, err error) {
	switch p := e.Payload.(type) {
	case texts.Sent:
		f, ok = ofText(p.Campaign, e, pacing.MessageSent, "")
	case texts.Failed:
		f, ok = ofText(p.Campaign, e, pacing.Failed, p.Reason)
	case calls.Completed:
		f, ok, err = c.ofCall(ctx, e, pacing.CallCompleted, string(p.ReasonCode))
	case calls.Failed:
		f, ok, err = c.ofCall(ctx, e, pacing.Failed, string(p.ReasonCode))
	}
	return f, ok, err
}

func ofText(campaign *texts.Campaign, e reactors.Event, outcome pacing.Outcome, reason string) (pacing.Finish, bool) {
	if campaign == nil {
		return pacing.Finish{}, false
	}
	return pacing.Finish{RunID: campaign.RunID, Contact: campaign.Index, Outcome: outcome,
		EffectID: texts.Texts.StreamID(e.Stream), Reason: reason}, true
}

func (c Engine) ofCall(ctx context.Context, e reactors.Event, outcome pacing.Outcome, reason string) (pacing.Finish, bool, error) {
	call, err := eventstore.Read(ctx, c.Store, calls.Calls, e.Stream)
	if err != nil {
		return pacing.Finish{}, false, fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	campaign := call.State.Request.Campaign
	if campaign == nil {
		return pacing.Finish{}, false, nil
	}
	return pacing.Finish{RunID: campaign.RunID, Contact: campaign.Contact, Outcome: outcome,
		EffectID: calls.Calls.StreamID(e.Stream), Reason: reason}, true, nil
}
