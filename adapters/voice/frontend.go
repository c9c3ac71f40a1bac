package voice

import (
	"math"

	"github.com/parley-platform/parley/domain/calls"
)

const (
	floorFrames = 75    // the quietest of them is the noise
	lowestFloor = -65.0 // dBFS
	topFloor    = -40.0
	overFloor   = 9.0   // dB that speech is over the noise
	leastSpeech = -48.0 // dBFS

	belowPeak  = 13.0 // dB that speech may be below the loudest; what is quieter is somebody else's
	beginBelow = 9.0  // dB that some of it may be: what goes on may be quieter than what begins
	peakHold   = 100  // frames for which the loudest holds
	peakDecay  = 0.06 // dB that it loses in each frame behind them

	framesToBegin = 3  // of speech, and somebody speaks
	framesToCount = 12 // of speech, and it is no short tone: words are told
	framesToEnd   = 15 // without speech, and nobody speaks
	framesSilent  = 50 // without speech, and the utterance has ended
)

// frontEnd makes facts of frames: who speaks, how many words, silence, beeps, digits. Its time is the
// count of frames: the same frames give the same facts.
type frontEnd struct {
	tell  func(calls.Fact)
	tones *toneFinder
	x     [FrameSamples]float64

	levels [floorFrames]float64
	n      int
	peak   float64
	held   int        // frames since the peak was reached
	latest [2]float64 // levels, the last first

	speaking  bool // speech-began was told, and not yet its end
	utterance bool // somebody spoke, and there was no silence since
	words     wordCount
	told      int  // words of the utterance
	run, gap  int  // frames of the running speech, and of the running pause
	loud      bool // the running speech was loud enough to begin with
	active    int  // frames of speech in the utterance
}

func newFrontEnd(tell func(calls.Fact)) *frontEnd {
	f := &frontEnd{tell: tell, tones: newToneFinder(), peak: lowestFloor}
	f.words.reset()
	for i := range f.levels {
		f.levels[i] = lowestFloor
	}
	return f
}

// hear takes a frame; one that was lost is what replaced it.
func (f *frontEnd) hear(frame []int16, lost bool) {
	level, power := f.measure(frame)
	f.levels[f.n%floorFrames] = level
	f.n++
	floor := topFloor
	for _, l := range f.levels {
		floor = min(floor, l)
	}
	floor = max(floor, lowestFloor)

	var p pitch
	switch {
	case level <= quietestTone:
		p = f.tones.quiet()
	case lost:
		p = f.tones.lost()
	default:
		p = f.tones.hear(f.x[:len(frame)], power)
	}
	if p.digit != 0 {
		f.tell(calls.Fact{Kind: calls.FactDigit, Digit: string(rune(p.digit))})
	}
	if p.tonal || level <= max(floor+overFloor, leastSpeech) {
		level = noSpeech
	}
	f.follow(level)
	if p.beep {
		f.takeBack()
		f.tell(calls.Fact{Kind: calls.FactTone, Frequency: p.hz, Variance: p.variance})
	}
	f.speech(level > f.peak-belowPeak, level > f.peak-beginBelow)
	if f.utterance || f.run > 0 {
		f.count(level)
	}
}

// follow keeps the level of who speaks loudest: what lasts for three frames at least, so that it is not
// that of a click.
func (f *frontEnd) follow(level float64) {
	lasting := min(level, f.latest[0], f.latest[1])
	f.latest = [2]float64{level, f.latest[0]}
	switch f.held++; {
	case lasting > f.peak:
		f.peak, f.held = lasting, 0
	case lasting > f.peak-belowPeak/2:
		f.held = 0
	case f.held > peakHold:
		f.peak = max(f.peak-peakDecay, lowestFloor)
	}
}

// measure brings the frame around zero, and gives its level in dBFS and its mean square.
func (f *frontEnd) measure(frame []int16) (level, power float64) {
	var sum, squares int64
	for _, s := range frame {
		sum += int64(s)
		squares += int64(s) * int64(s)
	}
	n := float64(len(frame))
	mean := float64(sum) / n
	for i, s := range frame {
		f.x[i] = float64(s) - mean
	}
	power = max(float64(squares)/n-mean*mean, 1e-3)
	return 10 * math.Log10(power/(1<<30)), power
}

// speech takes whether somebody speaks in a frame, and loud enough to begin.
func (f *frontEnd) speech(is, loud bool) {
	if is {
		f.run++
		f.active++
		f.loud = f.loud || loud
		if f.run >= framesToBegin && f.loud {
			f.gap, f.utterance = 0, true
			if !f.speaking {
				f.speaking = true
				f.tell(calls.Fact{Kind: calls.FactSpeechBegan})
			}
		}
		return
	}
	f.run, f.loud = 0, false
	switch f.gap++; f.gap {
	case framesToEnd:
		if f.speaking {
			f.speaking = false
			f.tell(calls.Fact{Kind: calls.FactSpeechEnded})
		}
	case framesSilent:
		if f.utterance {
			f.tell(calls.Fact{Kind: calls.FactSilence})
		}
		f.forget()
	}
}

func (f *frontEnd) forget() {
	f.utterance, f.told, f.active = false, 0, 0
	f.words.reset()
}

// takeBack takes back the speech that the beginning of a tone was taken for.
func (f *frontEnd) takeBack() {
	if f.told > 0 || f.active > framesToCount {
		return
	}
	f.run = 0
	f.forget()
}

// count tells of the words that have come since, or that were none. A short tone is none: nothing is
// told before it would have been found.
func (f *frontEnd) count(level float64) {
	words := max(f.words.add(level, f.peak-belowPeak), 1)
	if f.utterance && words != f.told && (f.active >= framesToCount || f.gap >= framesApart) {
		f.tell(calls.Fact{Kind: calls.FactWords, Count: words - f.told})
		f.told = words
	}
}
