package testsuites_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/domain/turns"
)

// talked is a session in which the meter was talked with, and its tool answered one thing after
// the other.
func talked(t *testing.T, answers []sessions.CallEnded, messages ...string) []event.Payload {
	t.Helper()
	on := stage(t, meter)
	var s sessions.State
	var all []event.Payload
	decides := func(decide func(sessions.State) ([]event.Payload, error)) {
		got, err := decide(s)
		require.NoError(t, err)
		for _, p := range got {
			sessions.Sessions.Fold(&s, p)
		}
		all = append(all, got...)
	}
	decides(sessions.Open{ID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", AgentName: "meter", At: on.At,
		Begun: &sessions.Begun{Manifest: on.Manifest, Language: "en", Caller: map[string]json.RawMessage{"userId": json.RawMessage(`"u-1"`)}}}.
		Decide)
	for _, m := range messages {
		if m == "/reset" {
			decides(sessions.Reset{At: on.At}.Decide)
			continue
		}
		decides(turns.Receive{Text: m, Programs: on.Programs, At: on.At, Try: sessions.Claimed{Process: "p", Try: "t"}}.Decide)
		for s.Talk.Running != nil && len(answers) > 0 {
			decides(turns.Outcome{CallID: s.Talk.Running.Open[0].CallID, Ended: answers[0], Programs: on.Programs, At: on.At,
				Try: sessions.Claimed{Process: "p", Try: "t"}}.Decide)
			answers = answers[1:]
		}
	}
	return all
}

var (
	notSaved = sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"ok":false}`)}
	down     = sessions.CallEnded{Outcome: sessions.CallFailed, Code: "HTTP_503"}
	savedNow = sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"ok":true}`)}
)

// Given a session, then its case plays as it was: the same is said, the tools answer the same.
func TestASessionIsSavedAsACase(t *testing.T) {
	all := talked(t, []sessions.CallEnded{notSaved, down, savedNow}, "hello", "gas", "1234", "yes")
	on := stage(t, meter)
	c, notes, err := testsuites.Record("as it was", all, on.Programs)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, c.Turns, 4)
	require.Equal(t, "Good day, u-1.\nGas or water?", *c.Turns[0].Expect.Say)
	require.Equal(t, []any{"end", "save", "meter", []string{"submit", "submit"}}, []any{c.Turns[3].Expect.Action, c.Turns[3].Expect.Step,
		c.Turns[3].Expect.Agent, c.Turns[3].Expect.Tools})
	require.Equal(t, []testsuites.Mock{{Tool: "submit", Result: notSaved.Result, Times: 1}, {Tool: "submit", Error: "HTTP_503", Times: 1},
		{Tool: "submit", Result: savedNow.Result, Times: 1}}, c.Context.ToolMocks)
	played := c.Play(on)
	require.Empty(t, played.Wrong())
	require.Equal(t, 4, played.Passed())
	_, err = testsuites.DefineSuite{TenantID: "acme", ProjectID: "bot", Suite: testsuites.Suite{ID: "ts-1", Name: "Recorded", Agent: "meter",
		Cases: []testsuites.Case{c}}}.Decide(testsuites.State{})
	require.NoError(t, err, "it can be applied")
}

// A case has what happened since the last reset, whole turns only, and says what it lacks.
func TestWhatACaseCannotHave(t *testing.T) {
	on := stage(t, meter)
	c, notes, err := testsuites.Record("x", talked(t, nil, "hello", "/reset", "hi", "gas", "1234"), on.Programs)
	require.NoError(t, err)
	require.Len(t, c.Turns, 2)
	require.Equal(t, []string{"turn 3 is left out, with all behind it: it has not ended"}, notes)
	require.Equal(t, []testsuites.Mock{{Tool: "submit", Error: testsuites.NotRecorded}}, c.Context.ToolMocks, "it was not called")

	unsure := down
	unsure.Outcome = sessions.CallUnknown
	all := talked(t, []sessions.CallEnded{down, unsure, savedNow}, "hi", "gas", "1234", "yes")
	c, notes, err = testsuites.Record("x", all, on.Programs)
	require.NoError(t, err)
	require.Len(t, c.Context.ToolMocks, 3, "each turn has its own")
	require.Contains(t, notes[0], "nobody knew whether it was done")

	for why, past := range map[string][]event.Payload{"no turn": talked(t, nil), "no turn that": talked(t, nil, "hi", "/reset"),
		"a model was asked": append(talked(t, nil, "hi"), sessions.ModelAsked{})} {
		_, _, err = testsuites.Record("x", past, on.Programs)
		require.True(t, fault.Is(err, fault.Conflict), why)
		require.ErrorContains(t, err, why)
	}
}

// What goes with messages beside their text is told, as a case has no place for it.
func TestWhatGoesWithAMessageIsNoted(t *testing.T) {
	on := stage(t, meter)
	all := talked(t, nil, "hi", "gas")
	for i, p := range all {
		if e, is := p.(sessions.MessageReceived); is {
			e.Action, e.Metadata, e.Attachments, e.Blocked = &sessions.Chosen{ID: "kind"}, json.RawMessage(`{"a":1}`), []string{"f"}, "cards"
			e.Brought = &sessions.Brought{SkipOnStart: true, StartAt: "which", Slots: gas}
			all[i] = e
		}
	}
	c, notes, err := testsuites.Record("x", all, on.Programs)
	require.NoError(t, err)
	require.Len(t, notes, 8)
	require.Equal(t, []any{true, "which", gas, "kind"}, []any{c.Context.SkipOnStart, c.Context.StartAtStep, c.Context.GatherValues,
		c.Turns[0].Action})
}

// Given a session in which a message was taken back by its sender, when a test is made of it, then it ends before that
// message, of which nothing is in it.
func TestWhatWasTakenBackIsInNoTest(t *testing.T) {
	all := talked(t, nil, "Hello", "12345678", "secret words")
	var back sessions.MessageReceived
	for _, p := range all {
		if said, is := p.(sessions.MessageReceived); is {
			back = said
		}
	}
	c, notes, err := testsuites.Record("mine", append(all, sessions.MessageTakenBack{MessageID: back.MessageID}), stage(t, meter).Programs)
	require.NoError(t, err)
	require.Len(t, c.Turns, 2)
	require.Contains(t, notes[len(notes)-1], "taken back by its sender")
	kept, err := json.Marshal([]any{c, notes})
	require.NoError(t, err)
	require.NotContains(t, string(kept), "secret words")
}
