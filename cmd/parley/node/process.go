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
//
// A crowd is the exception: a thousand turns that stand open have deep stacks, which become smaller with
// collections alone, and would else let the heap grow all the more. What waits to be collected then has the
// room that they leave.
const (
	underLoad = 300
	crowded   = 50 // where there is no room left
	atRest    = 100
	crowd     = 32 << 20  // bytes of stacks, from which on there is one
	room      = 128 << 20 // bytes for stacks and what waits to be collected
	busy      = 8 << 20   // bytes a second that are allocated, from which on there is load
	calm      = 5 * time.Second
	glance    = 200 * time.Millisecond
)

// CollectByLoad looks at the end of each collection how fast memory was used since the
// one before, and says when the next one is due: that of the process that holds a node.
// Load that has ended brings no collection by itself, so that is looked for too.
// GOGC, if it is set, is left alone.
func CollectByLoad() {
	if os.Getenv("GOGC") == "" {
		c := &collector{set: debug.SetGCPercent, used: used}
		c.begin()
		c.arm()
	}
}

type collector struct {
	set  func(percent int) int
	used func() memory

	mu      sync.Mutex
	loaded  bool
	percent int
	last    mark        // the collection before
	rest    mark        // when it was looked last whether there is still load
	look    *time.Timer // for that; it rests with the process
}

// memory is what the runtime says of it, in bytes.
type memory struct {
	allocated uint64 // ever
	living    uint64 // behind the last collection: what the heap grows by is in percent of it
	stacks    uint64 // of all goroutines
}

// mark is how much had been allocated at a time.
type mark struct {
	at    time.Time
	bytes uint64
}

// begin takes load for granted until it is known: a start is load.
func (c *collector) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.used()
	c.last = mark{time.Now(), now.allocated}
	c.become(true, now)
}

// arm makes the next collection say that it was one. What it collects is an object for that alone: not
// a tiny one, which would lie beside others and outlive collections with them.
func (c *collector) arm() {
	runtime.AddCleanup(new([64]byte), func(c *collector) { c.collected(); c.arm() }, c)
}

func (c *collector) collected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.used()
	c.become(c.since(&c.last, now), now)
}

// glances looks, while there is load, whether there still is, and how much room stacks have left: a crowd may
// come between two collections, and what a collection says may come a second late.
//
// When load has ended the heap is larger than it may be, and is collected with the next allocation; without that a
// process at rest would keep what its load has left for two minutes.
func (c *collector) glances() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.loaded {
		return
	}
	now := c.used()
	if time.Since(c.rest.at) >= calm && !c.since(&c.rest, now) {
		c.last = c.rest // what is collected now is not the next one's load
		c.become(false, now)
		return
	}
	c.become(true, now)
	c.look.Reset(glance)
}

func (c *collector) become(loaded bool, now memory) {
	began := loaded && !c.loaded
	c.loaded = loaded
	if percent := percentFor(loaded, now); percent != c.percent {
		c.percent = percent
		c.set(percent)
	}
	if !began {
		return
	}
	c.rest = mark{time.Now(), now.allocated}
	if c.look == nil {
		c.look = time.AfterFunc(glance, c.glances)
	} else {
		c.look.Reset(glance)
	}
}

// since is whether there was load since then; then is now from now on.
func (c *collector) since(then *mark, now memory) (loaded bool) {
	at := time.Now()
	loaded = isLoad(now.allocated-then.bytes, at.Sub(then.at))
	*then = mark{at, now.allocated}
	return loaded
}

// isLoad is whether so many bytes in so long a time are load.
func isLoad(bytes uint64, in time.Duration) bool { return float64(bytes) > busy*in.Seconds() }

// percentFor is by how much the heap may grow.
func percentFor(loaded bool, now memory) int {
	switch {
	case !loaded:
		return atRest
	case now.stacks < crowd:
		return underLoad
	}
	left := room - min(now.stacks, room)
	return int(max(crowded, min(underLoad, 100*left/max(now.living, 1))))
}

func used() memory {
	of := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"},
		{Name: "/gc/scan/globals:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(of)
	bytes := func(n int) uint64 { return of[n].Value.Uint64() }
	return memory{allocated: bytes(0), living: bytes(1) + bytes(2) + bytes(3), stacks: bytes(4)}
}
