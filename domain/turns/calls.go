package turns

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// Why a call failed before anybody was asked.
const (
	badArguments = "ARGUMENTS"       // WITH could not be computed, or does not fit PARAMS
	badResult    = "RESULT_MISMATCH" // it does not fit RESULT
	notAllowed   = "NOT_ALLOWED"     // a constraint keeps it from being made
)

// largestArguments is how many bytes the arguments of a call may have as JSON.
const largestArguments = 64 << 10

// with has a result in scope for as long as something goes on.
func (m *machine) with(result any, do func()) {
	m.result, m.answered = result, true
	do()
	m.result, m.answered = nil, false
}

// call makes the call of a step.
func (m *machine) call(step *dsl.Step) outcome {
	if out := m.before(step.Call); out != proceed {
		return out
	}
	tool := m.program().Tool(step.Call.Tool)
	if args, ok := m.arguments(step.Call, tool); ok && tool.Confirm {
		return m.confirm(step, tool, args, "")
	}
	return m.try(step, 0, "")
}

// before is what must hold before a tool is called.
func (m *machine) before(c *dsl.Call) outcome {
	for _, x := range m.program().Constraints {
		if x.Before != "call:"+c.Tool {
			continue
		}
		if out, kept := m.constrain(x); kept {
			return m.halt(x, out)
		}
	}
	return proceed
}

// try makes the call of a step for the first time, or again because ON_ERROR says so: then with
// the key of the first.
func (m *machine) try(step *dsl.Step, retry int, key string) outcome {
	ended, answered := m.open(step.Call, sessions.CallOpened{Step: step.Name, Retry: retry, Key: key})
	if !answered {
		return stopped
	}
	return m.called(step, retry, cmp.Or(key, ended.CallID), ended)
}

// called goes on with a step behind its call.
func (m *machine) called(step *dsl.Step, retry int, key string, e sessions.CallEnded) (out outcome) {
	if e.Outcome == sessions.CallOK {
		m.with(m.bind(step.Call, e.Result), func() { out = m.behind(step) })
		return out
	}
	if tool := m.program().Tool(e.Tool); e.Code == tooLate && tool != nil && tool.OnTimeout != nil {
		return m.settle(m.then(tool.OnTimeout), step)
	}
	switch {
	case step.OnError != nil && retry < step.OnError.Retry && e.Outcome != sessions.CallUnknown: // else a write might be done twice
		return m.try(step, retry+1, key)
	case step.Otherwise() == nil:
		return m.fail("TOOL_FAILED", e.Tool+": "+cmp.Or(e.Code, string(e.Outcome)))
	}
	return m.otherwise(step)
}

// bind puts a result where AS says, and gives it as expressions see it.
func (m *machine) bind(c *dsl.Call, raw json.RawMessage) any {
	result := decoded(raw)
	if c.As != nil {
		m.put(*c.As, result)
	}
	return result
}

// startCall makes the call of ON_START.
func (m *machine) startCall(c *dsl.Call) outcome {
	if out := m.before(c); out != proceed {
		return out
	}
	if tool := m.program().Tool(c.Tool); tool.Confirm { // nobody is there yet who could say yes
		m.notice(confirmation, tool.Name, notConfirmed)
		return m.started(sessions.CallEnded{Outcome: sessions.CallFailed, Code: notConfirmed})
	}
	ended, answered := m.open(c, sessions.CallOpened{Start: true})
	if !answered {
		return stopped
	}
	return m.started(ended)
}

// started goes on with ON_START behind its call. It has no ON_ERROR: what needs a result that
// is not there is left out, and noticed. ON_TIMEOUT of its tool comes first, which may lead elsewhere.
func (m *machine) started(e sessions.CallEnded) (out outcome) {
	start := m.program().OnStart
	if tool := m.program().Tool(start.Call.Tool); e.Code == tooLate && tool.OnTimeout != nil {
		if out = m.then(tool.OnTimeout); out != proceed {
			return out
		}
	}
	if e.Outcome != sessions.CallOK {
		return m.greet(start)
	}
	m.with(m.bind(start.Call, e.Result), func() { out = m.greet(start) })
	return out
}

