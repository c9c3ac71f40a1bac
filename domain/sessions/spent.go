package sessions

import (
	"math"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Spent is what the models of a session have cost, also those that delegates asked, through
// resets. What has no known price is not in it.
type Spent struct {
	Pico     int64 // pico-dollars
	Unpriced int   // answers whose price is not known
}

func (s *State) spend(cost *int64, model string) {
	switch {
	case cost != nil:
		s.Spent.Pico += min(*cost, math.MaxInt64-s.Spent.Pico)
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

// CutCall is a question to a model whose answer nobody waits for any more, and of which nobody has
// said what it took.
type CutCall struct {
	InTurn
	CallID string
	Agent  string
}

// mostCut is of how many it is kept in mind: eight delegates of eight delegates at once. Whoever asked says it at once, or never.
const mostCut = 64

// cutOffAt keeps in mind that nobody waits for a question any more.
func (s *State) cutOffAt(in InTurn, call, agent string) {
	last := s.Cuts[max(0, len(s.Cuts)+1-mostCut):]
	s.Cuts = append(slices.Clone(last), CutCall{in, call, agent})
}

// CountCut says what a model had taken that was cut off: as its provider said, or estimated.
type CountCut struct {
	CallID string
	Took   ModelAnswered
	At     time.Time
}

// ModelCounted is that.
type ModelCounted struct {
	InTurn
	CallID       string `json:"callId"`
	ProjectID    string `json:"projectId"`
	Agent        string `json:"agent"`
	ModelID      string `json:"modelId"`
	Provider     string `json:"provider,omitempty"`
	Model        string `json:"model,omitempty"` // as its provider calls it
	TokensIn     int64  `json:"tokensIn"`
	TokensOut    int64  `json:"tokensOut"`
	Estimated    bool   `json:"estimated,omitempty"` // its provider did not say all of it
	PriceVersion string `json:"priceVersion,omitempty"`
	CostPico     *int64 `json:"costPico"` // pico-dollars; null: the price is not known
	TookMs       int64  `json:"tookMs"`
}

var _ = event.Register[ModelCounted](Sessions, "model-counted", 1)

// Decide counts each question once, also in a session that has ended, and none that was answered,
// that another try asks anew, or that no model had begun.
func (c CountCut) Decide(s State) ([]event.Payload, error) {
	i := slices.IndexFunc(s.Cuts, func(cut CutCall) bool { return cut.CallID == c.CallID })
	if i < 0 || c.Took.ModelID == "" {
		return nil, nil
	}
	cut, a := s.Cuts[i], c.Took
	cut.InTurn.At = event.Stamp(c.At)
	return []event.Payload{ModelCounted{InTurn: cut.InTurn, CallID: c.CallID, ProjectID: s.ProjectID, Agent: cut.Agent, ModelID: a.ModelID,
		Provider: a.Provider, Model: a.Model, TokensIn: a.TokensIn, TokensOut: a.TokensOut, Estimated: a.Estimated,
		PriceVersion: a.PriceVersion, CostPico: a.CostPico, TookMs: a.TookMs}}, nil
}

// Apply folds the event.
func (e ModelCounted) Apply(s *State) {
	s.spend(e.CostPico, e.ModelID)
	s.Cuts = slices.DeleteFunc(slices.Clone(s.Cuts), func(cut CutCall) bool { return cut.CallID == e.CallID })
}
