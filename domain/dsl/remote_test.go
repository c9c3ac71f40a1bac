package dsl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

const elsewhere = `DSL: 1
AGENT: Flight-Desk
DESCRIPTION: Finds flights.
GATHER: {to: {TYPE: string}}
REMOTE:
  URL: https://flights.example.com/a2a
  HEADERS: {X-API-Key: "${secret:KEY}"}
  VERSION: "1.0"
  TIMEOUT: 90s
  IDEMPOTENT: true
`

// Given an agent that is elsewhere, then it has a tool that asks it, and a flow that passes on what is said.
func TestAnAgentThatIsElsewhere(t *testing.T) {
	p, problems := dsl.Compile("Flight-Desk", elsewhere)
	require.Empty(t, problems)
	require.False(t, p.NeedsModel())
	require.Len(t, p.Tools, 1)
	tool := p.Tool("agent_Flight_Desk")
	require.Equal(t, []any{dsl.ToolAgent, "1.0", 90 * time.Second, true, true}, []any{tool.Kind, tool.Protocol, tool.Timeout, tool.Write,
		tool.Idempotent})
	require.Equal(t, []string{"KEY"}, tool.Request.Secrets())
	require.Equal(t, tool.Name, p.Flow.Step("ask").Call.Tool)
	require.Len(t, p.Completes, 1)
	require.Empty(t, p.Warnings)

	p, problems = dsl.Compile("", elsewhere+"  STAYS: true\n  ON_ERROR: {SAY: Nobody is there., STOP: true}\n")
	require.Empty(t, problems)
	require.Empty(t, p.Completes, "it has the conversation for good")
	require.NotNil(t, p.Flow.Step("ask").OnError)

	first := "REMOTE: {URL: 'https://a.example', TIMEOUT: 5m}\nDSL: 1\nAGENT: 'Ä-09_azAZ`{@[/:'\n"
	p = compiled(t, "", first) // wherever REMOTE stands
	require.Equal(t, []string{"agent___09_azAZ______"}, []string{p.Tools[0].Name})
	require.Equal(t, dsl.Place{Line: 1, Column: 1}, p.Flow.Step("ask").Place)
}

func TestWhatIsWrongWithAnAgentThatIsElsewhere(t *testing.T) {
	for name, of := range map[string]struct {
		source, code string
		line         int
	}{
		"with a flow":   {elsewhere + "FLOW: {START: x, STEPS: {x: {SAY: x}}}\n", "not_here", 11},
		"with a model":  {elsewhere + "GOAL: x\n", "not_here", 11},
		"an odd word":   {elsewhere + "XYZ: 1\n", "unknown_key", 11},
		"no URL":        {strings.Replace(elsewhere, "  URL: https://flights.example.com/a2a\n", "", 1), "required", 5},
		"an odd key":    {elsewhere + "  QUERY: {a: b}\n", "unknown_key", 11},
		"no version":    {strings.Replace(elsewhere, `"1.0"`, `"2.0"`, 1), "choice", 8},
		"a bad address": {strings.Replace(elsewhere, "https://flights", "ftp://flights", 1), "url", 6},
	} {
		_, problems := dsl.Compile("", of.source)
		require.NotEmpty(t, problems, name)
		var codes []string
		for _, p := range problems {
			require.False(t, p.Code == "not_here" && p.Field == "XYZ", "of what there is not, that is told alone")
			codes = append(codes, p.Code)
			require.False(t, strings.HasPrefix(p.Field, "TOOLS"), p.Field)
			if p.Code == of.code {
				require.Equal(t, of.line, p.Line, "%s: %v", name, p)
			}
		}
		require.Contains(t, codes, of.code, name)
	}
}

const asking = `DSL: 1
AGENT: asker
TOOLS:
  peer: {KIND: a2a, URL: "https://a.example.com", %s}
FLOW: {START: x, STEPS: {x: {CALL: peer, WITH: {message: turn.text}, END: true}}}
`

// Given a tool that is an agent of others, then it takes a message, and what belongs to other kinds is refused.
func TestAToolThatIsAnAgent(t *testing.T) {
	p, problems := dsl.Compile("", strings.Replace(asking, ", %s", "", 1))
	require.Empty(t, problems)
	require.Equal(t, []any{"0.3", time.Minute, true, false}, []any{p.Tool("peer").Protocol, p.Tool("peer").Timeout, p.Tool("peer").Write,
		p.Tool("peer").Idempotent})
	for _, key := range []string{"METHOD: GET", "BODY: {a: b}", "QUERY: {a: b}", "USE: x", "SERVER: x", "EXPIRES: 1m", "CACHE: 1m",
		"TIMEOUT: 6m", "VERSION: x"} {
		_, problems = dsl.Compile("", strings.Replace(asking, "%s", key, 1))
		require.NotEmpty(t, problems, key)
	}
	_, problems = dsl.Compile("", strings.Replace(strings.Replace(asking, "%s", "VERSION: '0.3'", 1), "KIND: a2a", "KIND: http", 1))
	require.NotEmpty(t, problems)
	_, problems = dsl.Compile("", strings.Replace(strings.Replace(asking, ", %s", "", 1), "message: turn", "text: turn", 1))
	require.NotEmpty(t, problems)
}
