package checks

import (
	"cmp"
	"slices"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/load"
)

// Reads checks that no list of calls is older than an earlier 2xx, whichever node
// answered it: every call acknowledged before the read began is in it, and no call
// is less far than an earlier read showed it.
func Reads(ops []load.Op, out *Findings) {
	type moment struct {
		at   time.Duration
		read *load.Op // begins to be read here
		done *load.Op // ended here: an acknowledged call, or a read
	}
	var moments []moment
	for i := range ops {
		op := &ops[i]
		if op.Outcome != load.OK || op.Kind != load.DialOut && op.Kind != load.ReadCalls {
			continue
		}
		moments = append(moments, moment{at: op.End, done: op})
		if op.Kind == load.ReadCalls {
			moments = append(moments, moment{at: op.Start, read: op})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	known := map[string]int{} // how far each call was seen to be
	acknowledged := 0
	for _, m := range moments {
		switch {
		case m.read != nil:
			readOne(m.read, known, acknowledged, out)
		case m.done.Kind == load.DialOut:
			acknowledged++
			known[m.done.CallID] = max(known[m.done.CallID], 1)
		default:
			for call, status := range m.done.Calls {
				known[call] = max(known[call], load.Rank(status))
			}
		}
	}
}

// readOne holds a read against what was known when it began.
func readOne(read *load.Op, known map[string]int, acknowledged int, out *Findings) {
	node := read.Tries[len(read.Tries)-1].Node
	if read.Total < acknowledged {
		out.Add("stale", "node %s listed %d calls at %s, when %d had been acknowledged", node, read.Total, read.Start, acknowledged)
	}
	for call, far := range known {
		status, listed := read.Calls[call]
		switch {
		case !listed && read.Total <= len(read.Calls):
			out.Add("stale", "node %s did not list call %s at %s, which was known before", node, call, read.Start)
		case listed && load.Rank(status) < far:
			out.Add("stale", "node %s showed call %s as %s at %s, which had been further before", node, call, status, read.Start)
		}
	}
}
