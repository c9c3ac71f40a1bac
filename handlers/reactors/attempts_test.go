package reactors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
)

// parcel is what the tests send: an aggregate with attempts, and nothing else.
type parcel struct {
	Attempt attempt.State
	Taken   bool // by the receiver, as the log knows
	Reason  string
}

type (
	posted  struct{}
	started struct {
		Number int
		ID     string
		Until  time.Time
	}
	paused struct {
		Number int
		Reason string
		Until  time.Time
	}
	requeued  struct{}
	delivered struct{}
	lost      struct{ Reason string }
)

func (posted) Apply(p *parcel)    { p.Attempt.Ask() }
func (e started) Apply(p *parcel) { p.Attempt.Start(e.Number, e.ID, e.Until) }
func (e paused) Apply(p *parcel)  { p.Attempt.Pause(e.Number+1, e.Until); p.Reason = e.Reason }
func (requeued) Apply(p *parcel)  { p.Attempt.Again() }
func (delivered) Apply(p *parcel) { p.Taken = true; p.Attempt.End() }
func (e lost) Apply(p *parcel)    { p.Reason = e.Reason; p.Attempt.End() }

var parcels = event.NewAggregate[parcel]("parcels", "parcel", event.Quiet)

var (
	_ = event.Register[posted](parcels, "posted", 1)
	_ = event.Register[started](parcels, "started", 1)
	_ = event.Register[paused](parcels, "paused", 1)
	_ = event.Register[requeued](parcels, "requeued", 1)
	_ = event.Register[delivered](parcels, "delivered", 1)
	_ = event.Register[lost](parcels, "lost", 1)
)

var fiveTimes = attempt.Bounds{Most: 5}

// deliver is the outcome of the attempt of that number.
func deliver(number int) attempt.Decision[parcel] {
	return func(p parcel) ([]event.Payload, error) {
		if !p.Attempt.Takes(number) {
			return nil, nil
		}
		return []event.Payload{delivered{}}, nil
	}
}

// repeated is spoken to about what may be done more than once: a lapsed lease is another
// attempt.
var repeated = attempt.Rules[parcel]{
	State: func(p parcel) attempt.State { return p.Attempt },
	Start: func(c attempt.Claim) attempt.Decision[parcel] {
		return func(p parcel) ([]event.Payload, error) {
			if !p.Attempt.Wanted() {
				return nil, nil
			}
			return []event.Payload{started{p.Attempt.Number, c.ID, c.LeaseUntil}}, nil
		}
	},
	Fail: func(_ parcel, f attempt.Failure) attempt.Decision[parcel] {
		return func(p parcel) ([]event.Payload, error) {
			switch then, until := p.Attempt.Failed(f, fiveTimes); then {
			case attempt.Pause:
				return []event.Payload{paused{f.Number, f.Reason, until}}, nil
			case attempt.GiveUp:
				return []event.Payload{lost{f.Reason}}, nil
			}
			return nil, nil
		}
	},
	Wake: func(at time.Time) attempt.Decision[parcel] {
		return func(p parcel) ([]event.Payload, error) {
			switch p.Attempt.Woken(at, fiveTimes) {
			case attempt.Again:
				return []event.Payload{requeued{}}, nil
			case attempt.GiveUp:
				return []event.Payload{lost{"never finished"}}, nil
			}
			return nil, nil
		}
	},
	Backoff: attempt.Backoff{First: time.Second, Factor: 2, Ceiling: time.Minute},
}

// once is spoken to about what may be done once only: a lapsed lease is the end.
func once() attempt.Rules[parcel] {
	rules := repeated
	rules.Wake = func(at time.Time) attempt.Decision[parcel] {
		return func(p parcel) ([]event.Payload, error) {
			if p.Attempt.Lapsed(at) {
				return []event.Payload{lost{"outcome unknown"}}, nil
			}
			return repeated.Wake(at)(p)
		}
	}
	return rules
}

