package voice

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Options are what a line is made with; the zero value is a line that hears, and says nothing.
type Options struct {
	Law        Law        // of what Tick gives
	Speaker    Speaker    // nil: no text can be said
	Recogniser Recogniser // nil: words are counted, not read
	Reader     string     // the name of the recogniser, by which the quality of the call tells of it
	Language   string     // of what is said and recognised, where nothing else is named
	BargeIn    bool       // what we say is cut off when the other side begins to speak
	KeysInBand bool       // digits are tones: for who sends no telephone events
	Now        func() time.Time
	Trouble    func(error) // is told when the recogniser failed; words are counted from then on
}

const factsAhead = 64 // facts that wait in the channel; more wait behind it

// MostUnread is how many facts wait for who reads them. Nobody who reads is so far behind; of a call whose
// reader is stuck, what is newer is lost.
const MostUnread = 1_024

// Line is one call's sound. Receive, Digit, Say and the rest may be called from anywhere; Tick by one
// at a time.
type Line struct {
	opts   Options
	in     jitterBuffer
	bridge joined
	closed atomic.Bool // nothing is said and heard any more
	life   context.Context
	die    context.CancelFunc

	// Of the goroutine that ticks.
	heard, said [FrameSamples]int16
	out         [FrameSamples]byte
	conceal     concealer

	mu       sync.Mutex
	facts    chan calls.Fact
	finished bool         // facts is closed
	waiting  []calls.Fact // for room in facts
	now      time.Time    // of the latest tick
	answered bool
	front    *frontEnd
	reading  *reading // nil: nobody recognises words
	fallback string   // why the recogniser stopped; empty: it did not
	hold     hold
	queue    []*saying
	asked    int // things to say
	taps     []func(heard, said []int16)
	sources  []*Source // whom it hears beside its own packets; never changed, but replaced
	gone     counted   // of those that have left
}

// NewLine is a line on which nothing was heard and said.
func NewLine(o Options) *Line {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Line{opts: o, facts: make(chan calls.Fact, factsAhead)}
	l.life, l.die = context.WithCancel(context.Background())
	return l
}

// Receive takes a packet as it comes from the network. It never waits.
func (l *Line) Receive(p Packet) { l.in.receive(p, l.opts.Now()) }

// Beside takes note of a packet between those of the sound that is none, such as one of a key: it is not lost.
func (l *Line) Beside(seq uint16) { l.in.beside(seq) }

// Digit tells of a key that the adapter knows of otherwise than by its sound.
func (l *Line) Digit(digit string, at time.Time) {
	if len(digit) != 1 || !isKey(rune(digit[0])) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return
	}
	l.tell(calls.Fact{Kind: calls.FactDigit, Digit: digit, At: at})
}

// Written tells of a text that somebody has written beside the sound.
func (l *Line) Written(text string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return
	}
	l.tell(calls.Fact{Kind: calls.FactWritten, Text: text, At: at})
}

// KeysInBand says whether digits are tones from now on.
func (l *Line) KeysInBand(are bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opts.KeysInBand = are
}

// Answered lets the facts begin: what was heard before was ringing, or an announcement of somebody
// else's.
func (l *Line) Answered(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answered || l.closed.Load() {
		return
	}
	l.answered, l.now = true, at
	l.front = newFrontEnd(l.found)
	if l.opts.Recogniser != nil {
		l.reading = l.read()
	}
}

// Tick is 20 ms of the call: it takes the frame that is due through the front end, and gives the bytes
// that are to be sent. They are valid until the next tick. at is the time of what happens in it.
func (l *Line) Tick(at time.Time) []byte { return l.TickIn(at, l.opts.Law) }

// TickIn is Tick, and gives bytes of another law.
func (l *Line) TickIn(at time.Time, law Law) []byte {
	here, live := l.in.take(l.heard[:])
	lost := live && here == 0
	switch {
	case lost:
		l.conceal.lost(l.heard[:])
	case live:
		l.conceal.whole(l.heard[:])
	}
	taps := l.turn(at, l.mix(here, lost))
	l.pass(l.heard[:], l.said[:])
	for _, tap := range taps {
		tap(l.heard[:], l.said[:])
	}
	law.Encode(l.out[:], l.said[:])
	return l.out[:]
}

func (l *Line) turn(at time.Time, lost bool) []func(heard, said []int16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = at
	if l.closed.Load() {
		clear(l.said[:])
		return nil
	}
	if l.answered {
		if l.hold.on { // what comes is somebody's music
			l.front.hear(silence[:], false)
			l.reading.hear(l, silence[:])
		} else {
			l.front.hear(l.heard[:], lost)
			l.reading.hear(l, l.heard[:])
		}
	}
	if l.hold.on {
		l.wait()
	} else {
		l.say(l.said[:])
	}
	l.flush()
	return l.taps
}

// found takes a fact of the front end.
func (l *Line) found(f calls.Fact) {
	switch f.Kind {
	case calls.FactDigit:
		if !l.opts.KeysInBand {
			return
		}
	case calls.FactSilence:
		if l.reading.holds(l.now) {
			return
		}
	case calls.FactSpeechBegan:
		l.tell(f)
		l.reading.begin()
		if l.opts.BargeIn {
			l.hush()
		}
		return
	}
	l.tell(f)
}

// Facts are what is heard, in order. Nobody waits for who reads them; they end when the line is
// closed.
func (l *Line) Facts() <-chan calls.Fact { return l.facts }

func (l *Line) tell(f calls.Fact) {
	if l.finished {
		return
	}
	if f.At.IsZero() {
		if f.At = l.now; f.At.IsZero() { // nobody has given it a turn yet
			f.At = l.opts.Now()
		}
	}
	l.flush()
	if len(l.waiting) == 0 {
		select {
		case l.facts <- f:
			return
		default:
		}
	}
	if len(l.waiting) < MostUnread {
		l.waiting = append(l.waiting, f)
	}
}

// flush moves what waits into the channel, as far as there is room.
func (l *Line) flush() {
	for len(l.waiting) > 0 {
		select {
		case l.facts <- l.waiting[0]:
			l.waiting = l.waiting[1:]
		default:
			return
		}
	}
}

// Tap lets somebody have all frames, heard and said. It must not wait, and keeps nothing of what it
// is given.
func (l *Line) Tap(tap func(heard, said []int16)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taps = append(l.taps[:len(l.taps):len(l.taps)], tap)
}

// Close ends the line: what is said is cut off, and who is joined to it is left. The facts end, where
// somebody was speaking behind the last words that a recogniser still has to tell. Those for which there
// is no room are lost, as nobody was reading.
func (l *Line) Close() {
	l.mu.Lock()
	if !l.closed.Load() {
		l.hush()
		l.closed.Store(true)
		if l.reading.owes() {
			close(l.reading.last)
			time.AfterFunc(lastWords, l.die)
		} else {
			l.finish()
		}
	}
	l.mu.Unlock()
	l.Leave()
}

// finish ends the facts. It holds mu.
func (l *Line) finish() {
	if l.finished {
		return
	}
	l.die()
	l.flush()
	l.finished = true
	close(l.facts)
}
