package traces

import (
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
)

// took is what a model took.
type took struct {
	turn    int
	in, out int64
	cost    int64 // pico-dollars, where the price is known
}

// measures are figures that traces may show beside what happened.
type measures map[int]took // of the models of each turn

// measures sums up what models took. What one took whose answer was cut off is told once more, when it
// is known: the last word counts.
func (s story) measures() measures {
	calls := map[string]took{}
	note := func(id string, turn int, in, out int64, cost *int64) {
		t := took{turn: turn, in: in, out: out}
		if cost != nil {
			t.cost = *cost
		}
		calls[id] = t
	}
	for _, h := range s.happened {
		switch e := h.was.(type) {
		case sessions.ModelAnswered:
			note(e.CallID, e.Turn, e.TokensIn, e.TokensOut, e.CostPico)
		case sessions.ModelCounted:
			note(e.CallID, e.Turn, e.TokensIn, e.TokensOut, e.CostPico)
		}
	}
	out := measures{}
	for _, c := range calls {
		sum := out[c.turn]
		sum.in, sum.out, sum.cost = sum.in+c.in, sum.out+c.out, sum.cost+c.cost
		out[c.turn] = sum
	}
	return out
}

// add shows with what ends a turn or a call how long that was, and with a turn what its models took.
func (m measures) add(h happened, data map[string]any) {
	switch e := h.was.(type) {
	case sessions.TurnEnded:
		took := m[e.Turn]
		data["usage"] = map[string]any{"inputTokens": took.in, "outputTokens": took.out}
		data["estimatedCost"] = completions.Dollars(took.cost)
	case sessions.CallEnded, sessions.ModelAnswered:
	default:
		return
	}
	data["durationMs"] = h.span.ended.Sub(h.span.begun).Milliseconds()
}
