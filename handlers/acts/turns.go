package acts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Turns makes the calls that turns wait for, and tells the turns what came of them. Whoever took
// the message begins at once; a timer goes on with what a process leaves that is no more. A
// caller who goes away ends nothing.
type Turns struct {
	Log
	Programs *Programs
	Tools    caller
	Models   func(ctx context.Context, of ModelsOf) (Answerer, error) // that may be asked; nil: none
	Budgets  interface {                                              // that are kept; nil: nothing bounds what models cost
		Room(ctx context.Context, tenant, project string) error
	}
	Secrets ToolSecrets
	URL     func() string                                                      // how others reach the API, for callbacks
	Process string                                                             // whose signs of life speak for the tries
	Lives   func(ctx context.Context, process string) (bool, error)            // whether one gives signs of life
	answers Lines                                                              // of callbacks that come in at the same moment, of one session
	Lines   Lines                                                              // of messages that wait for a session
	Follow  func(stream string) (news <-chan struct{}, stop func(), err error) // nil: what others write is looked for

	// Watch is told that this process makes the calls of a turn, and what that left; nil: nobody watches.
	Watch func(ctx context.Context, s *sessions.State) (within context.Context, ended func(*sessions.State, error))

	Files    pictures // what users have given to sessions; nil: models are shown none of it
	Memories StoreCounter
	hearings hearings

	Most      int // turns for which this process makes calls at a time; 0: 500
	takenOver atomic.Int64

	mu     sync.Mutex
	tries  map[string]context.CancelFunc
	behind map[*Driven]context.CancelFunc // what follows drives
	all    sync.WaitGroup
}

// caller makes one call, and says what came of it within the time that the tool has.
type caller interface {
	Call(ctx context.Context, of Asking) sessions.CallEnded
}

// Asking is a call that is to be made, for whom.
type Asking struct {
	turns.Wanted
	Tenant, Project, Environment string
	Session                      string
	Deployment                   string  // whose versions of workflows count; empty: the live ones
	By                           Caller  // whose message the turn answers
	Bridge                       *Bridge // to the memory that code sees; nil: none
}

// Try is a fresh claim of this process.
func (t *Turns) Try() sessions.Claimed {
	return sessions.Claimed{Process: t.Process, Try: uuid.Must(uuid.NewV7()).String()}
}

// Has is whether this process makes the calls of a try.
func (t *Turns) Has(try string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tries[try] != nil
}

// mostTurns is for how many turns one process makes calls at a time, unless it is told.
const mostTurns = 500

// Running is for how many turns this process makes calls.
func (t *Turns) Running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.tries)
}

// Limit is for how many it may.
func (t *Turns) Limit() int { return cmp.Or(t.Most, mostTurns) }

// TakenOver is how often this process has gone on with a turn whose calls nobody made any more.
func (t *Turns) TakenOver() int64 { return t.takenOver.Load() }

// Room refuses a message where calls are made for as many turns as one process may have.
func (t *Turns) Room() error {
	if t.Running() < t.Limit() {
		return nil
	}
	return fault.New(fault.QueueFull, "the server waits for the calls of %d turns, and takes no more messages for now", t.Limit()).
		After(time.Second)
}

// Drive makes the calls that a try has claimed, until the turn ends, suspends, is cut off, or is
// somebody else's. first is the commit that wants them. It goes on when ctx ends.
func (t *Turns) Drive(ctx context.Context, by Caller, stream string, first *eventstore.Result[sessions.State],
	try sessions.Claimed) *Driven {
	ended := make(chan struct{})
	out := &Driven{Done: ended, told: first}
	ctx, cancel := context.WithCancel(projections.OneWork(context.WithoutCancel(ctx)))
	t.mu.Lock()
	if t.tries == nil {
		t.tries = map[string]context.CancelFunc{}
	}
	t.tries[try.Try] = cancel
	t.mu.Unlock()
	d := &drive{Turns: t, by: by.Further(), stream: stream, try: try, begun: map[string]context.CancelFunc{}, ends: make(chan *end),
		driven: out, cut: cancel}
	ctx, seen := t.watched(ctx, &first.State)
	t.all.Go(func() {
		defer close(ended)
		defer func() {
			t.mu.Lock()
			delete(t.tries, try.Try)
			t.mu.Unlock()
			cancel()
		}()
		defer func() {
			if p := recover(); p != nil {
				d.defect(ctx, p)
				seen(&out.told.State, errDefect)
			}
		}()
		err := d.run(ctx)
		seen(&out.told.State, err)
		d.left(ctx, err)
	})
	return out
}

// left says why a try has left its turn, where nobody asked for it.
func (d *drive) left(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		Logger(ctx).Warn("a turn cannot go on here; its timer goes on with it", "stream", d.stream, "error", err)
	}
}

// Behind does something when a drive needs nothing more from here. Close waits for it as well, and
// ends it with the rest.
func (t *Turns) Behind(ctx context.Context, of *Driven, do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t.mu.Lock()
	if t.behind == nil {
		t.behind = map[*Driven]context.CancelFunc{}
	}
	t.behind[of] = cancel
	t.mu.Unlock()
	t.all.Go(func() {
		defer func() {
			t.mu.Lock()
			delete(t.behind, of)
			t.mu.Unlock()
			cancel()
		}()
		<-of.Done
		do(ctx)
	})
}

// Close waits for the calls that are under way; what does not end in time is left to others.
func (t *Turns) Close(ctx context.Context) error {
	all := make(chan struct{})
	go func() { t.all.Wait(); close(all) }()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	for _, cancel := range t.tries {
		cancel()
	}
	for _, cancel := range t.behind {
		cancel()
	}
	t.mu.Unlock()
	<-all
	return ctx.Err()
}

// drive is a try under way. One stands still for as long as a model speaks, and there may be a thousand of
// them: what it hands from step to step is large, and so is handed on by reference, and changed by nobody.
type drive struct {
	*Turns
	by     Caller
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
		if what, is := refusedSource(err); is {
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
			w.Scope["callback"] = map[string]any{"id": id, "url": d.URL() + CallbackPath + id}
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
	Logger(ctx).Error("a turn met a defect of the server", "stream", d.stream, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
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
	err := Persist(ctx, func() (err error) {
		res, err = Execute(ctx, d.Log, d.by, sessions.Sessions, d.stream, decide)
		return err
	})
	return &res, err
}

// OneAfterTheOther decides one thing of a session after the other, each on what those before it
// left, for one commit.
func OneAfterTheOther(all ...decision) decision {
	return func(s sessions.State) ([]event.Payload, error) {
		s.UserSession = maps.Clone(s.UserSession) // what is folded stays in here
		var out []event.Payload
		for i, decide := range all {
			events, err := decide(s)
			if err != nil {
				return nil, err
			}
			out = append(out, events...)
			if i == len(all)-1 {
				break
			}
			for _, e := range events {
				sessions.Sessions.Fold(&s, e)
			}
		}
		return out, nil
	}
}
