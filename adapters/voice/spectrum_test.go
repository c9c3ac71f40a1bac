package voice

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTheSpectrumIsTheTransform holds the fast transform to the definition.
func TestTheSpectrumIsTheTransform(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{8, 64, 256, 512}).Draw(rt, "n")
		x := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, n).Draw(rt, "x")
		got := newSpectrum(newSteps(n, n/2)).of(x)
		for k := range n / 2 {
			var re, im float64
			for i, v := range x {
				a := 2 * math.Pi * float64(k*i) / float64(n)
				re, im = re+v*math.Cos(a), im-v*math.Sin(a)
			}
			require.InDelta(rt, re*re+im*im, got[k], 1e-3)
		}
	})
}

func TestGoertzelIsOneBinOfIt(t *testing.T) {
	x := make([]float64, 256)
	for i := range x {
		x[i] = math.Sin(float64(i)*0.7) + 0.3*math.Cos(float64(i)*1.9)
	}
	bins := newSpectrum(newSteps(256, 128)).of(x)
	for _, k := range []int{5, 28, 29, 77} {
		hz := float64(k) * SampleRate / 256
		require.InDelta(t, bins[k], goertzel(x, hz), 1e-6)
		require.InDeltaSlice(t, []float64{bins[k], bins[k], bins[7], bins[k]}, func() []float64 {
			p := goertzels(x, [4]float64{hz, hz, 7.0 * SampleRate / 256, hz})
			return p[:]
		}(), 1e-6)
	}
}

func BenchmarkSpectrum(b *testing.B) {
	x := make([]float64, FrameSamples)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	s := newSpectrum(stepsOfFrame)
	for b.Loop() {
		s.of(x)
	}
}
