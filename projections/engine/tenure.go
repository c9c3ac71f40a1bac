package engine

import (
	"time"
)

// tenure is what a node has seen of one owner of a partition. It keeps nodes of a busy
// machine, all of which see no progress, from taking a partition from each other before
// anyone gets to its first transaction.
type tenure struct {
	known bool
	epoch int64
	from  int64     // where the checkpoint was when this owner was first seen
	since time.Time // of that look; zero: it may have been the owner for long
	vain  int       // owners before it, one after the other, under which the checkpoint did not move
}

// most is how many owners in vain make the next one's time longer.
const most = 3

// seen is the tenure as it is once a row was read.
func (t tenure) seen(r row, now time.Time) tenure {
	switch {
	case !t.known:
		return tenure{known: true, epoch: r.epoch, from: r.next}
	case t.epoch == r.epoch:
		return t
	}
	next := tenure{known: true, epoch: r.epoch, from: r.next, since: now}
	if r.next == t.from {
		next.vain = min(t.vain+1, most)
	}
	return next
}

// settles reports whether the owner is left in peace although the checkpoint does not move:
// it has just come, and has not moved it yet. Each one in a row gets twice the time of the
// one before, so that a machine of any slowness gets to work in the end.
func (t tenure) settles(next int64, now time.Time) bool {
	return next == t.from && now.Sub(t.since) < 2*stalledAfter<<t.vain
}

// settling is settles for a row that was just read.
func (p *Projector) settling(r row) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tenures[r.at].settles(r.next, time.Now())
}
