package sessions

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Running is a turn that has begun and has not ended: what it needs to go on when a call has
// ended.
type Running struct {
	Brought *Brought
	Mocks   []int        // how often each mock has answered
	Open    []CallOpened // calls that somebody makes, without their arguments
	Asked   *ModelAsked  // a model that somebody asks
	Models  int          // how often one was asked
	Work    *Work        // what others do for the agent; nil: nothing

	Memory *MemoryAsked // stores that somebody reads or writes

	Extracted []string // agents whose slots a model was asked for

	Suspended *Suspension // nil: somebody makes a call

	Greets    bool       // no message began it: a call was picked up
	Behind    *Escalated // nor here: it goes on behind people, who had the conversation for this
	Heard     string     // what the user said, as the guardrails left it
	Action    *Chosen
	Old       bool            // which the agent did not show last
	Metadata  json.RawMessage `json:",omitempty"` // nil comes back as nil
	Blocked   string          // the guardrail that blocks it
	Steps     int             // that were entered
	Transfers int
	Back      string    // who gave the conversation back last
	Handed    *Handed   `json:",omitempty"` // by whom it was handed over to who has said nothing yet; nil: it was not, or they have
	Unsaid    bool      `json:",omitempty"` // a constraint has kept back what was to be said, and nothing was said since
	Alone     bool      // it goes on because no person was there
	Began     int       // delegates, by whoever stands here
	Delegated int       // delegates, by delegates as well
	Worked    []string  // agents whose delegates with a WHEN have had their turn
	At        time.Time // since when it works
}

// Suspension is what a turn waits for from outside.
type Suspension struct {
	CallID    string
	ExpiresAt time.Time
}

// Suspended is what the session waits for; nil: nothing.
func (t Talk) Suspended() *Suspension {
	if t.Running == nil {
		return nil
	}
	return t.Running.Suspended
}

// Call is an open call, also of a delegate; nil: there is none with that id.
func (r *Running) Call(id string) *CallOpened {
	for in := range r.everywhere() {
		for i := range in.Open {
			if in.Open[i].CallID == id {
				return &in.Open[i]
			}
		}
	}
	return nil
}

// Question is what a model is asked, also by a delegate; nil: there is none with that id.
func (r *Running) Question(id string) *ModelAsked {
	for in := range r.everywhere() {
		if in.Asked != nil && in.Asked.CallID == id {
			return in.Asked
		}
	}
	return nil
}

// Claims are who makes what the turn waits for, each once. A try that is empty stands for nobody:
// an answer comes from outside.
func (r *Running) Claims() (out []Claimed) {
	add := func(c Claimed) {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for in := range r.everywhere() {
		for _, c := range in.Open {
			add(c.Claimed)
		}
		if in.Asked != nil {
			add(in.Asked.Claimed)
		}
		if in.Memory != nil {
			add(in.Memory.Claimed)
		}
	}
	return out
}

func (r *Running) close(e CallEnded) {
	if r == nil {
		return
	}
	r.Open = slices.DeleteFunc(r.Open, func(c CallOpened) bool { return c.CallID == e.CallID })
	if r.Suspended != nil && r.Suspended.CallID == e.CallID {
		r.Suspended, r.At = nil, e.At // what it waited for from outside does not count as its own time
	}
}

// Brought is what a test brings along for one turn (testContext).
type Brought struct {
	StartAt string `json:"startAt,omitempty"` // a step of the agent's flow
	Mocks   []Mock `json:"mocks,omitempty"`

	SkipOnStart bool                       `json:"skipOnStart,omitempty"`
	Slots       map[string]json.RawMessage `json:"slots,omitempty" personal:"customer"` // what was gathered before

	Begins *Tested `json:"begins,omitempty"` // of a session that was begun without it, with its first message
}

// Tested is what a test brings along for a whole session.
type Tested struct {
	Variables map[string]json.RawMessage `json:"variables,omitempty" personal:"customer"` // session.* to begin with
	Caller    map[string]json.RawMessage `json:"caller,omitempty" personal:"customer"`    // caller.*
}

// Tests makes it that of a test.
func (t *Talk) Tests(by Tested) {
	t.Test = true
	if by.Variables != nil {
		t.Variables, t.Vars = by.Variables, cloned(by.Variables)
	}
	if by.Caller != nil {
		t.Caller = by.Caller
	}
}

// Mock answers in place of a tool: with Result, or with Error.
type Mock struct {
	Tool    string          `json:"tool"`
	When    string          `json:"when,omitempty"` // a condition, which sees args
	Result  json.RawMessage `json:"result,omitempty" personal:"customer"`
	Error   string          `json:"error,omitempty"`
	DelayMs int             `json:"delayMs,omitempty"`
	Times   int             `json:"times,omitempty"` // 0: always
}

// copied is a turn that may be folded into without a change of the other.
func (r *Running) copied() *Running {
	if r == nil {
		return nil
	}
	own := *r
	own.Mocks, own.Open, own.Extracted = slices.Clone(r.Mocks), slices.Clone(r.Open), slices.Clone(r.Extracted)
	own.Worked, own.Work = slices.Clone(r.Worked), r.Work.copied()
	if r.Asked != nil {
		asked := *r.Asked
		own.Asked = &asked
	}
	if r.Memory != nil {
		memory := *r.Memory
		own.Memory = &memory
	}
	return &own
}

// Own is the conversation with nothing in it that folding could change elsewhere.
func (t Talk) Own() Talk {
	t.Vars, t.Visits = maps.Clone(t.Vars), maps.Clone(t.Visits)
	t.Frames, t.Unsure, t.History = slices.Clone(t.Frames), slices.Clone(t.Unsure), ownHistory(t.History)
	t.Slots, t.Sensitive = maps.Clone(t.Slots), maps.Clone(t.Sensitive)
	for agent, slots := range t.Slots {
		t.Slots[agent] = maps.Clone(slots)
	}
	for agent, names := range t.Sensitive {
		t.Sensitive[agent] = slices.Clone(names)
	}
	t.Running, t.Raised, t.Memory = t.Running.copied(), slices.Clone(t.Raised), ownMemory(t.Memory)
	return t
}
