package voice

import (
	"errors"
	"sync"
	"sync/atomic"
)

const framesBetween = 4 // wait between two lines at most; each ticks for itself

// bridge joins two lines: each hears what the other's side says.
type bridge struct {
	ends [2]*Line
	to   [2]passage // what each of them is to send
}

// passage carries frames from one line's tick to the other's.
type passage struct {
	mu     sync.Mutex
	frames [framesBetween][FrameSamples]int16
	first  int
	count  int
}

// push adds a frame; when the other side does not keep pace, the oldest goes.
func (p *passage) push(frame []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == framesBetween {
		p.first, p.count = (p.first+1)%framesBetween, p.count-1
	}
	copy(p.frames[(p.first+p.count)%framesBetween][:], frame)
	p.count++
}

// mix adds the frame that is next, if there is one.
func (p *passage) mix(into []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == 0 {
		return
	}
	Mix(into, p.frames[p.first][:])
	p.first, p.count = (p.first+1)%framesBetween, p.count-1
}

// Mix adds one sound to another; what is too loud is cut off.
func Mix(into, from []int16) {
	for i, s := range from[:min(len(from), len(into))] {
		into[i] = int16(min(max(int(into[i])+int(s), -1<<15), 1<<15-1))
	}
}

var joining sync.Mutex // a bridge has two ends

// Join lets the other sides of two lines hear each other, beside what is said to each. Who was joined
// to somebody else leaves. A line is not joined to itself.
func (l *Line) Join(other *Line) {
	joining.Lock()
	defer joining.Unlock()
	l.leave()
	other.leave()
	if l == other || l.closed.Load() || other.closed.Load() {
		return
	}
	b := &bridge{ends: [2]*Line{l, other}}
	l.bridge.Store(b)
	other.bridge.Store(b)
}

// ErrNoLine says that of two legs that were to be joined one has no sound.
var ErrNoLine = errors.New("there is no sound to be joined")

// JoinLeg is Join with the line of a leg, whichever way it came. A nil line is that of a leg without sound.
func (l *Line) JoinLeg(other any) error {
	leg, has := other.(interface{ Line() *Line })
	if !has || l == nil {
		return ErrNoLine
	}
	with := leg.Line()
	if with == nil {
		return ErrNoLine
	}
	l.Join(with)
	return nil
}

// Leave ends what Join began, for both.
func (l *Line) Leave() {
	joining.Lock()
	defer joining.Unlock()
	l.leave()
}

func (l *Line) leave() {
	if b := l.bridge.Load(); b != nil {
		for _, end := range b.ends {
			end.bridge.Store(nil)
		}
	}
}

// pass gives a frame that was heard to the other line, and mixes what that one heard into what is
// said here.
func (l *Line) pass(heard, said []int16) {
	b := l.bridge.Load()
	if b == nil {
		return
	}
	here := 0
	if b.ends[1] == l {
		here = 1
	}
	b.to[1-here].push(heard)
	b.to[here].mix(said)
}

// joined is the bridge that a line is an end of.
type joined = atomic.Pointer[bridge]
