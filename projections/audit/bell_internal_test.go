package audit

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// following is a bell that somebody already looks for, so that no test looks at a database.
func following() (*Audit, *bool) {
	a, stopped := &Audit{}, new(bool)
	a.bell = newBell(a)
	a.bell.stop = context.CancelFunc(func() { *stopped = true })
	return a, stopped
}

func rung(f *Follower) bool {
	select {
	case <-f.C():
		return true
	default:
		return false
	}
}

func TestOnlyFollowersOfATenantWithNewsAreWoken(t *testing.T) {
	a, _ := following()
	acme, again, other := a.Follow("acme"), a.Follow("acme"), a.Follow("other")
	tenants := a.bell.tenants()
	slices.Sort(tenants)
	require.Equal(t, []string{"acme", "other"}, tenants, "each is asked about once")

	a.bell.ring(map[string]bool{"acme": true})
	require.True(t, rung(acme))
	require.True(t, rung(again))
	require.False(t, rung(other), "another tenant's events are nobody's business")

	a.bell.ring(map[string]bool{})
	require.False(t, rung(acme), "no news")
	a.bell.ring(nil)
	require.True(t, rung(acme))
	require.True(t, rung(other), "after the first look all read for themselves")
}

func TestAFollowerThatDoesNotListenHoldsUpNobody(t *testing.T) {
	a, _ := following()
	slow := a.Follow("acme")
	for range 3 {
		a.bell.ring(nil)
	}
	require.True(t, rung(slow), "it hears that there was something")
	require.False(t, rung(slow), "once: it reads all there is")
}

func TestTheLookingEndsWithTheLastFollower(t *testing.T) {
	a, stopped := following()
	one, two := a.Follow("acme"), a.Follow("other")
	one.Stop()
	require.False(t, *stopped, "another still follows")
	require.Equal(t, []string{"other"}, a.bell.tenants())
	a.bell.ring(nil)
	require.False(t, rung(one), "who has gone hears nothing")
	two.Stop()
	require.True(t, *stopped)
	two.Stop() // twice is once
}

// shut is the gate of a projector that catches up.
type shut struct{ err error }

func (s shut) Gate() error    { return s.err }
func (s shut) Refusal() error { return s.err }

func TestNothingIsToldWhileTheReadModelsCatchUp(t *testing.T) {
	a, _ := following()
	f := a.Follow("acme")
	a.gate = shut{context.DeadlineExceeded}
	_, err := a.bell.look(t.Context(), Positions{calls0: 1})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, rung(f))
}

// asked is a gate that stays shut and notes when it was asked; each answer takes so long.
type asked struct {
	shut
	takes time.Duration
	since time.Time
	at    []time.Duration
}

func (a *asked) Gate() error {
	a.at = append(a.at, time.Since(a.since))
	time.Sleep(a.takes)
	return a.err
}

// The looking goes on whatever goes wrong, ten times a second, and less often where one
// look takes long: it is never more than a fifth of the time. It is the followers': it ends
// with the last, and begins anew with the next.
func TestHowOftenTheBellLooks(t *testing.T) {
	for takes, every := range map[time.Duration]time.Duration{0: 100 * time.Millisecond, 20 * time.Millisecond: 120 * time.Millisecond,
		time.Second: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			a := &Audit{}
			a.bell = newBell(a)
			for range 2 {
				gate := &asked{shut: shut{context.DeadlineExceeded}, takes: takes, since: time.Now()}
				a.gate = gate
				f := a.Follow("acme")
				time.Sleep(2*every + every/2)
				f.Stop()
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Equal(t, []time.Duration{0, every, 2 * every}, gate.at)
			}
		})
	}
}
