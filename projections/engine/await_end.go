package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/event"
)

// AwaitEnd returns when the read models hold everything that is on the log now: what was
// accepted before the call is found by a query behind it.
func (p *Projector) AwaitEnd(ctx context.Context) error {
	return p.awaitEnds(ctx, func(string) bool { return true })
}

// AwaitEndOf is AwaitEnd of some categories: nothing that another one waits for is waited for.
func (p *Projector) AwaitEndOf(ctx context.Context, of ...*event.Category) error {
	return p.awaitEnds(ctx, func(topic string) bool {
		return slices.ContainsFunc(of, func(c *event.Category) bool { return c.Topic() == topic })
	})
}

func (p *Projector) awaitEnds(ctx context.Context, wanted func(topic string) bool) error {
	ends, err := p.Log.Ends(ctx)
	if err != nil {
		return fmt.Errorf("asking where the log ends: %w", err)
	}
	for topic, parts := range ends {
		if !wanted(topic) {
			continue
		}
		for n, end := range parts {
			if end == 0 {
				continue
			}
			if err := p.Await(ctx, topic, n, end-1); err != nil {
				return fmt.Errorf("waiting for %s/%d: %w", topic, n, err)
			}
		}
	}
	return nil
}
