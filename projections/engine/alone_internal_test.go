package engine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given two nodes whose heartbeats come late and take long, when one of them may take what does not move, then the other one
// does not take itself to be alone, not even when the taking has needed all of its time.
func TestWhoTakesWhatDoesNotMoveIsSeenByAll(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	alone, takes := 0, 0
	for range 300 {
		first, second := beats(random, 0), beats(random, 20*time.Second)
		a, b := together(t, first, second)
		alone, takes = alone+a, takes+b
	}
	require.NotZero(t, alone)
	require.NotZero(t, takes)
}

var began = time.Unix(0, 0)

// sign is one heartbeat: when it began, when the database noted it, and when the node knew.
type sign struct{ began, noted, ended time.Time }

// beats are those of a node that comes within so long, and stands still now and then.
func beats(random *rand.Rand, within time.Duration) (all []sign) {
	upTo := func(n time.Duration) time.Duration { return time.Duration(random.Int64N(int64(n) + 1)) }
	slow := func() time.Duration {
		return upTo([]time.Duration{time.Millisecond, time.Millisecond, 300 * time.Millisecond, 1500 * time.Millisecond}[random.IntN(4)])
	}
	for now := began.Add(upTo(within)); now.Before(began.Add(time.Minute)); {
		b := sign{began: now}
		b.noted = b.began.Add(slow())
		b.ended = b.noted.Add(slow())
		all = append(all, b)
		if now = b.ended.Add(heartbeat); random.IntN(8) == 0 {
			now = now.Add(upTo(10 * time.Second))
		}
	}
	return all
}

// together is how often the first of two nodes was alone and the second might take something, in a minute.
func together(t *testing.T, first, second []sign) (alone, takes int) {
	t.Helper()
	var one solitude
	var two presence
	var until time.Time // of what the second takes
	heard := 0
	for now := began; now.Before(began.Add(time.Minute)); now = now.Add(20 * time.Millisecond) {
		for ; len(first) > 0 && !first[0].ended.After(now); first = first[1:] {
			one.found(first[0].began, !noted(second, first[0].noted))
		}
		for ; heard < len(second) && !second[heard].ended.After(now); heard++ {
			two = two.beaten(second[heard].began, second[heard].ended)
		}
		if two.known(now) {
			takes++
			until = now.Add(takeWithin)
		}
		if one.holds(now) {
			alone++
			require.True(t, now.After(until), "the first is alone, and something is taken")
		}
	}
	return alone, takes
}

// noted is whether a node gave a sign of life that the database still counted then.
func noted(all []sign, then time.Time) bool {
	for _, b := range all {
		if !b.noted.After(then) && b.noted.After(then.Add(-nodeSeconds*time.Second)) {
			return true
		}
	}
	return false
}