// post is one parcel, and the receiver at its door.
type post struct {
	*reactorstest.World
	rules attempt.Rules[parcel]
	side  reactors.Side
	lease time.Duration

	handed int                                      // how often the receiver was asked to take it
	at     func(ctx context.Context) error          // what the receiver says; nil: it takes it
	ask    func() (attempt.Decision[parcel], error) // what it says of an attempt in doubt; nil: cannot be asked
}

const stream = "parcel-1"

func newPost(t *testing.T, side reactors.Side, rules attempt.Rules[parcel]) *post {
	w := &post{World: reactorstest.New(t, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)), rules: rules, side: side, lease: time.Minute}
	reactorstest.Given(w.World, parcels, stream, posted{})
	return w
}

// node is one that remembers nothing yet: another, or the same after a kill.
func (w *post) node() *reactors.Attempts[parcel] {
	a := &reactors.Attempts[parcel]{Name: "postman", Of: parcels, Events: []event.Payload{posted{}, requeued{}}, Timer: "parcel", Side: w.side,
		Rules: w.rules, Within: 10 * time.Second, Lease: w.lease, Problem: "nobody was in", Store: w.Another("n"), Now: w.Now, Log: w.Quiet,
		Do: func(ctx context.Context, p parcel) (attempt.Decision[parcel], error) {
			w.handed++
			if w.at != nil {
				if err := w.at(ctx); err != nil {
					return nil, err
				}
			}
			return deliver(p.Attempt.Number), nil
		}}
	if w.ask != nil {
		a.Ask = func(context.Context, parcel, time.Time) (attempt.Decision[parcel], error) { return w.ask() }
	}
	return a
}

func (w *post) parcel() parcel { return reactorstest.State(w.World, parcels, stream) }

// events are those of the parcel, by type.
func (w *post) events() (out []string) {
	for _, e := range memory.Events(w.Log, parcels.Category, stream) {
		out = append(out, fmt.Sprintf("%T", e)[len("reactors_test."):])
	}
	return out
}

// play hands the node all events so far.
func (w *post) play(a *reactors.Attempts[parcel]) error { return w.Play(w.Context(), a.Reactor()) }

// settle lets time pass until nothing is to be done any more.
func (w *post) settle(a *reactors.Attempts[parcel]) {
	w.Helper()
	for range 20 {
		require.NoError(w, w.play(a))
		if w.parcel().Attempt.Ended {
			return
		}
		w.Passes(time.Minute)
		require.NoError(w, w.Wake(w.Context(), a, stream))
	}
	require.Fail(w, "it never ends", "%v", w.events())
}

var errBroken = errors.New("the log is away")

// Everything that can break once, and the step at which it does.
var breaks = map[string]func(*post, string){
	"nothing is appended": func(w *post, what string) {
		w.Log.Fail(memory.Faults{Append: func(c []*eventstore.Record) error { return of(c, what, errBroken) }})
	},
	"it is appended twice": func(w *post, what string) {
		left := 1
		w.Log.Fail(memory.Faults{Acknowledge: func(c []*eventstore.Record) error {
			if of(c, what, errBroken) == nil || left == 0 {
				return nil
			}
			left--
			return errBroken
		}})
	},
	"the answer is lost": func(w *post, what string) {
		w.Log.Fail(memory.Faults{Verdict: func(c []*eventstore.Record) error { return of(c, what, errBroken) }})
	},
}

// of is the error, if the commit holds such an event.
func of(commit []*eventstore.Record, what string, err error) error {
	for _, r := range commit {
		if what == "" || r.Type == "parley.parcels."+what+".v1" {
			return err
		}
	}
	return nil
}

// A break at a step, of a node that goes on with what it remembers, or is killed.
func breaking(t *testing.T, side reactors.Side, rules attempt.Rules[parcel], then func(w *post, name string, killed bool, step string)) {
	for how, breaks := range breaks {
		for _, step := range []string{"started", "delivered"} {
			for _, killed := range []bool{false, true} {
				name := fmt.Sprintf("%s, when it is %s, killed: %t", how, step, killed)
				w := newPost(t, side, rules)
				a := w.node()
				breaks(w, step)
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // as the router does
				_ = w.Play(ctx, a.Reactor())
				cancel()
				w.Log.Fail(memory.Faults{})
				w.Log.Forget()
				if killed {
					a = w.node()
				}
				w.settle(a)
				then(w, name, killed, step)
			}
		}
	}
}

