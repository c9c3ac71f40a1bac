package analytics

import (
	"math"
	"slices"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// nearestRank is the definition of a percentile: of n sorted values the ceil(p/100 n)th.
func nearestRank(values []int64, percent int) int64 {
	sorted := slices.Sorted(slices.Values(values))
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}

func sketched(values ...int64) Sketch {
	var s Sketch
	for _, v := range values {
		s.Add(v)
	}
	return s
}

func percentile(t require.TestingT, s Sketch, percent int64) int64 {
	v, ok := s.Percentile(percent)
	require.True(t, ok)
	return v
}

// Figures of one, two and three values are those that anybody would work out by hand.
func TestPercentilesOfOneTwoAndThree(t *testing.T) {
	for _, c := range []struct {
		values        []int64
		p50, p95, p99 int64
	}{
		{[]int64{30}, 30, 30, 30},
		{[]int64{0}, 0, 0, 0},
		{[]int64{30, 146}, 30, 146, 146},
		{[]int64{146, 30}, 30, 146, 146},
		{[]int64{7, 7}, 7, 7, 7},
		{[]int64{0, 146, 30}, 30, 146, 146},
		{[]int64{86_400_001, 1, 86_400_000}, 86_400_000, 86_400_001, 86_400_001},
	} {
		s := sketched(c.values...)
		require.Equal(t, []int64{c.p50, c.p95, c.p99}, []int64{percentile(t, s, 50), percentile(t, s, 95), percentile(t, s, 99)}, "%v", c.values)
	}
}

func durations(t *rapid.T, least, most int) []int64 {
	longest := rapid.SampledFrom([]int64{3, 200, 3_600_000, math.MaxInt64 / 2}).Draw(t, "longest")
	return rapid.SliceOfN(rapid.Int64Range(0, longest), least, most).Draw(t, "durations")
}

// Up to a thousand each percentile is the nearest rank, to the millisecond.
func TestAPercentileOfFewIsTheNearestRank(t *testing.T) {
	for _, most := range []int{20, mostExact} {
		rapid.Check(t, func(t *rapid.T) {
			values := durations(t, 1, most)
			s := sketched(values...)
			for _, p := range []int{0, 1, 50, 95, 99, 100} {
				require.Equal(t, nearestRank(values, p), percentile(t, s, int64(p)), "%d %% of %v", p, values)
			}
		})
	}
}

// From a thousand on it is within half a percent of it. The values are of three kinds:
// even, of a few orders of magnitude, and with many that are the same.
func TestAPercentileOfManyIsWithinHalfAPercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1000, 1001, 1500, 10_000, 100_000}).Draw(t, "n")
		seed, kind := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 2).Draw(t, "kind")
		values := make([]int64, n)
		for i := range values {
			seed = seed*6364136223846793005 + 1442695040888963407
			share := float64(seed>>11) / (1 << 53)
			values[i] = []int64{int64(share * 60_000), int64(math.Exp(share * 18)), int64(share*4) * 997}[kind]
		}
		s := sketched(values...)
		for _, p := range []int{50, 95, 99} {
			want, got := nearestRank(values, p), percentile(t, s, int64(p))
			require.InDelta(t, want, got, 0.005*float64(want), "%d %% of %d", p, n)
		}
		require.LessOrEqual(t, percentile(t, s, 50), percentile(t, s, 95))
	})
}

// However durations come together, in parts of any size and in any order, also over the
// border at which they are known less exactly: the sketch is the same.
func TestSketchesOfPartsAreTheSketchOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := durations(t, 0, 60)
		for range rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "doublings") {
			values = append(values, values...) // few values, many times
		}
		want := sketched(values...)
		shuffled := rapid.Permutation(values).Draw(t, "order")
		var parts []Sketch
		for rest := shuffled; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "part")
			parts, rest = append(parts, sketched(rest[:n]...)), rest[n:]
		}
		for len(parts) > 1 { // any two next to each other first, either into the other
			i := rapid.IntRange(0, len(parts)-2).Draw(t, "merge")
			a, b := parts[i], parts[i+1]
			if rapid.Bool().Draw(t, "the other way round") {
				a, b = b, a
			}
			a.Merge(b)
			parts[i] = a
			parts = slices.Delete(parts, i+1, i+2)
		}
		if len(values) == 0 {
			_, ok := want.Percentile(95)
			require.False(t, ok)
			return
		}
		require.Equal(t, want.bytes(), parts[0].bytes())
		require.Equal(t, want.n, parts[0].n)
		again, err := sketchOf(want.bytes())
		require.NoError(t, err)
		require.Equal(t, want.bytes(), again.bytes())
		require.Equal(t, want.n, again.n)
	})
}

// No percentile is above a higher one, and the 95th of two is never below their average.
func TestPercentilesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := durations(t, 1, 40)
		s := sketched(values...)
		for p := int64(1); p <= 100; p++ {
			require.LessOrEqual(t, percentile(t, s, p-1), percentile(t, s, p))
		}
		two := sketched(values[0], values[len(values)-1])
		require.GreaterOrEqual(t, float64(percentile(t, two, 95)), (float64(values[0])+float64(values[len(values)-1]))/2)
	})
}

// The library that others use for the same agrees, within what the two leave open.
func TestSketchAgreesWithDDSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(1, 3_600_000), 1, 300).Draw(t, "durations")
		theirs, err := ddsketch.NewDefaultDDSketch(0.01)
		require.NoError(t, err)
		for _, ms := range values {
			require.NoError(t, theirs.Add(float64(ms)))
		}
		ours := sketched(values...)
		for _, p := range []int64{0, 100} { // between them it takes the rank below
			other, err := theirs.GetValueAtQuantile(float64(p) / 100)
			require.NoError(t, err)
			require.InEpsilon(t, other, percentile(t, ours, p), 0.0105, "%d %% of %v", p, values)
		}
	})
}

// A sketch that was merged into another is nobody else's afterwards.
func TestMergedSketchesStayApart(t *testing.T) {
	var day Sketch
	hour := sketched(1000, 2000)
	day.Merge(hour)
	day.Add(1000)
	day.Add(1)
	require.Equal(t, sketched(1000, 2000), hour)
	require.Equal(t, sketched(1, 1000, 1000, 2000).bytes(), day.bytes())
}

func TestWhatIsCoarseStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "ms")
		require.Equal(t, coarse(ms), coarse(coarse(ms)))
		require.InDelta(t, ms, coarse(ms), float64(ms)/256)
	})
}

func TestBytesThatAreNoSketch(t *testing.T) {
	whole := sketched(300, 70_000).bytes()
	for _, cut := range []int{1, 2, len(whole) - 1} {
		_, err := sketchOf(whole[:cut])
		require.ErrorIs(t, err, errNoSketch)
	}
}
