package dsl

import "slices"

// References are what a program names outside of itself, each list sorted and without
// repetitions: a deployment checks that they exist.
type References struct {
	Agents    []string `json:"agents,omitempty"`    // of HANDOFF and DELEGATE
	Tools     []string `json:"tools,omitempty"`     // ids of deployed tools: USE
	Workflows []string `json:"workflows,omitempty"` // ids of deployed workflows: KIND workflow
	Servers   []string `json:"servers,omitempty"`   // of MCP
	Secrets   []Secret `json:"secrets,omitempty"`
	Queues    []string `json:"queues,omitempty"` // of ESCALATE
}

// Secret is a tool secret that a tool names.
type Secret struct {
	Tool string `json:"tool"`
	Name string `json:"name"`
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
