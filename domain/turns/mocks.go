package turns

import (
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// brought is what stands in the message beside it, so that the turn is decided by the log alone.
func (m *machine) brought() *sessions.Brought {
	if m.StartAt == "" && len(m.Mocks) == 0 && !m.SkipOnStart && len(m.Slots) == 0 && m.Begins == nil {
		return nil
	}
	return &sessions.Brought{StartAt: m.StartAt, Mocks: m.Mocks, SkipOnStart: m.SkipOnStart, Slots: m.Slots, Begins: m.Begins}
}

// checkMocks refuses mocks of tools that no agent of the session has.
func (m *machine) checkMocks() error {
	for i, mock := range m.Mocks {
		field := fmt.Sprintf("testContext.toolMocks[%d]", i)
		found := false
		for _, p := range m.Programs {
			if p.Tool(mock.Tool) == nil {
				continue
			}
			found = true
			if _, problem := p.MockCondition(mock.When); problem != "" {
				return fault.Field(field+".when", "is no condition of the agent %s: %s", p.Agent, problem)
			}
		}
		if !found {
			return fault.Field(field+".tool", "names a tool that no agent has")
		}
	}
	return nil
}

// mock is the outcome that a test brings for a call: of the first mock of the tool that may
// still answer and whose condition holds; without one the tool is asked. A mock whose delay is
// longer than the tool may take has timed out; nobody waits for it.
func (m *machine) mock(tool *dsl.Tool, args map[string]any) (out sessions.CallEnded, answers bool) {
	r := m.s.Talk.Running
	if r.Brought == nil {
		return out, false
	}
	for i, mock := range r.Brought.Mocks {
		if mock.Tool != tool.Name || mock.Times > 0 && r.Mocks[i] >= mock.Times || !m.wants(mock, args) {
			continue
		}
		out = sessions.CallEnded{Outcome: sessions.CallOK, Result: mock.Result, Mock: i + 1}
		switch {
		case time.Duration(mock.DelayMs)*time.Millisecond > tool.Timeout:
			out.Outcome, out.Code = sessions.CallFailed, sessions.CodeTimeout
		case mock.Error != "":
			out.Outcome, out.Code = sessions.CallFailed, mock.Error
		}
		return out, true
	}
	return out, false
}

func (m *machine) wants(mock sessions.Mock, args map[string]any) bool {
	if mock.When == "" {
		return true
	}
	c, problem := m.program().MockCondition(mock.When)
	if problem != "" {
		return false
	}
	s := m.scope()
	s["args"] = args
	ok, err := c.Holds(s)
	m.noticeError(err)
	return ok
}

// Made is whether a call came so far that a tool, or a mock in its place, answered it.
func Made(e sessions.CallEnded) bool {
	return e.Code != badArguments && e.Code != noTool && e.Code != sessions.CodeCancelled
}
