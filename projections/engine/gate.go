package engine

import (
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/sink"
)

// gate keeps everything shut until the read models have caught up with the log:
// at start, and whenever Postgres may have lost something. While it is shut
// nothing is served, nobody is authenticated, no timer fires.
type gate struct {
	mu    sync.Mutex
	open  bool
	why   string
	stuck string // what stands in the way of a goal that nobody reaches
	cause error  // of that: for the log and /readyz, as callers are nobody yet and need not know where the database is
	epoch uint64
	turn  uint64               // how often it was shut
	as    *proof               // what it opened for, and the highest that was seen of it since; nil: it is shut
	goals map[sink.Place]int64 // nil: not known yet
}

func newGate() *gate { return &gate{why: "starting", epoch: 1} }

// shut closes the gate; the goals are to be noted anew.
func (g *gate) shut(why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.why, g.stuck, g.cause, g.goals, g.as = false, why, "", nil, nil, nil
	g.epoch++
	g.turn++
}

// renew begins a new epoch without shutting: what was read before does not hold any
// more, and what is read now does.
func (g *gate) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.epoch++
}

// aim notes what has to be reached; goals of an earlier epoch are refused.
func (g *gate) aim(epoch uint64, goals map[sink.Place]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.epoch == epoch && !g.open {
		g.goals = goals
	}
}

// reach opens the gate for the read models as they are when every checkpoint has
// reached its goal.
func (g *gate) reach(epoch uint64, at map[sink.Place]int64, as proof) (opened bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open || g.goals == nil || g.epoch != epoch {
		return false
	}
	for p, goal := range g.goals {
		if at[p] < goal {
			return false
		}
	}
	g.open, g.as = true, &as
	return true
}

// opened says how often the gate was shut, and what it is open for; nil: it is shut.
func (g *gate) opened() (turn uint64, as *proof) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turn, g.as
}

// proved notes what was seen of that for which the gate is open in this turn.
func (g *gate) proved(turn uint64, now proof) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.turn == turn && g.as != nil && now.sum > g.as.sum {
		g.as = &now
	}
}

// blocked notes what stands in the way, in words that anybody may read, and why; empty:
// nothing that does not pass.
func (g *gate) blocked(by string, cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stuck, g.cause = by, cause
}

// state says whether the gate is open, what has to be reached, and its epoch.
func (g *gate) state() (open bool, goals map[sink.Place]int64, epoch uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open, g.goals, g.epoch
}

// Epoch is raised whenever what was read before does not hold any more.
func (g *gate) Epoch() uint64 {
	_, _, epoch := g.state()
	return epoch
}

// Err is nil while the gate is open.
func (g *gate) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		return nil
	}
	if g.stuck != "" {
		return catchingUp(g.why + "; " + g.stuck).Because(g.cause)
	}
	return catchingUp(g.why)
}

// Refusal is what is said of an answer that was read while the gate shut, even if
// it is open again by now.
func (g *gate) Refusal() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return catchingUp(g.why)
}

func catchingUp(why string) *fault.Error {
	return fault.New(fault.CatchingUp, "the read models are catching up with the log (%s)", why).After(time.Second)
}
