package transfers

import (
	"encoding/json"
	"maps"
)

// Escalation is why an agent gives a conversation to people, in words of its source; a transfer
// that somebody else asks for has none.
type Escalation struct {
	AgentName string                     `json:"agentName"`
	Step      string                     `json:"step,omitempty"`
	Priority  string                     `json:"priority,omitempty"` // low, normal, high, urgent
	Why       string                     `json:"why,omitempty" personal:"user"`
	Context   map[string]json.RawMessage `json:"context,omitempty" personal:"user"`
}

// Rank is the place that a transfer's priority gives it in a line: those with a greater one come
// first.
func (e Requested) Rank() int {
	if e.Escalation == nil {
		return 0
	}
	return map[string]int{"low": -1, "high": 1, "urgent": 2}[e.Escalation.Priority]
}

func (e *Escalation) clone() *Escalation {
	if e == nil {
		return nil
	}
	own := *e
	own.Context = maps.Clone(e.Context)
	return &own
}
