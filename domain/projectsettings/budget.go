package projectsettings

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Month is that of a moment, in UTC, such as 2026-11.
func Month(at time.Time) string { return at.UTC().Format("2006-01") }

// Spent refuses what would ask a model in a month whose budget is spent.
func (b Budgets) Spent(month string, spentPico int64) error {
	if b.MonthUSD == 0 || spentPico < b.MonthPico() {
		return nil
	}
	return fault.New(fault.BudgetExceeded, "the budget of the project for %s, monthUsd of its settings, is spent: %s of %s USD", month,
		completions.USD(spentPico), completions.USD(b.MonthPico()))
}

// Part is a part of what may be spent in a month, by the sum that may be.
type Part struct {
	Month      string
	BudgetPico int64
	Percent    int
}

// The parts that are told.
const (
	Most = 80
	All  = 100
)

// mostTold is how many of them are kept in mind: those of some months.
const mostTold = 24

// Tell has parts of the month's budget told that are spent and were not told. Whoever finds it may
// ask for it, twice, late, and from two nodes at once.
type Tell struct {
	TenantID  string
	ProjectID string
	Month     string
	SpentPico int64
	Unpriced  int64
	At        time.Time
}

// BudgetReached says that a part of what the project may spend on models in a month is spent.
type BudgetReached struct {
	TenantID   string    `json:"tenantId"`
	ProjectID  string    `json:"projectId"`
	Month      string    `json:"month"`   // of UTC, such as 2026-11
	Percent    int       `json:"percent"` // 80, and 100: from then on models are refused
	BudgetPico int64     `json:"budgetPico"`
	SpentPico  int64     `json:"spentPico"` // pico-dollars, when it was found
	Unpriced   int64     `json:"unpriced"`  // requests whose price nobody knows, which are not in it
	At         time.Time `json:"at"`
}

var _ = event.Register[BudgetReached](ProjectSettings, "budget-reached", 1)

// Decide goes by the newest settings. A budget that was changed is another one, of which each part
// is told anew.
func (c Tell) Decide(s State) (out []event.Payload, _ error) {
	budget := s.Budgets.MonthPico()
	tell := func(percent int, least int64) {
		if budget > 0 && c.SpentPico >= least && !slices.Contains(s.Told, Part{c.Month, budget, percent}) {
			out = append(out, BudgetReached{TenantID: c.TenantID, ProjectID: c.ProjectID, Month: c.Month, Percent: percent,
				BudgetPico: budget, SpentPico: c.SpentPico, Unpriced: c.Unpriced, At: event.Stamp(c.At)})
		}
	}
	tell(Most, completions.MostOf(budget))
	tell(All, budget)
	return out, nil
}

// Apply folds the event.
func (e BudgetReached) Apply(s *State) {
	last := s.Told[max(0, len(s.Told)+1-mostTold):]
	s.Told = append(slices.Clone(last), Part{e.Month, e.BudgetPico, e.Percent})
}
