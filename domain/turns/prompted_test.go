package turns_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Given a value that is wanted only when another one is there, then the model is told to ask for it from then on, and not before.
func TestAModelIsToldWhatIsWantedNow(t *testing.T) {
	c := with(t, agent("concierge", "GOAL: Help.\nGATHER: {name: {TYPE: string, PROMPT: \"Your name?\"}, "+
		"room: {TYPE: string, PROMPT: \"Which room?\", ASK_WHEN: has(gather.name)}}\n"))
	require.Empty(t, c.hears("Hello"))
	told := c.question().Messages[0].Text
	require.Contains(t, told, "remembered: name. Your name?")
	require.NotContains(t, told, "Which room?")
	c.thinks("", `remember {"name": "Ann"}`)
	told = c.question().Messages[0].Text
	require.Contains(t, told, `Known: name = "Ann"`)
	require.NotContains(t, told, "Your name?")
	require.Contains(t, told, "remembered: room. Which room?")
}

// Given tools with and without parameters, then the model is given the form of each: of one that has none an object without members.
func TestAModelIsGivenTheFormOfEachTool(t *testing.T) {
	c := with(t, agent("concierge", "GOAL: Help.\nTOOLS:\n  find: {KIND: http, URL: \"https://h.example.com/\", DESCRIPTION: Finds., "+
		"PARAMS: {type: object, required: [id], properties: {id: {type: integer}}}}\n  list: {KIND: http, URL: \"https://h.example.com/\"}\n"))
	require.Empty(t, c.hears("Hello"))
	forms := map[string]map[string]any{}
	for _, tool := range c.question().Tools {
		var form map[string]any
		require.NoError(t, json.Unmarshal(tool.Parameters, &form))
		forms[tool.Name] = form
	}
	require.Equal(t, []any{"id"}, forms["find"]["required"])
	require.Equal(t, map[string]any{"id": map[string]any{"type": "integer"}}, forms["find"]["properties"])
	require.Equal(t, "object", forms["list"]["type"])
	require.Empty(t, forms["list"]["properties"])
}

// Given a session that is a test, then each event of its turns says so, to its end: none is in a report.
func TestEachEventOfATestSaysThatItIsOne(t *testing.T) {
	c := with(t, agent("greeter", "GOAL: Greet.\nGATHER: {name: {TYPE: string, PROMPT: \"Your name?\"}}\n"+
		"COMPLETE: [{WHEN: has(gather.name), SAY: 'Hello {{ gather.name }}.'}]\nFLOW: {START: a, STEPS: {a: {GATHER: [name]}}}\n"))
	c.state.Talk.Test = true
	turn := func(text string) {
		got, err := turns.Receive{Text: text, Programs: c.programs, At: noon}.Decide(c.state)
		require.NoError(t, err)
		require.NotEmpty(t, got)
		for _, e := range got {
			raw, err := json.Marshal(e)
			require.NoError(t, err)
			require.Contains(t, string(raw), `"test":true`, "%T", e)
			require.Equal(t, 1, strings.Count(string(raw), `"at":"`+noon.Format("2006-01-02T15:04:05")), "%T", e)
		}
		c.add(got...)
	}
	turn("Hi")
	turn("Ann")
	require.Equal(t, sessions.Ended, c.state.Status)
}
