package dsl

import "slices"

// Flow is the part of a conversation that is laid down step by step.
type Flow struct {
	Place
	Start string
	Steps []*Step
}

// Step is the step with a name; nil: none.
func (f *Flow) Step(name string) *Step {
	if f == nil {
		return nil
	}
	return named(f.Steps, name, func(s *Step) string { return s.Name })
}

// Step does what it has in this order: WHEN (not: on to Next), SAY and RICH, GATHER,
// DELEGATE, CALL, SET, CHECK, BRANCH, then ESCALATE, END or NEXT. A step with RICH and
// OnAction waits for an action before it branches.
type Step struct {
	Place
	Name     string
	ByModel  bool // MODE model: the model leads until ExitWhen, or MaxTurns user turns
	When     *Condition
	Say      Text
	Rich     []*Rich
	OnAction []OnAction
	Gather   []string // slots, asked one after the other
	Delegate []string // ids of the delegates that run, of one group or one alone
	Group    string   // their group; empty: one alone
	Call     *Call
	Set      []Assignment
	Check    *Condition // false: OnFail
	OnFail   *Then
	Branch   []Branch // the first that holds
	Next     string   // a step; empty: the step waits for the user, and is done again with what comes
	Escalate string   // a queue
	End      bool

	MaxVisits   int   // in a session; 0: no limit of its own
	OnExhausted *Then // of visits, or of a slot's retries; nil: the step's OnError, or the turn fails
	OnError     *Then // a call or a delegate that failed

	Goal     Text     // these four only in MODE model
	Tools    []string // that the model may call; nil: all of the agent
	ExitWhen *Condition
	MaxTurns int
}

// Otherwise is what follows where the step failed and is not tried again; nil: nothing does, as where ON_ERROR says RETRY alone.
func (s *Step) Otherwise() *Then {
	if t := s.OnError; t != nil && t.leads() {
		return t
	}
	return nil
}

// Follows is what follows a choice, by the id of the button, the select, the input or the option; nil: nothing does.
func (s *Step) Follows(id string) *OnAction {
	for i := range s.OnAction {
		if s.OnAction[i].ID == id {
			return &s.OnAction[i]
		}
	}
	return nil
}

// Branch is one arm of a BRANCH. ELSE has no If, and is last.
type Branch struct {
	If *Condition
	Then
}

// OnAction is what follows when the user chose a button, or the option of a select.
type OnAction struct {
	ID string
	Then
}

// Then is what happens next: all that is there, in this order. Of Goto, Handoff,
// Escalate, End, Continue and Stop at most one is there, but for Escalate with End.
type Then struct {
	Place
	Retry    int // try again so often before the rest
	Say      Text
	Set      []Assignment
	Ask      []string // slots that are asked
	Goto     string   // a step: GOTO, or NEXT
	Handoff  string   // an agent of HANDOFF
	Escalate string   // a queue
	End      bool
	Continue bool // go on as if it had not happened
	Stop     bool // the turn goes no further
}

// leads is whether it says more than to try again.
func (t *Then) leads() bool {
	return !t.Say.Empty() || len(t.Set) > 0 || len(t.Ask) > 0 || t.Goto != "" || t.Handoff != "" || t.Escalate != "" || t.End ||
		t.Continue || t.Stop
}

// RichKind is what a piece of rich content is.
type RichKind string

// The kinds.
const (
	RichButton RichKind = "button"
	RichSelect RichKind = "select"
	RichInput  RichKind = "input"
)

// Rich is a button, a select or an input that goes with what is said. Its ID is the
// action's id; that of a select or an input may be a slot, which then takes the value.
type Rich struct {
	Place
	Kind      RichKind
	ID        string
	Label     Text
	Value     *Value // what a button sends; nil: its ID
	Options   []RichOption
	InputType string // text, number, date, email, tel, password
	Required  bool
}

// Has says whether it is a select with such an option.
func (r *Rich) Has(option string) bool {
	return slices.ContainsFunc(r.Options, func(o RichOption) bool { return o.ID == option })
}

// RichOption is one choice of a select.
type RichOption struct {
	ID    string
	Label Text
}

// Test is one of the agent's own tests.
type Test struct {
	Place
	Name    string
	Context TestContext
	Turns   []TestTurn
}

// TestContext is what chat/agent takes as testContext, member by member.
type TestContext struct {
	SkipOnStart      bool           `json:"skipOnStart,omitempty"`
	StartAtStep      string         `json:"startAtStep,omitempty"`
	GatherValues     map[string]any `json:"gatherValues,omitempty"`
	SessionVariables map[string]any `json:"sessionVariables,omitempty"`
	CallerContext    map[string]any `json:"callerContext,omitempty"`
	ToolMocks        []ToolMock     `json:"toolMocks,omitempty"`
}

// ToolMock answers in place of a tool: with Result, or with Error.
type ToolMock struct {
	Tool    string     `json:"tool"`
	When    *Condition `json:"when,omitempty"` // sees args
	Result  any        `json:"result,omitempty"`
	Error   string     `json:"error,omitempty"`
	DelayMs int        `json:"delayMs,omitempty"`
	Times   int        `json:"times,omitempty"` // 0: always
}

// TestTurn is what the user does, and what is expected of the answer.
type TestTurn struct {
	Place
	User   string // what is said
	Action string // or the id of what is chosen
	Value  any    // with it
	Expect Expect
}

// Expect has what must be so after the turn; what is not written is not checked.
type Expect struct {
	Say        *string        // the whole answer
	Contains   []string       // each is in the answer
	Action     string         // continue, suspended, escalated, end
	Step       string         // where the flow stands
	Agent      string         // who is at it
	ModelCalls *int           // so many, exactly
	Gathered   map[string]any // these slots have these values
	Session    map[string]any // these variables too
	Tools      []string       // called, in this order
}
