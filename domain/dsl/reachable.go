package dsl

import "fmt"

// unreachable warns of steps that nothing leads to.
func (c *compiler) unreachable() {
	reached := map[string]bool{}
	c.from(c.p.Flow.Start, reached)
	for _, t := range c.entrances() {
		c.from(t, reached)
	}
	for _, s := range c.p.Flow.Steps {
		if !reached[s.Name] {
			c.warnings = append(c.warnings, Problem{"FLOW.STEPS." + s.Name, s.Line, s.Column, "unreachable",
				fmt.Sprintf("no step leads to %s", s.Name)})
		}
	}
}

// entrances are steps that are come to from outside of the flow.
func (c *compiler) entrances() []string {
	var all []string
	add := func(t *Then) {
		if t != nil {
			all = append(all, t.Goto)
		}
	}
	for _, t := range c.p.Tools {
		add(t.OnTimeout)
	}
	for _, x := range c.p.Constraints {
		add(x.OnFail)
	}
	for _, h := range c.p.Handoffs {
		add(h.OnFail)
		if h.OnReturn != nil {
			all = append(all, h.OnReturn.Next)
		}
	}
	for _, e := range c.p.Escalates {
		add(e.OnFail)
	}
	return all
}

func (c *compiler) from(name string, reached map[string]bool) {
	s := c.p.Flow.Step(name)
	if s == nil || reached[name] {
		return
	}
	reached[name] = true
	for _, next := range s.ways() {
		c.from(next, reached)
	}
}

// ways are the steps that a step may lead to.
func (s *Step) ways() []string {
	all := []string{s.Next}
	for _, t := range []*Then{s.OnFail, s.OnExhausted, s.OnError} {
		if t != nil {
			all = append(all, t.Goto)
		}
	}
	for _, b := range s.Branch {
		all = append(all, b.Goto)
	}
	for _, a := range s.OnAction {
		all = append(all, a.Goto)
	}
	return all
}
