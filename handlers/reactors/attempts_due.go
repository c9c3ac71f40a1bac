package reactors

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Effect is the attempts of some aggregate, as a node puts them to work: what follows the
// log, and what its timer says.
type Effect interface {
	Reactor() Reactor
	Wakes() (topic, timer string, fire TimerHandler)
}

// Wakes is the timer of the effect, and what it does.
func (a *Attempts[S]) Wakes() (topic, timer string, fire TimerHandler) {
	return a.Of.Topic(), a.Timer, a.due
}

// due moves an effect on whose pause or lease is over. Several nodes may do so at once:
// the stream's decision takes the first.
func (a *Attempts[S]) due(ctx context.Context, t projections.Timer, now time.Time) error {
	wake, about := a.Rules.Wake(now), ""
	if a.Rules.Start != nil {
		read, err := eventstore.Read(ctx, a.Store, a.Of, t.Stream)
		if err != nil {
			return fmt.Errorf("folding %s: %w", t.Stream, err)
		}
		if a.Rules.State(read.State).Lapsed(now) {
			about = a.Rules.NameOf(read.State)
			wake = a.settled(ctx, t.Stream, read.State, now, wake)
		}
	}
	cmd := eventstore.Command{Tenant: t.Tenant, Actor: "timer:" + t.Name}
	err := eventstore.Do(ctx, a.Store, a.Of, t.Stream, cmd, wake)
	if err != nil {
		return fmt.Errorf("waking %s: %w", t.Stream, err)
	}
	if about != "" {
		a.unrecorded.drop(t.Stream, about)
	}
	return nil
}

// settled says what became of an attempt in doubt, as this node remembers it, as who was
// asked to do it says, else as its aggregate decides without knowing. It counts for the
// attempt that it is about, and for no later one.
func (a *Attempts[S]) settled(ctx context.Context, stream string, s S, now time.Time, unknown attempt.Decision[S]) attempt.Decision[S] {
	about := a.Rules.NameOf(s)
	outcome := a.unrecorded.get(stream, about)
	if outcome == nil && a.Ask != nil {
		limited, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		var err error
		if outcome, err = a.Ask(limited, s, now); err != nil {
			a.Log.Warn("nobody can say what became of an attempt", "stream", stream, "attempt", about, "error", err)
			outcome = nil
		}
	}
	if outcome == nil {
		outcome = unknown
	}
	return func(s S) ([]event.Payload, error) {
		if a.Rules.NameOf(s) != about {
			return nil, nil
		}
		return outcome(s)
	}
}
