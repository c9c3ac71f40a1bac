package attempt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

// The states that an effect can be in.
var (
	never   attempt.State
	wanted  = attempt.State{Number: 2}
	claimed = attempt.State{Number: 2, ID: "try", LeaseUntil: after(time.Minute)}
	waiting = attempt.State{Number: 2, DueAt: after(time.Minute)}
	ended   = attempt.State{Number: 2, Ended: true}
)

// free is without bounds.
var free attempt.Bounds

func TestWhereAnEffectStands(t *testing.T) {
	for name, c := range map[string]struct {
		is                                     attempt.State
		live, wanted, claimed, waiting, counts bool
		begun                                  int
	}{
		"never asked for": {is: never},
		"wanted":          {is: wanted, live: true, wanted: true, counts: true, begun: 1},
		"claimed":         {is: claimed, live: true, claimed: true, counts: true, begun: 2},
		"waiting":         {is: waiting, live: true, waiting: true, begun: 1},
		"ended":           {is: ended, begun: 2},
	} {
		require.Equal(t, []bool{c.live, c.wanted, c.claimed, c.waiting, c.counts},
			[]bool{c.is.Live(), c.is.Wanted(), c.is.Claimed(), c.is.Waiting(), c.is.Takes(2)}, name)
		require.Equal(t, c.begun, c.is.Begun(), name)
		require.False(t, c.is.Takes(1) || c.is.Takes(3), "%s: an outcome of another attempt", name)
		require.Equal(t, c.claimed, c.is.Lapsed(after(time.Minute)), name)
		require.Equal(t, c.waiting, c.is.Due(after(time.Minute)), name)
		require.False(t, c.is.Lapsed(after(time.Minute-1)) || c.is.Due(after(time.Minute-1)), "%s: early", name)
	}
}

func TestTheLifeOfAnEffect(t *testing.T) {
	var s attempt.State
	then := func(want attempt.State) {
		t.Helper()
		require.Equal(t, want, s)
	}
	s.Ask()
	then(attempt.State{Number: 1})
	s.Start(1, "a", after(time.Second))
	then(attempt.State{Number: 1, ID: "a", LeaseUntil: after(time.Second)})
	s.Renew(after(2 * time.Second))
	then(attempt.State{Number: 1, ID: "a", LeaseUntil: after(2 * time.Second)})
	s.Pause(2, after(time.Minute))
	then(attempt.State{Number: 2, DueAt: after(time.Minute)})
	s.Again()
	then(attempt.State{Number: 2})
	s.Again()
	then(attempt.State{Number: 2})
	s.Start(2, "b", after(time.Hour))
	s.Again() // it lapsed
	then(attempt.State{Number: 3})
	s.Start(3, "c", after(time.Hour))
	s.End()
	then(attempt.State{Number: 3, ID: "c", Ended: true})
	s.Ask()
	then(attempt.State{Number: 1})
}

