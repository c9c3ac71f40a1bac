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

func (a *alarms) done(stream string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, stream)
}

// clockwork runs timers in virtual time.
func clockwork(t *testing.T, a *alarms, gate func() error, handle reactors.TimerHandler) {
	t.Helper()
	a.claimed = map[string]time.Time{}
	timers := reactors.Timers{Source: a, Gate: gate, Log: slog.New(slog.DiscardHandler),
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
		clockwork(t, a, func() error { return fault.New(fault.CatchingUp, "starting") }, func(context.Context, projections.Timer, time.Time) error {
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
