package engine

import (
	"context"
	"fmt"
)

// AwaitEnd returns when the read models hold everything that is on the log now: what was
// accepted before the call is found by a query behind it.
func (p *Projector) AwaitEnd(ctx context.Context) error {
	ends, err := p.Log.Ends(ctx)
	if err != nil {
		return fmt.Errorf("asking where the log ends: %w", err)
	}
	for topic, parts := range ends {
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
