package engine

import (
	"context"
	"maps"

	"github.com/parley-platform/parley/projections/sink"
)

// Die ends everything the projector does without handing anything over, as if its
// process were gone.
func (p *Projector) Die() {
	p.cancel()
	p.tasks.Wait()
	p.mu.Lock()
	workers := maps.Clone(p.workers)
	p.mu.Unlock()
	for _, w := range workers {
		w.stop()
		<-w.done
	}
}

// Stalled says that somebody waits for a partition and sees it stand at next,
// as a waiter would.
func (p *Projector) Stalled(ctx context.Context, at sink.Place, next int64) {
	p.stalled(ctx, stall{at, next})
}

// Unseen is whether another node may not know of this one yet.
func (p *Projector) Unseen() bool { return p.unseen() }
