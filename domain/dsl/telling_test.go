package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
)

// The error of several problems is the first of them, and how many follow.
func TestProblemsAsAnError(t *testing.T) {
	one := dsl.Problem{Field: "GOAL", Line: 3, Column: 7, Code: "empty", Hint: "is empty"}
	for want, problems := range map[string]dsl.Problems{
		"no problems":                                  nil,
		"line 3, column 7: GOAL is empty":              {one},
		"line 3, column 7: GOAL is empty (and 1 more)": {one, one},
		"line 3, column 7: GOAL is empty (and 2 more)": {one, one, one},
	} {
		require.EqualError(t, problems, want)
	}
}

// Given a line that YAML cannot read, then what is most often wrong with such a line is told, and nothing that is not.
func TestWhatIsMostOftenWrongWithALine(t *testing.T) {
	for line, hint := range map[string]string{
		"LIMITS:\n\tSTEPS: 1":               " (YAML is indented by spaces, not by tabs)",
		"COMPLETE: [{WHEN: \"a\" == x}]":    ` (put the whole condition into quotes: '"a" == x')`,
		"COMPLETE: [{WHEN: 'a' == x}]":      ` (put the whole condition into quotes: '"a" == x')`,
		"COMPLETE: [{WHEN: !has(x), SAY}]]": ` (put a condition that starts with ! into quotes: '!has(x)')`,
		"ESCALATE: [{QUEUE: ?q, {}]":        ` (inside of { } put what has a ? into quotes)`,
		"PERSONA: who: me":                  ` (put a text that has ": " in it into quotes)`,
		"PERSONA: who? me: you":             ` (put a text that has ": " in it into quotes)`,
		"ESCALATE: [{QUEUE]":                "",
		"PERSONA: [who?":                    "",
	} {
		_, problems := dsl.Compile("A", withHead(line))
		require.Len(t, problems, 1, line)
		require.Equal(t, "not_yaml", problems[0].Code, line)
		_, told, _ := strings.Cut(problems[0].Hint, " (")
		if hint == "" {
			require.NotContains(t, problems[0].Hint, " (", line)
		} else {
			require.Equal(t, hint, " ("+told, line)
		}
	}
}

// Where a mistake stands is told in characters of the source, behind secrets and other expressions too.
func TestAMistakeBehindOthersIsToldWhereItStands(t *testing.T) {
	for name, value := range map[string]string{
		"behind a secret":          `'ä ${secret:KEY} {{ nope }}'`,
		"behind an expression":     `'ä {{ args.ä == "}}" }} {{ nope }}'`,
		"behind spaces":            `'{{   nope }}'`,
		"behind a quote in quotes": `'{{ "a\"}}" }} {{ nope }}'`,
		"in a list of a list":      `[[a, '{{ nope }}']]`,
		"in a map of a map":        `{a: {b: '{{ nope }}'}}`,
	} {
		value = strings.ReplaceAll(value, "args.ä", "args.a")
		source := withHead("TOOLS: {t: {KIND: http, METHOD: PUT, URL: 'https://a.example', BODY: " + value + "}}")
		line := strings.Split(source, "\n")[3]
		_, problems := dsl.Compile("A", source)
		require.Len(t, problems, 1, name)
		require.Equal(t, fmt.Sprintf("4:%d", 1+len([]rune(line[:strings.Index(line, "nope")]))),
			fmt.Sprintf("%d:%d", problems[0].Line, problems[0].Column), name)
	}
}

