package testsuites

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Stage is what a case is played on: the agents, whom it begins with, and when. The same case
// on the same stage comes to the same.
type Stage struct {
	Programs turns.Programs
	Manifest map[string]sessions.Pinned // of the programs
	Agent    string                     // that begins
	Language string
	Session  string    // id of the session, which is written nowhere
	At       time.Time // what `now` is
}

// Played is what came of a case.
type Played struct {
	Steps []Step
	Error string // why it could not be played to its end: the agents, or what it brings along
}

// Step is a turn that was judged.
type Step struct {
	Turn        int          `json:"turn"`                  // of the case, from 1
	Differences []Difference `json:"differences,omitempty"` // none: it passed
}

// Passed is how many steps did.
func (p Played) Passed() (n int) {
	for _, s := range p.Steps {
		if len(s.Differences) == 0 {
			n++
		}
	}
	return n
}

// Wrong is the first thing that is not as it should be; empty: the case passed.
func (p Played) Wrong() string {
	for _, s := range p.Steps {
		if len(s.Differences) > 0 {
			d := s.Differences[0]
			return fmt.Sprintf("turn %d, %s: expected %q, got %q", s.Turn, d.What, d.Expected, d.Got)
		}
	}
	return p.Error
}

// Play plays the case: it begins a session in memory and says in it what the user says. A turn
// after the end of the conversation is a difference, a turn that cannot be run an error, with
// which the case ends.
func (c Case) Play(on Stage) Played {
	p := play{Stage: on, Case: c, used: make([]int, len(c.Context.ToolMocks))}
	if lacks := p.lacks(); lacks != "" {
		return Played{Error: lacks}
	}
	if err := p.begin(); err != nil {
		return Played{Error: told(err)}
	}
	var out Played
	for i := range c.Turns {
		if p.state.Status == sessions.Ended {
			if c.judges(i) {
				out.Steps = append(out.Steps, Step{i + 1, []Difference{{"turn", "that the agent answers", "the conversation has ended"}}})
			}
			continue
		}
		events, err := p.take(i)
		if err != nil {
			out.Error = fmt.Sprintf("turn %d: %s", i+1, told(err))
			return out
		}
		if c.judges(i) {
			out.Steps = append(out.Steps, Step{i + 1, p.judge(c.Turns[i].Expect, events)})
		}
	}
	return out
}

// play is a case that is being played.
type play struct {
	Stage
	Case
	state sessions.State
	used  []int // how often each mock has answered
}

// lacks is what the case names that is not there. What else it needs, its turns show: an agent that
// they do not come to needs nothing.
func (p *play) lacks() string {
	entry := p.Programs[p.Agent]
	if entry == nil {
		return fmt.Sprintf("there is no agent %s", p.Agent)
	}
	if step := p.Context.StartAtStep; step != "" && entry.Flow.Step(step) == nil {
		return fmt.Sprintf("context.startAtStep: the agent %s has no step %s", p.Agent, step)
	}
	return ""
}

func (p *play) begin() error {
	open := sessions.Open{ID: p.Session, TenantID: "test", ProjectID: "test", Channel: "api", AgentName: p.Agent, At: p.At,
		Begun: &sessions.Begun{Manifest: p.Manifest, Language: p.Language, Test: true, Variables: p.Context.SessionVariables,
			Caller: p.Context.caller()}}
	opened, err := open.Decide(p.state)
	p.fold(opened)
	return err
}

// caller is who talks: what stands in customAttributes, and beside it the rest, such as userId.
func (c Context) caller() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	_ = json.Unmarshal(c.CallerContext["customAttributes"], &out) // what is no object is left out
	for name, v := range c.CallerContext {
		if name != "customAttributes" {
			out[name] = v
		}
	}
	return out
}

func (p *play) fold(events []event.Payload) {
	for _, e := range events {
		sessions.Sessions.Fold(&p.state, e)
	}
}

// take runs a turn.
func (p *play) take(n int) ([]event.Payload, error) {
	turn := p.Turns[n]
	receive := turns.Receive{Text: turn.User, Programs: p.Programs, At: p.At}
	if turn.Action != "" {
		receive.Action = &sessions.Chosen{ID: turn.Action, Value: turn.Value}
	}
	if n == 0 {
		receive.SkipOnStart, receive.StartAt, receive.Slots = p.Context.SkipOnStart, p.Context.StartAtStep, maps.Clone(p.Context.GatherValues)
	}
	var of []int
	receive.Mocks, of = p.mocks()
	events, err := receive.Decide(p.state)
	if err != nil {
		return nil, err
	}
	p.fold(events)
	for _, e := range events {
		if called, _ := e.(sessions.CallEnded); called.Mock > 0 {
			p.used[of[called.Mock-1]]++
		}
	}
	if needs := p.needs(events); needs != "" {
		return nil, errors.New(needs)
	}
	return events, nil
}

// mocks are those that may answer still, and which of the case's each is.
func (p *play) mocks() (out []sessions.Mock, of []int) {
	for i, m := range p.Context.ToolMocks {
		left := m.Times - p.used[i]
		if m.Times > 0 && left <= 0 {
			continue
		}
		if m.Times == 0 {
			left = 0
		}
		out = append(out, sessions.Mock{Tool: m.Tool, When: m.When, Result: m.Result, Error: m.Error, DelayMs: m.DelayMs, Times: left})
		of = append(of, i)
	}
	return out, of
}

// needs is what a turn came to that a test does not have: nobody is asked outside because of it.
func (p *play) needs(events []event.Payload) string {
	for _, e := range events {
		switch e := e.(type) {
		case sessions.Noticed:
			if turns.WantsModel(e) {
				return fmt.Sprintf("the agent %s needs a model, which a test cannot give it", e.Agent)
			}
		case sessions.CallOpened:
			if !slices.ContainsFunc(p.Context.ToolMocks, func(m Mock) bool { return m.Tool == e.Tool }) {
				return fmt.Sprintf("the agent %s calls the tool %s: give the case a mock of it in context.toolMocks", e.Agent, e.Tool)
			}
		}
	}
	if p.state.Talk.Running != nil {
		return "it waits for something outside, which nothing in the case answers in place of"
	}
	return ""
}

// told is a refusal as who wrote the case understands it.
func told(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err.Error()
	}
	var parts []string
	for _, d := range f.Details {
		parts = append(parts, strings.ReplaceAll(d.Field, "testContext.", "context.")+" "+d.Problem)
	}
	if len(parts) == 0 {
		return f.Message
	}
	return strings.Join(parts, "; ")
}
