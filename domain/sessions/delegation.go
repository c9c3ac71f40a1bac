package sessions

import (
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// WorkGiven says that an agent has others do something at once, and goes on when enough of it is
// done.
type WorkGiven struct {
	InTurn
	Agent     string    `json:"agent"`
	Step      string    `json:"step,omitempty"`
	Wish      string    `json:"wish,omitempty"`
	Group     string    `json:"group,omitempty"`
	Delegates []string  `json:"delegates"` // in the order in which results are taken
	Retry     int       `json:"retry,omitempty"`
	Waits     Waiting   `json:"waits,omitzero"` // what the agent waits for of the user, when it is done
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

var _ = event.Register[WorkGiven](Sessions, "work-given", 1)

// Apply folds the event.
func (e WorkGiven) Apply(s *State) {
	t := s.at(e.InTurn)
	if r := t.Running; r != nil {
		t.Waits = e.Waits
		r.Work = &Work{Agent: e.Agent, Step: e.Step, Wish: e.Wish, Group: e.Group, Names: e.Delegates, Retry: e.Retry, ExpiresAt: e.ExpiresAt}
		if e.Step == "" && e.Wish == "" {
			r.Worked = append(r.Worked, e.Agent)
		}
	}
}

// DelegateBegun says that an agent has begun a piece of work for another. What it is given is in
// its first slots and variables.
type DelegateBegun struct {
	InTurn
	DelegateID string    `json:"delegateId"`
	Name       string    `json:"name"` // of the DELEGATE
	From       string    `json:"from"`
	To         string    `json:"to"`
	Task       string    `json:"task" personal:"customer"` // the PURPOSE, filled in
	Retry      int       `json:"retry,omitempty"`          // how often it had failed before
	ExpiresAt  time.Time `json:"expiresAt"`
}

var _ = event.Register[DelegateBegun](Sessions, "delegate-begun", 1)

// Apply folds the event.
func (e DelegateBegun) Apply(s *State) {
	t := s.at(e.InTurn)
	r := t.Running
	if r == nil || r.Work == nil {
		return
	}
	r.Began++
	for in := s.Talk.Running; in != nil; {
		in.Delegated++
		d := in.Towards(e.Delegate)
		if d == nil {
			break
		}
		in = d.Talk.Running
	}
	own := &Talk{Agent: e.To, Place: e.DelegateID, For: append(append([]string(nil), t.For...), e.From),
		Running: &Running{Heard: e.Task, At: e.At}, Led: 1}
	own.line(Line{Text: e.Task})
	r.Work.Delegates = append(r.Work.Delegates, Delegate{ID: e.DelegateID, Name: e.Name, Agent: e.To, Task: e.Task, Retry: e.Retry,
		At: e.At, ExpiresAt: e.ExpiresAt, Talk: own})
}

// DelegateSaid is what a delegate says: it is heard by who gave it the work, never by the user.
type DelegateSaid struct {
	InTurn
	Agent string `json:"agent"`
	Step  string `json:"step,omitempty"`
	Text  string `json:"text" personal:"customer"`
}

var _ = event.Register[DelegateSaid](Sessions, "delegate-said", 1)

// Apply folds the event.
func (e DelegateSaid) Apply(s *State) {
	t := s.at(e.InTurn)
	t.said(Said{Agent: e.Agent, Text: e.Text})
	t.taken()
}

// DelegateOutcome is how a delegate ended.
type DelegateOutcome string

// The outcomes.
const (
	DelegateOK        DelegateOutcome = "ok"
	DelegateFailed    DelegateOutcome = "error"
	DelegateCancelled DelegateOutcome = "cancelled" // enough of the others were done, or one had to be
)

// DelegateEnded says what came of a delegate. What it waits for still, nobody waits for any more.
type DelegateEnded struct {
	InTurn
	DelegateID string                     `json:"delegateId"`
	Name       string                     `json:"name"`
	From       string                     `json:"from"`
	To         string                     `json:"to"`
	Task       string                     `json:"task" personal:"customer"`
	Outcome    DelegateOutcome            `json:"outcome"`
	Code       string                     `json:"code,omitempty"` // why it failed
	Result     map[string]json.RawMessage `json:"result,omitempty" personal:"customer"`
	Left       []string                   `json:"left,omitempty"` // ids of calls that were open
	TookMs     int64                      `json:"tookMs"`
}

var _ = event.Register[DelegateEnded](Sessions, "delegate-ended", 1)

// Apply folds the event.
func (e DelegateEnded) Apply(s *State) {
	s.Talk.Traces++
	if d := s.at(e.InTurn).Running.Delegate(e.DelegateID); d != nil {
		for in := range d.Talk.Running.everywhere() {
			if q := in.Asked; q != nil {
				s.cutOffAt(q.InTurn, q.CallID, q.Agent)
			}
			for _, c := range in.Open {
				d.Wrote = d.Wrote || !c.Repeat
			}
		}
		d.Outcome, d.Code, d.Result, d.Talk = e.Outcome, e.Code, e.Result, nil
	}
}

// WorkDone says that an agent goes on behind what it had others do.
type WorkDone struct {
	InTurn
	Agent  string `json:"agent"`
	Group  string `json:"group,omitempty"`
	Failed string `json:"failed,omitempty"` // the delegate that had to succeed
	Code   string `json:"code,omitempty"`   // why that failed
}

var _ = event.Register[WorkDone](Sessions, "work-done", 1)

// Apply folds the event.
func (e WorkDone) Apply(s *State) {
	if r := s.at(e.InTurn).Running; r != nil {
		r.Work = nil
	}
}
