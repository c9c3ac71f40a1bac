package project_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/project"
)

const scripted = "FLOW:\n  START: bye\n  STEPS:\n    bye: {SAY: Bye, END: true}\n"

// lonely is a flow with a step that nothing leads to.
const lonely = scripted + "    alone: {SAY: x, END: true}\n"

// source is that of an agent with a flow, which comes last.
func source(agent, more string) string {
	if more != lonely {
		more += scripted
	}
	return "DSL: 1\nAGENT: " + agent + "\n" + more
}

// Given sources, when they are put together, then edges and problems are these, in this order.
func TestWhatAProjectNeeds(t *testing.T) {
	tools, workflows := map[string]string{"tool-1": "Look up"}, map[string]string{"wf-1": "Renewal"}
	for name, c := range map[string]struct {
		sources          [][2]string // agent, what it has more
		edges            []project.Edge
		errors, warnings []string
	}{
		"no agents":                {},
		"agents that need nothing": {sources: [][2]string{{"b", ""}, {"a", ""}}},
		"each sort of edge": {sources: [][2]string{
			{"b", ""},
			{"a", "TOOLS:\n  find: {USE: tool-1}\nHANDOFF:\n  - TO: b\nDELEGATE:\n  - AGENT: c\n"},
			{"c", "HANDOFF:\n  - TO: a\n"},
		}, edges: []project.Edge{{"a", "c", project.Delegate}, {"a", "b", project.Handoff}, {"a", "Look up", project.Tool},
			{"c", "a", project.Handoff}}},
		"the same twice is one edge": {sources: [][2]string{{"b", ""}, {"a", "HANDOFF:\n  - TO: b\n  - {TO: b, INTENT: again}\n"}},
			edges: []project.Edge{{"a", "b", project.Handoff}}},
		"what an agent has of its own, and a workflow, are no edges": {sources: [][2]string{
			{"a", "TOOLS:\n  own: {KIND: http, URL: 'https://example.com/x'}\n  renew: {KIND: workflow, USE: wf-1}\n"}}},
		"an agent that is missing": {sources: [][2]string{{"a", "HANDOFF:\n  - TO: nobody\nDELEGATE:\n  - {ID: x, AGENT: nothing}\n"}},
			edges: []project.Edge{{"a", "nothing", project.Delegate}, {"a", "nobody", project.Handoff}},
			errors: []string{"a 4:5 HANDOFF.TO unknown_agent the project has no agent nobody",
				"a 6:5 DELEGATE.AGENT unknown_agent the project has no agent nothing"}},
		"tools and workflows that are missing, or are the other": {sources: [][2]string{
			{"a", "TOOLS:\n  one: {USE: wf-1}\n  two: {KIND: workflow, USE: tool-1}\n  three: {USE: Look up}\n"}},
			edges: []project.Edge{{"a", "Look up", project.Tool}, {"a", "wf-1", project.Tool}},
			errors: []string{"a 4:3 TOOLS.USE unknown_tool the project has no tool wf-1",
				"a 5:3 TOOLS.USE unknown_workflow the project has no workflow tool-1",
				"a 6:3 TOOLS.USE unknown_tool the project has no tool Look up"}},
		"a source that does not compile has no edges, and is there for others": {sources: [][2]string{
			{"b", "HANDOFF:\n  - TO: a\nNONSENSE: 1\n"}, {"a", "HANDOFF:\n  - TO: b\n"}},
			edges:  []project.Edge{{"a", "b", project.Handoff}},
			errors: []string{"b 5:1 NONSENSE unknown_key *"}},
		"a warning does not make it invalid": {sources: [][2]string{{"a", lonely}},
			warnings: []string{"a 7:5 FLOW.STEPS.alone unreachable no step leads to alone"}},
	} {
		t.Run(name, func(t *testing.T) {
			var all []project.Source
			for _, s := range c.sources {
				all = append(all, project.Read(s[0], source(s[0], s[1])))
			}
			got := project.Link(all, tools, workflows)
			require.Equal(t, c.edges, got.Edges)
			require.Equal(t, len(c.errors) == 0, got.Valid)
			shown(t, c.errors, got.Errors)
			shown(t, c.warnings, got.Warnings)
		})
	}
}

// shown compares problems with lines; a line that ends with * leaves the hint open.
func shown(t *testing.T, want []string, got []project.Problem) {
	t.Helper()
	var lines []string
	for i, p := range got {
		line := fmt.Sprintf("%s %d:%d %s %s %s", p.Agent, p.Line, p.Column, p.Field, p.Code, p.Hint)
		if i < len(want) && strings.HasSuffix(want[i], "*") && strings.HasPrefix(line, strings.TrimSuffix(want[i], "*")) {
			line = want[i]
		}
		lines = append(lines, line)
	}
	require.Equal(t, want, lines)
}

// Given more problems than are told, when the sources are put together, then the first ones
// of each sort come, in the order of agents and lines, and the project is not valid.
func TestProblemsOfAProjectAreBounded(t *testing.T) {
	var all []project.Source
	for n := range 30 {
		var s project.Source
		s.Agent = fmt.Sprintf("agent-%02d", 29-n)
		for line := range dsl.MostProblems {
			s.Errors = append(s.Errors, dsl.Problem{Line: dsl.MostProblems - line, Column: 1, Code: "x"})
		}
		s.Warnings = s.Errors
		all = append(all, s)
	}
	got := project.Link(all, nil, nil)
	require.False(t, got.Valid)
	for _, told := range [][]project.Problem{got.Errors, got.Warnings} {
		require.Len(t, told, project.MostProblems)
		require.Equal(t, "agent-00 1", fmt.Sprint(told[0].Agent, " ", told[0].Line))
		require.Equal(t, "agent-19 50", fmt.Sprint(told[999].Agent, " ", told[999].Line))
	}
}
