package dsl

import (
	"slices"
	"strings"
)

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

// References are all that the program names outside of itself.
func (p *Program) References() References {
	var r References
	for _, h := range p.Handoffs {
		r.Agents = append(r.Agents, h.To)
	}
	for _, d := range p.Delegates {
		r.Agents = append(r.Agents, d.Agent)
	}
	for _, e := range p.Escalates {
		r.Queues = append(r.Queues, e.Queue)
	}
	for _, t := range p.Tools {
		switch t.Kind {
		case ToolDeployed:
			r.Tools = append(r.Tools, t.Use)
		case ToolWorkflow:
			r.Workflows = append(r.Workflows, t.Use)
		case ToolMCP:
			r.Servers = append(r.Servers, t.Server)
		}
		for _, name := range t.Secrets() {
			r.Secrets = append(r.Secrets, Secret{t.Name, name})
		}
	}
	r.Queues = append(r.Queues, p.queues()...)
	r.Agents, r.Tools, r.Workflows = unique(r.Agents), unique(r.Tools), unique(r.Workflows)
	r.Servers, r.Queues = unique(r.Servers), unique(r.Queues)
	slices.SortFunc(r.Secrets, func(a, b Secret) int { return strings.Compare(a.Tool+"\x00"+a.Name, b.Tool+"\x00"+b.Name) })
	return r
}

// Secrets are the names of those that a tool's request, and the signature of what answers it later, need.
func (t *Tool) Secrets() []string {
	var all []string
	if t.SignWith != "" {
		all = append(all, t.SignWith)
	}
	if t.Request != nil {
		all = append(all, t.Request.Secrets()...)
	}
	return unique(all)
}

func (v Value) secrets() []string {
	var all []string
	for _, p := range v.pieces {
		if p.secret != "" {
			all = append(all, p.secret)
		}
	}
	for _, item := range v.list {
		all = append(all, item.secrets()...)
	}
	for _, m := range v.members {
		all = append(all, m.Value.secrets()...)
	}
	return all
}

// queues are those that steps, guardrails and what follows on something name.
func (p *Program) queues() []string {
	var all []string
	add := func(ts ...*Then) {
		for _, t := range ts {
			if t != nil && t.Escalate != "" {
				all = append(all, t.Escalate)
			}
		}
	}
	for _, t := range p.Tools {
		add(t.OnTimeout)
	}
	for _, x := range p.Constraints {
		add(x.OnFail)
	}
	for _, h := range p.Handoffs {
		add(h.OnFail)
	}
	for _, e := range p.Escalates {
		add(e.OnFail)
	}
	for _, g := range p.Guardrails {
		if g.Queue != "" {
			all = append(all, g.Queue)
		}
	}
	if p.Flow == nil {
		return all
	}
	for _, s := range p.Flow.Steps {
		if s.Escalate != "" {
			all = append(all, s.Escalate)
		}
		add(s.OnFail, s.OnExhausted, s.OnError)
		for i := range s.Branch {
			add(&s.Branch[i].Then)
		}
		for i := range s.OnAction {
			add(&s.OnAction[i].Then)
		}
	}
	return all
}