// Each item that is wrong is told once, and none because of another.
func TestEachItemIsToldOnce(t *testing.T) {
	for source, want := range map[string][]string{
		"TOOLS: {t: {USE: x, MASK: [1, 1]}}": {"TOOLS.t.MASK[0] type: must be a text: put it into quotes",
			"TOOLS.t.MASK[1] type: must be a text: put it into quotes"},
		"TOOLS: {t: {USE: x, MASK: ['', '']}}": {"TOOLS.t.MASK[0] empty: is empty: give it a value, or take it away",
			"TOOLS.t.MASK[1] empty: is empty: give it a value, or take it away"},
		"PERSONA: [1, [a]]": {"PERSONA[0] type: must be a text: put it into quotes", "PERSONA[1] type: must be a text: put it into quotes"},
		"ON_START: {SET: {[a]: 1, ? {b: c} : 2, !x d: 3}}": {"ON_START.SET key: a key must be a plain text",
			"ON_START.SET key: a key must be a plain text", "ON_START.SET key: a key must be a plain text"},
		"ON_START: {SET: {&a b: &c d}}": {"ON_START.SET key: a key must be a plain text"},
		"GATHER: {s: {TYPE: enum, OPTIONS: [{ID: ''}, {ID: ''}]}}": {"GATHER.s.OPTIONS[0].ID empty: is empty: give it a value, or take it away",
			"GATHER.s.OPTIONS[1].ID empty: is empty: give it a value, or take it away"},
		"HANDOFFS: []\nXYZ: 1": {"HANDOFFS unknown_key: there is no HANDOFFS here: did you mean HANDOFF?",
			"XYZ unknown_key: there is no XYZ here; there are DSL, AGENT, DESCRIPTION, GOAL, PERSONA, LIMITATIONS, INSTRUCTIONS, MODEL, LIMITS, " +
				"TOOLS, GATHER, MEMORY, ON_START, CONSTRAINTS, GUARDRAILS, HANDOFF, DELEGATE, FAN_OUT, ESCALATE, COMPLETE, FLOW, REMOTE, TESTS"},
		"MODEL: fast": {"MODEL type: must be a map with TIER, ID, FALLBACK_TIER, EXTRACT_TIER, TEMPERATURE, MAX_TOKENS, TIMEOUT"},
		"TESTS: [a]": {"TESTS[0].NAME required: is required",
			"TESTS[0].TURNS required: is required: what the user says, and what is expected",
			"TESTS[0] type: must be a map with NAME, CONTEXT, TURNS"},
		"PERSONA: &a x\nGOALS: *a": {"PERSONA anchor: has an anchor: take the &a away", "GOALS alias: is an alias: write the value out"},
		"HANDOFF: {TO: B}":         {"HANDOFF type: must be a list"},
		"HANDOFF: [{TO: B, CONTEXT: {PASS: [a, b]}}]": {
			"HANDOFF[0].CONTEXT.PASS[0] path: must be a path such as gather.email or session.customer_id",
			"HANDOFF[0].CONTEXT.PASS[1] path: must be a path such as gather.email or session.customer_id"},
		"TESTS: [{NAME: a, TURNS: [], CONTEXT: {gatherValues: {a b: 1}}}]": {
			"TESTS[0].CONTEXT.gatherValues.a b unknown_slot: there is no slot a b, and none at all"},
		"GATHER: [s]": {"GATHER type: must be a map"},
	} {
		_, problems := dsl.Compile("A", withHead(source))
		require.Equal(t, want, toldOf(problems), source)
	}
}

// What a deployment says in place of MODEL is refused as MODEL itself is, member by member.
func TestWhatADeploymentMayNotSayOfAModel(t *testing.T) {
	cold, none, most, hot := -0.1, 0.0, 2.0, 2.1
	const oneOf, degrees = "must be one of fast, balanced, powerful", "must be a number from 0 to 2"
	const length = "must be a whole number from 1 to 200000"
	for name, c := range map[string]struct {
		override       dsl.Override
		field, problem string
	}{
		"nothing":        {dsl.Override{}, "", ""},
		"the least":      {dsl.Override{ModelID: "own", Temperature: &none, MaxTokens: 1}, "", ""},
		"the most":       {dsl.Override{Tier: "fast", ExtractTier: "powerful", Temperature: &most, MaxTokens: 200_000}, "", ""},
		"no tier":        {dsl.Override{Tier: "quick"}, "tier", oneOf},
		"no fallback":    {dsl.Override{FallbackTier: "x"}, "fallbackTier", oneOf},
		"no extraction":  {dsl.Override{ExtractTier: "x"}, "extractTier", oneOf},
		"tier and model": {dsl.Override{Tier: "fast", ModelID: "own"}, "modelId", "does not go with tier"},
		"too cold":       {dsl.Override{Temperature: &cold}, "temperature", degrees},
		"too hot":        {dsl.Override{Temperature: &hot}, "temperature", degrees},
		"less than none": {dsl.Override{MaxTokens: -1}, "maxTokens", length},
		"too long":       {dsl.Override{MaxTokens: 200_001}, "maxTokens", length},
	} {
		var want, refused fault.Fields
		if c.field != "" {
			want.Add("model."+c.field, "%s", c.problem)
		}
		c.override.Check("model", &refused)
		require.Equal(t, want, refused, name)
	}
}
