package voice

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	phases     = 10 // of a frame, over which lines are spread: who sends all at once loses packets
	stoodStill = 100 * time.Millisecond
)

// PacerOptions are what a pacer is made with; the zero value is useful.
type PacerOptions struct {
	// Late is told how late a round began in which somebody had a turn. It must not wait.
	Late func(time.Duration)
	// Metrics are where lateness and members are measured; nil: nowhere.
	Metrics prometheus.Registerer
	// Threads are how many threads of its own the pacer has, with real-time priority where the system
	// allows it (see RealTime); 0: it shares those of the program.
	Threads int
}

// Pacer gives many lines their turns, each every 20 ms, from one goroutine, or from one of each of its
// threads. Its deadlines are absolute:
// a late turn makes none behind it late. When it stood still it goes on from where it is; nobody gets
// the turns that were missed, so that nobody sends a burst.
type Pacer struct {
	opts PacerOptions

	mu    sync.Mutex
	lanes []lane
}

// lane is the members of one goroutine.
type lane struct {
	members [phases][]*member
	running bool
}

func (l *lane) count() (n int) {
	for _, all := range l.members {
		n += len(all)
	}
	return n
}

type member struct {
	tick func(at time.Time)
	gone atomic.Bool
}

// NewPacer is a pacer without members. It runs while it has some.
func NewPacer(o PacerOptions) *Pacer {
	p := &Pacer{opts: o, lanes: make([]lane, max(o.Threads, 1))}
	if o.Metrics == nil {
		return p
	}
	late := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "parley_media_round_late_seconds",
		Help:    "How late a round began in which lines of calls had their turn, of ten in 20 ms.",
		Buckets: []float64{.0001, .0005, .001, .002, .005, .01, .02, .05, .1}})
	lines := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_media_lines", Help: "Lines of calls that have sound on this node."},
		func() float64 { return float64(p.Members()) })
	o.Metrics.MustRegister(late, lines)
	p.opts.Late = func(d time.Duration) {
		late.Observe(d.Seconds())
		if o.Late != nil {
			o.Late(d)
		}
	}
	return p
}

// Add gives somebody turns, at the times that they are due. tick must not wait. leave ends them; a
// turn that is being taken is taken to its end.
func (p *Pacer) Add(tick func(at time.Time)) (leave func()) {
	m := &member{tick: tick}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.lanes[0]
	for i := range p.lanes {
		if p.lanes[i].count() < l.count() {
			l = &p.lanes[i]
		}
	}
	emptiest := 0
	for i := range l.members {
		if len(l.members[i]) < len(l.members[emptiest]) {
			emptiest = i
		}
	}
	l.members[emptiest] = append(l.members[emptiest], m)
	if !l.running {
		l.running = true
		go p.run(l)
	}
	return func() { p.remove(l, m) }
}

func (p *Pacer) remove(l *lane, m *member) {
	m.gone.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, all := range l.members {
		for k := range all {
			if all[k] == m {
				kept := append(all[:k:k], all[k+1:]...) // a round may run over the old ones
				l.members[i] = kept
				return
			}
		}
	}
}

// Members is how many have turns.
func (p *Pacer) Members() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.lanes {
		n += p.lanes[i].count()
	}
	return n
}

func (p *Pacer) run(l *lane) {
	sleep := time.Sleep
	if p.opts.Threads > 0 {
		release := ownThread()
		defer release()
		sleep = sleepOnThread
	}
	next := time.Now()
	for round := 0; ; round = (round + 1) % phases {
		next = next.Add(FrameTime / phases)
		now := time.Now()
		if now.Before(next) {
			sleep(next.Sub(now))
			now = time.Now()
		} else if now.Sub(next) > stoodStill {
			next = now
		}
		all, ok := p.round(l, round)
		if !ok {
			return
		}
		if len(all) > 0 && p.opts.Late != nil {
			p.opts.Late(now.Sub(next))
		}
		for _, m := range all {
			if !m.gone.Load() {
				m.tick(next)
			}
		}
	}
}

// round is whose turn it is; ok is false when nobody is left, and the pacer ends.
func (p *Pacer) round(l *lane, phase int) (all []*member, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range l.members {
		if len(l.members[i]) > 0 {
			return l.members[phase], true
		}
	}
	l.running = false
	return nil, false
}
