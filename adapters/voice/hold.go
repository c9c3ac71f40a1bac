package voice

import "time"

// longestWait is how long what is said waits for somebody who has put us on hold. Behind it nobody expects to hear it any more, and who
// says it is told that it was cut off.
const longestWait = time.Minute

// hold is that the other side has put us on hold: it hears nothing of what we say, and what comes from it is no speech of its own.
type hold struct {
	on     bool
	frames int // since it began
}

// silence is what is heard in place of somebody's music.
var silence [FrameSamples]int16

// Hold says whether the other side has put us on hold. What is said waits for its return, or a minute. Whoever
// taps the line, or is joined to it, hears what comes; no words and no keys are made of it.
func (l *Line) Hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold.on, l.hold.frames = on, 0
}

// wait sends silence in place of what is to be said. It holds mu.
func (l *Line) wait() {
	clear(l.said[:])
	if l.hold.frames++; time.Duration(l.hold.frames)*FrameTime > longestWait {
		l.hush()
	}
}
