package testsuites_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/domain/turns"
)

const meter = `DSL: 1
AGENT: meter
TOOLS: {submit: {KIND: http, METHOD: POST, URL: "https://api.example.com/x", PARAMS: {type: object, properties: {value: {type: integer}}}}}
GATHER:
  kind: {TYPE: enum, OPTIONS: [gas, water], PROMPT: "Gas or water?"}
  again: {TYPE: string}
  pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$", PROMPT: "Your PIN?", SENSITIVE: true}
ON_START: {SAY: {en: "Good day, {{ caller.userId }}.", de: Guten Tag.}}
FLOW:
  START: which
  STEPS:
    which: {GATHER: [kind, pin], NEXT: save}
    save:
      CALL: submit
      WITH: {value: 7}
      AS: session.saved
      ON_ERROR: {NEXT: sorry}
      BRANCH: [{IF: session.saved.ok, SAY: "Saved {{ gather.kind }}.", END: true}, {ELSE: true, NEXT: sorry}]
    sorry: {SAY: "Not saved.", GATHER: [again], NEXT: save}
TESTS:
  - NAME: saved
    CONTEXT: {callerContext: {userId: u-1, customAttributes: {tier: gold}}, toolMocks: [{tool: submit, result: {ok: true}}]}
    TURNS:
      - {USER: hello, EXPECT: {SAY: "Good day, u-1.\nGas or water?", ACTION: continue, STEP: which, AGENT: meter, MODEL_CALLS: 0}}
      - {USER: gas, EXPECT: {CONTAINS: [PIN], GATHERED: {kind: gas}}}
      - {USER: "1234", EXPECT: {ACTION: end, SESSION: {saved: {ok: true}}, TOOLS: [submit]}}
`

// stage has the agent of a source.
func stage(t *testing.T, source string) testsuites.Stage {
	t.Helper()
	p, problems := dsl.Compile("meter", source)
	require.NotNil(t, p, problems)
	return testsuites.Stage{Programs: turns.Programs{"meter": p}, Manifest: map[string]sessions.Pinned{"meter": {Hash: "h"}}, Agent: "meter",
		Language: "en", Session: "s-1", At: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)}
}

func TestTheTestsOfASourceAreCases(t *testing.T) {
	on := stage(t, meter)
	own := testsuites.Own(on.Programs["meter"])
	require.Len(t, own, 1)
	require.Equal(t, []any{"saved", 3}, []any{own[0].Name, testsuites.Steps(own)})
	played := own[0].Play(on)
	require.Empty(t, played.Error)
	require.Equal(t, []testsuites.Step{{Turn: 1}, {Turn: 2}, {Turn: 3}}, played.Steps)
	require.Equal(t, 3, played.Passed())
	require.Equal(t, played, own[0].Play(on), "the same comes to the same")
}

// said is a turn in which the user says something.
func said(user string, expect *testsuites.Expect) testsuites.Turn {
	return testsuites.Turn{User: user, Expect: expect}
}

func says(text string) *testsuites.Expect { return &testsuites.Expect{Say: &text} }

var (
	gas   = map[string]json.RawMessage{"kind": json.RawMessage(`"gas"`)}
	saves = testsuites.Mock{Tool: "submit", Result: json.RawMessage(`{"ok":true}`)}
)

