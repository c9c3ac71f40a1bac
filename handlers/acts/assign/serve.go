package assign

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
)

// Serve offers the transfers in a line, in their order, to the agents who are free. Who
// asks for an agent that is not there is passed over, not waited for, and so is one whose
// stream cannot be folded. Where nobody is free no transfer is read: hundreds may wait, and
// each that comes serves the line.
func (p Process) Serve(ctx context.Context, by Cause, tenant, queue string) error {
	return p.Rounds.share(ctx, waitinglines.Stream(tenant, queue), func(ctx context.Context) error { return p.serve(ctx, by, tenant, queue) })
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
		_, waits, err := p.advance(ctx, by, place.TransferID, true)
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

// free are the agents of a queue who could take a conversation now. nobody: there is none, and
// the queue is there still.
func (p Process) free(ctx context.Context, tenant, queue string, kind humanagents.Kind, skills,
	first []string) (among []transfers.Candidate, nobody bool, err error) {
	among, err = p.View.Candidates(ctx, tenant, queue, kind, skills, first)
	if err == nil && len(among) == 0 {
		nobody, err = p.View.HasQueue(ctx, tenant, queue)
	}
	return among, nobody, err
}

// asksNoLess reports whether a asks for the same kind as b and for all of b's skills.
// Where nobody is free for b, nobody is for a: if nobody speaks French, nobody speaks
// French and knows billing.
func asksNoLess(a, b waitinglines.Place) bool {
	return a.Kind == b.Kind && !slices.ContainsFunc(b.Skills, func(s string) bool { return !slices.Contains(a.Skills, s) })
}
