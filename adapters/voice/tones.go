package voice

import "math"

const (
	lowestTone, highestTone = 350.0, 2_200.0 // Hz
	purityOfTone            = 0.8            // of the energy of a frame is in one frequency
	steadiness              = 25.0           // Hz between two frames of one tone
	framesOfTone            = 8              // make a beep; six took a vowel for one
	quietestTone            = -42.0          // dBFS

	binsOfFrame  = 256
	binsOfWindow = 512
	windowFrames = 3 // that two frequencies 40 Hz apart are told apart in
)

// They reach to 2,250 and to 1,750 Hz.
var stepsOfFrame, stepsOfWindow = newSteps(binsOfFrame, 73), newSteps(binsOfWindow, 113)

// pitch is what one frame sounds like.
type pitch struct {
	tonal bool // it is no speech: one steady frequency, or two
	beep  bool // a beep is told: hz and variance
	hz    int
	digit byte // that begins to sound; 0: none

	variance int
}

// toneFinder tells beeps from what only sounds like one: two tones at once (ringing, busy, digits),
// the three tones before an announcement of the network, the answer of a fax, a vowel.
type toneFinder struct {
	frame, window *spectrum
	past          [windowFrames * FrameSamples]float64
	filled        int // samples of past

	run  toneRun
	held toneHold
	two  twoTones
	keys keyFinder
}

// toneRun are frames of one steady frequency, one behind the other.
type toneRun struct {
	frames  int
	came    int     // of them
	hz      float64 // their mean
	sum, sq float64
	told    bool
	samples [framesOfTone * FrameSamples]float64 // the last frames; lost ones are silence
	whole   [framesOfTone]bool                   // they came
}

func newToneFinder() *toneFinder {
	return &toneFinder{frame: newSpectrum(stepsOfFrame), window: newSpectrum(stepsOfWindow)}
}

// quiet takes a frame that is too quiet for a tone.
func (t *toneFinder) quiet() pitch {
	t.filled, t.run.frames, t.two.frames = 0, 0, 0
	t.keys.pause()
	return t.tell(pitch{})
}

// lost takes a frame that did not come: a tone may go on behind it.
func (t *toneFinder) lost() pitch {
	t.filled, t.two.frames = 0, 0
	if t.run.frames == 0 {
		return t.tell(pitch{})
	}
	t.run.keep(nil)
	return t.tell(pitch{tonal: true})
}

// hear takes a frame of samples around zero; power is their mean square.
func (t *toneFinder) hear(x []float64, power float64) pitch {
	copy(t.past[:], t.past[FrameSamples:])
	copy(t.past[len(t.past)-FrameSamples:], x)
	t.filled = min(t.filled+FrameSamples, len(t.past))

	bins := t.frame.of(x)
	best, at := 0.0, 0
	for k := 11; k < 72; k++ {
		if bins[k] > best {
			best, at = bins[k], k
		}
	}
	total := power * FrameSamples
	var p pitch
	hz, purity := 0.0, 0.0
	if 2*best/(FrameSamples*total) >= purityOfTone/2 {
		hz, purity = finer(x, float64(at)*SampleRate/binsOfFrame, total)
	}
	if purity >= purityOfTone && hz >= lowestTone && hz <= highestTone {
		t.run.add(x, hz)
		p.tonal = t.run.frames >= 2
	} else {
		t.run.frames = 0
	}
	if settled := t.run.frames > 0 && t.run.told; !settled && twoLobes(bins, at, total) {
		p.tonal = t.two.hear(t.window, t.past[len(t.past)-t.filled:]) || p.tonal
	} else {
		t.two.frames = 0
	}
	p.digit = t.keys.hear(t.two)
	return t.tell(p)
}

// finer looks around a bin for where the power is.
func finer(x []float64, around, total float64) (hz, purity float64) {
	const step = 10.0
	at := [4]float64{around - 1.5*step, around - step/2, around + step/2, around + 1.5*step}
	power := goertzels(x, at)
	best := 0
	for i := range power {
		if power[i] > power[best] {
			best = i
		}
	}
	hz = at[best]
	if best > 0 && best < 3 { // the top of the parabola through three of them
		l, m, r := power[best-1], power[best], power[best+1]
		if d := l - 2*m + r; d < 0 {
			hz += step * (l - r) / (2 * d)
		}
	}
	return hz, 2 * power[best] / (float64(len(x)) * total)
}

func (r *toneRun) add(x []float64, hz float64) {
	if r.frames > 0 && math.Abs(hz-r.hz) > steadiness {
		r.frames = 0
	}
	if r.frames == 0 {
		r.came, r.sum, r.sq, r.told = 0, 0, 0, false
	}
	r.keep(x)
	r.came++
	r.sum += hz
	r.sq += hz * hz
	r.hz = r.sum / float64(r.came)
}

