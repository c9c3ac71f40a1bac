package voice

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/fault"
)

// way is how a call comes to this node.
type way string

// The ways. What is silent has no sound on this node: the simulated carrier's.
const (
	silent   way = ""
	outbound way = "outbound"
	inbound  way = "inbound"
	brought  way = "brought" // its sound comes by a socket, or from a page
	adopted  way = "adopted"
)

func newRefusals() *prometheus.CounterVec {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_media_refused_total",
		Help: "Calls for which this node had no room, by the way in which they came; one that waits counts each time that it is looked at."},
		[]string{"way"})
	for _, w := range []way{outbound, inbound, brought, adopted} { // a zero, so that the first of each is seen to happen
		refused.WithLabelValues(string(w))
	}
	return refused
}

// reserve takes one of the legs, and for a call with sound one of those for which this node has room:
// with more of them, all would be heard badly.
func (d *Dialer) reserve(by way) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closing || d.drains:
		return fault.New(fault.Unavailable, "this node is shutting down").After(time.Second)
	case d.active >= d.cfg.MaxLegs:
		return fault.New(fault.QueueFull, "all %d legs of this node are taken", d.cfg.MaxLegs).After(time.Second)
	case by != silent && d.sounds >= d.cfg.MostSound:
		d.refused.WithLabelValues(string(by)).Inc()
		return fault.New(fault.QueueFull, "this node carries the sound of %d calls, and of no more", d.cfg.MostSound).After(time.Second)
	}
	d.active++
	if by != silent {
		d.sounds++
	}
	d.legs.Add(1)
	return nil
}

func (d *Dialer) release(by way) {
	d.mu.Lock()
	d.active--
	if by != silent {
		d.sounds--
	}
	d.mu.Unlock()
	d.legs.Done()
}

// beside counts the leg of a person on a call that is carried here. It is never refused: who waits for
// somebody is on the line already.
func (d *Dialer) beside() (leave func()) {
	count := func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.sounds += n
	}
	count(1)
	return func() { count(-1) }
}

// waitsFor is how long a call for which there was no room counts as one that waits: it is looked at
// again before that.
const waitsFor = 5 * time.Second

// waits notes whether a call waits for room here.
func (d *Dialer) waits(callID string, does bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if does {
		d.waiting[callID] = time.Now()
	} else {
		delete(d.waiting, callID)
	}
}

// sees notes a call that was placed, which counts here from now on, or nowhere.
func (d *Dialer) sees(callID string, by way) {
	if by != outbound {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, callID)
}

// Seen are those since it was asked last.
func (d *Dialer) Seen() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	d.seen = nil
	return seen
}

// Load is the calls whose sound this node carries, those that wait for that, and how many it carries at most.
func (d *Dialer) Load() (calls, waiting, most int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, seen := range d.waiting {
		if time.Since(seen) > waitsFor {
			delete(d.waiting, id) // another node has it
		}
	}
	return d.sounds, len(d.waiting), d.cfg.MostSound
}

// Measures are the figures of this node's calls.
func (d *Dialer) Measures() []prometheus.Collector {
	gauge := func(name, help string, of func() int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(of()) })
	}
	return []prometheus.Collector{d.refused,
		gauge("parley_media_calls", "Calls whose sound this node carries, and legs of people on them.", func() int {
			now, _, _ := d.Load()
			return now
		}),
		gauge("parley_media_calls_waiting", "Calls that wait for room on this node.", func() int {
			_, waiting, _ := d.Load()
			return waiting
		}),
		gauge("parley_media_calls_limit", "Calls whose sound this node carries at most.", func() int {
			_, _, most := d.Load()
			return most
		})}
}
