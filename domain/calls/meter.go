package calls

import (
	"math"
	"time"
)

// Levels are how loud both sides of a call were over its time: a byte for each step, in decibels over
// -90 dBFS. 0 is silence, 90 as loud as it can be.
type Levels struct {
	EveryMs int64  `json:"everyMs"`
	Heard   []byte `json:"heard"` // the callee
	Said    []byte `json:"said"`  // us
}

// MostLevels is how many steps there are of a side, however long the call is.
const MostLevels = 1_200

const (
	quietest = -90 // dBFS
	spoken   = 45  // decibels over it, from which somebody may speak
)

// Meter makes levels of the sound of a call, frame by frame. The same frames give the same. Its zero
// value has heard nothing.
type Meter struct {
	frame         time.Duration
	per           int // frames of a step
	heard, said   []byte
	step          int // frames of the step that is being made
	loudA, loudB  byte
	frames, quiet int
}

// Add takes a frame of both sides, which are of the same length.
func (m *Meter) Add(heard, said []int16, length time.Duration) {
	if m.per == 0 {
		m.per, m.frame = 1, length
	}
	a, b := levelOf(heard), levelOf(said)
	if m.frames++; a < spoken && b < spoken {
		m.quiet++
	}
	m.loudA, m.loudB = max(m.loudA, a), max(m.loudB, b)
	if m.step++; m.step < m.per {
		return
	}
	m.flush()
	if len(m.heard) >= MostLevels {
		m.heard, m.said, m.per = halved(m.heard), halved(m.said), 2*m.per
	}
}

func (m *Meter) flush() {
	if m.step == 0 {
		return
	}
	m.heard, m.said = append(m.heard, m.loudA), append(m.said, m.loudB)
	m.step, m.loudA, m.loudB = 0, 0, 0
}

// halved has the louder of each two steps.
func halved(in []byte) []byte {
	out := in[:0]
	for i := 0; i < len(in); i += 2 {
		v := in[i]
		if i+1 < len(in) {
			v = max(v, in[i+1])
		}
		out = append(out, v)
	}
	return out
}

// Levels are those so far; nil: nothing was heard.
func (m *Meter) Levels() *Levels {
	if m.frames == 0 {
		return nil
	}
	m.flush()
	return &Levels{EveryMs: int64(m.per) * m.frame.Milliseconds(), Heard: m.heard, Said: m.said}
}

// Silence is the part of the time in which nobody spoke, in percent.
func (m *Meter) Silence() float64 {
	if m.frames == 0 {
		return 0
	}
	return math.Round(1000*float64(m.quiet)/float64(m.frames)) / 10
}

// levelOf is how loud a frame is: its root mean square.
func levelOf(samples []int16) byte {
	sum := 0.0
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return 0
	}
	db := 10*math.Log10(sum/float64(len(samples))) - 20*math.Log10(math.MaxInt16) - quietest
	return byte(min(max(math.Round(db), 0), -quietest))
}
