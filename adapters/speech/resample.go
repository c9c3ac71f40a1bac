package speech

import (
	"math"
)

// crossings of the filter's sinc on each side: what telephony leaves of speech needs no more.
const crossings = 12

// resample makes samples at 8 kHz of samples at another rate, without what is above 4 kHz. The same
// samples give the same.
func resample(in []int16, rate int) []int16 {
	if rate == sampleRate || rate <= 0 || len(in) == 0 {
		return in
	}
	shared := gcd(rate, sampleRate)
	up, down := sampleRate/shared, rate/shared // so many out of so many in
	cut := min(1, float64(sampleRate)/float64(rate)) * 0.94
	half := int(math.Ceil(crossings / cut))
	phases := make([][]float64, up) // of the place of a sample between two of the others
	for p := range phases {
		phases[p] = kernel(float64(p*down%up)/float64(up), cut, half)
	}
	out := make([]int16, len(in)*up/down)
	for i := range out {
		at, taps := i*down/up, phases[i%up]
		sum := 0.0
		for k, weight := range taps {
			if j := at + k - half; j >= 0 && j < len(in) {
				sum += weight * float64(in[j])
			}
		}
		out[i] = int16(min(max(math.Round(sum), math.MinInt16), math.MaxInt16))
	}
	return out
}

// kernel is a sinc under a Hann window, around a place between two samples. Its sum is 1.
func kernel(between, cut float64, half int) []float64 {
	taps, sum := make([]float64, 2*half+1), 0.0
	for k := range taps {
		x := float64(k-half) - between
		if math.Abs(x) < float64(half) {
			taps[k] = sinc(cut*x) * (0.5 + 0.5*math.Cos(math.Pi*x/float64(half)))
		}
		sum += taps[k]
	}
	for k := range taps {
		taps[k] /= sum
	}
	return taps
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

const (
	quiet    = 130             // of 32,767, -48 dBFS: what is below it is the silence around speech
	lead     = sampleRate / 50 // that stays of it: 20 ms before,
	trailing = sampleRate / 20 // 50 ms behind
)

// trimmed is speech without the silence around it, which would only make people wait.
func trimmed(in []int16) []int16 {
	from, to := 0, len(in)
	for from < to && loud(in[from]) < quiet {
		from++
	}
	for to > from && loud(in[to-1]) < quiet {
		to--
	}
	if from == to {
		return nil
	}
	return in[max(from-lead, 0):min(to+trailing, len(in))]
}

func loud(v int16) int { return max(int(v), -int(v)) }