// Given a case, when it is played, then these are the differences of its steps.
func TestWhatIsNotAsExpected(t *testing.T) {
	one, once := 1, saves
	once.Times = 1
	never := testsuites.Mock{Tool: "submit", Error: "DOWN"}
	with := func(mocks ...testsuites.Mock) testsuites.Context {
		return testsuites.Context{SkipOnStart: true, ToolMocks: mocks}
	}
	for name, c := range map[string]struct {
		context testsuites.Context
		turns   []testsuites.Turn
		want    [][]testsuites.Difference
	}{
		"another text": {with(saves), []testsuites.Turn{said("x", says("Water?"))}, [][]testsuites.Difference{{{"say", "Water?",
			"Gas or water?"}}}},
		"in which something is not": {with(saves), []testsuites.Turn{said("x", &testsuites.Expect{Contains: []string{"Gas", "wine"}})},
			[][]testsuites.Difference{{{"contains", "wine", "Gas or water?"}}}},
		"where it stands": {with(saves), []testsuites.Turn{said("x", &testsuites.Expect{Action: "end", Step: "save", Agent: "other",
			ModelCalls: &one})}, [][]testsuites.Difference{{{"action", "end", "continue"}, {"step", "save", "which"},
			{"agent", "other", "meter"}, {"modelCalls", "1", "0"}}}},
		"what it knows": {with(saves), []testsuites.Turn{said("x", nil), said("water", &testsuites.Expect{Gathered: gas,
			Session: map[string]json.RawMessage{"vip": json.RawMessage("true"), "none": json.RawMessage("null")}})},
			[][]testsuites.Difference{{{"gathered.kind", `"gas"`, `"water"`}, {"session.vip", "true", ""}}}},
		"what is sensitive is not shown": {with(saves), []testsuites.Turn{said("x", nil), said("gas", nil),
			said("1234", &testsuites.Expect{Gathered: map[string]json.RawMessage{"pin": json.RawMessage(`"4321"`)}})},
			[][]testsuites.Difference{{{"gathered.pin", "***", "another value, or none"}}}},
		"which tools": {with(saves), []testsuites.Turn{said("x", &testsuites.Expect{Tools: []string{"submit", "submit"}})},
			[][]testsuites.Difference{{{"tools", "submit, submit", ""}}}},
		"after the end": {testsuites.Context{GatherValues: gas, ToolMocks: []testsuites.Mock{saves}}, []testsuites.Turn{said("x", nil),
			said("1234", &testsuites.Expect{Action: "end"}), said("x", nil), said("x", says("more"))}, [][]testsuites.Difference{{},
			{{"turn", "that the agent answers", "the conversation has ended"}}}},
		"a mock that answers once in the whole case": {with(once, never), []testsuites.Turn{said("x", nil), said("gas", nil),
			said("1234", &testsuites.Expect{Action: "end"})}, [][]testsuites.Difference{{}}},
		"and is used up": {with(testsuites.Mock{Tool: "submit", Result: json.RawMessage(`{"ok":false}`), Times: 1}, saves),
			[]testsuites.Turn{said("x", nil), said("gas", nil), said("1234", says("Not saved.")), said("yes", says("Saved gas."))},
			[][]testsuites.Difference{{}, {}}},
		"a case that expects nothing has to come to its end": {with(never), []testsuites.Turn{said("x", nil), said("gas", nil)},
			[][]testsuites.Difference{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			played := testsuites.Case{Name: name, Context: c.context, Turns: c.turns}.Play(stage(t, meter))
			require.Empty(t, played.Error)
			var got [][]testsuites.Difference
			for _, s := range played.Steps {
				got = append(got, append([]testsuites.Difference{}, s.Differences...))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestCasesThatCannotBePlayed(t *testing.T) {
	value := func(name, v string) testsuites.Context {
		return testsuites.Context{GatherValues: map[string]json.RawMessage{name: json.RawMessage(v)}, ToolMocks: []testsuites.Mock{saves}}
	}
	for why, context := range map[string]testsuites.Context{
		"turn 1: the agent meter calls the tool submit: give the case a mock of it in context.toolMocks": {StartAtStep: "save"},
		"turn 1: context.toolMocks[1].tool names a tool that no agent has": {ToolMocks: []testsuites.Mock{saves,
			{Tool: "none"}}},
		"context.startAtStep: the agent meter has no step no":                     {StartAtStep: "no", ToolMocks: []testsuites.Mock{saves}},
		`turn 1: context.gatherValues has "no", which is no slot of the agent`:    value("no", "1"),
		`turn 1: context.gatherValues has a value of "kind" that the agent would`: value("kind", `"tea"`),
	} {
		played := testsuites.Case{Context: context, Turns: []testsuites.Turn{said("x", nil)}}.Play(stage(t, meter))
		require.Contains(t, played.Error, why)
		require.Empty(t, played.Steps)
	}
}

// Given a case that begins at a step, then the agent stands there as if it had asked: what is said first is the answer to its first
// question, where it is one.
func TestACaseBeginsAtAStep(t *testing.T) {
	for first, answer := range map[string]string{"gas": "Your PIN?", "tea": "Gas or water?"} {
		c := testsuites.Case{Context: testsuites.Context{SkipOnStart: true, StartAtStep: "which", ToolMocks: []testsuites.Mock{saves}},
			Turns: []testsuites.Turn{said(first, says(answer))}}
		require.Equal(t, testsuites.Played{Steps: []testsuites.Step{{Turn: 1}}}, c.Play(stage(t, meter)), first)
	}
	sorry := testsuites.Case{Context: testsuites.Context{StartAtStep: "sorry", ToolMocks: []testsuites.Mock{saves}},
		Turns: []testsuites.Turn{said("yes", &testsuites.Expect{Action: "end", Tools: []string{"submit"}})}}
	require.Equal(t, 1, sorry.Play(stage(t, strings.Replace(meter, "Saved {{ gather.kind }}", "Saved", 1))).Passed())
}

func TestATurnThatFailsIsADifferenceWhateverIsExpected(t *testing.T) {
	endless := "DSL: 1\nAGENT: meter\nFLOW: {START: a, STEPS: {a: {NEXT: b}, b: {NEXT: a}}}\n"
	c := testsuites.Case{Turns: []testsuites.Turn{said("x", &testsuites.Expect{Action: "continue"})}}
	require.Equal(t, []testsuites.Step{{Turn: 1, Differences: []testsuites.Difference{{"turn", "that it comes to its end", "STEP_LIMIT"}}}},
		c.Play(stage(t, endless)).Steps)
}

func TestALanguageIsSpoken(t *testing.T) {
	on := stage(t, meter)
	on.Language = "de"
	c := testsuites.Case{Context: testsuites.Context{ToolMocks: []testsuites.Mock{saves}},
		Turns: []testsuites.Turn{said("x", &testsuites.Expect{Contains: []string{"Guten Tag."}})}}
	require.Equal(t, 1, c.Play(on).Passed())
}

func TestAnAgentThatNeedsAModelIsNotPlayed(t *testing.T) {
	c := testsuites.Case{Turns: []testsuites.Turn{said("x", nil)}}
	require.Equal(t, testsuites.Played{Error: "turn 1: the agent meter needs a model, which a test cannot give it"},
		c.Play(stage(t, "DSL: 1\nAGENT: meter\nGOAL: Help.\n")))
	on := stage(t, meter)
	on.Agent = "nobody"
	require.Contains(t, testsuites.Case{Context: testsuites.Context{ToolMocks: []testsuites.Mock{saves}},
		Turns: c.Turns}.Play(on).Error, "there is no agent nobody")
}

// Given agents of which one is led by a model and has a tool, then a case that does not come to it needs neither.
func TestWhatACaseDoesNotComeToItDoesNotNeed(t *testing.T) {
	front := "DSL: 1\nAGENT: meter\nHANDOFF: [{TO: guide, WHEN: 'turn.text == \"guide\"'}, {TO: clerk, WHEN: 'turn.text == \"clerk\"'}]\n" +
		"FLOW: {START: a, STEPS: {a: {SAY: Good day.}}}\n"
	for said, why := range map[string]string{
		"hello": "",
		"guide": "turn 1: the agent guide needs a model, which a test cannot give it",
		"clerk": "turn 1: the agent clerk calls the tool note: give the case a mock of it in context.toolMocks",
	} {
		on := stage(t, front)
		for name, source := range map[string]string{"guide": "DSL: 1\nAGENT: guide\nGOAL: Help.\n",
			"clerk": "DSL: 1\nAGENT: clerk\nTOOLS: {note: {KIND: http, URL: \"https://api.example.com/x\"}}\n" +
				"FLOW: {START: a, STEPS: {a: {CALL: note}}}\n"} {
			p, problems := dsl.Compile(name, source)
			require.NotNil(t, p, problems)
			on.Programs[name] = p
		}
		c := testsuites.Case{Turns: []testsuites.Turn{{User: said}}}
		require.Equal(t, why, c.Play(on).Error, said)
	}
}

// A turn that escalates leaves the session with people; what is said then is for them.
func TestATestEscalates(t *testing.T) {
	source := "DSL: 1\nAGENT: meter\nFLOW: {START: p, STEPS: {p: {SAY: A colleague takes over., ESCALATE: desk, END: true}}}\n"
	c := testsuites.Case{Turns: []testsuites.Turn{said("x", &testsuites.Expect{Action: "escalated"}),
		said("y", &testsuites.Expect{Action: "escalated", Say: new(string)})}}
	require.Equal(t, 2, c.Play(stage(t, source)).Passed())
}

// Given slots that a model finds, then a test plays without one: they are read by their form.
func TestSlotsAreReadWithoutAModel(t *testing.T) {
	c := testsuites.Case{Turns: []testsuites.Turn{said("it is about gas", says("Your name?")), said("Ann", says("Ann: gas."))}}
	played := c.Play(stage(t, `DSL: 1
AGENT: meter
GATHER: {kind: {TYPE: enum, OPTIONS: [gas, water], EXTRACT: model}, name: {TYPE: string, PROMPT: "Your name?", EXTRACT: model}}
FLOW: {START: a, STEPS: {a: {GATHER: [kind, name], NEXT: b}, b: {SAY: "{{ gather.name }}: {{ gather.kind }}.", END: true}}}
`))
	require.Equal(t, []any{2, ""}, []any{played.Passed(), played.Error})
}
