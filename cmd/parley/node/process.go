package node

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
	_ "time/tzdata" // calling hours need every time zone, on machines that have none too
)

// How much the heap may grow, in percent, before it is collected. Under load, collecting
// a third as often as Go does by itself saves a tenth of the time. At rest it would only
// keep three times the memory that is in use.
const (
	underLoad = 300
	atRest    = 100
	busy      = 8 << 20 // bytes a second that are allocated, from which on there is load
	calm      = 5 * time.Second
)

// CollectByLoad looks at the end of each collection how fast memory was used since the
// one before, and says when the next one is due: that of the process that holds a node.
// Load that has ended brings no collection by itself, so that is looked for too.
// GOGC, if it is set, is left alone.
func CollectByLoad() {
	if os.Getenv("GOGC") == "" {
		c := &collector{set: debug.SetGCPercent, allocated: allocated}
		c.begin()
		c.arm()
	}
}

type collector struct {
	set       func(percent int) int
	allocated func() uint64

	mu      sync.Mutex
	percent int
	last    mark        // the collection before
	rest    mark        // when it was looked last whether there is still load
	look    *time.Timer // for that; it rests with the process
}

// mark is how much had been allocated at a time.
type mark struct {
	at    time.Time
	bytes uint64
}

func (c *collector) now() mark { return mark{time.Now(), c.allocated()} }

// begin takes load for granted until it is known: a start is load.
func (c *collector) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = c.now()
	c.become(underLoad)
}

// arm makes the next collection say that it was one. What it collects is an object for that alone: not
// a tiny one, which would lie beside others and outlive collections with them.
func (c *collector) arm() {
	runtime.AddCleanup(new([64]byte), func(c *collector) { c.collected(); c.arm() }, c)
}

func (c *collector) collected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.become(c.since(&c.last))
}

// calms says that there is no load any more, or looks again. The heap is then larger than it may be, and is
// collected with the next allocation; without that a process at rest would keep what its load has left for two
// minutes.
func (c *collector) calms() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.percent != underLoad:
	case c.since(&c.rest) == underLoad:
		c.look.Reset(calm)
	default:
		c.last = c.rest // what is collected now is not the next one's load
		c.become(atRest)
	}
}

func (c *collector) become(percent int) {
	if percent == c.percent {
		return
	}
	c.percent = percent
	c.set(percent)
	if percent != underLoad {
		return
	}
	c.rest = c.now()
	if c.look == nil {
		c.look = time.AfterFunc(calm, c.calms)
	} else {
		c.look.Reset(calm)
	}
}

// since is what was allocated since then asks for; then is now from now on.
func (c *collector) since(then *mark) (percent int) {
	now := c.now()
	percent = percentFor(now.bytes-then.bytes, now.at.Sub(then.at))
	*then = now
	return percent
}

// percentFor is what so many bytes in so long a time ask for.
func percentFor(bytes uint64, in time.Duration) int {
	if float64(bytes) > busy*in.Seconds() {
		return underLoad
	}
	return atRest
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
