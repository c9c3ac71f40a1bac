package checks

import (
	"math"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/load"
)

// RunReads checks what the callers of campaigns saw, whichever node answered: a run never
// goes back, and one that was paused and seen to be held begins nothing until somebody
// asks that it go on. A pause promises no more than that: what the lines have not been
// told yet of it may begin while it is acknowledged, and what was begun is finished.
func RunReads(ops []load.Op, out *Findings) {
	byRun := map[string][]load.Op{}
	for _, op := range ops {
		if op.Kind == load.Trigger || op.Kind == load.ReadRun && op.Outcome == load.OK {
			byRun[op.Campaign.RunID] = append(byRun[op.Campaign.RunID], op)
		}
	}
	for _, of := range byRun {
		for _, seen := range of {
			if seen.Kind == load.ReadRun {
				compareRun(seen, of, out)
			}
		}
	}
}

// compareRun holds a read against all that began after it had ended.
func compareRun(seen load.Op, of []load.Op, out *Findings) {
	still := stillUntil(seen, of)
	was := seen.Campaign.Run
	for _, later := range of {
		if later.Kind != load.ReadRun || later.Start < seen.End {
			continue
		}
		is, node := later.Campaign.Run, later.Tries[len(later.Tries)-1].Node
		if is.Done() < was.Done() || is.Contacts < was.Contacts || was.Status == load.RunFinished && is.Status != load.RunFinished {
			out.Add("stale", "node %s showed run %s as %+v at %s, which had been %+v before", node, later.Campaign.RunID, is, later.Start, was)
		}
		if later.End < still && (is.Pending < was.Pending || is.UnderWay > was.UnderWay || is.Status != load.RunHeld && was.Pending > 0) {
			out.Add("paused", "run %s was seen held with %+v at %s, and with %+v at %s, before anybody resumed it", later.Campaign.RunID, was,
				seen.End, is, later.Start)
		}
	}
}

// stillUntil is when somebody first asked that a run go on which was seen to be held;
// zero for one that was not, or whose hold may be one that was ended before it was read.
func stillUntil(seen load.Op, of []load.Op) time.Duration {
	asked, last := time.Duration(math.MaxInt64), ""
	for _, op := range of {
		switch {
		case op.Kind != load.Trigger:
		case op.Start < seen.Start:
			last = op.Campaign.Trigger
		case op.Campaign.Trigger == "resume":
			asked = min(asked, op.Start)
		}
	}
	if seen.Campaign.Run.Status != load.RunHeld || last != "pause" {
		return 0
	}
	return asked
}
