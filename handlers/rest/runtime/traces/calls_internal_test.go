package traces

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
)

// Given calls of tools and of a model, then each is a span in its step, from when it was wanted to
// what came of it.
func TestCallsAreSpansOfTheirSteps(t *testing.T) {
	opened := func(id string, at int) sessions.CallOpened {
		return sessions.CallOpened{InTurn: in(1, at), CallID: id, Agent: "a", Step: "x", Tool: "find"}
	}
	s := told(heard(1), sessions.StepEntered{InTurn: in(1, 10), Agent: "a", Step: "x"}, opened("c1", 11),
		sessions.CallClaimed{InTurn: in(1, 12), CallID: "c1"},
		sessions.CallEnded{InTurn: in(1, 14), CallID: "c1", Agent: "a", Step: "x", Tool: "find", Outcome: sessions.CallFailed, Code: "TIMEOUT"},
		sessions.ModelAsked{InTurn: in(1, 15), CallID: "c2", Agent: "a", Step: "x"},
		sessions.ModelAnswered{InTurn: in(1, 18), CallID: "c2", Agent: "a", Step: "x"}, saidIn(1), ended(1, ""))
	var kinds []string
	for _, x := range s.spans {
		kinds = append(kinds, x.kind+" "+x.name+" "+x.parent+" "+x.failed+" "+x.ended.Sub(x.begun).String())
	}
	require.Contains(t, kinds, "tool find s.1.2 TIMEOUT "+(3*time.Second).String())
	require.Contains(t, kinds, "model a s.1.2  "+(3*time.Second).String())
}

// Given delegates at once, then each is a span in the step that has them work, with what they do in it.
func TestDelegatesAreSpansOfTheirSteps(t *testing.T) {
	inside := func(id string, at int) sessions.InTurn {
		of := in(1, at)
		of.Delegate = id
		return of
	}
	begun := func(id string) sessions.DelegateBegun {
		return sessions.DelegateBegun{InTurn: in(1, 11), DelegateID: id, Name: "d" + id, From: "a", To: "b"}
	}
	ends := func(id, code string, at int) sessions.DelegateEnded {
		return sessions.DelegateEnded{InTurn: in(1, at), DelegateID: id, Name: "d" + id, From: "a", To: "b", Code: code}
	}
	s := told(heard(1), sessions.StepEntered{InTurn: in(1, 10), Agent: "a", Step: "x"}, begun("1"),
		sessions.StepEntered{InTurn: inside("1", 11), Agent: "b", Step: "y"}, begun("2"),
		sessions.StepEntered{InTurn: inside("2", 11), Agent: "b", Step: "y"},
		sessions.CallOpened{InTurn: inside("1", 12), CallID: "c1", Agent: "b", Step: "y", Tool: "find"}, ends("2", "TIMEOUT", 14),
		sessions.CallEnded{InTurn: inside("1", 15), CallID: "c1", Agent: "b", Step: "y", Tool: "find", Outcome: sessions.CallOK},
		ends("1", "", 16), sessions.StepEntered{InTurn: in(1, 16), Agent: "a", Step: "z"}, ended(1, ""))
	var kinds []string
	for _, x := range s.spans {
		kinds = append(kinds, x.id+" "+x.kind+" "+x.name+" in "+x.parent+" "+x.failed+" "+x.ended.Sub(x.begun).String())
	}
	require.Equal(t, []string{"s.1.2 step x in s.1.1  6s", "s.1.3 delegate d1 in s.1.2  5s", "s.1.4 agent b in s.1.3  4s",
		"s.1.5 step y in s.1.4  4s", "s.1.6 delegate d2 in s.1.2 TIMEOUT 3s", "s.1.7 agent b in s.1.6  0s", "s.1.8 step y in s.1.7  0s",
		"s.1.9 tool find in s.1.5  3s", "s.1.10 step z in s.1.1  0s"}, kinds[3:])
}

func TestWhatToolsDidIsCounted(t *testing.T) {
	made := func(tool string, outcome sessions.CallOutcome, took int64) sessions.CallEnded {
		return sessions.CallEnded{InTurn: in(1, 10), Agent: "a", Tool: tool, Outcome: outcome, Tries: 1, TookMs: took}
	}
	mock := sessions.CallEnded{InTurn: in(1, 10), Agent: "a", Tool: "find", Outcome: sessions.CallOK, Mock: 1}
	var m SessionMetrics
	told(heard(1), made("find", sessions.CallOK, 10), made("pay", sessions.CallUnknown, 70), made("find", sessions.CallFailed, 30),
		made("find", sessions.CallOK, 20), mock, saidIn(1), ended(1, "")).count(&m)
	require.Equal(t, ToolCallFigures{Count: 5, Failed: 2, Unknown: 1, Mocked: 1, P50Ms: 20, P95Ms: 70}, m.ToolCalls)
	require.Equal(t, []ToolInSession{{"find", ToolCallFigures{Count: 4, Failed: 1, Mocked: 1, P50Ms: 20, P95Ms: 30}},
		{"pay", ToolCallFigures{Count: 1, Failed: 1, Unknown: 1, P50Ms: 70, P95Ms: 70}}}, m.ByTool)
	require.Equal(t, 2, m.ErrorCount)
	m = SessionMetrics{}
	told(heard(1), ended(1, "")).count(&m)
	require.Equal(t, []any{ToolCallFigures{}, []ToolInSession{}}, []any{m.ToolCalls, m.ByTool})
}
