package engine

import (
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// absence is for how long no projector must have been seen alive before a node refuses
// commands. A projector that is restarted is back sooner.
const absence = 5 * time.Second

// projectors knows, on a node that does not project (it has not the role, or is of an older version), since when nobody does.
type projectors struct {
	mu    sync.Mutex
	since time.Time // zero: somebody does, or this node itself
}

// note is told by each heartbeat how many other nodes project.
func (x *projectors) note(idle bool, others int, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case !idle || others > 0:
		x.since = time.Time{}
	case x.since.IsZero():
		x.since = now
	}
}

func (x *projectors) missing(now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.since.IsZero() && now.Sub(x.since) >= absence
}

// Absent says who is missing while no living node projects; empty: somebody does.
func (p *Projector) Absent() string {
	switch why := p.upgrades.outdated.Load(); {
	case !p.projectors.missing(time.Now()):
		return ""
	case why != nil:
		return "no node of the newer version with the role projector is running: " + *why
	}
	return "no node with the role projector is running"
}

// Unprojected is a refusal while no living node projects: a command would be on the
// log, and nobody would see it. What was projected before is still served.
func (p *Projector) Unprojected() error {
	who := p.Absent()
	if who == "" {
		return nil
	}
	return fault.New(fault.NotExecuted, "%s: nothing that is changed now would become visible", who).After(2 * time.Second)
}

// CommandFollower is the Projector as the event store follows it: shut for commands
// while nobody projects as well. It implements eventstore.Follower.
type CommandFollower struct{ *Projector }

// Gate implements eventstore.Follower.
func (f CommandFollower) Gate() error {
	if err := f.Projector.Gate(); err != nil {
		return err
	}
	return f.Unprojected()
}
