package sessions

import (
	"encoding/json"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
)

// StepEntered says that the flow of an agent has come to a step.
type StepEntered struct {
	InTurn
	Agent string `json:"agent"`
	Step  string `json:"step"`
}

var _ = event.Register[StepEntered](Sessions, "step-entered", 1)

// Apply folds the event.
func (e StepEntered) Apply(s *State) {
	s.Talk.Traces++
	t := s.at(e.InTurn)
	t.Agent, t.Step, t.Waits = e.Agent, e.Step, Waiting{}
	t.Led = 1
	t.settle()
	if t.Visits == nil {
		t.Visits = map[string]int{}
	}
	t.Visits[Visit(e.Agent, e.Step)]++
	if t.Running != nil {
		t.Running.Steps++
	}
}

// SlotsFilled says what an agent has learned: values by the names of its slots; null takes
// one away.
type SlotsFilled struct {
	InTurn
	Agent     string                     `json:"agent"`
	Values    map[string]json.RawMessage `json:"values" personal:"customer"`
	Sensitive []string                   `json:"sensitive,omitempty"` // those that are masked where they are shown
}

var _ = event.Register[SlotsFilled](Sessions, "slots-filled", 1)

// Apply folds the event.
func (e SlotsFilled) Apply(s *State) {
	s.Talk.Traces++
	t := s.at(e.InTurn)
	if t.Slots == nil {
		t.Slots, t.Sensitive = map[string]map[string]json.RawMessage{}, map[string][]string{}
	}
	if t.Slots[e.Agent] == nil {
		t.Slots[e.Agent] = map[string]json.RawMessage{}
	}
	merge(t.Slots[e.Agent], e.Values)
	for _, name := range e.Sensitive {
		if !slices.Contains(t.Sensitive[e.Agent], name) {
			t.Sensitive[e.Agent] = append(t.Sensitive[e.Agent], name)
		}
	}
	t.Waits = Waiting{}
}

// merge puts members over others; null takes one away.
func merge(into, members map[string]json.RawMessage) {
	for name, value := range members {
		if len(value) == 0 || string(value) == "null" {
			delete(into, name)
			continue
		}
		into[name] = value
	}
}

// VariablesSet says what the session's variables are from now on; null takes one away.
type VariablesSet struct {
	InTurn
	Values map[string]json.RawMessage `json:"values" personal:"customer"`
}

var _ = event.Register[VariablesSet](Sessions, "variables-set", 1)

// Apply folds the event.
func (e VariablesSet) Apply(s *State) {
	t := s.at(e.InTurn)
	if t.Vars == nil {
		t.Vars = map[string]json.RawMessage{}
	}
	merge(t.Vars, e.Values)
}

// HandedOff says that another agent has the conversation from now on.
type HandedOff struct {
	InTurn
	From    string `json:"from"`
	To      string `json:"to"`
	Index   int    `json:"index"` // of the HANDOFF among those of From
	Returns bool   `json:"returns,omitempty"`
	Why     string `json:"why,omitempty" personal:"customer"` // the REASON of the handoff, filled in

	// What the other sees of what was before (CONTEXT).
	History *int     `json:"history,omitempty"`                     // so many texts; absent: all
	Summary string   `json:"summary,omitempty" personal:"customer"` // in front of them
	Stores  []string `json:"stores,omitempty"`                      // of memory, that it may use as From does
}

var _ = event.Register[HandedOff](Sessions, "handed-off", 1)

// Apply folds the event.
func (e HandedOff) Apply(s *State) {
	s.Talk.Handoffs++
	s.Talk.Traces++
	t := s.at(e.InTurn)
	if e.Returns {
		t.Frames = append(newest(t.Frames, MostFrames-1), Frame{Agent: e.From, Step: t.Step, Index: e.Index})
	}
	if t.Running != nil {
		t.Running.Transfers++
		t.Running.Handed = &Handed{Frame{Agent: e.From, Step: t.Step, Index: e.Index}, e.Returns}
	}
	t.Agent, t.Step, t.Waits = e.To, "", Waiting{}
	t.settle()
	t.passOn(e)
}

// Handed is by whom the conversation came to who has it, and where that one stood.
type Handed struct {
	Frame
	Returns bool
}

func (t *Talk) handed() *Handed {
	if t.Running == nil {
		return nil
	}
	return t.Running.Handed
}

// taken says that who was handed the conversation has it: it has said something.
func (t *Talk) taken() {
	if t.Running != nil {
		t.Running.Handed = nil
	}
}

// HandedBack says that the agent of the last frame has the conversation again, or the one that handed it over to who has
// not taken it.
type HandedBack struct {
	InTurn
	From   string                     `json:"from"`
	To     string                     `json:"to"`
	Result map[string]json.RawMessage `json:"result,omitempty" personal:"customer"`
	Failed string                     `json:"failed,omitempty"` // why From did not take it, such as TOOL_FAILED
}

var _ = event.Register[HandedBack](Sessions, "handed-back", 1)

// Apply folds the event.
func (e HandedBack) Apply(s *State) {
	s.Talk.Traces++
	t := s.at(e.InTurn)
	t.Agent, t.Step, t.Waits, t.Led = e.To, "", Waiting{}, 1
	t.settle()
	t.forget(e.From)
	last := len(t.Frames) - 1
	if h := t.handed(); e.Failed != "" && h != nil {
		t.Step = h.Step
		if !h.Returns {
			last = -1 // none is of this handoff
		}
	} else if last >= 0 {
		t.Step = t.Frames[last].Step
	}
	if last >= 0 {
		t.Frames = t.Frames[:last]
	}
	if t.Running != nil {
		t.Running.Back, t.Running.Handed = e.From, nil
	}
}

// Noticed is what happened in a turn that no other event tells: a condition that could not
// be computed, a limit, a guardrail, a constraint.
type Noticed struct {
	InTurn
	// condition_error, limit, guardrail, constraint, retry, gather, ignored, memory, history_trimmed, escalation_over,
	// budget
	Kind   string `json:"kind"`
	Agent  string `json:"agent"`
	Step   string `json:"step,omitempty"`
	What   string `json:"what,omitempty"`   // its name: of the limit, the guardrail, the slot
	Detail string `json:"detail,omitempty"` // in words, without what the user said
	Before string `json:"before,omitempty"` // what a constraint stands before: reply, or call:<tool>; empty: the turn

	Figures *Figures `json:"figures,omitempty"` // as they are then, where no turn runs that says them when it ends
}

var _ = event.Register[Noticed](Sessions, "noticed", 1)

// Apply folds the event.
func (e Noticed) Apply(s *State) {
	s.Talk.Traces++
	if e.Kind == HistoryTrimmed {
		s.at(e.InTurn).Trimmed = 0
	}
	if r := s.Talk.Running; r != nil && e.Kind == ConstraintBroken && e.What != string(dsl.Warn) && e.Before == dsl.BeforeReply {
		r.Unsaid = true
	}
	if e.Kind == Budget {
		s.warned(e)
	}
	if e.Kind == EscalationOver {
		s.Talk.Raised = slices.DeleteFunc(slices.Clone(s.Talk.Raised), func(r string) bool { return r == e.What })
	}
}

// ConstraintBroken is the kind of what is noticed of a constraint that does not hold.
const ConstraintBroken = "constraint"

// HistoryTrimmed is the kind of what is noticed when a model no longer sees the oldest texts.
const HistoryTrimmed = "history_trimmed"
