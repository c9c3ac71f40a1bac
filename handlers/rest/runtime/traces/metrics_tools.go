package traces

import (
	"slices"

	"github.com/parley-platform/parley/domain/sessions"
)

// ToolCallFigures are those of calls of tools that have ended.
type ToolCallFigures struct {
	Count   int   `json:"count" doc:"Those that failed as well."`
	Failed  int   `json:"failed"`
	Unknown int   `json:"unknown" doc:"Of which nobody knows whether they were done; failed counts them too."`
	Mocked  int   `json:"mocked" doc:"That a test answered."`
	P50Ms   int64 `json:"p50Ms" doc:"Of those that were made: half of them took as long at most, with their repeats."`
	P95Ms   int64 `json:"p95Ms"`
}

// ToolInSession are those of one tool.
type ToolInSession struct {
	Tool string `json:"tool"`
	ToolCallFigures
}

// tools are the figures of all calls of tools together, and of each tool.
func (s story) tools() (all ToolCallFigures, by []ToolInSession) {
	took, place := map[string][]int64{}, map[string]int{}
	by = []ToolInSession{}
	for _, h := range s.happened {
		e, ok := h.was.(sessions.CallEnded)
		if !ok {
			continue
		}
		if _, known := place[e.Tool]; !known {
			place[e.Tool] = len(by)
			by = append(by, ToolInSession{Tool: e.Tool})
		}
		for _, f := range []*ToolCallFigures{&all, &by[place[e.Tool]].ToolCallFigures} {
			f.add(e)
		}
		if e.Tries > 0 {
			took[""], took[e.Tool] = append(took[""], e.TookMs), append(took[e.Tool], e.TookMs)
		}
	}
	all.times(took[""])
	for i := range by {
		by[i].times(took[by[i].Tool])
	}
	return all, by
}

func (f *ToolCallFigures) add(e sessions.CallEnded) {
	f.Count++
	if e.Outcome != sessions.CallOK && e.Outcome != sessions.CallCancelled {
		f.Failed++
	}
	if e.Outcome == sessions.CallUnknown {
		f.Unknown++
	}
	if e.Mock > 0 {
		f.Mocked++
	}
}

func (f *ToolCallFigures) times(took []int64) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	f.P50Ms, f.P95Ms = took[(len(took)-1)/2], took[(len(took)*95+99)/100-1]
}