// noTool is the code of a call that nobody makes.
const noTool = "UNAVAILABLE"

// open makes a call: it is answered at once by a mock, or by what keeps it from being made. Else
// the turn goes on when whoever makes it says what came of it.
func (m *machine) open(c *dsl.Call, e sessions.CallOpened) (ended sessions.CallEnded, answered bool) {
	tool := m.program().Tool(c.Tool)
	args, ok := m.arguments(c, tool)
	return m.openTool(tool, args, ok, e)
}

// openTool is the same of a tool with its arguments, if they fit.
func (m *machine) openTool(tool *dsl.Tool, args map[string]any, ok bool, e sessions.CallOpened) (ended sessions.CallEnded, answered bool) {
	why, against := "", []string(nil)
	if args, against, why = m.guardArguments(tool, args); !ok {
		why = badArguments
	}
	if why != "" {
		ended, answered = sessions.CallEnded{Outcome: sessions.CallFailed, Code: why}, true
	} else {
		ended, answered = m.mock(tool, args)
	}
	switch {
	case answered:
	case m.Try.Try == "":
		ended, answered = sessions.CallEnded{Outcome: sessions.CallFailed, Code: noTool}, true
	default:
		m.keepsFor(tool)
	}
	id := m.nextCall()
	e.InTurn, e.CallID, e.Key, e.Agent, e.Tool = m.in(), id, cmp.Or(e.Key, id), m.s.Talk.Agent, tool.Name
	e.Arguments = shownArguments(args, tool.Mask)
	defer m.noticeGuards(toolInput, against)
	if answered {
		m.emit(e)
		return m.close(e, tool, ended), true
	}
	e.Claimed, e.Repeat, e.Later, m.asks = m.Try, !tool.Write || tool.Idempotent, tool.Kind == dsl.ToolCallback, true
	m.emit(e)
	return ended, false
}

// close says what came of a call.
func (m *machine) close(of sessions.CallOpened, tool *dsl.Tool, e sessions.CallEnded) sessions.CallEnded {
	e.InTurn, e.CallID, e.Agent, e.Step, e.Tool, e.Wish = m.in(), of.CallID, of.Agent, of.Step, of.Tool, of.Wish
	made := e.Outcome == sessions.CallOK || e.Code == tooLate || e.Code == sessions.CodeTooLarge
	e, against := m.guardResult(e)
	if e = fitting(e, tool); made && e.Outcome == sessions.CallFailed && tool.Write && !tool.Idempotent {
		e.Outcome = sessions.CallUnknown // it was done, or may have been: only its answer is of no use
	}
	m.emit(e)
	m.noticeGuards(toolOutput, against)
	return e
}

// arguments are the values of WITH, if they fit.
func (m *machine) arguments(c *dsl.Call, tool *dsl.Tool) (map[string]any, bool) {
	args, err := dsl.Arguments(c.With, m.scope())
	if err == nil {
		err = tool.Params.Check(args)
	}
	if err != nil {
		m.noticeError(err)
		return nil, false
	}
	return args, len(encoded(args)) <= largestArguments
}

// shownArguments are arguments as the log has them.
func shownArguments(args map[string]any, mask []string) map[string]json.RawMessage {
	if len(args) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(args))
	for name, v := range args {
		raw := encoded(v)
		if slices.Contains(mask, name) {
			raw = json.RawMessage(`"***"`)
		}
		if raw == nil {
			raw = json.RawMessage("null")
		}
		out[name] = raw
	}
	return out
}

// fitting is an outcome whose result fits what the tool says it answers with, or the failure
// that it does not.
func fitting(e sessions.CallEnded, tool *dsl.Tool) sessions.CallEnded {
	if e.Outcome != sessions.CallOK {
		e.Result = nil
		return e
	}
	e.Problem = ""
	var v any
	if len(e.Result) > 0 && json.Unmarshal(e.Result, &v) != nil || tool.Result.Check(v) != nil {
		e.Outcome, e.Code, e.Result = sessions.CallFailed, badResult, nil
		return e
	}
	var compact bytes.Buffer
	if len(e.Result) > 0 && json.Compact(&compact, e.Result) == nil {
		e.Result = compact.Bytes()
	}
	return e
}
