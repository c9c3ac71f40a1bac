package node

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
)

// CollectByLoad looks at the end of each collection how fast memory was used since the
// one before, and says when the next one is due: that of the process that holds a node.
// GOGC, if it is set, is left alone.
func CollectByLoad() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(underLoad) // until it is known: a start is load
		(&collector{percent: underLoad, since: time.Now(), allocated: allocated()}).arm()
	}
}

type collector struct {
	percent   int
	since     time.Time
	allocated uint64
}

// arm makes the next collection look. What it collects is an object for that alone: not
// a tiny one, which would lie beside others and outlive collections with them.
func (c *collector) arm() {
	runtime.AddCleanup(new([64]byte), func(c *collector) { c.look(); c.arm() }, c)
}

func (c *collector) look() {
	now, bytes := time.Now(), allocated()
	percent := percentFor(bytes-c.allocated, now.Sub(c.since))
	c.since, c.allocated = now, bytes
	if percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
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
