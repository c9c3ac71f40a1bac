package dsl

import "time"

// Handoff gives the conversation to another agent. One without When is offered to the
// model as a tool.
type Handoff struct {
	Place
	To       string
	When     *Condition
	Intent   string // what the user wants, told to the model
	Priority int    // higher first; the first in the list among equals. Handoffs is already in this order
	Reason   Text
	Pass     []Argument // what goes with it, by its path: gather.email, session.customer_id
	Summary  Text
	History  int      // messages that go with it: 0 none, All all
	Memory   []string // stores that the other may use as this agent does
	Return   bool     // the other gives the conversation back when it completes
	OnReturn *OnReturn
	OnFail   *Then // the other did not take it
	Offered  bool  // to the model
}

// All is a History without a limit of its own.
const All = -1

// OnReturn is what happens when the other agent has completed: `result` is its RESULT.
type OnReturn struct {
	Set  []Assignment
	Next string // a step; empty: where it was
}

// Delegate has another agent do a piece of work, while this one keeps the conversation.
// One without When that no step runs is offered to the model as a tool.
type Delegate struct {
	Place
	ID       string
	Group    string
	Agent    string
	When     *Condition
	Purpose  Text // told to the model
	Input    []Argument
	Returns  []Return
	Timeout  time.Duration
	Continue bool // when it failed after all; else the turn stops (the step's OnError first)
	Retry    int
	Offered  bool // to the model
}

// Return takes one member of the other's result into a variable of the session.
type Return struct {
	Member string
	Target Target
}

// Group is delegates that run at once.
type Group struct {
	Place
	Name        string
	Delegates   []string // ids, in the order of the list, in which results are merged
	Join        int      // so many must have answered; All: each
	Timeout     time.Duration
	MaxParallel int
}

// Escalate gives the conversation to people. One without When is offered to the model.
type Escalate struct {
	Place
	When     *Condition
	Queue    string
	Priority string // low, normal, high, urgent
	Reason   Text
	Skills   []string
	Context  []Argument
	OnFail   *Then
	Offered  bool
}

// Complete ends the agent's work: the conversation for the entry agent, its part for one
// that was handed to or delegated to.
type Complete struct {
	Place
	When   *Condition
	Say    Text
	Result []Argument
}

// Constraint is a rule that is checked before each turn's work, or before one thing.
type Constraint struct {
	Place
	Kind   ConstraintKind
	Check  *Condition // that must hold (require), or must not (forbid, warn)
	When   *Condition // it applies
	Before string     // "call:<tool>", BeforeReply, or empty: each turn
	OnFail *Then      // nil: what it stands before does not happen
}

// BeforeReply is where a constraint stands that may keep what is to be said from being said.
const BeforeReply = "reply"

// ConstraintKind is what a constraint asks.
type ConstraintKind string

// The kinds. Require fails closed: an error of the condition counts as not held.
const (
	Require ConstraintKind = "require"
	Forbid  ConstraintKind = "forbid"
	Warn    ConstraintKind = "warn"
)

// Broken says whether the constraint is broken, which an error of its conditions is for
// what it requires and forbids, and is not for what it warns of. The error is for the trace.
func (c *Constraint) Broken(s Scope) (bool, error) {
	if applies, err := c.When.Holds(s); err != nil || !applies {
		return err != nil && c.Kind != Warn, err
	}
	held, err := c.Check.Holds(s)
	if err != nil {
		return c.Kind != Warn, err
	}
	return held != (c.Kind == Require), nil
}

// GuardrailAction is what follows when a guardrail's check does not hold.
type GuardrailAction string

// The actions.
const (
	Block         GuardrailAction = "block"
	Redact        GuardrailAction = "redact"
	WarnOnly      GuardrailAction = "warn"
	EscalateGuard GuardrailAction = "escalate"
)

// Guardrail looks at a text on its way in or out. Check sees it as `text`, and an error
// of it counts as not held.
type Guardrail struct {
	Place
	Name    string
	On      string // input, output, tool_input, tool_output, handoff
	Check   *Condition
	Action  GuardrailAction
	Message Text
	Queue   string // of escalate
	Pattern *Pattern
}
