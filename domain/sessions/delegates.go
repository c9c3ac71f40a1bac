package sessions

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
)

// Work is what an agent has others do at once, and waits for.
type Work struct {
	Agent     string // who gave it
	Step      string // of its flow; empty: a WHEN holds, or a model wants it
	Wish      string // the model's call that it is done for
	Group     string // of the delegates; empty: there is one
	Names     []string
	Retry     int // how often ON_ERROR had it done again
	ExpiresAt time.Time
	Delegates []Delegate // those that have begun, in the order in which they did
}

// Delegate is an agent that does a piece of work for another, in a scope of its own.
type Delegate struct {
	ID        string // within the turn: 1, 2, and of those that the second one has 2.1
	Name      string // among the DELEGATEs of who gave it the work
	Agent     string
	Task      string
	Retry     int // how often it had failed before
	At        time.Time
	ExpiresAt time.Time
	Outcome   DelegateOutcome // empty: it works
	Code      string
	Result    map[string]json.RawMessage
	Wrote     bool  // a write was made, or may have been, that has no key: it is not begun again
	Talk      *Talk // where it stands; nil: it has ended
}

// Begun is the last delegate that was begun for a DELEGATE; nil: none was.
func (w *Work) Begun(name string) *Delegate {
	for i := range slices.Backward(w.Delegates) {
		if w.Delegates[i].Name == name {
			return &w.Delegates[i]
		}
	}
	return nil
}

// Open are the delegates that work, by their ids.
func (w *Work) Open() (ids []string) {
	if w == nil {
		return nil
	}
	for _, d := range w.Delegates {
		if d.Outcome == "" {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// Delegate is one with an id that works for whoever stands here; nil: there is none, or it has
// ended.
func (r *Running) Delegate(id string) *Delegate {
	if r == nil || r.Work == nil {
		return nil
	}
	for i := range r.Work.Delegates {
		if d := &r.Work.Delegates[i]; d.ID == id && d.Outcome == "" {
			return d
		}
	}
	return nil
}

// Towards is the delegate that works for whoever stands here, and is the one with an id or has
// it below; nil: none is.
func (r *Running) Towards(id string) *Delegate {
	if r == nil {
		return nil
	}
	for _, open := range r.Work.Open() {
		if id == open || strings.HasPrefix(id, open+".") {
			return r.Delegate(open)
		}
	}
	return nil
}

// everywhere is the turn, and below it those of its delegates.
func (r *Running) everywhere() iter.Seq[*Running] {
	return func(yield func(*Running) bool) { r.each(yield) }
}

func (r *Running) each(yield func(*Running) bool) bool {
	if r == nil {
		return true
	}
	if !yield(r) {
		return false
	}
	for _, id := range r.Work.Open() {
		if !r.Delegate(id).Talk.Running.each(yield) {
			return false
		}
	}
	return true
}

// Left are the calls that somebody makes, or that a model answers, also for delegates.
func (r *Running) Left() (ids []string) {
	for in := range r.everywhere() {
		for _, c := range in.Open {
			ids = append(ids, c.CallID)
		}
		if in.Asked != nil {
			ids = append(ids, in.Asked.CallID)
		}
	}
	return ids
}

// Ends is when something of it has taken too long, first of all; zero: nothing can. What a
// delegate waits for from outside ends as well.
func (r *Running) Ends() (first time.Time) {
	sooner := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	for in := range r.everywhere() {
		if in != r && in.Suspended != nil {
			sooner(in.Suspended.ExpiresAt)
		}
		if in.Work == nil {
			continue
		}
		sooner(in.Work.ExpiresAt)
		for _, id := range in.Work.Open() {
			sooner(in.Delegate(id).ExpiresAt)
		}
	}
	return first
}

// at is the conversation in which something happened: of a delegate, or the session's own. What a
// delegate does that has ended leads nowhere.
func (s *State) at(in InTurn) *Talk {
	t := &s.Talk
	for t.Place != in.Delegate {
		d := t.Running.Towards(in.Delegate)
		if d == nil {
			return &Talk{}
		}
		t = d.Talk
	}
	return t
}

// Within is the session as a delegate that works sees it: its own values, and what was said to
// it; false: there is none with that id directly below whoever stands here.
func (s State) Within(id string) (State, bool) {
	d := s.Talk.Running.Delegate(id)
	if d == nil {
		return s, false
	}
	outer, t, r := s.Talk, *d.Talk, *d.Talk.Running
	t.Begun, t.Figures, t.Calls, t.Unsure = outer.Begun, outer.Figures, outer.Calls, outer.Unsure
	t.Variables = nil
	r.Metadata, r.Mocks, r.Delegated = outer.Running.Metadata, outer.Running.Mocks, outer.Running.Delegated
	if b := outer.Running.Brought; b != nil {
		r.Brought = &Brought{Mocks: b.Mocks}
	}
	t.Running = &r
	s.Talk = t
	return s, true
}

// wrote keeps in mind that a delegate made a write that is not to be made again.
func (s *State) wrote(e CallEnded) {
	call := s.at(e.InTurn).Running.Call(e.CallID)
	if call == nil || call.Repeat || e.Outcome == CallFailed {
		return
	}
	for r := s.Talk.Running; ; {
		d := r.Towards(e.Delegate)
		if d == nil {
			return
		}
		d.Wrote, r = true, d.Talk.Running
	}
}

func (w *Work) copied() *Work {
	if w == nil {
		return nil
	}
	own := *w
	own.Names, own.Delegates = slices.Clone(w.Names), slices.Clone(w.Delegates)
	for i, d := range own.Delegates {
		if d.Talk != nil {
			talk := d.Talk.Own()
			own.Delegates[i].Talk = &talk
		}
	}
	return &own
}
