package reactors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Attempts makes the attempts of one kind of effect: it claims where a claim precedes the
// effect, limits the attempt to its time, records what came of it, remembers what it could
// not record, and leaves the next attempt to a timer. How an effect is asked for, and what
// its events are called, its aggregate says (Rules); what happens outside is Do, and
// nothing else of it.
//
// A new one is described in docs/how-to/add-an-effect.md.
type Attempts[S any] struct {
	Name   string // of the reactor
	Of     *event.Aggregate[S]
	Events []event.Payload // a zero value of each event after which a stream may want an attempt
	Timer  string          // that is due when a pause or a lease is over, as the read model calls it
	Side   Side            // AtMostOnce needs a claim: Rules.Start
	Rules  attempt.Rules[S]

	// Do makes the one attempt that the state wants, and says in which command it ends. An
	// error at least once is an attempt that failed: a fault's words are shown, VALIDATION_ERROR
	// says that another attempt would come to the same, and NotMade that there was none. At
	// most once it leaves the attempt in doubt, and what certainly failed is a command too.
	Do func(ctx context.Context, s S) (attempt.Decision[S], error)
	// Ask says what became of an attempt whose lease has lapsed, made by this or another
	// node. nil, an error, and no command mean that nobody can tell: Rules.Wake decides.
	Ask func(ctx context.Context, s S, now time.Time) (attempt.Decision[S], error)

	Within   time.Duration // of one attempt
	Lease    time.Duration // of a claim: after it an attempt without an outcome is in doubt
	Patience time.Duration // for how long the log is asked to take a claim, and an outcome; 0: once, then the event comes again
	Problem  string        // what is shown of a failure that has no words for it

	// Command is what the claim and the outcome of an attempt carry. nil: what an event
	// caused, with the attempt's name as request id. Those that are older than this machine
	// keep theirs, so that what was under way at an upgrade is not done twice.
	Command func(e Event, step Step, s S) eventstore.Command

	Store *eventstore.Store
	Node  string // that claims; empty where claims do not say
	Now   func() time.Time
	Log   *slog.Logger

	lines      acts.Lines
	unrecorded unrecorded[S]
}

// Step is what an attempt has on the log.
type Step string

// The steps.
const (
	StepStart   Step = "start"
	StepOutcome Step = "outcome"
)

const (
	askLimit = 2 * time.Second // one question about an attempt in doubt: other timers wait for their turn
	spare    = 2 * time.Second // of a lease, without which nothing is begun that may be done once only
)

// Reactor declares it.
func (a *Attempts[S]) Reactor() Reactor {
	r := Reactor{Name: a.Name, Events: a.Events, Side: a.Side, Handle: a.handle, problem: a.problem(), attempts: true}
	if a.Of != nil {
		r.Categories = []*event.Category{a.Of.Category}
	}
	return r
}

// problem is what a declaration lacks.
func (a *Attempts[S]) problem() error {
	switch {
	case a.Do == nil || a.Within <= 0:
		return fmt.Errorf("reactor %s: Do and Within must say what an attempt is, and how long it may take", a.Name)
	case a.Rules.State == nil || a.Rules.Fail == nil || a.Rules.Wake == nil || a.Rules.Backoff.First <= 0:
		return fmt.Errorf("reactor %s: Rules must have State, Fail, Wake and Backoff", a.Name)
	case a.Timer == "":
		return fmt.Errorf("reactor %s: Timer must name the timer that is due when a pause or a lease is over", a.Name)
	case a.Side == AtMostOnce && a.Rules.Start == nil:
		return fmt.Errorf("reactor %s: Rules.Start must claim what may happen at most once", a.Name)
	case a.Rules.Start != nil && a.Lease <= 0:
		return fmt.Errorf("reactor %s: Lease must say when a claim is in doubt", a.Name)
	case a.Side == AtLeastOnce && a.Problem == "":
		return fmt.Errorf("reactor %s: Problem must say what is shown of a failure without words", a.Name)
	case a.Store == nil || a.Now == nil || a.Log == nil:
		return fmt.Errorf("reactor %s: Store, Now and Log are missing", a.Name)
	}
	return nil
}

