package reactors

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections"
)

// timerSource hands out due timers, each to one claimer at a time.
type timerSource interface {
	Claim(ctx context.Context, while time.Duration, most int) ([]projections.Timer, error)
	// Release lets a claimed timer be claimed again in a while.
	Release(ctx context.Context, t projections.Timer, in time.Duration) error
	// Next is how long it takes until a timer can be claimed, at most so long.
	Next(ctx context.Context, most time.Duration) (time.Duration, error)
}

// Later is what a handler returns that could do nothing yet: the timer fires again in a while.
type Later time.Duration

func (l Later) Error() string { return "is looked at again in " + time.Duration(l).String() }

// TimerHandler sends the command that a timer stands for to the stream that owns
// it. The stream's decision says nothing when the timer is not due any more, so
// firing twice or late is harmless. now is the database's time, by which the timer
// was found due: a node whose clock is wrong fires as well as any other.
type TimerHandler func(ctx context.Context, t projections.Timer, now time.Time) error

const (
	timerEvery   = 100 * time.Millisecond // how often due timers are looked for
	timerRest    = time.Second            // at most without a look, when nothing is due and nobody sets a timer
	timerClaim   = 15 * time.Second       // a claimer that dies delays its timers by this
	timerBatch   = 200                    // claimed at once
	timerWorkers = 32                     // commands on their way at once
)

// Timers fires due timers: at least once, with an effect exactly once, and never
// early. It holds no lock while a command waits.
type Timers struct {
	Source   timerSource
	Gate     func() error                       // fires nothing while it returns an error
	Handlers map[string]map[string]TimerHandler // by topic, then by the timer's name
	Log      *slog.Logger

	// News gives a value when timers may have been set. Nil where others set them too, who
	// do not say so: then they are looked for all the time.
	News <-chan struct{}
}

// Run fires timers until the context ends, and returns when the last command has.
func (t *Timers) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, timerWorkers)
	wait := timerEvery
	for {
		looked := time.Now()
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-t.News:
			if !pause(ctx, timerEvery-time.Since(looked)) {
				return
			}
		}
		fired := t.round(ctx, slots, &wg)
		for fired == timerBatch && ctx.Err() == nil {
			fired = t.round(ctx, slots, &wg) // more are due
		}
		wait = t.rest(ctx)
	}
}

// rest is how long nothing needs to be looked for, if nobody brings news.
func (t *Timers) rest(ctx context.Context) time.Duration {
	if t.News == nil || t.Gate() != nil {
		return timerEvery
	}
	next, err := t.Source.Next(ctx, timerRest)
	if err != nil {
		return timerEvery // the next look says so
	}
	return max(next, timerEvery)
}

// round claims and fires what is due, and says how many that were.
func (t *Timers) round(ctx context.Context, slots chan struct{}, wg *sync.WaitGroup) int {
	if t.Gate() != nil {
		return 0
	}
	until := time.Now().Add(timerClaim) // by monotonic time, from before the claim: it ends no later than the claim does
	due, err := t.Source.Claim(ctx, timerClaim, timerBatch)
	if err != nil {
		if ctx.Err() == nil {
			t.Log.Warn("timers cannot be read", "error", err)
		}
		return 0
	}
	for _, timer := range due {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			t.fire(ctx, timer, until)
		}()
	}
	return len(due)
}

// fire sends one command while the claim holds. One that had to wait for longer is
// somebody else's by then.
func (t *Timers) fire(ctx context.Context, timer projections.Timer, until time.Time) {
	handle := t.Handlers[timer.Topic][timer.Name]
	if handle == nil {
		t.Log.Error("nothing handles this timer; a newer version of Parley set it", "topic", timer.Topic, "timer", timer.Name)
		return
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if ctx.Err() != nil {
		return
	}
	err := handle(ctx, timer, timer.Now)
	var later Later
	if errors.As(err, &later) {
		err = t.Source.Release(ctx, timer, time.Duration(later))
	}
	if err != nil && ctx.Err() == nil && !fault.Is(err, fault.CatchingUp) {
		t.Log.Warn("a timer's command failed; it is tried again", "stream", timer.Stream, "timer", timer.Name, "error", err)
	}
}
