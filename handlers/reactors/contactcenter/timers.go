package contactcenter

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// EndWait is what the timer of a transfer does that has waited for long enough.
func EndWait(store *eventstore.Store) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		return eventstore.Do(ctx, store, transfers.Transfers, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:wait"},
			transfers.TimeOut{At: now}.Decide)
	}
}

// EndClaim is what the timer of an agent's desk does when the agent did not take what it
// was held for.
func EndClaim(store *eventstore.Store) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		lapse := humanagents.Lapse{TenantID: t.Tenant, HumanAgentID: humanagents.AgentOfDesk(t.Tenant, t.Stream), At: now}
		return eventstore.Do(ctx, store, humanagents.Desks, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:claim"},
			lapse.Decide)
	}
}