func TestWhatFollowsOnAFailure(t *testing.T) {
	hour := attempt.Bounds{Until: after(time.Hour)}
	last := attempt.Bounds{Until: after(time.Hour), AtEnd: true}
	paced := attempt.Bounds{Shortest: time.Second, Longest: time.Minute}
	for name, c := range map[string]struct {
		given  attempt.State
		bounds attempt.Bounds
		when   attempt.Failure
		then   attempt.Then
		at     time.Duration
	}{
		"a pause":                     {wanted, free, attempt.Failure{Number: 2, Pause: time.Second}, attempt.Pause, time.Second},
		"also of one that is claimed": {claimed, free, attempt.Failure{Number: 2, Pause: time.Second}, attempt.Pause, time.Second},
		"from when it failed": {wanted, free, attempt.Failure{Number: 2, Pause: time.Second, At: after(time.Minute)}, attempt.Pause,
			time.Minute + time.Second},
		"in the form that times of events have": {wanted, free, attempt.Failure{Number: 2, Pause: 1_900_123}, attempt.Pause,
			time.Millisecond},
		"of another attempt":         {wanted, free, attempt.Failure{Number: 1, Final: true}, attempt.Nothing, 0},
		"told twice":                 {waiting, free, attempt.Failure{Number: 2}, attempt.Nothing, 0},
		"after the end":              {ended, free, attempt.Failure{Number: 2}, attempt.Nothing, 0},
		"of nothing":                 {never, free, attempt.Failure{}, attempt.Nothing, 0},
		"hopeless":                   {wanted, free, attempt.Failure{Number: 2, Final: true}, attempt.GiveUp, 0},
		"the last but one":           {wanted, attempt.Bounds{Most: 3}, attempt.Failure{Number: 2}, attempt.Pause, 0},
		"the last":                   {wanted, attempt.Bounds{Most: 2}, attempt.Failure{Number: 2}, attempt.GiveUp, 0},
		"a pause that is too short":  {wanted, paced, attempt.Failure{Number: 2, Pause: 1}, attempt.Pause, time.Second},
		"a pause that is too long":   {wanted, paced, attempt.Failure{Number: 2, Pause: time.Hour}, attempt.Pause, time.Minute},
		"until the end":              {wanted, hour, attempt.Failure{Number: 2, Pause: time.Hour}, attempt.Pause, time.Hour},
		"beyond it":                  {wanted, hour, attempt.Failure{Number: 2, Pause: time.Hour + 1}, attempt.GiveUp, 0},
		"beyond it, with a last one": {wanted, last, attempt.Failure{Number: 2, Pause: 2 * time.Hour}, attempt.Pause, time.Hour},
		"before it, with a last one": {wanted, last, attempt.Failure{Number: 2, Pause: time.Minute}, attempt.Pause, time.Minute},
		"just before it, with one": {wanted, last, attempt.Failure{Number: 2, At: after(time.Hour - 1), Pause: 2}, attempt.Pause,
			time.Hour},
		"the last one itself":           {wanted, last, attempt.Failure{Number: 2, At: after(time.Hour)}, attempt.GiveUp, 0},
		"a last one that came too late": {wanted, last, attempt.Failure{Number: 2, At: after(2 * time.Hour)}, attempt.GiveUp, 0},
	} {
		if c.when.At.IsZero() {
			c.when.At = noon
		}
		then, at := c.given.Failed(c.when, c.bounds)
		require.Equal(t, c.then, then, name)
		if then == attempt.Pause {
			require.Equal(t, after(c.at), at, name)
		}
	}
}

func TestWhatFollowsWhenATimerIsDue(t *testing.T) {
	short := attempt.Bounds{Until: after(2 * time.Minute)}
	last := attempt.Bounds{Until: after(2 * time.Minute), AtEnd: true}
	for name, c := range map[string]struct {
		given  attempt.State
		bounds attempt.Bounds
		at     time.Duration
		then   attempt.Then
	}{
		"a pause that lasts":               {waiting, free, time.Minute - 1, attempt.Nothing},
		"a pause that is over":             {waiting, free, time.Minute, attempt.Again},
		"at the very end":                  {waiting, short, 2 * time.Minute, attempt.Again},
		"too late":                         {waiting, short, 2*time.Minute + 1, attempt.GiveUp},
		"the last one is never too late":   {waiting, last, time.Hour, attempt.Again},
		"a lease that holds":               {claimed, attempt.Bounds{Most: 2}, time.Minute - 1, attempt.Nothing},
		"a lease that lapsed":              {claimed, attempt.Bounds{Most: 3}, time.Minute, attempt.Again},
		"a lease that lapsed, of the last": {claimed, attempt.Bounds{Most: 2}, time.Minute, attempt.GiveUp},
		"however late, without a number":   {claimed, free, time.Hour, attempt.Again},
		"one that is wanted":               {wanted, short, time.Hour, attempt.Nothing},
		"one that has ended":               {ended, short, time.Hour, attempt.Nothing},
		"nothing":                          {never, short, time.Hour, attempt.Nothing},
	} {
		require.Equal(t, c.then, c.given.Woken(after(c.at), c.bounds), name)
	}
}

func TestWhenAnAttemptIsTooLate(t *testing.T) {
	require.False(t, attempt.Bounds{}.Over(noon), "no end")
	require.False(t, attempt.Bounds{Until: noon}.Over(noon), "at the end")
	require.True(t, attempt.Bounds{Until: noon}.Over(after(1)))
	require.False(t, attempt.Bounds{Until: noon, AtEnd: true}.Over(after(1)), "the last one is made at the end")
}

func TestAnAttemptIsNamedByItsNumberUnlessItsStreamKnowsBetter(t *testing.T) {
	rules := attempt.Rules[attempt.State]{State: func(s attempt.State) attempt.State { return s }}
	require.Equal(t, "2", rules.NameOf(wanted))
	rules.Name = func(s attempt.State) string { return "round 3, " + s.ID }
	require.Equal(t, "round 3, try", rules.NameOf(claimed))
}
