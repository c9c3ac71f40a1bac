package projections

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Write sends the batch as one transaction.
func (b *Batch) Write(ctx context.Context, db *pgxpool.Pool) error {
	to := &pgx.Batch{}
	if err := b.Queue(to); err != nil {
		return err
	}
	return db.SendBatch(ctx, to).Close()
}

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

// Holds lists the partitions that the node projects.
func (p *Projector) Holds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, at := range slices.Collect(maps.Keys(p.workers)) {
		out = append(out, at.String())
	}
	slices.Sort(out)
	return out
}

// WhenFilled is called before a rebuild switches or compares.
func WhenFilled(do func()) func(*RebuildConfig) { return func(c *RebuildConfig) { c.filled = do } }

// Patience is how long a rebuild tries to switch.
func Patience(d time.Duration) func(*RebuildConfig) {
	return func(c *RebuildConfig) { c.patience = d }
}
