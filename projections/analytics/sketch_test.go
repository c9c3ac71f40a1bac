package analytics

import (
	"math"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The sketch agrees with the library it takes its idea from: both are within 1 % of a
// duration that was added, so they are within 2 % of each other.
func TestSketchAgreesWithDDSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.Int64Range(1, 3_600_000), 1, 300).Draw(t, "durations")
		cut := rapid.IntRange(0, len(durations)).Draw(t, "cut")
		theirs, err := ddsketch.NewDefaultDDSketch(0.01)
		require.NoError(t, err)
		ours, rest := Sketch{}, Sketch{}
		for i, ms := range durations {
			require.NoError(t, theirs.Add(float64(ms)))
			if i < cut {
				ours.Add(ms)
			} else {
				rest.Add(ms)
			}
		}
		ours.Merge(rest)
		for _, q := range []float64{0, 0.5, 0.95, 1} {
			mine, ok := ours.Quantile(q)
			require.True(t, ok)
			other, err := theirs.GetValueAtQuantile(q)
			require.NoError(t, err)
			require.InEpsilon(t, other, mine, 0.0205, "the %v quantile of %v", q, durations)
		}
	})
}

// A sketch that was merged into another is nobody else's afterwards.
func TestMergedSketchesStayApart(t *testing.T) {
	var hour, day Sketch
	hour.Add(1000)
	day.Merge(hour)
	day.Add(1000)
	day.Add(1)
	require.Equal(t, Sketch{bins: []int32{bin(1000)}, counts: []int64{1}}, hour)
	require.Equal(t, Sketch{bins: []int32{bin(1), bin(1000)}, counts: []int64{1, 2}}, day)
}

func TestSketchIsWithinOnePercent(t *testing.T) {
	for _, ms := range []int64{1, 2, 3, 10, 99, 1000, 59_999, 86_400_000, math.MaxInt32} {
		got, ok := func() (float64, bool) { s := Sketch{}; s.Add(ms); return s.Quantile(0.95) }()
		require.True(t, ok)
		require.InEpsilon(t, ms, got, 0.0101)
	}
}

func TestSketchOfNothingAndOfZero(t *testing.T) {
	_, ok := Sketch{}.Quantile(0.95)
	require.False(t, ok)
	s := Sketch{}
	s.Add(0)
	got, ok := s.Quantile(0.95)
	require.True(t, ok)
	require.Zero(t, got)
}