// keep notes a frame; nil is one that did not come.
func (r *toneRun) keep(x []float64) {
	slot := r.frames % framesOfTone
	at := r.samples[slot*FrameSamples : (slot+1)*FrameSamples]
	clear(at)
	copy(at, x)
	r.whole[slot] = x != nil
	r.frames++
}

// steady looks at the last frames as one sound: the energy of a beep is still in one frequency there,
// that of two tones or of a voice is not. It gives the frequency.
func (r *toneRun) steady() (hz float64, ok bool) {
	oldest := r.frames % framesOfTone * FrameSamples
	var x [framesOfTone * FrameSamples]float64
	copy(x[copy(x[:], r.samples[oldest:]):], r.samples[:oldest])
	samples, total := 0.0, 0.0
	for _, whole := range r.whole {
		if whole {
			samples += FrameSamples
		}
	}
	for _, v := range x {
		total += v * v
	}
	hz, _ = loudest(x[:], r.hz, 4)
	hz, power := loudest(x[:], hz, 1)
	return hz, 2*power/(samples*total) >= purityOfTone
}

// loudest is the loudest of eight frequencies around one.
func loudest(x []float64, around, step float64) (hz, power float64) {
	for _, from := range [2]float64{around - 3.5*step, around + 0.5*step} {
		at := [4]float64{from, from + step, from + 2*step, from + 3*step}
		for i, p := range goertzels(x, at) {
			if p > power {
				hz, power = at[i], p
			}
		}
	}
	return hz, power
}

func (r *toneRun) variance() int {
	mean := r.sum / float64(r.came)
	return int(math.Round(max(r.sq/float64(r.came)-mean*mean, 0)))
}

// tell makes a beep of a tone that has lasted, unless it is held back for what may follow.
func (t *toneFinder) tell(p pitch) pitch {
	t.held.pass(&t.run)
	if r := &t.run; r.frames >= framesOfTone && !r.told {
		if hz, ok := r.steady(); ok {
			r.told = true
			if !t.held.keep(hz, r.variance()) {
				p.beep, p.hz, p.variance = true, int(math.Round(hz)), r.variance()
			}
		}
	}
	if hz, variance, beep := t.held.release(); beep {
		p.beep, p.hz, p.variance = true, hz, variance
	}
	return p
}

// The frequencies that are held back.
const (
	faxTone      = 2_100.0
	longestBeep  = 75 // frames at faxTone; what lasts longer is a fax
	firstOfThree = 22 // frames: longer than the first tone before an announcement
	heldPause    = 3  // frames without it, and a tone has ended
	threeTones   = 90 // frames from the second of three tones to the end of the third, at most
)

// The tones before an announcement of the network (ITU-T E.180: 950, 1400 and 1800 Hz; North
// America has two of each of the first).
var (
	firstTones = []float64{913.8, 950, 985.2}
	nextTones  = []float64{1_370.6, 1_400, 1_428.5, 1_776.7, 1_800}
)

// toneHold keeps a tone back that only its length, or what comes behind it, makes a beep. That beep
// is told late.
type toneHold struct {
	is       bool
	hz       float64
	variance int
	frames   int // that it has lasted
	pause    int // frames since it was heard
	mute     int // frames for which the next of three tones are awaited
}

func near(hz, to float64) bool { return math.Abs(hz-to) < 8 }

func nearAny(hz float64, of []float64) bool {
	for _, to := range of {
		if near(hz, to) {
			return true
		}
	}
	return false
}

// keep takes a tone that begins; false: it is a beep at once.
func (h *toneHold) keep(hz float64, variance int) bool {
	switch {
	case nearAny(hz, nextTones) && (h.mute > 0 || h.is && nearAny(h.hz, firstTones)):
		h.is, h.mute = false, threeTones
		return true
	case h.is && near(hz, h.hz): // it goes on: a fax turns its phase
		return true
	case near(hz, faxTone) || nearAny(hz, firstTones):
		*h = toneHold{is: true, hz: hz, variance: variance, frames: framesOfTone}
		return true
	}
	return false
}

// pass lets a frame pass.
func (h *toneHold) pass(r *toneRun) {
	h.mute = max(h.mute-1, 0)
	switch {
	case !h.is:
	case r.frames > 0 && math.Abs(r.hz-h.hz) < steadiness:
		h.frames, h.pause = h.frames+1, 0
	case r.frames > 0 && nearAny(r.hz, nextTones): // it may be the second of three
	default:
		h.pause++
	}
}

// release gives the tone when it is a beep after all.
func (h *toneHold) release() (hz, variance int, beep bool) {
	fax := near(h.hz, faxTone)
	ended := h.pause > heldPause
	if !h.is || !ended && (fax || h.frames <= firstOfThree) {
		return 0, 0, false
	}
	h.is = false
	return int(math.Round(h.hz)), h.variance, !fax || h.frames <= longestBeep
}
