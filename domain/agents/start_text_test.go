package agents_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/fault"
)

func TestStartText(t *testing.T) {
	for name, c := range map[string]struct{ dsl, want string }{
		"a text":               {"ON_START: {SAY: Hello}", "Hello"},
		"a block":              {"AGENT: a\nON_START:\n  SAY: |\n    One\n    two\n", "One\ntwo\n"},
		"a list":               {"ON_START:\n  SAY:\n    - One\n    - \"2\"\n", "One\n2"},
		"an empty list":        {"ON_START: {SAY: []}", ""},
		"none":                 {"AGENT: a\nGOAL: b\n", ""},
		"no SAY":               {"ON_START: {SET: {a: 1}}", ""},
		"an empty SAY":         {"ON_START: {SAY: }", ""},
		"an empty ON_START":    {"ON_START:\n", ""},
		"an empty source":      {"", ""},
		"only a comment":       {"# later\n", ""},
		"not a map":            {"- a\n- b\n", ""},
		"a reference":          {"HELLO: &h Hi\nON_START: {SAY: *h}", "Hi"},
		"a list of references": {"HELLO: &h Hi\nON_START: {SAY: [*h, you]}", "Hi\nyou"},
		"a template": {`ON_START: {SAY: "Hello{{ has(caller.name) ? ' ' + caller.name : '' }}"}`,
			"Hello{{ has(caller.name) ? ' ' + caller.name : '' }}"},
		"lower case":          {"on_start: {say: Hello}", ""},
		"somewhere deeper":    {"FLOW: {ON_START: {SAY: Hello}}", ""},
		"a second document":   {"ON_START: {SAY: One}\n---\nON_START: {SAY: Two}\n", "One"},
		"the rest is strange": {"TOOLS: 5\nFLOW: [1, {a: b}]\nON_START: {SAY: Hi, CALL: {x: 1}}", "Hi"},
	} {
		got, err := agents.StartText(c.dsl)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestStartTextNamesTheLine(t *testing.T) {
	for name, c := range map[string]struct{ dsl, problem string }{
		"not YAML":             {"AGENT: a\nGOAL: b: c\n", "line 2"},
		"an open bracket":      {"AGENT: a\nX: [1,\n", "line"},
		"a tab":                {"A:\n\tB: 1\n", "line 2"},
		"an unknown reference": {"A: 1\nB: 2\nC: *nope\n", "line 3"},
		"a control character":  {"A: 1\nB: \x01\n", "line 2"},
		"a later document":     {"A: 1\n---\nB: c: d\n", "line 3"},
		"ON_START a text":      {"A: 1\nON_START: Hello\n", "line 2: ON_START must be a map"},
		"SAY a number":         {"ON_START:\n  SAY: 5\n", "line 2: SAY must be a text or a list of texts"},
		"SAY an empty map":     {"ON_START:\n  SAY: {}\n", "line 2: SAY must be"},
		"SAY maps of maps":     {"ON_START:\n  SAY: {en: {a: b}}\n", "line 2: SAY must be"},
		"SAY with a number":    {"ON_START:\n  SAY:\n    - a\n    - 5\n", "line 4: SAY must be"},
		"SAY holds itself":     {"ON_START:\n  SAY: &s [*s]\n", "line 2: "},
	} {
		_, err := agents.StartText(c.dsl)
		var e *fault.Error
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, fault.Validation, e.Code, name)
		require.Equal(t, "spec.dslContent", e.Details[0].Field, name)
		require.Contains(t, e.Details[0].Problem, c.problem, name)
		require.False(t, strings.Contains(e.Message, "yaml:"), e.Message)
	}
}

func FuzzStartText(f *testing.F) {
	for _, seed := range []string{"ON_START: {SAY: a}", "ON_START: {SAY: [a, *b]}", "a: &a [*a]\nON_START: *a", "%YAML 1.1\n---\n", "\xff",
		"? a\n: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dsl string) {
		_, err := agents.StartText(dsl)
		if err != nil {
			require.True(t, fault.Is(err, fault.Validation))
			require.Contains(t, err.Error(), "line ")
		}
	})
}
