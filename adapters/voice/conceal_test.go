package voice

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsLostIsReplaced(t *testing.T) {
	const frames = 12
	sound := tone(20*frames, 8_000, 125, 250, 375) // a voice of 125 Hz
	loud := func(frame []int16) (sum float64) {
		for _, s := range frame {
			sum += float64(s) * float64(s)
		}
		return sum / float64(len(frame))
	}
	var c concealer
	var heard []int16
	for n := range frames {
		frame := append([]int16(nil), sound[n*FrameSamples:(n+1)*FrameSamples]...)
		if n >= 4 && n < 8 {
			c.lost(frame)
		} else {
			c.whole(frame)
		}
		heard = append(heard, frame...)
	}
	at := func(n int) []int16 { return heard[n*FrameSamples : (n+1)*FrameSamples] }
	for i := range FrameSamples / 2 { // the first 10 ms are what would have been
		require.InDelta(t, sound[4*FrameSamples+i], at(4)[i], 1_500)
	}
	require.Greater(t, loud(at(4)), loud(at(5)), "then it fades")
	require.Greater(t, loud(at(5)), loud(at(6)))
	require.Zero(t, loud(at(7)))
	require.Equal(t, sound[9*FrameSamples:10*FrameSamples], at(9))
	for i := 1; i < len(heard); i++ {
		require.LessOrEqual(t, abs16(heard[i], heard[i-1]), 9_000, "no click at %d", i)
	}

	var silent concealer
	frame := make([]int16, FrameSamples)
	silent.lost(frame)
	require.Zero(t, loud(frame))
}

func abs16(a, b int16) int { return max(int(a)-int(b), int(b)-int(a)) }
