package project

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
)

// MostProblems are told at once of each sort: what follows is rarely of interest before
// these are mended.
const MostProblems = 1000

// Dependencies are what the agents of a project need, and whether all of it is sound.
type Dependencies struct {
	Edges    []Edge // each once, by From, Type and To
	Valid    bool   // there are no errors
	Errors   []Problem
	Warnings []Problem
}

// Link puts the sources of all agents of a project together. Tools and workflows are those
// that the project has: their names by their ids.
func Link(sources []Source, tools, workflows map[string]string) Dependencies {
	agents := map[string]string{}
	for _, s := range sources {
		agents[s.Agent] = s.Agent
	}
	there := map[needKind]map[string]string{handoff: agents, delegate: agents, tool: tools, server: tools, workflow: workflows}
	var out Dependencies
	for _, s := range sources {
		out.Errors = told(out.Errors, s.Agent, s.Errors)
		out.Warnings = told(out.Warnings, s.Agent, s.Warnings)
		for _, n := range s.needs {
			name, ok := there[n.kind][n.to]
			if !ok {
				out.Errors = told(out.Errors, s.Agent, dsl.Problems{n.missing()})
				name = n.to
			}
			if t := n.edge(); t != "" {
				out.Edges = append(out.Edges, Edge{s.Agent, name, t})
			}
		}
	}
	out.Valid = len(out.Errors) == 0
	out.Errors, out.Warnings = sorted(out.Errors), sorted(out.Warnings)
	slices.SortFunc(out.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
	})
	out.Edges = slices.Compact(out.Edges)
	return out
}

func told(all []Problem, agent string, more dsl.Problems) []Problem {
	for _, p := range more {
		all = append(all, Problem{agent, p})
	}
	return all
}

// sorted is by agent and then in the order of its source, and bounded.
func sorted(all []Problem) []Problem {
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all[:min(len(all), MostProblems)]
}

// edge is the type of a need that edges show; a workflow is none of them.
func (n need) edge() EdgeType {
	return map[needKind]EdgeType{handoff: Handoff, delegate: Delegate, tool: Tool, server: Tool}[n.kind]
}

// missing is the problem that what is needed is not there.
func (n need) missing() dsl.Problem {
	p := dsl.Problem{Line: n.place.Line, Column: n.place.Column}
	what := "agent"
	switch n.kind {
	case handoff:
		p.Field, p.Code = "HANDOFF.TO", "unknown_agent"
	case delegate:
		p.Field, p.Code = "DELEGATE.AGENT", "unknown_agent"
	case tool:
		p.Field, p.Code, what = "TOOLS.USE", "unknown_tool", "tool"
	case server:
		p.Field, p.Code, what = "TOOLS.SERVER", "unknown_server", "tool of type mcp"
	case workflow:
		p.Field, p.Code, what = "TOOLS.USE", "unknown_workflow", "workflow"
	}
	p.Hint = fmt.Sprintf("the project has no %s %s", what, n.to)
	return p
}
