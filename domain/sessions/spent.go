package sessions

import "slices"

// Spent is what the models of a session have cost, also those that delegates asked, through
// resets. What has no known price is not in it.
type Spent struct {
	Pico     int64 // pico-dollars
	Unpriced int   // answers whose price is not known
}

func (s *State) spend(cost *int64, model string) {
	switch {
	case cost != nil:
		s.Spent.Pico += *cost
	case model != "":
		s.Spent.Unpriced++
	}
}

// Budget is the kind of what is noticed when most of a budget is spent, and when all of it is.
const Budget = "budget"

// The budgets of which four fifths are told once: by their names where they are set.
const (
	SessionBudget = "sessionUsd" // of the project's settings
	AgentBudget   = "COST_USD"   // of an agent's source
)

// Warned is whether it was told that most of a budget is spent, of an agent where it is one of
// agents.
func (s State) Warned(budget, agent string) bool {
	return slices.Contains(s.Warnings, warning(budget, agent))
}

func warning(budget, agent string) string {
	if budget == AgentBudget {
		return budget + " " + agent
	}
	return budget
}

// warned keeps in mind what was told.
func (s *State) warned(e Noticed) {
	if e.What == SessionBudget || e.What == AgentBudget {
		s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], warning(e.What, e.Agent))
	}
}