func TestWhatMayBeRepeatedIsDoneWhateverBreaks(t *testing.T) {
	breaking(t, reactors.AtLeastOnce, repeated, func(w *post, name string, killed bool, _ string) {
		require.True(t, w.parcel().Taken, "%s: %v", name, w.events())
		if !killed {
			require.Equal(t, 1, w.handed, "%s: what could not be recorded is remembered: %v", name, w.events())
		}
	})
}

func TestWhatMayBeDoneOnceIsNeverRepeatedWhateverBreaks(t *testing.T) {
	breaking(t, reactors.AtMostOnce, once(), func(w *post, name string, killed bool, step string) {
		require.LessOrEqual(t, w.handed, 1, "%s: %v", name, w.events())
		if w.handed == 1 && !killed {
			require.True(t, w.parcel().Taken, "%s: what could not be recorded is remembered: %v", name, w.events())
		}
		if w.parcel().Taken {
			require.Equal(t, 1, w.handed, name)
		}
	})
}

func TestAKillWhileTheEffectIsMade(t *testing.T) {
	for side, want := range map[reactors.Side]struct {
		handed int
		events []string
	}{
		reactors.AtLeastOnce: {2, []string{"posted", "started", "requeued", "started", "delivered"}},
		reactors.AtMostOnce:  {1, []string{"posted", "started", "lost"}},
	} {
		rules := map[reactors.Side]attempt.Rules[parcel]{reactors.AtLeastOnce: repeated, reactors.AtMostOnce: once()}[side]
		w := newPost(t, side, rules)
		ctx, kill := context.WithCancel(t.Context())
		w.at = func(context.Context) error { kill(); return ctx.Err() }
		_ = w.Play(ctx, w.node().Reactor())
		w.at = nil
		a := w.node()
		require.NoError(t, w.play(a))
		require.Equal(t, 1, w.handed, "%s: the lease holds", side)
		w.settle(a)
		require.Equal(t, want.handed, w.handed, side)
		require.Equal(t, want.events, w.events(), side)
	}
}

func TestOnlyOneOfTwoNodesMakesAnAttempt(t *testing.T) {
	w := newPost(t, reactors.AtMostOnce, once())
	other := w.node()
	w.at = func(context.Context) error { return w.play(other) } // it is told of the same event meanwhile
	require.NoError(t, w.play(w.node()))
	require.NoError(t, w.play(other))
	require.Equal(t, 1, w.handed)
	require.Equal(t, []string{"posted", "started", "delivered"}, w.events())
}

func TestAnAttemptThatFailsIsMadeAgainByItsTimerUntilItIsGivenUp(t *testing.T) {
	w := newPost(t, reactors.AtLeastOnce, repeated)
	w.at = func(context.Context) error { return errors.New("secret: no door") }
	a := w.node()
	for number, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		require.NoError(t, w.play(a))
		require.NoError(t, w.play(a), "the events again")
		require.Equal(t, attempt.State{Number: number + 2, DueAt: w.Now().Add(pause)}, w.parcel().Attempt)
		w.Passes(pause - 1)
		require.NoError(t, w.Wake(t.Context(), a, stream), "early")
		require.True(t, w.parcel().Attempt.Waiting())
		w.Passes(1)
		require.NoError(t, w.Wake(t.Context(), a, stream))
		require.NoError(t, w.Wake(t.Context(), a, stream), "twice")
	}
	require.NoError(t, w.play(a))
	require.True(t, w.parcel().Attempt.Ended)
	require.Equal(t, 5, w.handed)
	require.Equal(t, "nobody was in", w.parcel().Reason, "the words of an error stay in the log")
}

