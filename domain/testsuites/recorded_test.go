package testsuites_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/testsuites"
)

var begun = sessions.Opened{SessionID: "s-1", AgentName: "meter", Begun: &sessions.Begun{
	Variables: map[string]json.RawMessage{"vip": json.RawMessage("true")},
	Caller:    map[string]json.RawMessage{"userId": json.RawMessage(`"u-1"`)}}}

// turnOf is a turn on the log, with what tools answered in it.
func turnOf(heard sessions.MessageReceived, answers ...sessions.CallEnded) (out []event.Payload) {
	out = append(out, heard)
	for _, e := range answers {
		out = append(out, e)
	}
	return append(out, sessions.TurnEnded{Action: sessions.Continue})
}

func hear(text string) sessions.MessageReceived { return sessions.MessageReceived{Text: text} }

// session is what began, and the turns behind it.
func session(parts ...[]event.Payload) []event.Payload {
	out := []event.Payload{begun}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func answered(tool, result string) sessions.CallEnded {
	return sessions.CallEnded{Tool: tool, Outcome: sessions.CallOK, Result: json.RawMessage(result)}
}

// Given what tools answered, then it is a mock for each answer, which counts how often it came in a row, in its turn.
func TestTheAnswersOfToolsAreMocks(t *testing.T) {
	unsure := sessions.CallEnded{Tool: "pay", Outcome: sessions.CallUnknown, Code: "TIMEOUT"}
	refused := sessions.CallEnded{Tool: "pay", Outcome: sessions.CallFailed, Code: sessions.CodeCancelled}
	c, notes, err := testsuites.Record("x", session(
		turnOf(hear("a"), answered("look", "1"), answered("find", "1"), answered("look", "1"), answered("look", "2"), answered("look", "1")),
		turnOf(hear("b"), answered("look", "1"), answered("look", "1"), refused, unsure, sessions.CallEnded{Tool: "pay",
			Outcome: sessions.CallFailed, Code: "HTTP_500"})), nil)
	require.NoError(t, err)
	require.Equal(t, testsuites.Context{SessionVariables: begun.Begun.Variables, CallerContext: begun.Begun.Caller,
		ToolMocks: []testsuites.Mock{{Tool: "look", Result: json.RawMessage("1"), Times: 2},
			{Tool: "find", Result: json.RawMessage("1"), Times: 1},
			{Tool: "look", Result: json.RawMessage("2"), Times: 1}, {Tool: "look", Result: json.RawMessage("1"), Times: 1},
			{Tool: "look", Result: json.RawMessage("1"), Times: 2}, {Tool: "pay", Error: "TIMEOUT", Times: 1},
			{Tool: "pay", Error: "HTTP_500", Times: 1}}}, c.Context)
	require.Equal(t, []string{"turn 2: of the tool pay nobody knew whether it was done; in the case it has failed"}, notes)
}

// A case ends before the first turn that it cannot have, with what its tools answered, and says why.
func TestWhereACaseEnds(t *testing.T) {
	pressed := sessions.MessageReceived{Action: &sessions.Chosen{ID: "book", Value: json.RawMessage("7")}}
	cut := func(heard sessions.MessageReceived, how sessions.TurnEnded) []event.Payload {
		return []event.Payload{heard, answered("look", "2"), how}
	}
	for why, c := range map[string][]event.Payload{
		"turn 2 is left out, with all behind it: it failed: STEP_LIMIT": cut(hear("b"), sessions.TurnEnded{Failed: "STEP_LIMIT"}),
		"turn 2 is left out, with all behind it: it was cancelled":      cut(hear("b"), sessions.TurnEnded{Action: sessions.CutOff}),
		"turn 2 is left out, with all behind it: its message was taken back by its sender": append(turnOf(
			sessions.MessageReceived{MessageID: "m-2", Text: "b"}), sessions.MessageTakenBack{MessageID: "m-2"}),
		"turn 2: the files of the message are left out": turnOf(sessions.MessageReceived{Attachments: []string{"f"}}),
	} {
		got, notes, err := testsuites.Record("x", session(turnOf(pressed, answered("look", "1")), c, turnOf(hear("c"))), nil)
		require.NoError(t, err, why)
		require.Contains(t, notes, why)
		said := ""
		require.Equal(t, []testsuites.Turn{{Action: "book", Value: json.RawMessage("7"), Expect: &testsuites.Expect{Say: &said,
			Action: "continue", Agent: "meter"}}}, got.Turns, why)
		require.Equal(t, []testsuites.Mock{{Tool: "look", Result: json.RawMessage("1"), Times: 1}}, got.Context.ToolMocks, why)
	}
}

// What a test brought along with a later message is no beginning of a case; a reset begins one anew.
func TestWhatACaseBeginsWith(t *testing.T) {
	brought := func(step string) sessions.MessageReceived {
		return sessions.MessageReceived{Text: step, Brought: &sessions.Brought{StartAt: step}}
	}
	c, notes, err := testsuites.Record("x", session(turnOf(brought("first")), turnOf(brought("second"))), nil)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "first", c.Context.StartAtStep)

	c, _, err = testsuites.Record("x", session(turnOf(brought("first"), answered("look", "1")), []event.Payload{sessions.WasReset{}},
		turnOf(hear("second"))), nil)
	require.NoError(t, err)
	require.Equal(t, testsuites.Context{SessionVariables: begun.Begun.Variables, CallerContext: begun.Begun.Caller}, c.Context)

	_, _, err = testsuites.Record("x", session([]event.Payload{sessions.PickedUp{}}), nil)
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "the session is one of a call")
}

// A case is as long as a suite takes it: what is behind that is left out, but answers of tools cannot be.
func TestHowLongARecordedCaseMayBe(t *testing.T) {
	long := func(n int, answers ...sessions.CallEnded) (parts [][]event.Payload) {
		for i := range n {
			parts = append(parts, turnOf(hear(fmt.Sprint(i))))
		}
		return append(parts, turnOf(hear("last"), answers...))
	}
	c, notes, err := testsuites.Record("x", session(long(testsuites.MaxTurns-1)...), nil)
	require.NoError(t, err)
	require.Equal(t, []any{0, testsuites.MaxTurns}, []any{len(notes), len(c.Turns)})
	c, notes, err = testsuites.Record("x", session(long(testsuites.MaxTurns)...), nil)
	require.NoError(t, err)
	require.Len(t, c.Turns, testsuites.MaxTurns)
	require.Equal(t, []string{fmt.Sprintf("a case has at most %d turns: what comes behind them is left out", testsuites.MaxTurns)}, notes)

	var answers []sessions.CallEnded
	for i := range testsuites.MaxMocks {
		answers = append(answers, answered("look", fmt.Sprint(i)))
	}
	_, _, err = testsuites.Record("x", session(long(0, answers...)...), nil)
	require.NoError(t, err)
	_, _, err = testsuites.Record("x", session(long(0, append(answers, answered("look", "-1"))...)...), nil)
	require.True(t, fault.Is(err, fault.Conflict))
}
