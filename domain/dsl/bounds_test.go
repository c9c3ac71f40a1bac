package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

const httpTool = "TOOLS: {t: {KIND: http, EFFECT: read, URL: 'https://a.example', %s}}"

// Given a figure, then the least and the most of it are taken, and what is beyond is refused with both.
func TestFiguresHaveBounds(t *testing.T) {
	for member, c := range map[string]struct {
		source              string
		below, least        string
		most, above, bounds string
	}{
		"TEMPERATURE": {"MODEL: {TEMPERATURE: %s}", "-0.1", "0", "2", "2.1", "from 0 to 2"},
		"MAX_TOKENS":  {"MODEL: {MAX_TOKENS: %s}", "0", "1", "200000", "200001", "from 1 to 200000"},
		"a model's time": {"MODEL: {TIMEOUT: %s}", "999ms", "1s", "10m", "601s",
			"from 1s to 10m"},
		"MODEL_CALLS":    {"LIMITS: {MODEL_CALLS: %s}", "-1", "1", "100", "101", "from 0 to 100"},
		"STEPS":          {"LIMITS: {STEPS: %s}", "0", "1", "1000", "1001", "from 1 to 1000"},
		"TRANSFERS":      {"LIMITS: {TRANSFERS: %s}", "-1", "0", "20", "21", "from 0 to 20"},
		"COST_USD":       {"LIMITS: {COST_USD: %s}", "0.00009", "0.0001", "1000", "1000.1", "from 0.0001 to 1000"},
		"MAX_RETRIES":    {"GATHER: {s: {TYPE: string, MAX_RETRIES: %s}}", "-1", "0", "20", "21", "from 0 to 20"},
		"TTL":            {"MEMORY: {m: {SCOPE: session, TTL: %s}}", "999ms", "1s", "3650d", "3651d", "from 1s to 3650d"},
		"a tool's time":  {fmt.Sprintf(httpTool, "TIMEOUT: %s"), "9ms", "10ms", "60s", "60001ms", "from 10ms to 1m"},
		"CACHE":          {fmt.Sprintf(httpTool, "CACHE: %s"), "999ms", "1s", "24h", "25h", "from 1s to 1d"},
		"RETRY":          {fmt.Sprintf(httpTool, "RETRY: {MAX: %s}"), "-1", "0", "5", "6", "from 0 to 5"},
		"BACKOFF":        {fmt.Sprintf(httpTool, "RETRY: {MAX: 1, BACKOFF: %s}"), "9ms", "10ms", "30s", "31s", "from 10ms to 30s"},
		"MEMORY_MB":      {"TOOLS: {t: {KIND: code, SOURCE: x, MEMORY_MB: %s}}", "3", "4", "128", "129", "from 4 to 128"},
		"EXPIRES":        {"TOOLS: {t: {KIND: callback, URL: 'https://a.example', EXPIRES: %s}}", "999ms", "1s", "30d", "31d", "from 1s to 30d"},
		"an agent's":     {"TOOLS: {t: {KIND: a2a, URL: 'https://a.example', TIMEOUT: %s}}", "9ms", "10ms", "5m", "301s", "from 10ms to 5m"},
		"PRIORITY":       {"HANDOFF: [{TO: B, PRIORITY: %s}]", "-1", "0", "1000", "1001", "from 0 to 1000"},
		"a delegate's":   {"DELEGATE: [{AGENT: B, TIMEOUT: %s}]", "99ms", "100ms", "5m", "301s", "from 100ms to 5m"},
		"tries again":    {"DELEGATE: [{AGENT: B, ON_FAIL: {RETRY: %s}}]", "0", "1", "5", "6", "from 1 to 5"},
		"a group's time": {"DELEGATE: [{AGENT: B, GROUP: g}]\nFAN_OUT: {g: {TIMEOUT: %s}}", "99ms", "100ms", "5m", "301s", "from 100ms to 5m"},
		"MAX_PARALLEL":   {"DELEGATE: [{AGENT: B, GROUP: g}]\nFAN_OUT: {g: {MAX_PARALLEL: %s}}", "0", "1", "8", "9", "from 1 to 8"},
		"MAX_VISITS":     {"FLOW: {START: a, STEPS: {a: {MAX_VISITS: %s}}}", "0", "1", "100", "101", "from 1 to 100"},
		"MAX_TURNS":      {"FLOW: {START: a, STEPS: {a: {MODE: model, GOAL: g, MAX_TURNS: %s}}}", "0", "1", "50", "51", "from 1 to 50"},
		"a step's tries": {"FLOW: {START: a, STEPS: {a: {MODE: model, GOAL: g, ON_ERROR: {RETRY: %s}}}}", "0", "1", "5", "6", "from 1 to 5"},
		"a mock's delay": {"TOOLS: {t: {USE: x}}\nTESTS: [{NAME: a, CONTEXT: {toolMocks: [{tool: t, delayMs: %s}]}, TURNS: []}]",
			"-1", "0", "60000", "60001", "from 0 to 60000"},
		"a mock's times": {"TOOLS: {t: {USE: x}}\nTESTS: [{NAME: a, CONTEXT: {toolMocks: [{tool: t, times: %s}]}, TURNS: []}]",
			"0", "1", "1000", "1001", "from 1 to 1000"},
		"calls expected": {"TESTS: [{NAME: a, TURNS: [{USER: x, EXPECT: {MODEL_CALLS: %s}}]}]", "-1", "0", "100", "101", "from 0 to 100"},
	} {
		for _, within := range []string{c.least, c.most} {
			_, problems := dsl.Compile("A", withHead(fmt.Sprintf(c.source, within)))
			require.Empty(t, problems, "%s: %s", member, within)
		}
		for _, beyond := range []string{c.below, c.above} {
			_, problems := dsl.Compile("A", withHead(fmt.Sprintf(c.source, beyond)))
			require.Len(t, problems, 1, "%s: %s", member, beyond)
			require.Contains(t, problems[0].Hint, c.bounds, "%s: %s", member, beyond)
		}
	}
}