func TestWhatAnErrorMeans(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		then   string
		reason string
		pause  time.Duration
	}{
		"of our own":    {errors.New("secret"), "paused", "nobody was in", time.Second},
		"may be shown":  {fault.New(fault.Unavailable, "away"), "paused", "away", time.Second},
		"says when":     {fmt.Errorf("x: %w", fault.New(fault.RateLimit, "busy").After(time.Minute)), "paused", "busy", time.Minute},
		"soon is later": {fault.New(fault.RateLimit, "busy").After(time.Millisecond), "paused", "busy", time.Second},
		"is hopeless":   {fault.New(fault.Validation, "no address"), "lost", "no address", 0},
	} {
		w := newPost(t, reactors.AtLeastOnce, repeated)
		w.at = func(context.Context) error { return c.err }
		require.NoError(t, w.play(w.node()), name)
		require.Equal(t, []string{"posted", "started", c.then}, w.events(), name)
		require.Equal(t, c.reason, w.parcel().Reason, name)
		if c.pause > 0 {
			require.Equal(t, w.Now().Add(c.pause), w.parcel().Attempt.DueAt, name)
		}
	}
}

func TestAnAttemptThatCouldNotBeMadeIsNoAttempt(t *testing.T) {
	rules := repeated
	rules.Start = nil
	w := newPost(t, reactors.AtLeastOnce, rules)
	w.at = func(context.Context) error { return reactors.NotMade(errBroken) }
	a := w.node()
	require.ErrorIs(t, w.play(a), errBroken, "the event comes again")
	require.Equal(t, []string{"posted"}, w.events())
	w.at = nil
	require.NoError(t, w.play(a))
	require.Equal(t, []string{"posted", "delivered"}, w.events())
}

func TestAnAttemptIsLimitedToItsTime(t *testing.T) {
	for side, most := range map[reactors.Side]time.Duration{reactors.AtLeastOnce: 10 * time.Second, reactors.AtMostOnce: 3 * time.Second} {
		w := newPost(t, side, repeated)
		w.lease = 5 * time.Second // less 2 s of reserve, where it may be done once only
		w.at = func(ctx context.Context) error {
			until, limited := ctx.Deadline()
			require.True(t, limited)
			require.LessOrEqual(t, time.Until(until), most, side)
			require.Greater(t, time.Until(until), most-time.Second, side)
			return nil
		}
		require.NoError(t, w.play(w.node()))
		require.True(t, w.parcel().Taken)
	}
}

func TestAClaimThatIsNearlyOverBeginsNothing(t *testing.T) {
	w := newPost(t, reactors.AtMostOnce, once())
	w.lease = 2 * time.Second
	require.NoError(t, w.play(w.node()))
	require.Zero(t, w.handed)
	require.Equal(t, []string{"posted", "started", "paused"}, w.events(), "it certainly came to nothing")
	require.Equal(t, "the node was too slow to ask the provider", w.parcel().Reason)
}

func TestWhatBecameOfAnAttemptInDoubtIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		says attempt.Decision[parcel]
		err  error
		then string
	}{
		"it was taken":       {deliver(1), nil, "delivered"},
		"it was not":         {repeated.Fail(parcel{}, attempt.Failure{Number: 1, Reason: "not taken"}), nil, "paused"},
		"nobody can say":     {nil, nil, "lost"},
		"it cannot be asked": {deliver(1), errBroken, "lost"},
		"of a later one":     {deliver(2), nil, ""},
	} {
		w := newPost(t, reactors.AtMostOnce, once())
		w.at = func(context.Context) error { return errBroken }
		asked := 0
		w.ask = func() (attempt.Decision[parcel], error) { asked++; return c.says, c.err }
		a := w.node()
		require.NoError(t, w.play(a), name)
		w.Passes(time.Minute - 1)
		require.NoError(t, w.Wake(t.Context(), a, stream), name)
		require.Zero(t, asked, "%s: the lease holds", name)
		w.Passes(1)
		require.NoError(t, w.Wake(t.Context(), w.node(), stream), name)
		require.Equal(t, 1, asked, name)
		then := []string{"posted", "started"}
		if c.then != "" {
			then = append(then, c.then)
		}
		require.Equal(t, then, w.events(), name)
	}
}

