package privacy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// LookForAged is what the timer of a project does that does not keep everything for ever.
func LookForAged(store *eventstore.Store) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		look := retention.Look{ErasureID: erasures.IDPrefix + id.String(), At: now}
		return eventstore.Do(ctx, store, retention.Rules, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:retention"}, look.Decide)
	}
}

// Retainer begins the jobs that forget what projects keep no longer.
type Retainer struct {
	Store *eventstore.Store
	Now   func() time.Time
}

// Reactor declares it.
func (x Retainer) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "retainer", Categories: []*event.Category{retention.Rules.Category}, Side: reactors.AtLeastOnce,
		Events: []event.Payload{retention.Looked{}}, Handle: x.handle}
}

func (x Retainer) handle(ctx context.Context, e reactors.Event) error {
	looked := e.Payload.(retention.Looked)
	expire := erasures.Expire{ErasureID: looked.ErasureID, TenantID: looked.TenantID,
		Aged: erasures.Aged{ProjectID: looked.ProjectID, Before: looked.Before}, At: x.Now()}
	return eventstore.Do(ctx, x.Store, erasures.Jobs, erasures.Jobs.Stream(looked.ErasureID), reactors.Because("retainer", "expire", e),
		expire.Decide)
}