// What is no figure is refused as one that is out of bounds: a number of years, a list.
func TestFiguresAreWrittenAsTheyAre(t *testing.T) {
	for source, code := range map[string]string{
		"MODEL: {TIMEOUT: 1y}":                 "duration",
		"MODEL: {TIMEOUT: 30}":                 "duration",
		"MODEL: {TIMEOUT: [30s]}":              "duration",
		"MODEL: {TEMPERATURE: '1'}":            "range",
		"MODEL: {TEMPERATURE: 0x1}":            "range",
		"MODEL: {TEMPERATURE: 1_0}":            "range",
		"MODEL: {TEMPERATURE: [1]}":            "range",
		"MODEL: {MAX_TOKENS: '5'}":             "range",
		"MODEL: {MAX_TOKENS: 5.0}":             "range",
		"ON_START: {SET: {session.a: [0x10]}}": "number",
	} {
		_, problems := dsl.Compile("A", withHead(source))
		require.Len(t, problems, 1, source)
		require.Equal(t, code, problems[0].Code, source)
	}
}

// Given a list, then it has as many items as it may, and one more is refused, with both numbers.
func TestListsHaveBounds(t *testing.T) {
	step := "FLOW:\n  START: s\n  STEPS:\n    s:\n"
	for name, c := range map[string]struct {
		head, one string
		most      int
	}{
		"lines":       {"PERSONA:\n", "  - line %d\n", 100},
		"limitations": {"LIMITATIONS:\n", "  - line %d\n", 100},
		"slots":       {"GATHER:\n", "  s%d: {TYPE: string}\n", 100},
		"options":     {"GATHER:\n  s:\n    TYPE: list\n    OPTIONS:\n", "      - o%d\n", 100},
		"stores":      {"MEMORY:\n", "  m%d: {SCOPE: session}\n", 64},
		"tools":       {"TOOLS:\n", "  t%d: {USE: x}\n", dsl.MaxTools},
		"rich":        {"ON_START:\n  RICH:\n", "    - {KIND: button, ID: b%d, LABEL: B}\n", 20},
		"handoffs":    {"HANDOFF:\n", "  - {TO: B%d}\n", dsl.MaxHandoffs},
		"delegates":   {"DELEGATE:\n", "  - {AGENT: B%d}\n", dsl.MaxDelegates},
		"escalations": {"ESCALATE:\n", "  - {QUEUE: q%d}\n", 100},
		"constraints": {"CONSTRAINTS:\n", "  - {WARN: turn.number == %d}\n", 100},
		"guardrails":  {"GUARDRAILS:\n", "  g%d: {ON: input, CHECK: 'true', ACTION: block}\n", 100},
		"steps": {"FLOW:\n  START: s0\n  STEPS:\n", "    s%d: {END: true}\n",
			dsl.MaxSteps},
		"branches": {step + "      BRANCH:\n", "        - {IF: turn.number == %d, END: true}\n", 100},
		"mocks": {"TOOLS: {t: {USE: x}}\nTESTS:\n  - NAME: a\n    TURNS: []\n    CONTEXT:\n      toolMocks:\n",
			"        - {tool: t, error: E%d}\n", 50},
		"tests": {"TESTS:\n", "  - {NAME: t%d, TURNS: []}\n", 100},
	} {
		_, problems := dsl.Compile("A", withHead(c.head+many(c.one, c.most)))
		require.Empty(t, problems, name)
		_, problems = dsl.Compile("A", withHead(c.head+many(c.one, c.most+1)))
		require.NotEmpty(t, problems, name)
		require.Equal(t, "too_many", problems[0].Code, "%s: %v", name, problems[0])
		require.Regexp(t, fmt.Sprintf(`^may have at most %d (items|members), has %d$`, c.most, c.most+1), problems[0].Hint, name)
	}
}

