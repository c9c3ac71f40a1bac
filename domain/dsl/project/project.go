// Package project looks at the agents of one project together: which of them names which
// other agent and which tool, what can be come to from some of them, and what is wrong in
// their sources or missing for them.
//
// It is pure, as the language is: sources and names come in, and the same ones give the same.
package project

import (
	"github.com/parley-platform/parley/domain/dsl"
)

// EdgeType is how one thing of a project needs another.
type EdgeType string

// The types.
const (
	Handoff  EdgeType = "handoff"
	Delegate EdgeType = "delegate"
	Tool     EdgeType = "tool"
)

// Edge says that an agent needs another agent, or a tool.
type Edge struct {
	From string
	To   string // name of the agent or of the tool; of a tool that is missing, the id that USE has
	Type EdgeType
}

// Problem is what is wrong in the source of one agent.
type Problem struct {
	Agent string
	dsl.Problem
}

// Source is what is known of one agent by its source alone, whatever else there is in the
// project. It is small and immutable: it may be kept in place of the program.
type Source struct {
	Agent    string
	Errors   dsl.Problems
	Warnings dsl.Problems
	needs    []need
}

// need is one name of something outside of the source.
type need struct {
	kind  needKind
	to    string
	place dsl.Place
}

type needKind int

const (
	handoff needKind = iota
	delegate
	tool
	server // of MCP: a tool of the project of that type
	workflow
)

// Read compiles the source of an agent. One with errors has no program, so that nothing is
// known of what it needs.
func Read(agent, source string) Source {
	_, s := read(agent, source)
	return s
}

func read(agent, source string) (*dsl.Program, Source) {
	program, problems := dsl.Compile(agent, source)
	out := Source{Agent: agent, Errors: problems}
	if program == nil {
		return nil, out
	}
	out.Warnings = program.Warnings
	for _, h := range program.Handoffs {
		out.needs = append(out.needs, need{handoff, h.To, h.Place})
	}
	for _, d := range program.Delegates {
		out.needs = append(out.needs, need{delegate, d.Agent, d.Place})
	}
	for _, t := range program.Tools {
		switch t.Kind {
		case dsl.ToolDeployed:
			out.needs = append(out.needs, need{tool, t.Use, t.Place})
		case dsl.ToolMCP:
			out.needs = append(out.needs, need{server, t.Server, t.Place})
		case dsl.ToolWorkflow:
			out.needs = append(out.needs, need{workflow, t.Use, t.Place})
		}
	}
	return program, out
}
