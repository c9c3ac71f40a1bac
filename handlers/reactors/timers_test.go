package reactors_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// alarms is a source of timers that remembers claims, as the database does.
type alarms struct {
	mu      sync.Mutex
	waiting map[string]time.Time // by stream: due
	claimed map[string]time.Time
	asked   int
	apart   time.Duration // between the database's clock and the node's
	news    chan struct{} // nil: others set timers too
}

func (a *alarms) Claim(_ context.Context, while time.Duration, most int) ([]projections.Timer, error) {
	now := time.Now().Add(a.apart)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	var out []projections.Timer
	for stream, due := range a.waiting {
		if len(out) < most && !due.After(now) && a.claimed[stream].Before(now) {
			a.claimed[stream] = now.Add(while)
			out = append(out, projections.Timer{Stream: stream, Name: "expiry", Topic: "parley.lamps", Tenant: "acme", Due: due, Now: now})
		}
	}
	return out, nil
}

func (a *alarms) Release(_ context.Context, t projections.Timer, in time.Duration) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.claimed[t.Stream] = time.Now().Add(a.apart + in)
	return nil
}

func (a *alarms) Next(_ context.Context, most time.Duration) (time.Duration, error) {
	now := time.Now().Add(a.apart)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	for stream, due := range a.waiting {
		if again := a.claimed[stream]; again.After(due) {
			due = again
		}
		most = min(most, max(due.Sub(now), 0))
	}
	return most, nil
}

func (a *alarms) set(stream string, due time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting[stream] = due
}

func (a *alarms) done(stream string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, stream)
}

// clockwork runs timers in virtual time.
func clockwork(t *testing.T, a *alarms, gate func() error, handle reactors.TimerHandler) {
	t.Helper()
	a.claimed = map[string]time.Time{}
	timers := reactors.Timers{Source: a, Gate: gate, Log: slog.New(slog.DiscardHandler), News: a.news,
		Handlers: map[string]map[string]reactors.TimerHandler{"parley.lamps": {"expiry": handle}}}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		timers.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
}

func open() error { return nil }

func TestATimerFiresWhenItIsDueAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := &alarms{waiting: map[string]time.Time{"lamp-1": start.Add(time.Minute)}}
		var fired []time.Duration
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, now time.Time) error {
			require.Equal(t, "lamp-1", timer.Stream)
			require.False(t, now.Before(timer.Due))
			fired = append(fired, time.Since(start))
			a.done(timer.Stream)
			return nil
		})
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Len(t, fired, 1)
		require.Less(t, fired[0], time.Minute+time.Second)
	})
}

// A handler that could do nothing yet is asked again when it says, before its claim has ended.
func TestATimerThatIsTooEarlyFiresAgainWhenItsHandlerSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := &alarms{waiting: map[string]time.Time{"lamp-1": start}}
		fired := 0
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, _ time.Time) error {
			if fired++; fired == 3 {
				a.done(timer.Stream)
				return nil
			}
			return reactors.Later(2 * time.Second)
		})
		time.Sleep(6 * time.Second)
		synctest.Wait()
		require.Equal(t, 3, fired)
	})
}

// The database's clock decides, for the claim and for the command: a node whose own
// clock is an hour off fires neither early nor late.
func TestANodeWhoseClockIsWrongFiresInTime(t *testing.T) {
	for name, apart := range map[string]time.Duration{"an hour ahead": -time.Hour, "an hour behind": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				due := start.Add(apart + time.Minute) // by the database
				a := &alarms{waiting: map[string]time.Time{"lamp-1": due}, apart: apart}
				var fired []time.Duration
				clockwork(t, a, open, func(_ context.Context, timer projections.Timer, now time.Time) error {
					require.False(t, now.Before(due))
					require.Less(t, now.Sub(due), time.Second)
					fired = append(fired, time.Since(start))
					a.done(timer.Stream)
					return nil
				})
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				require.Len(t, fired, 1)
				require.GreaterOrEqual(t, fired[0], time.Minute)
			})
		})
	}
}

// Given timers that were claimed and had to wait for longer than the claim, then they
// are left to whoever claims them next: two never work on one at once.
func TestAClaimThatRanOutIsNotFired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{}}
		for i := range 200 {
			a.waiting["lamp-"+time.Duration(i).String()] = time.Now()
		}
		var mu sync.Mutex
		working := map[string]bool{}
		clockwork(t, a, open, func(ctx context.Context, timer projections.Timer, _ time.Time) error {
			mu.Lock()
			require.False(t, working[timer.Stream], "two at once")
			working[timer.Stream] = true
			mu.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(7 * time.Second):
				a.done(timer.Stream)
			}
			mu.Lock()
			defer mu.Unlock()
			working[timer.Stream] = false
			return ctx.Err()
		})
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		require.Empty(t, a.waiting, "all had their turn")
	})
}

func TestATimerWhoseCommandFailsFiresAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{"lamp-1": time.Now()}}
		tries := 0
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, _ time.Time) error {
			if tries++; tries < 3 {
				return errors.New("the log is away")
			}
			a.done(timer.Stream)
			return nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 3, tries)
	})
}

func TestNoTimerFiresWhileTheReadModelsCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{"lamp-1": time.Now()}}
		clockwork(t, a, func() error { return fault.New(fault.CatchingUp, "starting") }, func(context.Context, projections.Timer,
			time.Time) error {
			t.Error("fired")
			return nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, a.asked)
	})
}

func TestManyTimersAtOnceAllFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{}}
		for i := range 1000 {
			a.waiting["lamp-"+time.Duration(i).String()] = time.Now()
		}
		var mu sync.Mutex
		fired := map[string]int{}
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, _ time.Time) error {
			mu.Lock()
			defer mu.Unlock()
			fired[timer.Stream]++
			a.done(timer.Stream)
			return nil
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, fired, 1000)
		for stream, n := range fired {
			require.Equal(t, 1, n, stream)
		}
	})
}

// Given a node that is told of every timer that is set, when nothing is due, then it
// looks seldom, and yet fires as soon as one that looks all the time.
func TestANodeThatIsToldOfTimersLooksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{}, news: make(chan struct{}, 1)}
		fired := map[string]time.Time{}
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, _ time.Time) error {
			a.mu.Lock()
			fired[timer.Stream] = time.Now()
			a.mu.Unlock()
			a.done(timer.Stream)
			return nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		a.mu.Lock()
		require.LessOrEqual(t, a.asked, 2*61, "a look a second")
		a.mu.Unlock()

		start := time.Now()
		for stream, due := range map[string]time.Time{"now": start, "soon": start.Add(1234 * time.Millisecond), "later": start.Add(time.Hour)} {
			a.set(stream, due)
		}
		a.news <- struct{}{}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		for stream, due := range map[string]time.Duration{"now": 0, "soon": 1234 * time.Millisecond, "later": time.Hour} {
			late := fired[stream].Sub(start.Add(due))
			require.GreaterOrEqual(t, late, time.Duration(0), stream)
			require.LessOrEqual(t, late, 100*time.Millisecond, stream)
		}
	})
}

// A claim whose command failed is due again when it ends, without any news.
func TestATimerWhoseCommandFailedNeedsNoNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &alarms{waiting: map[string]time.Time{"lamp-1": time.Now()}, news: make(chan struct{}, 1)}
		tries := 0
		clockwork(t, a, open, func(_ context.Context, timer projections.Timer, _ time.Time) error {
			if tries++; tries < 3 {
				return errors.New("the log is away")
			}
			a.done(timer.Stream)
			return nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 3, tries)
	})
}
