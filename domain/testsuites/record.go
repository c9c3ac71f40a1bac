package testsuites

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// NotRecorded is the error of mocks of tools that were not called: the case has no answer of them.
const NotRecorded = "NOT_RECORDED"

// Record makes a case out of what happened in a session, since it was reset last: what the user
// said, with what was said to it as what is expected, and what tools answered as mocks, in their
// order. Notes say what of it a case cannot have.
func Record(name string, events []event.Payload, programs turns.Programs) (Case, []string, error) {
	r := recording{Case: Case{Name: name}, back: map[string]bool{}}
	for _, p := range events {
		if e, is := p.(sessions.MessageTakenBack); is {
			r.back[e.MessageID] = true
		}
	}
	for _, p := range events {
		switch p.(type) {
		case sessions.ModelAsked:
			return Case{}, nil, fault.New(fault.Conflict, "a model was asked in the session, and a test can give it none")
		case sessions.PickedUp:
			return Case{}, nil, fault.New(fault.Conflict, "the session is one of a call: the agent speaks first, and a test begins with a message")
		}
		sessions.Sessions.Fold(&r.state, p)
		if r.take(p); r.over {
			break
		}
	}
	r.drop("it has not ended")
	if len(r.Turns) > MaxTurns {
		r.note("a case has at most %d turns: what comes behind them is left out", MaxTurns)
		r.Turns = r.Turns[:MaxTurns]
	}
	r.others(programs)
	switch {
	case len(r.Turns) == 0:
		return Case{}, nil, fault.New(fault.Conflict, "the session has no turn that came to its end, since it was reset last")
	case len(r.Context.ToolMocks) > MaxMocks:
		return Case{}, nil, fault.New(fault.Conflict, "a case has at most %d mocks, and the session has %d different answers of tools", MaxMocks,
			len(r.Context.ToolMocks))
	}
	return r.Case, r.notes, nil
}

// recording is a case so far.
type recording struct {
	Case
	state  sessions.State
	notes  []string
	over   bool
	turn   *Turn // that is under way
	said   []string
	tools  []string
	before int             // mocks of the turns before it
	back   map[string]bool // messages that their sender has taken back
}

func (r *recording) note(form string, values ...any) {
	r.notes = append(r.notes, fmt.Sprintf(form, values...))
}

func (r *recording) take(p event.Payload) {
	switch e := p.(type) {
	case sessions.Opened:
		r.begin()
	case sessions.WasReset:
		r.Turns, r.turn = nil, nil
		r.begin()
	case sessions.MessageReceived:
		r.hear(e)
	case sessions.Said:
		r.said = append(r.said, e.Text)
	case sessions.CallOpened:
		if e.Retry == 0 {
			r.tools = append(r.tools, e.Tool)
		}
	case sessions.CallEnded:
		r.mock(e)
	case sessions.TurnEnded:
		r.end(e)
	}
}

// begin has what the session began with.
func (r *recording) begin() {
	of := r.state.Talk.Begun
	r.Context = Context{SessionVariables: maps.Clone(of.Variables), CallerContext: maps.Clone(of.Caller)}
}

func (r *recording) hear(e sessions.MessageReceived) {
	r.turn, r.said, r.tools, r.before = &Turn{User: e.Text}, nil, nil, len(r.Context.ToolMocks)
	number := len(r.Turns) + 1
	if r.back[e.MessageID] { // also in no note
		r.drop("its message was taken back by its sender")
		r.over = true
		return
	}
	if e.Action != nil {
		r.turn = &Turn{Action: e.Action.ID, Value: e.Action.Value}
		if e.Text != "" {
			r.note("turn %d: its text %q goes with a choice, which alone is kept", number, e.Text)
		}
	}
	if e.Blocked != "" {
		r.note("turn %d: what the guardrail %s took out of the message is not on the log: write it in", number, e.Blocked)
	}
	if len(e.Metadata) > 0 {
		r.note("turn %d: the metadata of the message are left out", number)
	}
	if len(e.Attachments) > 0 {
		r.note("turn %d: the files of the message are left out", number)
	}
	if b := e.Brought; b != nil && number == 1 {
		r.Context.SkipOnStart, r.Context.StartAtStep, r.Context.GatherValues = b.SkipOnStart, b.StartAt, maps.Clone(b.Slots)
		if of := b.Begins; of != nil {
			r.Context.SessionVariables, r.Context.CallerContext = maps.Clone(of.Variables), maps.Clone(of.Caller)
		}
	}
	if r.turn.User == "" && r.turn.Action == "" {
		r.drop("it has files alone")
		r.over = true
	}
}

// mock answers as a tool did; the same answer again counts once more.
func (r *recording) mock(e sessions.CallEnded) {
	if !turns.Made(e) {
		return
	}
	m := Mock{Tool: e.Tool, Result: e.Result, Times: 1}
	if e.Outcome != sessions.CallOK {
		m.Result, m.Error = nil, e.Code
	}
	if e.Outcome == sessions.CallUnknown {
		r.note("turn %d: of the tool %s nobody knew whether it was done; in the case it has failed", len(r.Turns)+1, e.Tool)
	}
	all := r.Context.ToolMocks
	for i := len(all) - 1; i >= r.before; i-- { // mocks of the turns before may be all that is kept
		if all[i].Tool != m.Tool {
			continue
		}
		if all[i].Error == m.Error && bytes.Equal(all[i].Result, m.Result) {
			all[i].Times++
			return
		}
		break
	}
	r.Context.ToolMocks = append(all, m)
}

func (r *recording) end(e sessions.TurnEnded) {
	switch {
	case e.Failed != "":
		r.drop("it failed: " + e.Failed)
		r.over = true
	case e.Action == sessions.CutOff:
		r.drop("it was cancelled")
		r.over = true
	case r.turn != nil:
		said := strings.Join(r.said, "\n")
		r.turn.Expect = &Expect{Say: &said, Action: string(e.Action), Step: r.state.Talk.Step, Agent: r.state.Talk.Agent, Tools: r.tools}
		r.Turns, r.turn = append(r.Turns, *r.turn), nil
	}
}

// drop leaves out the turn under way, with what its tools answered.
func (r *recording) drop(why string) {
	if r.turn == nil {
		return
	}
	r.note("turn %d is left out, with all behind it: %s", len(r.Turns)+1, why)
	r.turn, r.Context.ToolMocks = nil, r.Context.ToolMocks[:r.before]
}

// others stand for the tools that were not called, as a case has a mock of each.
func (r *recording) others(programs turns.Programs) {
	for _, agent := range slices.Sorted(maps.Keys(programs)) {
		for _, tool := range programs[agent].Tools {
			if !slices.ContainsFunc(r.Context.ToolMocks, func(m Mock) bool { return m.Tool == tool.Name }) {
				r.Context.ToolMocks = append(r.Context.ToolMocks, Mock{Tool: tool.Name, Error: NotRecorded})
			}
		}
	}
}
