package voice

import (
	"slices"
	"time"
)

// Source is one of several whom a line hears at once, as in a room: each comes by packets of its own, and
// is brought into order and replaced where it is lost by itself. They are heard together.
type Source struct {
	in      jitterBuffer
	conceal concealer
	now     func() time.Time
	frame   [FrameSamples]int16
}

// Source is another one that is heard on the line, beside who is heard already, until leave.
func (l *Line) Source() (s *Source, leave func()) {
	s = &Source{now: l.opts.Now}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources = append(slices.Clone(l.sources), s) // a tick may run over the old ones
	return s, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.sources, s); i >= 0 {
			l.sources = slices.Delete(slices.Clone(l.sources), i, i+1)
			l.gone.add(&s.in)
		}
	}
}

// Receive takes a packet as it comes from the network. It never waits.
func (s *Source) Receive(p Packet) { s.in.receive(p, s.now()) }

// take gives the next frame. here is how much of it has come; lost: nothing, where something should have.
func (s *Source) take() (frame []int16, here int, lost bool) {
	here, live := s.in.take(s.frame[:])
	lost = live && here == 0
	switch {
	case lost:
		s.conceal.lost(s.frame[:])
	case live:
		s.conceal.whole(s.frame[:])
	}
	return s.frame[:], here, lost
}

// mix adds all sources to what is heard. What is heard is lost where somebody's is, and nothing of anybody came.
func (l *Line) mix(here int, lost bool) bool {
	l.mu.Lock()
	sources := l.sources
	l.mu.Unlock()
	for _, s := range sources {
		frame, came, missing := s.take()
		Mix(l.heard[:], frame)
		here, lost = here+came, lost || missing
	}
	return lost && here == 0
}

// counted are the packets of one source, or of several.
type counted struct {
	expected, received, lost, late, delay int
	jitter                                float64 // samples
}

// add counts what came by a buffer. Of several, the jitter and the delay are those of the worst.
func (c *counted) add(j *jitterBuffer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c.expected += j.count.expected
	c.received += j.count.received
	c.lost += j.count.lost()
	c.late += j.count.late
	c.delay, c.jitter = max(c.delay, j.delay), max(c.jitter, j.pace.jitter)
}
