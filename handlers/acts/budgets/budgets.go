// Package budgets keeps what projects may spend on models in a month: it refuses what would ask
// one when the month's budget is spent, and has it told when most of it is, and all of it.
//
// What may be spent is chosen in a project's settings, what was spent is summed up by a read model
// that has each answer when its command is answered. It never cuts a question short that is under
// way: many that begin at one moment may spend a little more. What a session may spend is the
// session's own (package turns).
package budgets

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/projections/runtime"
)

// Budgets are those of all projects.
type Budgets struct {
	acts.Log
	Settings takers.Settings
	Spent    spentReader
	Counts   *Counts // nil: nobody counts
}

// spentReader knows what the models of a project have cost in a month.
type spentReader interface {
	Of(ctx context.Context, tenant, project, month string) (runtime.Spent, error)
}

// Room refuses where the project has spent what it may in this month. The newest settings count,
// whatever deployment somebody talks with.
func (b *Budgets) Room(ctx context.Context, tenant, project string) error {
	held, err := b.Settings.Held(ctx, tenant, project, "")
	if err != nil || held.Budgets.MonthUSD == 0 {
		return err
	}
	month := projectsettings.Month(b.Now())
	spent, err := b.Spent.Of(ctx, tenant, project, month)
	if err != nil {
		return err
	}
	err = held.Budgets.Spent(month, spent.Pico)
	if fault.Is(err, fault.BudgetExceeded) {
		b.Counts.refused()
	}
	return err
}

// Tell has it told when a part of what the project may spend in the month of a moment is spent,
// once, whoever calls it and however often.
func (b *Budgets) Tell(ctx context.Context, by eventstore.Command, project string, when time.Time) error {
	held, err := b.Settings.Held(ctx, by.Tenant, project, "")
	if err != nil || held.Budgets.MonthUSD == 0 {
		return err
	}
	month := projectsettings.Month(when)
	spent, err := b.Spent.Of(ctx, by.Tenant, project, month)
	if err != nil {
		return err
	}
	tell := projectsettings.Tell{TenantID: by.Tenant, ProjectID: project, Month: month, SpentPico: spent.Pico, Unpriced: spent.Unpriced,
		At: b.Now()}
	if due, err := tell.Decide(projectsettings.State{Settings: held}); err != nil || len(due) == 0 {
		return err // whatever was told
	}
	res, err := eventstore.Execute(ctx, b.Store, projectsettings.ProjectSettings, projectsettings.Stream(by.Tenant, project), by, tell.Decide)
	if err == nil && !res.Replayed {
		for _, e := range res.Events {
			if reached, is := e.Payload.(projectsettings.BudgetReached); is {
				b.Counts.reached(reached.Percent)
			}
		}
	}
	return err
}
