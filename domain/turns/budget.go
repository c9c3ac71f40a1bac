package turns

import (
	"fmt"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Why a turn failed for which no model may be asked any more.
const (
	costLimit      = "COST_LIMIT"                 // COST_USD of the agent
	budgetExceeded = string(fault.BudgetExceeded) // that of the session, or of the project
)

const monthSpent = "the project's budget of the month, monthUsd, is spent"

// SessionSpent refuses what comes to a session whose models have cost all that they may.
func SessionSpent(s sessions.State) error {
	if most := s.Talk.BudgetPico; most > 0 && s.Spent.Pico >= most {
		return fault.New(fault.BudgetExceeded, "%s", sessionSpent(s))
	}
	return nil
}

func sessionSpent(s sessions.State) string {
	return fmt.Sprintf("the budget of the session, %s of the project's settings, is spent: %s of %s USD", sessions.SessionBudget,
		completions.USD(s.Spent.Pico), completions.USD(s.Talk.BudgetPico))
}

// spent is why no model may be asked any more; empty: one may.
func (m *machine) spent() (why, detail string) {
	spent := m.s.Spent.Pico
	if most := m.s.Talk.BudgetPico; most > 0 && spent >= most {
		return budgetExceeded, sessionSpent(m.s)
	}
	if most := m.agentBudget(); most > 0 && spent >= most {
		return costLimit, fmt.Sprintf("the models of the session have cost %s USD, and %s asks none from %s USD on (%s)",
			completions.USD(spent), m.s.Talk.Agent, completions.USD(most), sessions.AgentBudget)
	}
	return "", ""
}

func (m *machine) agentBudget() int64 { return completions.Pico(m.program().Limits.CostUSD) }

// breaks ends the turn where it is, as no model may be asked any more.
func (m *machine) breaks(why, detail string) outcome {
	m.failed = why
	m.notice(sessions.Budget, why, detail)
	return stopped
}

// warnsOfCost tells, once of each budget, that four fifths of it are spent.
func (m *machine) warnsOfCost() {
	warn := func(budget string, most int64) {
		if most == 0 || m.s.Spent.Pico < completions.MostOf(most) || m.s.Warned(budget, m.s.Talk.Agent) {
			return
		}
		m.notice(sessions.Budget, budget, fmt.Sprintf("%s of %s USD are spent", completions.USD(m.s.Spent.Pico), completions.USD(most)))
	}
	warn(sessions.SessionBudget, m.s.Talk.BudgetPico)
	if m.program() != nil {
		warn(sessions.AgentBudget, m.agentBudget())
	}
}
