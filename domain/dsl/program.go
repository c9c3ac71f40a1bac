// Package dsl is the language of agents: it reads a source strictly, checks all that can
// be checked before anybody talks to the agent, and gives a Program, which the engine of
// turns follows.
//
// It is pure: no clock, no randomness, nothing from outside. It calls no model and no tool,
// and knows no session: what an expression sees comes in as a Scope.
package dsl

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// What expressions are made of, and run with.
type (
	// Scope is what an expression sees when it runs (see expr.Scope).
	Scope = expr.Scope
	// Condition is yes or no; a nil one was not written, and holds.
	Condition = expr.Condition
	// Expr is a value that is computed.
	Expr = expr.Expr
)

// Place is where in the source something was written, both from 1.
type Place struct{ Line, Column int }

// Program is one agent's source, compiled. It is immutable and may be shared: all that
// changes from turn to turn comes in with the Scope. Lists are in the order of the source.
type Program struct {
	Agent        string // its name
	Version      int    // of the language: DSL
	Description  string
	Goal         Text // these four are told to the model
	Persona      Text
	Limitations  []Text
	Instructions []Text

	Model       Model
	Limits      Limits
	Tools       []*Tool
	Slots       []*Slot
	Stores      []*Store
	OnStart     *Start // nil: none
	Constraints []*Constraint
	Guardrails  []*Guardrail
	Handoffs    []*Handoff
	Delegates   []*Delegate
	Groups      []*Group // every group that a delegate names, with FAN_OUT's figures or the default ones
	Escalates   []*Escalate
	Completes   []*Complete
	Flow        *Flow // nil: the model leads the whole conversation
	Tests       []*Test

	// Warnings do not keep a program from running: steps that nothing leads to.
	Warnings Problems

	general *expr.Environment // what its expressions see everywhere
}

// Model says which model the agent wants; empty members leave it to the project.
type Model struct {
	Tier, ID     string // one of them: a tier is fast, balanced or powerful
	FallbackTier string
	ExtractTier  string   // for slots with EXTRACT model
	Temperature  *float64 // 0 to 2
	MaxTokens    int
	Timeout      time.Duration
}

// Limits bound what one turn (and one session) may cost.
type Limits struct {
	ModelCalls int     // per turn; 0 in a program that needs no model
	Steps      int     // per turn
	Transfers  int     // per turn
	CostUSD    float64 // per session; 0: none of the agent's own
}

// StoreScope is whose a memory store is.
type StoreScope string

// The scopes.
const (
	ScopeSession StoreScope = "session"
	ScopeContact StoreScope = "contact"
	ScopeProject StoreScope = "project"
)

// Store is a memory store that the agent declares.
type Store struct {
	Place
	Name   string
	Scope  StoreScope
	TTL    time.Duration // 0: does not expire
	Read   bool
	Write  bool
	Schema *Schema // nil: any JSON
}

// Start is what happens once, when a session is made.
type Start struct {
	Place
	Say  Text
	Set  []Assignment
	Call *Call
	Rich []*Rich
}

// Assignment is one member of a SET: where to, and what.
type Assignment struct {
	Target Target
	Value  Value
}

// Target is what can be assigned: session.x, gather.slot, memory.store.x.
type Target struct {
	Root string // session, gather or memory
	Path []string
}

// Call is a call of a declared tool.
type Call struct {
	Place
	Tool string
	With []Argument
	As   *Target // nil: the result is seen as `result` in the same step and then gone
}

// Argument is one named value.
type Argument struct {
	Name  string
	Value Value
}

// Tool is the tool with a name; nil: none.
func (p *Program) Tool(name string) *Tool {
	return named(p.Tools, name, func(t *Tool) string { return t.Name })
}

// Slot is the slot with a name; nil: none.
func (p *Program) Slot(name string) *Slot {
	return named(p.Slots, name, func(s *Slot) string { return s.Name })
}

// Store is the memory store with a name; nil: none.
func (p *Program) Store(name string) *Store {
	return named(p.Stores, name, func(s *Store) string { return s.Name })
}

// Group is the delegates' group with a name; nil: none.
func (p *Program) Group(name string) *Group {
	return named(p.Groups, name, func(g *Group) string { return g.Name })
}

// Delegate is the one with an id; nil: none.
func (p *Program) Delegate(id string) *Delegate {
	return named(p.Delegates, id, func(d *Delegate) string { return d.ID })
}

// MockCondition compiles the condition of a mock that a test brings, which sees args; or says
// what is wrong with it.
func (p *Program) MockCondition(source string) (*Condition, string) {
	if source == "" {
		return nil, ""
	}
	env := p.general.With(map[string]*expr.Type{"args": expr.Map(expr.String, expr.Dyn)})
	c, mistakes := env.CompileCondition(source)
	if len(mistakes) > 0 {
		return nil, mistakes[0].Hint
	}
	return c, ""
}

func named[T any](all []*T, name string, of func(*T) string) *T {
	if i := slices.IndexFunc(all, func(x *T) bool { return of(x) == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// NeedsModel says whether any turn can call a model: it has no FLOW, a step in MODE
// model, or a slot that a model extracts.
func (p *Program) NeedsModel() bool {
	return p.Led() || p.Extracts()
}

// Led says whether a model leads the conversation, or a step of it.
func (p *Program) Led() bool {
	return p.Flow == nil || slices.ContainsFunc(p.Flow.Steps, func(s *Step) bool { return s.ByModel })
}

// Extracts says whether a model is asked for values of slots.
func (p *Program) Extracts() bool {
	return slices.ContainsFunc(p.Slots, func(s *Slot) bool { return s.Extract == ExtractModel })
}

// Constrains is whether a constraint stands before something.
func (p *Program) Constrains(before string) bool {
	return slices.ContainsFunc(p.Constraints, func(c *Constraint) bool { return c.Before == before })
}

// Guards is whether guardrails look at what ON names, before it goes on.
func (p *Program) Guards(on string) bool {
	return slices.ContainsFunc(p.Guardrails, func(g *Guardrail) bool { return g.On == on })
}
