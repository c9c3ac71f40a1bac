package pacing

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Clock is what a command brings with it beside its own fields.
type Clock struct {
	Now   time.Time
	Lines Lines
}

// follow is what happens because of the first events: the passes that are over or due,
// the contacts that are taken now, the time that is waited for. It costs the live runs
// and the contacts under way, however long the stream is.
func (c Clock) follow(s State, first ...event.Payload) []event.Payload {
	d := c.decide(s)
	for _, e := range first {
		d.say(e)
	}
	return d.follow(c.Lines)
}

func (c Clock) decide(s State) *decision { return &decision{state: s.clone(), now: event.Stamp(c.Now)} }

// follow ends the commit.
func (d *decision) follow(lines Lines) []event.Payload {
	if due := d.state.Awaited; !due.IsZero() && !d.now.Before(due) {
		d.say(OpeningReached{At: d.now})
	}
	d.passes()
	d.grant(lines)
	d.await()
	return d.said
}

// decision is a commit in the making.
type decision struct {
	state State
	now   time.Time
	said  []event.Payload
}

func (d *decision) say(e event.Payload) {
	Pacing.Fold(&d.state, e)
	d.said = append(d.said, e)
}

// ready reports whether a run may take a contact now, as far as it is concerned.
func (d *decision) ready(r Run) bool { return r.wants() && !r.Held && r.Hours.Open(d.now) }

// grant hands the free lines out, by priority and then by age.
func (d *decision) grant(lines Lines) {
	var order []Run
	for _, r := range d.state.Runs {
		if d.ready(r) {
			order = append(order, r)
		}
	}
	slices.SortStableFunc(order, func(a, b Run) int { return b.Priority - a.Priority })
	free := map[Channel]int{Voice: lines.Voice - d.state.busy(Voice), SMS: lines.SMS - d.state.busy(SMS)}
	for _, r := range order {
		if free[r.Channel] <= 0 {
			continue
		}
		taken := r.following(free[r.Channel])
		free[r.Channel] -= len(taken)
		d.say(ContactsTaken{RunID: r.RunID, Contacts: taken, Next: max(r.Next, taken[len(taken)-1]+1), At: d.now})
	}
}

// await names the next time at which a run opens or a pass is due. While one is
// waited for that comes no later, its timer decides again.
func (d *decision) await() {
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, r := range d.state.Runs {
		switch {
		case r.Rests():
		case r.wants() && !r.Hours.Open(d.now):
			if opens, ok := r.Hours.Next(d.now); ok {
				sooner(opens)
			}
		default:
			sooner(r.NextPass)
		}
	}
	if awaited := d.state.Awaited; !next.IsZero() && (awaited.IsZero() || next.Before(awaited)) {
		d.say(OpeningAwaited{Until: event.Stamp(next), At: d.now})
	}
}

// ContactsTaken is contacts whose turn it is: each has a line until its outcome.
type ContactsTaken struct {
	RunID    string    `json:"instanceId"`
	Contacts []int     `json:"contacts"` // indexes in the run, ascending
	Next     int       `json:"next"`     // index of the first that was never taken
	At       time.Time `json:"at"`
}

// Apply moves them from those that wait to those under way.
func (e ContactsTaken) Apply(s *State) {
	r := s.run(e.RunID)
	if r == nil {
		return
	}
	if r.PassBegan.IsZero() {
		r.PassBegan = e.At
	}
	for _, i := range e.Contacts {
		r.Returned, r.InFlight, r.Next = without(r.Returned, i), with(r.InFlight, i), e.Next
	}
}

var _ = event.Register[ContactsTaken](Pacing, "contacts-taken", 1)
