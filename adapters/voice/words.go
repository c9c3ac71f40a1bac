package voice

const (
	trackFrames = 1024 // of one utterance that are looked at together: twenty seconds

	framesApart     = 3 // without speech part two words
	framesOfIsland  = 3 // of speech between pauses are a word
	ripple          = 3.0
	syllablesOfWord = 1.5
	wordsOfSecond   = 2.7
)

// wordCount estimates how many words an utterance has, from its levels alone. What is much quieter than
// the loudest is somebody else's, and that is known only when the loudest has come: so an estimate may
// become less.
type wordCount struct {
	track  [trackFrames]float32
	frames int
	over   float64 // what is louder counts
	before int     // words of what is not looked at any more

	run, gap    int
	active      int // frames of speech
	islands     int // of speech between pauses
	syllables   int
	top, bottom float64 // of the envelope
	rising      bool
}

const noSpeech = -99 // as level

// add takes the level of a frame, noSpeech where it was none; what is not louder than over does not
// count. It gives the words so far.
func (w *wordCount) add(level, over float64) int {
	if w.frames == trackFrames {
		w.before += w.words()
		w.frames = 0
		w.restart(over)
	}
	w.track[w.frames] = float32(level)
	w.frames++
	if over > w.over+0.5 {
		w.restart(over)
		for _, l := range w.track[:w.frames] {
			w.step(float64(l))
		}
	} else {
		w.step(level)
	}
	return w.before + w.words()
}

func (w *wordCount) reset() { w.frames, w.before = 0, 0; w.restart(noSpeech) }

func (w *wordCount) restart(over float64) {
	w.over, w.run, w.gap, w.active, w.islands, w.syllables = over, 0, 0, 0, 0, 0
	w.rising, w.top, w.bottom = false, noSpeech, over
}

func (w *wordCount) step(level float64) {
	if level > w.over {
		w.run, w.gap = w.run+1, 0
		w.active++
		w.envelope(level)
		return
	}
	if w.gap++; w.gap == framesApart {
		if w.run >= framesOfIsland {
			w.islands++
		}
		if w.rising {
			w.syllables++
		}
		w.run, w.rising, w.top, w.bottom = 0, false, noSpeech, w.over
	}
}

// envelope counts syllables: tops of the level with valleys of some depth between them.
func (w *wordCount) envelope(level float64) {
	if w.rising {
		if w.top = max(w.top, level); level < w.top-ripple {
			w.syllables++
			w.rising, w.bottom = false, level
		}
		return
	}
	if w.bottom = min(w.bottom, level); level > w.bottom+ripple {
		w.rising, w.top = true, level
	}
}

// words are the largest of three estimates: words with pauses between them, syllables, and how long
// somebody has spoken.
func (w *wordCount) words() int {
	return max(w.islands, int(float64(w.syllables)/syllablesOfWord), int(wordsOfSecond*float64(w.active)*FrameTime.Seconds()))
}
