package engine

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

const catchUpEvery = 50 * time.Millisecond

// catchUp opens the gate: it notes where every partition ends, and waits until
// the checkpoints in the database have passed those offsets.
func (p *Projector) catchUp(ctx context.Context) {
	for sink.Pause(ctx, catchUpEvery) == nil {
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
		_ = sink.Pause(ctx, 500*time.Millisecond)
		return
	}
	goals := map[sink.Place]int64{}
	for topic, parts := range ends {
		for n, end := range parts {
			at := sink.Place{Topic: topic, Partition: n}
			goals[at] = end
			p.noteEnd(at, end)
		}
	}
	p.gate.aim(epoch, goals)
}

func (p *Projector) tryOpen(ctx context.Context, epoch uint64, goals map[sink.Place]int64) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if p.unprepared() {
		return
	}
	rows, err := p.look(ctx)
	if err != nil || len(rows) == 0 {
		_ = sink.Pause(ctx, 500*time.Millisecond)
		return
	}
	at := map[sink.Place]int64{}
	for _, r := range rows {
		at[r.at] = r.next
		if p.still[r.at] == r.next && r.next < goals[r.at] && p.undecidable(ctx, r.at, r.next, goals[r.at]) {
			at[r.at] = goals[r.at]
		}
		p.still[r.at] = r.next
	}
	p.gate.blocked(p.blocking(goals, at), nil)
	if p.beyond(ctx, rows, goals) {
		return
	}
	if p.gate.reach(epoch, at, proofOf(rows)) {
		p.Logger.Info("the read models have caught up with the log; reads are open")
	}
}

// beyond reports whether a checkpoint lies behind the end of the log: that is not the
// log which the read models were built from, whoever projects the partition.
func (p *Projector) beyond(ctx context.Context, rows []row, goals map[sink.Place]int64) bool {
	further := false
	for _, r := range rows {
		further = further || r.next > goals[r.at]
	}
	if !further {
		return false
	}
	ends, err := p.Log.Ends(ctx) // asked after the rows were read
	if err != nil {
		return true
	}
	for _, r := range rows {
		if end, known := ends[r.at.Topic][r.at.Partition]; known && r.next > end {
			p.gate.blocked(r.at.String()+" ends before what was projected of it, see /readyz", nil)
			return true
		}
	}
	return false
}

// blocking names a partition that keeps reads shut and that this node gave up: until a
// node that can goes on with it, some of what was acknowledged is not in the read models.
func (p *Projector) blocking(goals, reached map[sink.Place]int64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, goal := range goals {
		if reached[at] >= goal {
			continue
		}
		if why := p.standing(at); why != "" {
			return why
		}
		if givenUp(p.broken[at]) {
			return at.String() + " was given up, see /readyz"
		}
	}
	return ""
}

// undecidable reports whether nothing but the beginning of a commit lies between a
// checkpoint and its goal. Parley appends commits whole, so it is a stranger's, and
// nobody was told of it: waiting for its rest could take for ever.
func (p *Projector) undecidable(ctx context.Context, at sink.Place, next, goal int64) bool {
	var entries []eventstore.Entry
	for from := next; from < goal; from = entries[len(entries)-1].Offset + 1 {
		got, err := p.Log.Fetch(ctx, at.Topic, at.Partition, from)
		if err != nil || len(got.Entries) == 0 {
			return false
		}
		entries = append(entries, got.Entries...)
		if eventstore.Arbitrate(eventstore.HeadMap{}, entries).Next != next {
			return false
		}
	}
	return true
}

func (p *Projector) noteEnd(at sink.Place, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends[at] = end
	if p.backlogs[at] == nil {
		p.backlogs[at] = &backlog{}
	}
	p.backlogs[at].rose(end, time.Now())
}

// trouble notes that a partition does not move. It is logged once per kind of trouble: what stands in the way of
// all partitions would else hide everything that is logged beside it.
func (p *Projector) trouble(at sink.Place, err error) {
	kind, first := kindOf(at, err), false
	p.mu.Lock()
	if before, stood := p.kinds[at]; !stood || before != kind {
		p.moves(at)
		p.kinds[at] = kind
		p.stand[kind]++
		first = p.stand[kind] == 1
	}
	p.broken[at] = err
	p.mu.Unlock()
	if first {
		p.Logger.Error("projection stands still", "topic", at.Topic, "partition", at.Partition, "error", err,
			"others", "what stands still for the same reason is in /readyz alone")
	}
}

