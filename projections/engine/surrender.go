package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/projections/sink"
)

const (
	// retryAfter is how long a node leaves a partition to newer nodes once one of them
	// has passed what this one does not know.
	retryAfter = time.Minute
	// strayBeats is for how many heartbeats nobody wants a partition before a node takes
	// it over its fair share: the others may have surrendered it.
	strayBeats = 3
)

// surrender is a partition that this node gave up because of an event that a newer
// version of Parley wrote.
type surrender struct {
	sink.UnknownEvent
	at time.Time
}

// surrender lets go of a worker's partition, loudly. Nobody is kept waiting: a node of
// the newer version takes it over at once, if there is one.
func (p *Projector) surrender(w *worker, u *sink.UnknownEvent) {
	p.mu.Lock()
	p.surrendered[w.at] = surrender{*u, time.Now()}
	p.mu.Unlock()
	p.Logger.Error("partition given up: "+u.Error(), "topic", w.at.Topic, "partition", w.at.Partition, "offset", u.Offset, "type", u.Type)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := p.letGo(ctx, w.at, w.epoch); err != nil {
		p.Logger.Warn("the lease of a partition that was given up is let go with the next heartbeat", "error", err)
	}
}

// letGo frees the lease of a partition for others.
func (p *Projector) letGo(ctx context.Context, at sink.Place, epoch int64) error {
	_, err := p.Queries.Exec(ctx, `WITH given AS (UPDATE checkpoints SET owner = NULL, lease_until = '-infinity'
		WHERE projection = $1 AND topic = $2 AND partition = $3 AND owner = $4 AND owner_epoch = $5) SELECT pg_notify($6, $7)`,
		sink.Live, at.Topic, at.Partition, p.Node, epoch, sink.Channel, sink.Freed)
	if err != nil {
		return fmt.Errorf("handing %s back: %w", at, err)
	}
	return nil
}

// shuns reports whether this node leaves a partition to others: it gave it up, and
// either nobody has passed the event yet, or it was a newer node less than a minute ago.
func (p *Projector) shuns(at sink.Place) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.surrendered[at]
	if ok && p.seen[at] > s.Offset && time.Since(s.at) > retryAfter {
		delete(p.surrendered, at)
		return false
	}
	return ok
}

// leaves is shuns for a row that was just read; a lease that could not be let go
// before is let go.
func (p *Projector) leaves(ctx context.Context, r row) bool {
	if !p.shuns(r.at) {
		return false
	}
	if r.owner == p.Node {
		if err := p.letGo(ctx, r.at, r.epoch); err != nil {
			p.Logger.Warn("the lease of a partition that was given up", "error", err)
		}
	}
	return true
}

// stray reports whether nobody wants a partition, or this node took it because of that.
func (p *Projector) stray(r row) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.owner == p.Node:
	case r.free:
		p.strays[r.at]++
	default:
		delete(p.strays, r.at)
	}
	return p.strays[r.at] >= strayBeats
}

// standstill says why a partition does not move, if this node gave it up and nobody
// has passed the event since; else it is empty.
func (p *Projector) standstill(at sink.Place) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standing(at)
}

// standing is standstill under the lock.
func (p *Projector) standing(at sink.Place) string {
	s, ok := p.surrendered[at]
	if !ok || max(p.seen[at], p.watch.passed(at)) > s.Offset {
		return ""
	}
	return fmt.Sprintf("%s: %s at %d: %s", sink.ErrGivenUp, at, s.Offset, s.Error())
}

// abandoned counts the partitions that this node gave up and that stand still.
func (p *Projector) abandoned() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := range p.surrendered {
		if p.standing(at) != "" {
			n++
		}
	}
	for _, err := range p.broken {
		if givenUp(err) {
			n++
		}
	}
	return n
}
