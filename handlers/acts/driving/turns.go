// Package driving goes on with turns of agents: it makes the calls that a turn waits for (models, tools, workflows,
// memory), tells the turn what came of each, takes over what a process left that is no more, and lets others wait
// for the end of a turn or be told it as it goes on. Which call is next, and what an answer means, is decided by
// domain/turns; how a caller came is never known here.
package driving

import (
	"cmp"
	"context"
	"github.com/parley-platform/parley/handlers/acts"
	"maps"
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
	acts.Log
	Programs *acts.Programs
	Tools    caller
	Models   func(ctx context.Context, of ModelsOf) (Answerer, error) // that may be asked; nil: none
	Budgets  interface {                                              // that are kept; nil: nothing bounds what models cost
		Room(ctx context.Context, tenant, project string) error
	}
	Secrets acts.ToolSecrets
	URL     func() string                                                      // how others reach the API, for callbacks
	Process string                                                             // whose signs of life speak for the tries
	Lives   func(ctx context.Context, process string) (bool, error)            // whether one gives signs of life
	answers acts.Lines                                                         // of callbacks that come in at the same moment, of one session
	Lines   acts.Lines                                                         // of messages that wait for a session
	Follow  func(stream string) (news <-chan struct{}, stop func(), err error) // nil: what others write is looked for

	// Watch is told that this process makes the calls of a turn, and what that left; nil: nobody watches.
	Watch func(ctx context.Context, s *sessions.State) (within context.Context, ended func(*sessions.State, error))

	Files    pictures // what users have given to sessions; nil: models are shown none of it
	Memories StoreCounter
	hearings hearings

	Most      int // turns for which this process makes calls at a time; 0: 500
	takenOver atomic.Int64

	mu     sync.Mutex
	tries  map[string]running
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
	Deployment                   string      // whose versions of workflows count; empty: the live ones
	By                           acts.Caller // whose message the turn answers
	Bridge                       *Bridge     // to the memory that code sees; nil: none
}

// Try is a fresh claim of this process.
func (t *Turns) Try() sessions.Claimed {
	return sessions.Claimed{Process: t.Process, Try: uuid.Must(uuid.NewV7()).String()}
}

// Has is whether this process makes the calls of a try.
func (t *Turns) Has(try string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tries[try].cancel != nil
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

// running is a try of this process, and whose it is.
type running struct {
	tenant string
	cancel context.CancelFunc
}

// Room refuses a message of an account where calls are made for as many turns as one process may have, as acts.Fits has it.
func (t *Turns) Room(tenant string) error {
	t.mu.Lock()
	of := map[string]int{}
	if len(t.tries) >= t.Limit() {
		for _, r := range t.tries {
			of[r.tenant]++
		}
	}
	t.mu.Unlock()
	if acts.Fits(t.Limit(), of, tenant) {
		return nil
	}
	return fault.New(fault.QueueFull, "the server waits for the calls of %d turns, and takes no more messages for now", t.Limit()).
		After(time.Second)
}

// Drive makes the calls that a try has claimed, until the turn ends, suspends, is cut off, or is
// somebody else's. first is the commit that wants them. It goes on when ctx ends.
func (t *Turns) Drive(ctx context.Context, by acts.Caller, stream string, first *eventstore.Result[sessions.State],
	try sessions.Claimed) *Driven {
	ended := make(chan struct{})
	out := &Driven{Done: ended, told: first}
	ctx, cancel := context.WithCancel(projections.OneWork(context.WithoutCancel(ctx)))
	t.mu.Lock()
	if t.tries == nil {
		t.tries = map[string]running{}
	}
	t.tries[try.Try] = running{first.State.TenantID, cancel}
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
		acts.Logger(ctx).Warn("a turn cannot go on here; its timer goes on with it", "stream", d.stream, "error", err)
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
	for _, r := range t.tries {
		r.cancel()
	}
	for _, cancel := range t.behind {
		cancel()
	}
	t.mu.Unlock()
	<-all
	return ctx.Err()
}

// OneAfterTheOther decides one thing of a session after the other, each on what those before it
// left, for one commit.
func OneAfterTheOther(all ...decision) decision {
	return func(s sessions.State) ([]event.Payload, error) {
		s.UserSession, s.Talk = maps.Clone(s.UserSession), s.Talk.Own() // what is folded stays in here
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
