package voice

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTheEstimateDoesNotDependOnWhenTheLoudestCame: once what counts is known, the words are those that
// would have been counted by it from the beginning.
func TestTheEstimateDoesNotDependOnWhenTheLoudestCame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		levels := rapid.SliceOfN(rapid.Float64Range(-60, -10), 1, 300).Draw(rt, "levels")
		var late, early wordCount
		late.reset()
		early.reset()
		over, last, first := -60.0, 0, 0
		for i, l := range levels {
			if i == len(levels)-1 {
				over = -30
			}
			last, first = late.add(l, over), early.add(l, -30)
		}
		require.Equal(rt, first, last)
	})
}

func TestALongUtteranceIsCountedOn(t *testing.T) {
	var w wordCount
	w.reset()
	last := 0
	for i := range 5 * trackFrames {
		level := -20.0
		if i%20 > 14 {
			level = noSpeech
		}
		n := w.add(level, -40)
		require.GreaterOrEqual(t, n, last)
		last = n
	}
	require.InDelta(t, 5*trackFrames/20, last, 20)
}
