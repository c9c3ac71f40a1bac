package runtime

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// peopleFor is when a session that people have is looked at again.
const peopleFor = time.Hour

// EndIdle is what the timer of a session does in which nothing was said for so long. One that
// people have is left to them.
func EndIdle(store *eventstore.Store) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		res, err := eventstore.Execute(ctx, store, sessions.Sessions, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:idle"},
			sessions.EndIdle{At: now}.Decide)
		if err == nil && res.State.Talk.People != nil {
			return reactors.Later(peopleFor)
		}
		return err
	}
}

// Drain is what the timer of a project's deployments does: it says which of those that are
// retired serve nothing more.
func Drain(store *eventstore.Store) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		return eventstore.Do(ctx, store, deployments.Deployments, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:drain"},
			deployments.Drain{At: now}.Decide)
	}
}
