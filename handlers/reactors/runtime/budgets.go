package runtime

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts/budgets"
	"github.com/parley-platform/parley/handlers/reactors"
)

const budgetTeller = "budget-teller"

// BudgetTeller has it told when most of what a project may spend on models in a month is spent, and
// when all of it is. What costs nothing changes nothing, and is passed over.
type BudgetTeller struct{ Budgets *budgets.Budgets }

// Reactor declares it: the stream of the project's settings tells each once.
func (x BudgetTeller) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: budgetTeller, Side: reactors.AtLeastOnce, Handle: x.handle,
		Categories: []*event.Category{completions.Completions.Category, sessions.Sessions.Category},
		Events: []event.Payload{completions.Finished{}, completions.Failed{}, sessions.ModelAnswered{},
			sessions.ModelCounted{}}}
}

func (x BudgetTeller) handle(ctx context.Context, e reactors.Event) error {
	tell := func(project string, cost *int64, when time.Time) error {
		if cost == nil || *cost == 0 {
			return nil
		}
		return x.Budgets.Tell(ctx, reactors.Because(budgetTeller, "tell", e), project, when)
	}
	switch p := e.Payload.(type) {
	case completions.Finished:
		return tell(p.ProjectID, p.Cost, p.At)
	case completions.Failed:
		return tell(p.ProjectID, p.Cost, p.At)
	case sessions.ModelAnswered:
		return tell(p.ProjectID, p.CostPico, p.At)
	case sessions.ModelCounted:
		return tell(p.ProjectID, p.CostPico, p.At)
	}
	return nil
}