// handle makes the attempt that a stream wants, if it wants one. An error is a fault of
// the store, or the end of ctx: the event is to be delivered again.
func (a *Attempts[S]) handle(ctx context.Context, e Event) error {
	leave, err := a.lines.Enter(ctx, e.Stream, e.Tenant)
	if err != nil {
		return err
	}
	defer leave()
	read, err := eventstore.Read(ctx, a.Store, a.Of, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	s := read.State
	outcome := a.unrecorded.get(e.Stream, a.Rules.NameOf(s)) // made before, and only its record failed
	if outcome == nil {
		if !a.Rules.State(s).Wanted() {
			a.unrecorded.drop(e.Stream, "") // another node has gone on meanwhile
			return nil
		}
		mine := true
		if a.Rules.Start != nil {
			s, mine, err = a.claim(ctx, e, s)
		}
		if err != nil || !mine {
			return err
		}
		if outcome, err = a.attempt(ctx, e.Stream, s); err != nil || outcome == nil {
			return err
		}
		a.unrecorded.keep(e.Stream, a.Rules.NameOf(s), outcome)
	}
	if err := a.record(ctx, e, s, outcome); err != nil {
		return fmt.Errorf("recording attempt %s on %s: %w", a.Rules.NameOf(s), e.Stream, err)
	}
	a.unrecorded.drop(e.Stream, a.Rules.NameOf(s))
	return nil
}

// claim gives the attempt to this try, and has the state that it left. It is not mine when
// another has it, or had it: its lease decides.
func (a *Attempts[S]) claim(ctx context.Context, e Event, wants S) (s S, mine bool, err error) {
	res, mine, err := Claim[S]{Store: a.Store, Of: a.Of, Rules: a.Rules, Node: a.Node, Now: a.Now, Lease: a.Lease,
		Patience: a.Patience}.Take(ctx, e.Stream, a.command(e, StepStart, wants))
	if err != nil {
		return s, false, fmt.Errorf("claiming attempt %s on %s: %w", a.Rules.NameOf(wants), e.Stream, err)
	}
	return res.State, mine, nil
}

// attempt is the one attempt, and the command that it ends in; none means that its lease
// decides.
func (a *Attempts[S]) attempt(ctx context.Context, stream string, s S) (attempt.Decision[S], error) {
	is, within := a.Rules.State(s), a.Within
	log := a.Log.With("stream", stream, "attempt", a.Rules.NameOf(s))
	if a.Side == AtMostOnce {
		if within = min(within, is.LeaseUntil.Sub(a.Now())-spare); within <= 0 {
			return a.Rules.Fail(s, a.failure(is.Number, errTooSlow)), nil
		}
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	outcome, err := a.Do(limited, s)
	var none *notMade
	switch {
	case err == nil:
		attempted(ctx, attemptMade)
		return outcome, nil
	case a.Side == AtMostOnce:
		attempted(ctx, attemptUnknown)
		log.Warn("the outcome of an attempt is unknown; its lease decides", "error", err)
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err() // our own end, not the fault of who was asked
	case errors.As(err, &none):
		return nil, err
	}
	attempted(ctx, attemptFailed)
	log.Warn("an attempt failed", "error", err)
	return a.Rules.Fail(s, a.failure(is.Number, err)), nil
}

// errTooSlow is why a claim came to nothing for certain.
var errTooSlow = fault.New(fault.Unavailable, "the node was too slow to ask the provider")

// failure says what an error means for the next attempt. Words of a fault may be shown;
// those of any other error stay in the log.
func (a *Attempts[S]) failure(number int, err error) attempt.Failure {
	f := attempt.Failure{Number: number, Reason: a.Problem, Pause: Pause(a.Rules.Backoff, number), At: a.Now()}
	var told *fault.Error
	if errors.As(err, &told) {
		f.Reason, f.Final, f.Pause = told.Message, told.Code == fault.Validation, max(f.Pause, told.Retry)
	}
	return f
}

// record outlives the end of ctx where it has patience: an outcome that is known should
// not be lost to a shutdown.
func (a *Attempts[S]) record(ctx context.Context, e Event, s S, outcome attempt.Decision[S]) error {
	if a.Patience > 0 {
		ctx = context.WithoutCancel(ctx)
	}
	cmd := a.command(e, StepOutcome, s)
	return patiently(ctx, a.Patience, func(ctx context.Context) error {
		return eventstore.Do(ctx, a.Store, a.Of, e.Stream, cmd, outcome)
	})
}

func (a *Attempts[S]) command(e Event, step Step, s S) eventstore.Command {
	if a.Command != nil {
		return a.Command(e, step, s)
	}
	return eventstore.Command{Tenant: e.Tenant, Actor: "reactor:" + a.Name, CorrelationID: e.CorrelationID, CausationID: e.ID,
		RequestID: eventstore.CauseID(a.Name, e.Stream, string(step)+"/"+a.Rules.NameOf(s))}
}

// NotMade marks an error that says nothing about the effect: the attempt could not even be
// made. Nothing is recorded, and the event comes again.
func NotMade(err error) error { return &notMade{err} }

type notMade struct{ cause error }

func (n *notMade) Error() string { return n.cause.Error() }
func (n *notMade) Unwrap() error { return n.cause }
