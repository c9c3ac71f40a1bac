package turns

import (
	"maps"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// Forwarding is what goes with a message to an agent of others, beside its text.
type Forwarding struct {
	Data    map[string]any       // the values that it is given; nil: none
	History []sessions.Forwarded // what was said before, where the conversation comes to it
	Hops    int                  // of how many agents who asked others it is the last
}

// A message that agents pass on counts its hops, in session.messageMetadata of each: agents that ask each other, or themselves,
// over their addresses would do so until nothing else could be done. No agent of one turn knows of the others.
const (
	HopsMember = "agentHops"
	MostHops   = 8
)

// hops are those that the message of the turn came by.
func (m *machine) hops() int {
	metadata, _ := decoded(m.Metadata).(map[string]any)
	switch n := metadata[HopsMember].(type) {
	case int64:
		return int(max(0, min(n, MostHops)))
	case float64:
		return int(max(0, min(n, MostHops)))
	}
	return 0
}

// forwarding is what an agent that is elsewhere is told: its slots, and of a delegate all that it was
// given. What was said before goes with the first message alone, and to no delegate.
func (m *machine) forwarding(tool *dsl.Tool, args map[string]any) (out Forwarding) {
	if tool.Kind != dsl.ToolAgent {
		return out
	}
	out.Hops = m.hops() + 1
	data := map[string]any{}
	if m.delegated() {
		for name, value := range values(m.s.Talk.Vars) {
			if !strings.HasPrefix(name, dsl.RemoteVar) {
				data[name] = value
			}
		}
	}
	maps.Copy(data, m.gathered())
	if given, is := args["data"].(map[string]any); is {
		maps.Copy(data, given)
	}
	if len(data) > 0 {
		out.Data = data
	}
	if context, _ := args["contextId"].(string); context != "" || m.delegated() {
		return out
	}
	t := m.s.Talk
	if summary := t.Views[t.Agent].Summary; summary != "" {
		out.History = append(out.History, sessions.Forwarded{Agent: "summary", Text: summary})
	}
	lines := t.Viewed()
	if last := lastHeard(lines); last >= 0 {
		lines = lines[:last]
	}
	for _, l := range lines {
		if l.Text != "" {
			out.History = append(out.History, sessions.Forwarded{Agent: l.Agent, Text: l.Text})
		}
	}
	return out
}

// lastHeard is where the user said something last; -1: nowhere.
func lastHeard(lines []sessions.Line) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Agent == "" && !lines[i].Person {
			return i
		}
	}
	return -1
}
