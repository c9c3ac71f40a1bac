package dsl_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

// What a step of a workflow gives to its tool is JSON, whose texts may be computed of the names that there are.
func TestAValueOutsideOfAnAgent(t *testing.T) {
	scope := dsl.Scope{"input": map[string]any{"n": 2.0, "who": "Ada"}}
	for text, want := range map[string]any{
		"":                                   map[string]any{},
		" \n":                                map[string]any{},
		`{"n": "{{ input.n }}"}`:             map[string]any{"n": 2.0},
		`["Hi {{ input.who }}", true, null]`: []any{"Hi Ada", true, nil},
		`"7"`:                                "7",
	} {
		v, problems := dsl.CompileValue(text, "input")
		require.Empty(t, problems, text)
		got, err := v.Eval(scope)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, code := range map[string]string{
		`{"n": "{{ other.n }}"}`: "unknown_name",
		`{"n": "${secret:KEY}"}`: "secret_place",
		`{"n": `:                 "not_yaml",
		`{"n": "{{ input.n "}`:   "template",
		`{"a": 1, "a": 2}`:       "duplicate",
	} {
		v, problems := dsl.CompileValue(text, "input")
		require.Len(t, problems, 1, text)
		require.Equal(t, code, problems[0].Code, text)
		require.Equal(t, dsl.Value{}, v, text)
	}
}

// A number inside of a text is written in digits, whatever its size, and what has members as JSON.
func TestHowValuesAreWrittenIntoTexts(t *testing.T) {
	p := compiled(t, "A", withHead("ON_START: {SAY: '<{{ session.v }}>'}"))
	for want, v := range map[string]any{
		"<>": nil, "<a>": "a", "<true>": true, "<7>": 7.0, "<7.5>": 7.5, "<1000000000000000000000>": 1e21, "<0.0000001>": 1e-7,
		`<["a",1]>`: []any{"a", 1.0}, `<{"a":{"b":2.5}}>`: map[string]any{"a": map[string]any{"b": 2.5}},
	} {
		said, err := p.OnStart.Say.Say("", dsl.Scope{"session": map[string]any{"v": v}})
		require.Equal(t, v == nil, err != nil, "what is not there is left out, with a word")
		require.Equal(t, want, said)
	}
}

// Of several mistakes in one text the first is told beside what could be said.
func TestWhatCannotBeSaidIsLeftOut(t *testing.T) {
	p := compiled(t, "A", withHead("ON_START: {SAY: 'a{{ session.x }}b{{ session.y }}c'}"))
	said, err := p.OnStart.Say.Say("", nil)
	require.Equal(t, "abc", said)
	require.ErrorContains(t, err, "session.x")
	said, err = dsl.Text{}.Say("de", nil)
	require.Equal(t, []any{"", nil}, []any{said, err})
	require.Empty(t, dsl.Text{}.String())
}

// A source has room for thousands of expressions. Nothing is added to a text that is longer than anybody takes.
func TestATextDoesNotGrowForEver(t *testing.T) {
	many := strings.Repeat("{{ session.v }}", 5_000)
	scope := dsl.Scope{"session": map[string]any{"v": strings.Repeat("a", 20_000)}, "input": map[string]any{"v": strings.Repeat("a", 20_000)}}
	said, err := compiled(t, "A", withHead("ON_START: {SAY: '"+many+"'}")).OnStart.Say.Say("", scope)
	require.NoError(t, err)
	require.Less(t, len(said), 2<<20)
	v, problems := dsl.CompileValue(`["`+strings.ReplaceAll(many, "session", "input")+`"]`, "input")
	require.Empty(t, problems)
	got, err := v.Eval(scope)
	require.NoError(t, err)
	require.Less(t, len(got.([]any)[0].(string)), 2<<20)
	require.Greater(t, len(got.([]any)[0].(string)), 1<<20, "so that it is seen to be too long")
}

// A mock that a test brings may hold under a condition on its arguments, or always.
func TestTheConditionOfAMock(t *testing.T) {
	p := compiled(t, "A", withHead(""))
	c, wrong := p.MockCondition("args.n == 2")
	require.Empty(t, wrong)
	held, err := c.Holds(dsl.Scope{"args": map[string]any{"n": 2.0}})
	require.NoError(t, err)
	require.True(t, held)

	c, wrong = p.MockCondition("")
	require.Nil(t, c)
	require.Empty(t, wrong)
	c, wrong = p.MockCondition("arg.n == 2")
	require.Nil(t, c)
	require.Equal(t, "there is no `arg` here: did you mean args?", wrong)
}

// Given a guardrail that redacts, then what its PATTERN finds goes, or the one pattern of its CHECK; where nobody knows
// what the CHECK is about, all of the text.
func TestWhatAGuardrailTakesAway(t *testing.T) {
	for members, want := range map[string]string{
		`CHECK: 'true', PATTERN: "[0-9]+"`:                   "card #$1, pin #$1",
		`CHECK: '!matches(text, "[0-9]{4}")'`:                "card #$1, pin 12",
		`CHECK: '! matches( text , "\\d{4}" )'`:              "card #$1, pin 12",
		`CHECK: '!matches(text, "[0-9]{4}") && text != "x"'`: "#$1",
		`CHECK: 'text != "x"'`:                               "#$1",
	} {
		p := compiled(t, "A", withHead("GUARDRAILS: {g: {ON: output, ACTION: redact, "+members+"}}"))
		require.Equal(t, want, p.Guardrails[0].Redacted("card 1234, pin 12", "#$1"), members)
	}
}

// What is given to an agent as JSON has whole numbers where the schema has integers, as deep as it goes.
func TestMembersAreAsTheirSchemaHasThem(t *testing.T) {
	const given = `{"n": 2, "f": 2, "half": 2.5, "far": 9007199254740992, "in": {"n": 3}, "list": [1, 2], "more": 4}`
	s := compiled(t, "A", withHead("TOOLS: {t: {USE: x, PARAMS: {type: object, properties: {n: {type: integer}, f: {type: number}, "+
		"half: {type: integer}, far: {type: integer}, in: {type: object, properties: {n: {type: integer}}}, "+
		"list: {type: array, items: {type: integer}}}}}}")).Tool("t").Params
	require.Equal(t, map[string]any{"n": int64(2), "f": 2.0, "half": 2.5, "far": int64(9007199254740992), "in": map[string]any{"n": int64(3)},
		"list": []any{int64(1), int64(2)}, "more": 4.0}, s.Members(json.RawMessage(given)))
	require.Equal(t, map[string]any{}, s.Members(json.RawMessage("[1]")))
	id := `{"id": 9007199254740993, "list": [-9007199254740993], "n": 1e3}`
	require.Equal(t, map[string]any{"id": int64(9007199254740993), "list": []any{int64(-9007199254740993)}, "n": 1000.0},
		(*dsl.Schema)(nil).Members(json.RawMessage(id)))
	require.Equal(t, map[string]any{"n": 2.0}, (*dsl.Schema)(nil).Members(json.RawMessage(`{"n": 2}`)))
	require.Equal(t, map[string]any{"type": "integer"}, s.Properties()["n"])
	open := compiled(t, "A", withHead("TOOLS: {t: {USE: x, PARAMS: {type: object}}}")).Tool("t").Params
	require.Equal(t, map[string]any{}, open.Properties())
}

// Where what a text must be is known from its expression, a value of another kind is refused before anybody talks.
func TestArgumentsFitTheirTool(t *testing.T) {
	const kinds = "TOOLS: {t: {USE: x, PARAMS: {type: object, properties: {s: {type: string}, b: {type: boolean}, n: {type: number}, " +
		"l: {type: array, items: {type: integer}}, o: {type: object, properties: {a: {type: boolean}}}}}}}\n" +
		"GATHER: {n: {TYPE: integer}, s: {TYPE: string}}\nON_START: {CALL: t, WITH: {"
	for with, hint := range map[string]string{
		"s: gather.s": "", "s: turn.text": "", "s: session.any": "", "n: gather.n": "", "b: gather.n > 1": "", "l: session.any": "",
		"l: [1, gather.n]": "", "l: [1, 2]": "", "o: {a: 1 > 2}": "", "o: {a: gather.s}": "", "n: 5": "", "n: session.any": "",
		"s: null":     "is empty: give it a value, or take it away",
		"s: gather.n": "is a int and must be a string", "b: gather.s": "is a string and must be a boolean",
		"n: gather.s": "is a string and must be a number", "n: gather.n > 1": "is a bool and must be a number",
		"b: 1": "it does not fit: got number, want boolean", "l: [1, true]": "1 does not fit: got boolean, want integer",
	} {
		_, problems := dsl.Compile("A", withHead(kinds+with+"}}"))
		if hint == "" {
			require.Empty(t, problems, with)
			continue
		}
		require.Len(t, problems, 1, with)
		require.Equal(t, hint, problems[0].Hint, with)
	}
}
