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

	Suspended *Suspension // nil: somebody makes a call

	Heard     string // what the user said, as the guardrails left it
	Action    *Chosen
	Metadata  json.RawMessage
	Blocked   string // the guardrail that blocks it
	Steps     int    // that were entered
	Transfers int
	Back      string    // who gave the conversation back last
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

// Call is an open call; nil: there is none with that id.
func (r *Running) Call(id string) *CallOpened {
	if r == nil {
		return nil
	}
	for i := range r.Open {
		if r.Open[i].CallID == id {
			return &r.Open[i]
		}
	}
	return nil
}

// Claim is who makes what the turn waits for; false: it waits for nobody.
func (r *Running) Claim() (Claimed, bool) {
	switch {
	case r == nil:
	case r.Asked != nil:
		return r.Asked.Claimed, true
	case len(r.Open) > 0:
		return r.Open[0].Claimed, true
	}
	return Claimed{}, false
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
	own.Mocks, own.Open = slices.Clone(r.Mocks), slices.Clone(r.Open)
	if r.Asked != nil {
		asked := *r.Asked
		own.Asked = &asked
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
	t.Running = t.Running.copied()
	return t
}