// While one is asked, another node may have moved on: what is said counts for the attempt
// that it was asked about.
func TestWhatIsSaidOfAnAttemptDoesNotCountForAnother(t *testing.T) {
	w := newPost(t, reactors.AtMostOnce, once())
	w.at = func(context.Context) error { return errBroken }
	w.ask = func() (attempt.Decision[parcel], error) {
		reactorstest.Given(w.World, parcels, stream, paused{Number: 1, Until: w.Now()}, requeued{}, started{2, "other", w.Now().Add(time.Minute)})
		return func(parcel) ([]event.Payload, error) { return []event.Payload{lost{"of the first"}}, nil }, nil
	}
	a := w.node()
	require.NoError(t, w.play(a))
	w.Passes(time.Minute)
	require.NoError(t, w.Wake(t.Context(), a, stream))
	require.Equal(t, []string{"posted", "started", "paused", "requeued", "started"}, w.events())
}

// With patience a try goes on after a claim whose answer was lost: the claim has its id.
func TestAClaimWhoseAnswerIsLostIsKnownAsOnesOwn(t *testing.T) {
	w := newPost(t, reactors.AtMostOnce, once())
	left := 1
	w.Log.Fail(memory.Faults{Verdict: func(c []*eventstore.Record) error {
		if left == 0 {
			return nil
		}
		left--
		return of(c, "started", errBroken)
	}})
	a := w.node()
	a.Patience = 5 * time.Second
	require.NoError(t, w.play(a))
	require.Equal(t, []string{"posted", "started", "delivered"}, w.events())
}

// What is known is recorded also when the node is told to stop meanwhile.
func TestAnOutcomeThatIsKnownOutlivesAShutdown(t *testing.T) {
	w := newPost(t, reactors.AtMostOnce, once())
	ctx, stop := context.WithCancel(t.Context())
	w.at = func(context.Context) error { stop(); return nil }
	a := w.node()
	a.Patience = 5 * time.Second
	require.NoError(t, w.Play(ctx, a.Reactor()))
	require.True(t, w.parcel().Taken)
}

func TestADeclarationSaysAllThatItNeeds(t *testing.T) {
	cfg := newLampLog(t).cfg
	cfg.Metrics = nil
	for lacks, edit := range map[string]func(*reactors.Attempts[parcel]){
		"Do and Within":       func(a *reactors.Attempts[parcel]) { a.Do = nil },
		"Within":              func(a *reactors.Attempts[parcel]) { a.Within = 0 },
		"Rules":               func(a *reactors.Attempts[parcel]) { a.Rules.Fail = nil },
		"Backoff":             func(a *reactors.Attempts[parcel]) { a.Rules.Backoff = attempt.Backoff{} },
		"Timer":               func(a *reactors.Attempts[parcel]) { a.Timer = "" },
		"Rules.Start":         func(a *reactors.Attempts[parcel]) { a.Side, a.Rules.Start = reactors.AtMostOnce, nil },
		"Lease":               func(a *reactors.Attempts[parcel]) { a.Lease = 0 },
		"Problem":             func(a *reactors.Attempts[parcel]) { a.Problem = "" },
		"Store, Now and Log":  func(a *reactors.Attempts[parcel]) { a.Now = nil },
		"Side must say":       func(a *reactors.Attempts[parcel]) { a.Side = 0 },
		"Events is empty":     func(a *reactors.Attempts[parcel]) { a.Events = nil },
		"Categories is empty": func(a *reactors.Attempts[parcel]) { a.Of = nil },
		"must be lower case":  func(a *reactors.Attempts[parcel]) { a.Name = "" },
	} {
		a := newPost(t, reactors.AtLeastOnce, repeated).node()
		edit(a)
		_, err := reactors.NewRouter(cfg, a.Reactor())
		require.ErrorContains(t, err, lacks)
	}
}
