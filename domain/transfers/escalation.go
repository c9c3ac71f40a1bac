package transfers

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
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

// What is said to a person in a moment, in characters.
const (
	longestSpoken = 600
	longestMember = 120
)

// Spoken is what a person is told by telephone before they talk with the customer: why, and what the agent
// has found out, by its names. What is no plain value is left for the screen, and so is what takes too long.
func (e *Escalation) Spoken() string {
	if e == nil {
		return ""
	}
	spoken := strings.TrimSpace(e.Why)
	for _, name := range slices.Sorted(maps.Keys(e.Context)) {
		value := plainly(e.Context[name])
		if value == "" {
			continue
		}
		member := strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "_", " ") + ": " + value
		if length := utf8.RuneCountInString(member); length > longestMember || utf8.RuneCountInString(spoken)+length > longestSpoken {
			continue
		}
		if spoken != "" {
			spoken = strings.TrimRight(spoken, ".!? ") + ". "
		}
		spoken += member
	}
	return spoken
}

// plainly is a value as it is said; empty: it is none that can be.
func plainly(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	switch v := value.(type) {
	case string:
		return strings.Join(strings.Fields(v), " ")
	case float64:
		return string(raw)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return ""
}
