package testsuites_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/testsuites"
)

// Given a case, then its user presses what is shown, at the time of the stage, and what is known of the session is so.
func TestWhatACasePlaysWith(t *testing.T) {
	on := stage(t, `DSL: 1
AGENT: meter
FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "{{ session.vip }} at {{ now }}"
      RICH: [{KIND: button, ID: book, LABEL: Book it, VALUE: "7"}]
      ON_ACTION: {book: {SAY: "Booked {{ turn.value }}."}}
      NEXT: offer
`)
	played := testsuites.Case{Context: testsuites.Context{SessionVariables: map[string]json.RawMessage{"vip": json.RawMessage("true")}},
		Turns: []testsuites.Turn{said("hi", says("true at 2026-11-25T12:00:00Z")),
			{Action: "book", Value: json.RawMessage(`"8"`), Expect: &testsuites.Expect{Contains: []string{"Booked 8."}}}}}.Play(on)
	require.Equal(t, []any{2, "", ""}, []any{played.Passed(), played.Wrong(), played.Error})
}

// The first mock that fits answers, with a result or an error, so often as it says; one without a number does always.
func TestWhichMockAnswers(t *testing.T) {
	mock := func(when, result string, times int) testsuites.Mock {
		return testsuites.Mock{Tool: "submit", When: when, Result: json.RawMessage(result), Times: times}
	}
	good, bad := `{"ok":true}`, `{"ok":false}`
	const endless = `turn 4, turn: expected "that it comes to its end", got "STEP_LIMIT"`
	for label, c := range map[string]struct {
		mocks []testsuites.Mock
		says  []string // to the PIN, and to what is said when it was not saved
		wrong string
	}{
		"one that does not fit": {[]testsuites.Mock{mock("args.value > 7", bad, 0), mock("args.value == 7", good, 0)},
			[]string{"Saved gas."}, ""},
		"an error":             {[]testsuites.Mock{{Tool: "submit", Error: "DOWN"}}, []string{"Not saved."}, ""},
		"one that always does": {[]testsuites.Mock{mock("", bad, 0), mock("", good, 0)}, []string{"Not saved.", "never"}, endless},
		"one that did once":    {[]testsuites.Mock{mock("", bad, 1), mock("", good, 0)}, []string{"Not saved.", "Saved gas."}, ""},
		"one that did twice":   {[]testsuites.Mock{mock("", bad, 2), mock("", good, 0)}, []string{"Not saved.", "Not saved.\nSaved gas."}, ""},
	} {
		all := []testsuites.Turn{said("x", nil), said("gas", nil)}
		for _, text := range c.says {
			all = append(all, said("1234", says(text)))
		}
		played := testsuites.Case{Context: testsuites.Context{SkipOnStart: true, ToolMocks: c.mocks}, Turns: all}.Play(stage(t, meter))
		require.Equal(t, c.wrong, played.Wrong(), label)
	}
}

// What went wrong first is said in one line, by the number of its turn.
func TestWhatWentWrongIsSaid(t *testing.T) {
	context := testsuites.Context{GatherValues: gas, SkipOnStart: true, ToolMocks: []testsuites.Mock{saves}}
	after := testsuites.Case{Context: context, Turns: []testsuites.Turn{said("x", nil), said("1234", &testsuites.Expect{Action: "end"}),
		said("y", nil), said("z", says("more"))}}.Play(stage(t, meter))
	require.Equal(t, []testsuites.Step{{Turn: 2}, {Turn: 4, Differences: []testsuites.Difference{
		{What: "turn", Expected: "that the agent answers", Got: "the conversation has ended"}}}}, after.Steps)
	require.Equal(t, `turn 4, turn: expected "that the agent answers", got "the conversation has ended"`, after.Wrong())

	last := testsuites.Case{Context: context, Turns: []testsuites.Turn{said("x", nil), said("y", nil)}}
	require.Equal(t, []testsuites.Step{{Turn: 2}}, last.Play(stage(t, meter)).Steps, "who expects nothing, expects that the last turn ends")
	require.Equal(t, 1, last.Steps())
	require.Equal(t, "there is no agent x", testsuites.Played{Error: "there is no agent x"}.Wrong())
}

// Of a turn so many differences are told, and of a text so much; what is no JSON equals nothing.
func TestHowMuchOfADifferenceIsTold(t *testing.T) {
	var parts []string
	for i := range 21 {
		parts = append(parts, fmt.Sprint("part ", i))
	}
	context := testsuites.Context{SkipOnStart: true, ToolMocks: []testsuites.Mock{saves}}
	step := func(e testsuites.Expect) []testsuites.Difference {
		return testsuites.Case{Context: context, Turns: []testsuites.Turn{said("x", &e)}}.Play(stage(t, meter)).Steps[0].Differences
	}
	all := step(testsuites.Expect{Contains: parts})
	require.Len(t, all, 20)
	require.Equal(t, "part 19", all[19].Expected)
	whole, none := strings.Repeat("ä", 500), 0
	require.Equal(t, whole, step(*says(whole))[0].Expected)
	require.Equal(t, whole+"…", step(*says(whole + "ä"))[0].Expected)
	require.Empty(t, step(testsuites.Expect{ModelCalls: &none}), "no model is called")
	for _, value := range []string{"gas", "7", "{"} {
		require.Equal(t, []testsuites.Difference{{What: "session.vip", Expected: value}},
			step(testsuites.Expect{Session: map[string]json.RawMessage{"vip": json.RawMessage(value)}}))
	}
}
