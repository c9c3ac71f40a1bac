package sessions

import (
	"maps"
	"slices"
)

// View is what an agent that was handed the conversation sees of what was before: less than all, or
// with something beside it.
type View struct {
	From    int      // texts up to this one it does not see
	Summary string   // what it is told in their place
	Giver   string   // who gave it stores of memory
	Stores  []string // their names
}

// Viewed is what the agent who is at it sees of the conversation.
func (t *Talk) Viewed() []Line {
	from := t.Views[t.Agent].From
	return slices.DeleteFunc(slices.Clone(t.History), func(l Line) bool { return l.N > 0 && l.N <= from })
}

// passOn says what an agent sees that is handed the conversation: of what the other saw, so many
// texts before what the user said last, and all from that on.
func (t *Talk) passOn(e HandedOff) {
	mine := t.Views[e.From]
	v := View{From: mine.From, Summary: e.Summary, Giver: e.From, Stores: e.Stores}
	if e.History != nil {
		v.From = max(v.From, t.before(*e.History))
	} else if v.Summary == "" {
		v.Summary = mine.Summary
	}
	t.Views = maps.Clone(t.Views)
	if v.From == 0 && v.Summary == "" && len(v.Stores) == 0 {
		delete(t.Views, e.To)
		return
	}
	if t.Views == nil {
		t.Views = map[string]View{}
	}
	t.Views[e.To] = v
}

// forget leaves nothing of what an agent was handed: it has given the conversation back.
func (t *Talk) forget(agent string) {
	t.Views = maps.Clone(t.Views)
	delete(t.Views, agent)
}

// before is the last text that is not among the n before what the user said last.
func (t *Talk) before(n int) int {
	at := len(t.History)
	for i, l := range t.History {
		if l.Agent == "" {
			at = i
		}
	}
	if at -= n; at <= 0 {
		return 0
	}
	return t.History[at-1].N
}