// A source itself is bounded in bytes, in values and in how deep they are nested.
func TestASourceHasBounds(t *testing.T) {
	items := func(n int) string { return "DSL: [" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	nested := func(n int) string { return "DSL: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct{ most, more, code, hint string }{
		"bytes": {"# " + strings.Repeat("x", dsl.MaxSource-2), "# " + strings.Repeat("x", dsl.MaxSource-1), "too_large",
			"a source may have at most 262144 bytes, this has 262145"},
		"values": {items(49_998), items(49_999), "too_large", "the source has more than 50000 values"},
		"depth":  {nested(15), nested(16), "too_deep", "is nested deeper than 16"},
	} {
		_, problems := dsl.Compile("A", c.most)
		require.NotEmpty(t, problems, name)
		require.NotEqual(t, c.code, problems[0].Code, name)
		_, problems = dsl.Compile("A", c.more)
		require.Len(t, problems, 1, name)
		require.Equal(t, c.code, problems[0].Code, name)
		require.Equal(t, c.hint, problems[0].Hint, name)
	}
}

// Given a byte that is no UTF-8, then it is told in which line and column it is, in characters.
func TestWhereASourceIsNoUTF8(t *testing.T) {
	_, problems := dsl.Compile("A", "DSL: 1\nAGENT: ä\xff")
	require.Equal(t, dsl.Problems{{Line: 2, Column: 9, Code: "not_utf8", Hint: "the source is not UTF-8"}}, problems)
	_, problems = dsl.Compile("A", "DSL: 1\nAGENT: \ufffd\xff") // the sign of what could not be read is one itself
	require.Equal(t, 9, problems[0].Column)
	_, problems = dsl.Compile("A", "\xff")
	require.Equal(t, dsl.Problems{{Line: 1, Column: 1, Code: "not_utf8", Hint: "the source is not UTF-8"}}, problems)
}

// What is wrong with the whole of a source is told at its start.
func TestWhereNothingIsRead(t *testing.T) {
	for source, code := range map[string]string{"": "empty", "# later": "empty", "# " + strings.Repeat("x", dsl.MaxSource): "too_large"} {
		_, problems := dsl.Compile("A", source)
		require.Len(t, problems, 1)
		require.Equal(t, []any{code, 1, 1}, []any{problems[0].Code, problems[0].Line, problems[0].Column})
	}
}

// A URL has at most 16 KiB with its query, a header 64 KiB, a body 1 MiB.
func TestARequestHasBounds(t *testing.T) {
	for name, c := range map[string]struct {
		members     string
		most        int
		part, limit string
	}{
		"a URL": {"URL: '@/', QUERY: {q: '{{ args.v }}'}", 16<<10 - len("https://a.example/?q="), "URL", "16384"},
		"a header": {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", 64 << 10, "HEADERS.X-A",
			"65536"},
		"a body": {"METHOD: PUT, URL: '@/', BODY: '{{ args.v }}'", 1 << 20, "BODY", "1048576"},
	} {
		r := requestOf(t, c.members)
		_, err := r.Build(args("v", strings.Repeat("x", c.most)), vault)
		require.NoError(t, err, name)
		_, err = r.Build(args("v", strings.Repeat("x", c.most+1)), vault)
		var refused *dsl.RequestError
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, c.part, refused.Part)
		require.Contains(t, refused.Problem, "has more than "+c.limit+" bytes", name)
	}
}
