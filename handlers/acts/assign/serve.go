package assign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
)

// Serve offers the transfers in a line, in their order, to the agents who are free. Who
// asks for an agent that is not there is passed over, not waited for, and so is one whose
// stream cannot be folded. Where nobody is free no transfer is read: hundreds may wait, and
// each that comes serves the line.
//
// Those who would serve one line at the same moment on a node share a round, which begins behind what they came for: when sixty
// agents are free at once, sixty who went through the line would offer each transfer sixty times.
func (p Process) Serve(ctx context.Context, by Cause, tenant, queue string) error {
	round := func() error { return p.serve(ctx, by, tenant, queue) }
	if p.Lines == nil {
		return round()
	}
	err := p.Lines.Share(ctx, waitinglines.Stream(tenant, queue), tenant, round)
	if err != nil && ctx.Err() != nil { // whoever wanted it serves it again
		return fault.New(fault.NotExecuted, "the line was not gone through in time").After(time.Second).Because(err)
	}
	return err
}

func (p Process) serve(ctx context.Context, by Cause, tenant, queue string) error {
	line, err := p.Streams.Line(ctx, tenant, queue)
	if err != nil {
		return fmt.Errorf("folding the line of queue %s: %w", queue, err)
	}
	var nobody []waitinglines.Place // nobody is free for these, so nobody is for those behind them who ask for as much
	for _, place := range line.Line {
		if slices.ContainsFunc(nobody, func(n waitinglines.Place) bool { return asksNoLess(place, n) }) {
			continue
		}
		_, none, err := p.free(ctx, tenant, queue, place.Kind, place.Skills, nil)
		if err != nil {
			return fmt.Errorf("looking for who is free in queue %s: %w", queue, err)
		}
		if none {
			nobody = append(nobody, place)
			continue
		}
		waits, err := p.turnOf(ctx, by, place.TransferID)
		if acts.Aside(ctx, "serving the line of queue "+queue, "transfer "+place.TransferID, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("serving transfer %s: %w", place.TransferID, err)
		}
		if waits != nil && waits.nobody {
			nobody = append(nobody, place)
		}
	}
	return nil
}

// turnOf looks for an agent for a transfer whose turn has come.
func (p Process) turnOf(ctx context.Context, by Cause, id string) (*stuck, error) {
	s, _, err := p.read(ctx, id)
	if err != nil {
		return nil, err
	}
	_, waits, err := p.advance(ctx, by, s, true)
	return waits, err
}

// asksNoLess reports whether a asks for the same kind as b and for all of b's skills.
// Where nobody is free for b, nobody is for a: if nobody speaks French, nobody speaks
// French and knows billing.
func asksNoLess(a, b waitinglines.Place) bool {
	return a.Kind == b.Kind && !slices.ContainsFunc(b.Skills, func(s string) bool { return !slices.Contains(a.Skills, s) })
}
