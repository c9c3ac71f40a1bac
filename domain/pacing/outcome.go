package pacing

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Outcome is what became of a contact.
type Outcome string

// The outcomes.
const (
	CallCompleted Outcome = "completed" // the call was answered, and is over
	MessageSent   Outcome = "sent"
	Failed        Outcome = "failed" // not answered, not sent, or not to be asked for at all
)

// Finish says what became of a taken contact.
type Finish struct {
	Clock
	RunID    string
	Contact  int
	Outcome  Outcome
	EffectID string // of the call or message; empty when none could be asked for
	Reason   string
}

// Decide counts the first outcome of a contact. One that was handed back has its
// outcome too when its call was made after all.
func (c Finish) Decide(s State) ([]event.Payload, error) {
	return FinishAll{Clock: c.Clock, Outcomes: []Finish{c}}.Decide(s)
}

// FinishAll says at one moment what became of several contacts. The lines that they leave
// are given out once, when all of them are free.
type FinishAll struct {
	Clock
	Outcomes []Finish // their own clocks do not count
}

// Decide counts each as Finish does, and leaves out those that are counted already.
func (c FinishAll) Decide(s State) ([]event.Payload, error) {
	d := c.decide(s)
	for _, f := range c.Outcomes {
		switch f.Outcome {
		case CallCompleted, MessageSent, Failed:
		default:
			return nil, fault.Field("outcome", "must be completed, sent or failed")
		}
		r, live := d.state.Find(f.RunID)
		if !live || !has(r.InFlight, f.Contact) && !has(r.Returned, f.Contact) {
			continue
		}
		d.say(ContactFinished{RunID: f.RunID, Contact: f.Contact, Outcome: f.Outcome, EffectID: f.EffectID, Reason: f.Reason,
			Tally: r.Tally.with(f.Outcome), At: d.now})
	}
	if len(d.said) == 0 {
		return nil, nil
	}
	return d.follow(c.Lines), nil
}

func (t Tally) with(o Outcome) Tally {
	switch o {
	case CallCompleted:
		t.CallsCompleted++
	case MessageSent:
		t.MessagesSent++
	default:
		t.Failed++
	}
	return t
}

// ContactFinished is the outcome of a contact; its line is free.
type ContactFinished struct {
	RunID    string    `json:"instanceId"`
	Contact  int       `json:"contact"`
	Outcome  Outcome   `json:"outcome"`
	EffectID string    `json:"effectId,omitempty"` // of the call or message
	Reason   string    `json:"reason,omitempty"`
	Tally    Tally     `json:"tally"` // of the run, with this outcome
	At       time.Time `json:"at"`
}

// Apply counts it.
func (e ContactFinished) Apply(s *State) {
	r := s.run(e.RunID)
	if r == nil {
		return
	}
	r.InFlight, r.Returned = without(r.InFlight, e.Contact), without(r.Returned, e.Contact)
	r.Tally = e.Tally
}

// HandBack gives taken contacts back that nobody placed while the hours lasted, or before the run was held or stopped: they
// are the first to go when the campaign opens again, or goes on.
type HandBack struct {
	Clock
	RunID    string
	Contacts []int
}

// Decide gives back what is under way, and of a run that goes on only outside the hours: inside, a contact
// that was taken is placed.
func (c HandBack) Decide(s State) ([]event.Payload, error) {
	r, live := s.Find(c.RunID)
	if !live || r.Hours.Open(c.Now) && !r.Rests() {
		return nil, nil
	}
	var back []int
	for _, i := range c.Contacts {
		if has(r.InFlight, i) {
			back = with(back, i)
		}
	}
	if len(back) == 0 {
		return nil, nil
	}
	return c.follow(s, ContactsReturned{RunID: c.RunID, Contacts: back, At: event.Stamp(c.Now)}), nil
}

// ContactsReturned is contacts that wait for their turn again.
type ContactsReturned struct {
	RunID    string    `json:"instanceId"`
	Contacts []int     `json:"contacts"`
	At       time.Time `json:"at"`
}

// Apply frees their lines.
func (e ContactsReturned) Apply(s *State) {
	r := s.run(e.RunID)
	if r == nil {
		return
	}
	for _, i := range e.Contacts {
		if has(r.InFlight, i) {
			r.InFlight, r.Returned = without(r.InFlight, i), with(r.Returned, i)
		}
	}
}

var (
	_ = event.Register[ContactFinished](Pacing, "contact-finished", 1)
	_ = event.Register[ContactsReturned](Pacing, "contacts-returned", 1)
)
