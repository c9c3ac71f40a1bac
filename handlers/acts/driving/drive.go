package driving

import (
	"context"
	"fmt"
	"github.com/parley-platform/parley/handlers/acts"
	"runtime/debug"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// drive is a try under way. One stands still for as long as a model speaks, and there may be a thousand of
// them: what it hands from step to step is large, and so is handed on by reference, and changed by nobody.
type drive struct {
	*Turns
	by     acts.Caller
	stream string
	try    sessions.Claimed
	begun  map[string]context.CancelFunc // calls, by id; nil: it has ended, or nobody waits for it any more
	open   int                           // calls on their way
	ends   chan *end
	driven *Driven
	cut    context.CancelFunc // of all that it has under way
	looks  looks
}

type end struct {
	of     turns.Wanted
	ended  sessions.CallEnded
	asked  string                  // the call of a model, or of stores, in place of of
	answer *sessions.ModelAnswered // and what came of it
	memory []sessions.StoreTold    // what is in the stores that were asked for, or that a tool saw
}

// id is the call's.
func (e *end) id() string {
	if e.asked != "" {
		return e.asked
	}
	return e.of.CallID
}

// decision is what a turn makes of something.
type decision = func(sessions.State) ([]event.Payload, error)

// decide is what the turn makes of it. A request that was made, or may have been, has its answer
// later where that is the tool's way.
func (e *end) decide(programs turns.Programs, at time.Time, try sessions.Claimed) decision {
	switch {
	case e.answer != nil:
		return turns.Outcome{CallID: e.asked, Answer: e.answer, Programs: programs, At: at, Try: try}.Decide
	case e.asked != "":
		return turns.Recalled{CallID: e.asked, Stores: e.memory, Programs: programs, At: at, Try: try}.Decide
	case e.of.Later && e.ended.Outcome != sessions.CallFailed:
		return turns.Suspend{CallID: e.of.CallID, Programs: programs, At: at}.Decide
	}
	return turns.Outcome{CallID: e.of.CallID, Ended: e.ended, Memory: e.memory, Programs: programs, At: at, Try: try}.Decide
}

// outcomeFor is for how long the log is asked to take an outcome.
const outcomeFor = 5 * time.Minute

func (d *drive) run(ctx context.Context) error {
	d.looks.begin()
	defer d.looks.end()
	for {
		s := &d.driven.told.State
		programs, err := d.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest)
		if what, is := acts.RefusedSource(err); is {
			return d.tell(ctx, breakOff(d.try.Try, what, d.Now()))
		}
		if err != nil {
			return err
		}
		if err := d.begin(ctx, s, programs); err != nil || d.open == 0 {
			return err
		}
		decide, err := d.next(ctx, s, programs)
		if err != nil {
			return err
		}
		if err := d.tell(ctx, decide); err != nil {
			return err
		}
	}
}

