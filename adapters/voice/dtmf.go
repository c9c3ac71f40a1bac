package voice

import (
	"fmt"
	"math"
	"strings"
)

// keypad holds the digits by their rows and columns, and the frequencies of these in Hz (ITU-T Q.23).
var (
	keypad  = [4]string{"123A", "456B", "789C", "*0#D"}
	rows    = [4]float64{697, 770, 852, 941}
	columns = [4]float64{1_209, 1_336, 1_477, 1_633}
)

// keysOf are the digits of a text, or an error that names what is none.
func keysOf(digits string) ([][2]float64, error) {
	var all [][2]float64
	for _, d := range digits {
		tones, ok := tonesOf(d)
		if !ok {
			return nil, fmt.Errorf("digits: %q is none of 0 to 9, *, #, A to D", d)
		}
		all = append(all, tones)
	}
	return all, nil
}

func isKey(digit rune) bool {
	_, ok := tonesOf(digit)
	return ok
}

func tonesOf(digit rune) (tones [2]float64, ok bool) {
	for r, row := range keypad {
		if c := strings.IndexRune(row, digit); c >= 0 {
			return [2]float64{rows[r], columns[c]}, true
		}
	}
	return tones, false
}

const (
	keySamples   = 5 * FrameSamples // a digit sounds for 100 ms, and is silent for as long
	keyAmplitude = 7_000            // of each of its two tones: -16 dBFS
)

// Tones are the sound of digits.
func Tones(digits string) ([]int16, error) {
	keys, err := keysOf(digits)
	if err != nil {
		return nil, err
	}
	out := make([]int16, 0, 2*keySamples*len(keys))
	for _, k := range keys {
		for i := range keySamples {
			at := 2 * math.Pi * float64(i) / SampleRate
			out = append(out, int16(keyAmplitude*(math.Sin(at*k[0])+math.Sin(at*k[1]))))
		}
		out = append(out, make([]int16, keySamples)...)
	}
	return out, nil
}

const (
	sharesOfTwo = 0.85 // of the energy are in two frequencies
	weakerOfTwo = 0.1  // of the energy at least in the weaker
	apart       = 30.0 // Hz, at least
	sameTwo     = 20.0 // Hz between two windows
)

// twoTones finds two frequencies that sound at once, and nothing else.
type twoTones struct {
	frames    int // that they have lasted
	low, high float64
}

// twoLobes is a quick look at a frame whose strongest bin is at: may it be two frequencies?
func twoLobes(bins []float64, at int, total float64) bool {
	const width = 3
	sum, second := 0.0, 0.0
	for k := max(at-width, 0); k <= min(at+width, len(bins)-1); k++ {
		sum += bins[k]
	}
	other := 0
	for k := 8; k < len(bins); k++ {
		if (k < at-width || k > at+width) && bins[k] > second {
			second, other = bins[k], k
		}
	}
	for k := max(other-width, 0); k <= min(other+width, len(bins)-1); k++ {
		if k < at-width || k > at+width {
			sum += bins[k]
		}
	}
	return 2*sum >= sharesOfTwo*binsOfFrame*total
}

// hear looks at the latest sound, and reports whether it was two tones long enough to be no speech.
func (w *twoTones) hear(spectrum *spectrum, x []float64) bool {
	bins, total := spectrum.of(x), 0.0
	for _, v := range x {
		total += v * v
	}
	const width = SampleRate / float64(binsOfWindow)
	first, second := 0, 0
	for k := 20; k < len(bins)-1; k++ { // 312 Hz to 1,734 Hz
		if bins[k] < bins[k-1] || bins[k] < bins[k+1] {
			continue
		}
		if bins[k] > bins[first] || first == 0 {
			first, second = k, first
		} else if second == 0 || bins[k] > bins[second] {
			second = k
		}
	}
	if first == 0 || second == 0 {
		w.frames = 0
		return false
	}
	low, strong := finer(x, float64(first)*width, total)
	high, weak := finer(x, float64(second)*width, total)
	low, high = min(low, high), max(low, high)
	switch {
	case strong+weak < sharesOfTwo || weak < weakerOfTwo || high-low < apart:
		w.frames = 0
	case w.frames > 0 && (math.Abs(low-w.low) > sameTwo || math.Abs(high-w.high) > sameTwo):
		w.frames = 1
	default:
		w.frames++
	}
	w.low, w.high = low, high
	return w.frames >= 2
}

const (
	framesOfKey = 2    // make a digit
	pauseOfKey  = 2    // frames without it, and the same again is another
	offOfKey    = 22.0 // Hz that a tone of a digit may be off
)

// keyFinder finds digits among two tones.
type keyFinder struct {
	sounding byte
	frames   int
	pauses   int
}

// hear takes what is known of a frame, and gives a digit once, when it is sure.
func (k *keyFinder) hear(w twoTones) byte {
	d := byte(0)
	if w.frames > 0 {
		d = keyOf(w.low, w.high)
	}
	if d == 0 {
		k.pause()
		return 0
	}
	if d != k.sounding {
		k.sounding, k.frames = d, 0
	}
	k.pauses = 0
	if k.frames++; k.frames == framesOfKey {
		return d
	}
	return 0
}

func (k *keyFinder) pause() {
	if k.pauses++; k.pauses >= pauseOfKey {
		k.sounding, k.frames = 0, 0
	}
}

func keyOf(low, high float64) byte {
	for r, f := range rows {
		for c, g := range columns {
			if math.Abs(low-f) <= offOfKey && math.Abs(high-g) <= offOfKey {
				return keypad[r][c]
			}
		}
	}
	return 0
}
