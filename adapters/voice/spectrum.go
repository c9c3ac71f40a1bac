package voice

import "math"

// steps are what a transform of some length needs to know; they are the same for all.
type steps struct {
	half     int       // points of the complex transform
	turn     []float64 // cos and sin of its steps, in pairs
	unfold   []float64 // cos and sin of the steps of the whole, in pairs
	reversed []int
}

// newSteps is for samples up to n, a power of two, and for the first bins of them.
func newSteps(n, bins int) *steps {
	s := &steps{half: n / 2, turn: make([]float64, n/2), unfold: make([]float64, 2*bins), reversed: make([]int, n/2)}
	for i := range n / 4 {
		s.turn[2*i], s.turn[2*i+1] = math.Cos(4*math.Pi*float64(i)/float64(n)), -math.Sin(4*math.Pi*float64(i)/float64(n))
	}
	for i := range bins {
		s.unfold[2*i], s.unfold[2*i+1] = math.Cos(2*math.Pi*float64(i)/float64(n)), -math.Sin(2*math.Pi*float64(i)/float64(n))
	}
	for i, bits := 0, n/2; i < bits; i++ {
		for b, r := bits>>1, i; b > 0; b, r = b>>1, r>>1 {
			if r&1 == 1 {
				s.reversed[i] |= b
			}
		}
	}
	return s
}

// spectrum transforms real samples, by a complex transform of half the length.
type spectrum struct {
	*steps
	points []float64 // real and imaginary parts, in pairs
	power  []float64 // of each bin
}

func newSpectrum(s *steps) *spectrum {
	return &spectrum{s, make([]float64, 2*s.half), make([]float64, len(s.unfold)/2)}
}

// of gives the power of the bins of x, which is filled up with silence.
func (s *spectrum) of(x []float64) []float64 {
	for i, r := range s.reversed {
		var re, im float64
		if 2*i < len(x) {
			re = x[2*i]
		}
		if 2*i+1 < len(x) {
			im = x[2*i+1]
		}
		s.points[2*r], s.points[2*r+1] = re, im
	}
	p := s.points
	for size := 2; size <= s.half; size *= 2 {
		step := s.half / size
		for from := 0; from < s.half; from += size {
			for k := range size / 2 {
				wr, wi := s.turn[2*k*step], s.turn[2*k*step+1]
				a, b := 2*(from+k), 2*(from+k+size/2)
				br, bi := p[b]*wr-p[b+1]*wi, p[b]*wi+p[b+1]*wr
				p[b], p[b+1] = p[a]-br, p[a+1]-bi
				p[a], p[a+1] = p[a]+br, p[a+1]+bi
			}
		}
	}
	for k := range s.power {
		m := (s.half - k) % s.half
		er, ei := (p[2*(k%s.half)]+p[2*m])/2, (p[2*(k%s.half)+1]-p[2*m+1])/2
		or, oi := (p[2*(k%s.half)+1]+p[2*m+1])/2, (p[2*m]-p[2*(k%s.half)])/2
		wr, wi := s.unfold[2*k], s.unfold[2*k+1]
		re, im := er+or*wr-oi*wi, ei+or*wi+oi*wr
		s.power[k] = re*re + im*im
	}
	return s.power
}

// goertzel is the power of x at a frequency.
func goertzel(x []float64, hz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hz/SampleRate)
	var s1, s2 float64
	for _, v := range x {
		s1, s2 = v+c*s1-s2, s1
	}
	return s1*s1 + s2*s2 - c*s1*s2
}

// goertzels are the powers of x at four frequencies, for little more than one costs: each step of one
// waits for the step before it, and the others need not.
func goertzels(x []float64, hz [4]float64) (power [4]float64) {
	var c [4]float64
	for i, f := range hz {
		c[i] = 2 * math.Cos(2*math.Pi*f/SampleRate)
	}
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	var a0, b0, a1, b1, a2, b2, a3, b3 float64
	for _, v := range x {
		a0, b0 = v+c0*a0-b0, a0
		a1, b1 = v+c1*a1-b1, a1
		a2, b2 = v+c2*a2-b2, a2
		a3, b3 = v+c3*a3-b3, a3
	}
	return [4]float64{a0*a0 + b0*b0 - c0*a0*b0, a1*a1 + b1*b1 - c1*a1*b1, a2*a2 + b2*b2 - c2*a2*b2, a3*a3 + b3*b3 - c3*a3*b3}
}