// next waits for what comes first: the end of a call, or of the time that delegates have. Meanwhile it is
// looked whether the calls are still wanted.
func (d *drive) next(ctx context.Context, s *sessions.State, programs turns.Programs) (decision, error) {
	var late <-chan time.Time
	if ends := s.Talk.Running.Ends(); !ends.IsZero() {
		timer := time.NewTimer(ends.Sub(d.Now()))
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case e := <-d.ends:
			if !d.over(e.id()) {
				d.count(ctx, e)
				continue
			}
			if ctx.Err() != nil {
				d.count(ctx, e)
				return nil, ctx.Err() // what was cut off is no outcome
			}
			return e.decide(programs, d.Now(), d.try), nil
		case <-late:
			return turns.Late{Programs: programs, At: d.Now(), Try: d.try}.Decide, nil
		case <-d.looks.due.C:
			d.look(ctx)
		case <-d.looks.news.C:
			d.look(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// over lets a call go that has ended, or that nobody waits for; false: it was let go before.
func (d *drive) over(id string) bool {
	cancel := d.begun[id]
	if cancel == nil {
		return false
	}
	cancel()
	d.begun[id] = nil
	d.open--
	return true
}

// begin makes the calls that are not on their way yet, and lets those go that nobody waits for any
// more.
func (d *drive) begin(ctx context.Context, s *sessions.State, programs turns.Programs) error {
	left := s.Talk.Running.Left()
	for id := range d.begun {
		if !slices.Contains(left, id) {
			d.over(id)
		}
	}
	wanted, err := turns.WantedOf(*s, programs, d.try.Try)
	if err != nil {
		return err
	}
	for _, w := range wanted {
		if _, is := d.begun[w.CallID]; is {
			continue
		}
		if w.Later {
			id := d.CallbackID(s.ID, w.CallID)
			w.Scope["callback"] = map[string]any{"id": id, "url": d.URL() + acts.CallbackPath + id}
		}
		of := Asking{Wanted: w, Tenant: s.TenantID, Project: s.ProjectID, Environment: s.Talk.Environment,
			Deployment: s.Talk.DeploymentID, Session: s.ID, By: d.by}
		of.Bridge = of.bridge()
		d.make(ctx, w.CallID, func(ctx context.Context) *end {
			e := d.call(ctx, of)
			e.memory = d.leftIn(ctx, s, w)
			return e
		})
	}
	if w := turns.MemoryOf(*s, programs, d.try.Try); w != nil {
		if _, is := d.begun[w.CallID]; !is {
			d.make(ctx, w.CallID, func(ctx context.Context) *end { return &end{asked: w.CallID, memory: d.remember(ctx, s, *w)} })
		}
	}
	questions, err := turns.QuestionsOf(*s, programs, d.try.Try)
	if err != nil {
		return err
	}
	for _, q := range questions {
		if _, is := d.begun[q.CallID]; !is {
			d.make(ctx, q.CallID, func(ctx context.Context) *end {
				return d.consult(ctx, ModelsOf{Tenant: s.TenantID, Project: s.ProjectID, Deployment: s.Talk.DeploymentID, Session: s.ID,
					Agent: q.Agent}, &q)
			})
		}
	}
	return nil
}

// make has a call made, until it ends or is let go.
func (d *drive) make(ctx context.Context, id string, call func(context.Context) *end) {
	ctx, cancel := context.WithCancel(ctx)
	d.begun[id] = cancel
	d.open++
	d.all.Go(func() {
		e := call(ctx)
		select {
		case d.ends <- e:
		case <-ctx.Done():
			d.count(ctx, e)
		}
	})
}

// call makes one call. A defect of ours is a failure of it, and does not end the node; of a write
// it leaves open whether it was done.
func (d *drive) call(ctx context.Context, of Asking) (e *end) {
	defer func() {
		if p := recover(); p != nil {
			d.defect(ctx, p)
			e = &end{of: of.Wanted, ended: sessions.CallEnded{Outcome: sessions.CallFailed, Code: sessions.CodeDefect}}
			if !of.Repeat {
				e.ended.Outcome = sessions.CallUnknown
			}
		}
	}()
	return &end{of: of.Wanted, ended: d.Tools.Call(ctx, of)}
}

// consult asks a model. A defect of ours is a failure of it.
func (d *drive) consult(ctx context.Context, of ModelsOf, q *turns.Question) (e *end) {
	defer func() {
		if p := recover(); p != nil {
			d.defect(ctx, p)
			e = &end{asked: q.CallID, answer: &sessions.ModelAnswered{Failed: sessions.CodeDefect}}
		}
	}()
	var say func(string)
	if !q.Held {
		var done func()
		say, done = d.hearings.speak(d.stream, Delta{CallID: q.CallID, Agent: q.Agent})
		defer done()
	}
	return &end{asked: q.CallID, answer: d.ask(ctx, of, q, say)}
}

func (d *drive) defect(ctx context.Context, p any) {
	acts.Logger(ctx).Error("a turn met a defect of the server", "stream", d.stream, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// tell puts what came of a call on the log, for as long as there is hope: it is known nowhere
// else.
func (d *drive) tell(ctx context.Context, decide decision) error {
	ctx, cancel := context.WithTimeout(ctx, outcomeFor)
	defer cancel()
	res, err := d.record(ctx, decide)
	if err == nil {
		d.driven.take(res)
	}
	return err
}

func (d *drive) record(ctx context.Context, decide decision) (*eventstore.Result[sessions.State], error) {
	var res eventstore.Result[sessions.State]
	err := acts.Persist(ctx, func() (err error) {
		res, err = acts.Execute(ctx, d.Log, d.by, sessions.Sessions, d.stream, decide)
		return err
	})
	return &res, err
}
