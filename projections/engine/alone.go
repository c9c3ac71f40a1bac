package engine

import (
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections/sink"
)

// A node that finds itself alone knows by itself how far its partitions are, for a moment: nobody else takes one from it
// before the next heartbeat would have shown who came. That holds since whoever comes takes what is free at once, which
// nothing is of a node that was seen within nodeSeconds, and what does not move only once it has been there for aloneFor.
const (
	aloneFor = 3 * time.Second
	// leaseLeft is what must be left of the leases of a node that takes itself to be alone.
	leaseLeft = 5 * time.Second
	// seenFor is how old the last sign of life of a node may be that takes what does not move: others see it still when
	// the taking, which has takeWithin, is done.
	seenFor    = nodeSeconds*time.Second - takeWithin - 100*time.Millisecond
	takeWithin = time.Second
)

// solitude is until when a node may take itself to be alone. The zero value is not alone.
type solitude struct{ until atomic.Pointer[time.Time] }

// found is told by each heartbeat that succeeded when it began, and whether nobody else was there.
func (s *solitude) found(began time.Time, alone bool) {
	if !alone {
		s.until.Store(nil)
		return
	}
	until := began.Add(aloneFor)
	s.until.Store(&until)
}

func (s *solitude) holds(now time.Time) bool {
	until := s.until.Load()
	return until != nil && now.Before(*until)
}

// presence is since when others have seen a node without a gap.
type presence struct{ since, last time.Time }

// beaten is the presence once a heartbeat succeeded.
func (x presence) beaten(began, ended time.Time) presence {
	if ended.Sub(x.last) > seenFor {
		x.since = ended
	}
	x.last = began
	return x
}

// known is whether no node can take itself to be alone any more beside this one.
func (x presence) known(now time.Time) bool {
	return now.Sub(x.last) <= seenFor && now.Sub(x.since) >= aloneFor
}

// unseen is whether another node may not know of this one yet.
func (p *Projector) unseen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.present.known(time.Now())
}

// Moment is the sum of the checkpoints and epochs of all partitions of some categories, where this node alone can have
// moved them and has none of them under way; else ok is false, and the database knows. It is the sum that the database would
// say, as of a time within the call.
func (p *Projector) Moment(of []*event.Category) (sum int64, ok bool) {
	if _, open := p.gate.opened(); open == nil || !p.alone.holds(time.Now()) {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range of {
		n, err := p.Log.Partitions(c.Topic())
		if err != nil {
			return 0, false
		}
		for i := range n {
			w := p.workers[sink.Place{Topic: c.Topic(), Partition: i}]
			if w == nil {
				return 0, false
			}
			at := w.stands.Load()
			if at == 0 {
				return 0, false
			}
			sum += at
		}
	}
	return sum, true
}