// kindOf is what partitions stand still by together. Somebody has to see to one that was given up: each is a kind.
func kindOf(at sink.Place, err error) string {
	switch {
	case givenUp(err):
		return at.String() + ": " + err.Error()
	case projections.Away(err):
		return projections.Plainly(err)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner // around it are the names of the partition, and of one connection
	}
	return err.Error()
}

// moves forgets what was in the way of a partition, and says so where it was in the way of no other. The caller
// holds the lock.
func (p *Projector) moves(at sink.Place) (kind string, last bool) {
	kind, stood := p.kinds[at]
	if !stood {
		return "", false
	}
	delete(p.broken, at)
	delete(p.kinds, at)
	if p.stand[kind]--; p.stand[kind] > 0 {
		return kind, false
	}
	delete(p.stand, kind)
	return kind, true
}

// mended notes that a partition moves again.
func (p *Projector) mended(at sink.Place) {
	p.mu.Lock()
	kind, last := p.moves(at)
	p.mu.Unlock()
	if last {
		p.Logger.Info("projection goes on", "trouble", kind)
	}
}

// Lag is how far the read models are behind the log.
type Lag struct {
	Events  int64             `json:"events"`             // over all partitions, as far as this node has seen
	Age     float64           `json:"seconds"`            // how long the oldest of them has been seen on the log
	Given   map[string]string `json:"troubles,omitempty"` // partitions that stand still, and why
	Waiting string            `json:"catchingUp,omitempty"`

	// Rebuild is the rebuild that is under way, whoever does it.
	Rebuild string `json:"rebuild,omitempty"`
	// Outdated says why this node leaves all projecting to newer ones.
	Outdated string `json:"outdated,omitempty"`

	// SetAside is how many commits each read model does not hold, see projection_errors.
	SetAside map[string]int64 `json:"setAside,omitempty"`

	left int // of Given: left to newer nodes, see surrender
}

// Ready reports whether the node should be asked: a partition that waits for a newer
// node, and rows that are set aside, keep nobody else's requests from being answered.
func (l Lag) Ready() bool { return len(l.Given) == l.left }

// Degraded reports whether the operator has something to mend.
func (l Lag) Degraded() bool { return len(l.Given) > 0 || len(l.SetAside) > 0 }

// position is how far a partition has been projected. Until its checkpoint can be read again it is what was last
// known of it: a database that is away for a minute holds what it held. The caller holds the lock.
func (p *Projector) position(at sink.Place) int64 {
	passed, known := p.seen[at]
	if now := p.watch.passed(at); now >= 0 {
		return max(passed, now)
	}
	if !known {
		return p.before[at]
	}
	return passed
}

// Lag describes the read models for /readyz.
func (p *Projector) Lag() Lag {
	var l Lag
	if err := p.gate.Err(); err != nil {
		l.Waiting = err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, end := range p.ends {
		passed := p.position(at)
		if end > passed {
			l.Events += end - passed
		}
		if b := p.backlogs[at]; b != nil {
			l.Age = max(l.Age, b.age(passed, time.Now()).Seconds())
		}
	}
	for at, err := range maps.All(p.broken) {
		if l.Given == nil {
			l.Given = map[string]string{}
		}
		l.Given[at.String()] = projections.Plainly(err)
	}
	for at := range p.surrendered {
		if why := p.standing(at); why != "" {
			if l.Given == nil {
				l.Given = map[string]string{}
			}
			l.Given[at.String()] = why
			l.left++
		}
	}
	if running := p.upgrades.running.Load(); running != nil {
		l.Rebuild = *running
	}
	if why := p.upgrades.outdated.Load(); why != nil {
		l.Outdated = *why
	}
	if len(p.aside) > 0 {
		l.SetAside = maps.Clone(p.aside)
	}
	return l
}
