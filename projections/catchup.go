package projections

import (
	"context"
	"maps"
	"time"

	"github.com/parley-platform/parley/eventstore"
)

// catchUp opens the gate: it notes where every partition ends, and waits until
// the checkpoints in the database have passed those offsets.
func (p *Projector) catchUp(ctx context.Context) {
	for pause(ctx, catchUpEvery) == nil {
		open, goals, epoch := p.gate.state()
		switch {
		case open:
		case goals == nil:
			p.aim(ctx, epoch)
		default:
			p.tryOpen(ctx, epoch, goals)
		}
	}
}

func (p *Projector) aim(ctx context.Context, epoch uint64) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	ends, err := p.Log.Ends(ctx)
	if err != nil {
		p.Logger.Warn("cannot see where the log ends", "error", err)
		_ = pause(ctx, 500*time.Millisecond)
		return
	}
	goals := map[place]int64{}
	for topic, parts := range ends {
		for n, end := range parts {
			at := place{topic, n}
			goals[at] = end
			p.noteEnd(at, end)
		}
	}
	p.gate.aim(epoch, goals)
}

func (p *Projector) tryOpen(ctx context.Context, epoch uint64, goals map[place]int64) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	rows, err := p.look(ctx)
	if err != nil {
		_ = pause(ctx, 500*time.Millisecond)
		return
	}
	at := map[place]int64{}
	for _, r := range rows {
		at[r.at] = r.next
		if p.still[r.at] == r.next && r.next < goals[r.at] && p.undecidable(ctx, r.at, r.next, goals[r.at]) {
			at[r.at] = goals[r.at]
		}
		p.still[r.at] = r.next
	}
	if p.gate.reach(epoch, at) {
		p.Logger.Info("the read models have caught up with the log; reads are open")
	}
}

// undecidable reports whether nothing but the beginning of a commit lies between a
// checkpoint and its goal. Parley appends commits whole, so it is a stranger's, and
// nobody was told of it: waiting for its rest could take for ever.
func (p *Projector) undecidable(ctx context.Context, at place, next, goal int64) bool {
	got, err := p.Log.Fetch(ctx, at.topic, at.partition, next)
	if err != nil || len(got.Entries) == 0 {
		return false
	}
	judged := eventstore.Arbitrate(eventstore.HeadMap{}, got.Entries)
	return judged.Next == next && got.Entries[len(got.Entries)-1].Offset >= goal-1
}

func (p *Projector) noteEnd(at place, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends[at] = end
}

// trouble notes that a partition does not move, once per kind of trouble.
func (p *Projector) trouble(at place, err error) {
	p.mu.Lock()
	before := p.broken[at]
	p.broken[at] = err
	p.mu.Unlock()
	if before == nil || before.Error() != err.Error() {
		p.Logger.Error("projection stands still", "topic", at.topic, "partition", at.partition, "error", err)
	}
}

func (p *Projector) mended(at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.broken, at)
}

// Lag is how far the read models are behind the log.
type Lag struct {
	Events  int64             `json:"events"`             // over all partitions, as far as this node has seen
	Given   map[string]string `json:"troubles,omitempty"` // partitions that stand still, and why
	Waiting string            `json:"catchingUp,omitempty"`
}

// Lag describes the read models for /readyz.
func (p *Projector) Lag() Lag {
	var l Lag
	if err := p.gate.err(); err != nil {
		l.Waiting = err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, end := range p.ends {
		passed := p.seen[at]
		if now := p.watch.passed(at); now > passed {
			passed = now
		}
		if end > passed {
			l.Events += end - passed
		}
	}
	for at, err := range maps.All(p.broken) {
		if l.Given == nil {
			l.Given = map[string]string{}
		}
		l.Given[at.String()] = err.Error()
	}
	return l
}
