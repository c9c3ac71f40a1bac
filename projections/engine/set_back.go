package engine

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/projections/sink"
)

// renewCheckpoints makes the table of the checkpoints another one in the catalogue, with the rows that it has.
const renewCheckpoints = `CLUSTER checkpoints USING checkpoints_pkey`

// setBack tells all nodes that a checkpoint is not as far as this one knows it to have been, before anything is projected again.
// Else it may be as far again by the time that they look, and what they read in between would pass for the truth: the table of
// the checkpoints becomes another one, which each of them notices (see identity). It is told once, and workers of other
// partitions that were set back wait for that, too.
func (p *Projector) setBack(ctx context.Context, at sink.Place, next int64) {
	if next >= p.knownOf(at) {
		return
	}
	p.telling.Lock()
	defer p.telling.Unlock()
	before := p.knownOf(at)
	if next >= before {
		return // another worker has told
	}
	err := pgx.BeginFunc(ctx, p.Queries, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '3s'`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, renewCheckpoints)
		return err
	})
	if err != nil { // what they see by themselves is most of it
		p.Logger.Warn("the other nodes are not told that the read models were set back", "error", err)
	}
	p.anew()
	p.Reset(fmt.Sprintf("the checkpoint of %s went back from %d to %d", at, before, next))
}

// knownOf is how far a partition was projected, as far as this node knows.
func (p *Projector) knownOf(at sink.Place) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.furthest[at]
}

// reached notes how far a partition was projected.
func (p *Projector) reached(at sink.Place, next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.furthest[at] = max(p.furthest[at], next)
}

// anew forgets how far partitions were: everybody sees that the tables are others.
func (p *Projector) anew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.furthest)
}
