package voice

import (
	"math"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// pace measures how unevenly packets arrive (RFC 3550, section 6.4.1).
type pace struct {
	begun  bool
	at     time.Time
	ts     uint32
	jitter float64 // samples
}

func (p *pace) arrived(at time.Time, ts uint32) {
	if p.begun {
		d := at.Sub(p.at).Seconds()*SampleRate - float64(int32(ts-p.ts))
		if math.Abs(d) < SampleRate { // else one of the two began anew
			p.jitter += (math.Abs(d) - p.jitter) / 16
		}
	}
	p.begun, p.at, p.ts = true, at, ts
}

// Quality is how well the sound of the other side has come so far, and who has recognised speech in it.
func (l *Line) Quality() calls.Quality {
	l.mu.Lock()
	read, fallback, c, sources := l.reading != nil, l.fallback, l.gone, l.sources
	l.mu.Unlock()
	c.add(&l.in)
	for _, s := range sources {
		c.add(&s.in)
	}
	q := calls.Quality{Received: c.received, Lost: c.lost, Late: c.late, JitterMs: round1(c.jitter * 1000 / SampleRate)}
	if q.Received > 0 {
		held := time.Duration(c.delay) * time.Second / SampleRate
		q.RFactor = round1(rFactor(float64(q.Lost+q.Late)/float64(max(c.expected, 1)), held+FrameTime))
	}
	if read {
		q.Recogniser, q.Fallback = l.opts.Reader, fallback
	}
	return q
}

// rFactor is the E-model (ITU-T G.107) with its defaults, for G.711 whose losses are concealed
// (G.113: Ie 0, Bpl 25.1) and for the delay that is known here: what is held back, and a packet.
func rFactor(loss float64, delay time.Duration) float64 {
	const basic, bpl = 93.2, 25.1
	ms := float64(delay.Milliseconds())
	impairment := 0.024*ms + 0.11*max(ms-177.3, 0)
	percent := 100 * min(max(loss, 0), 1)
	return min(max(basic-impairment-95*percent/(percent+bpl), 0), 100)
}

func round1(v float64) float64 { return math.Round(v*10) / 10 }
