package runtime

import (
	"context"
	"time"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// lookAgain is when a call that somebody makes is looked at again.
const lookAgain = 4 * time.Second

// GoOn is what the timer of a session does whose turn waits for a call.
func GoOn(turns *driving.Turns) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		by := acts.Caller{Command: eventstore.Command{Tenant: t.Tenant, Actor: "timer:call-of-a-turn"}}
		again, err := turns.GoOn(ctx, by, t.Stream, now)
		if err == nil && again {
			return reactors.Later(lookAgain)
		}
		return err
	}
}
