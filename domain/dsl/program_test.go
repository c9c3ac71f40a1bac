package dsl_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/dsl"
)

func TestWhatTheExamplesAre(t *testing.T) {
	triage := compiled(t, "Support_Triage", example(t, "support_triage"))
	require.Equal(t, dsl.References{Agents: []string{"Billing_Agent", "Tech_Agent"}, Queues: []string{"support_l1"},
		Secrets: []dsl.Secret{{Tool: "find_customer", Name: "CRM_TOKEN"}}}, triage.References())
	require.Equal(t, 4, triage.Limits.ModelCalls)
	require.True(t, triage.Slot("email").Sensitive)
	require.Equal(t, 4*time.Second, triage.Tool("find_customer").Timeout)
	require.False(t, triage.Tool("find_customer").Write)
	require.Nil(t, triage.Tool("none"))
	require.Equal(t, 365*24*time.Hour, triage.Store("profile").TTL)

	trip := compiled(t, "Trip_Planner", example(t, "trip_planner"))
	require.Equal(t, []string{"weather"}, trip.References().Servers)
	require.Equal(t, []string{"flights", "hotels", "visa"}, trip.Group("offers").Delegates)
	require.Equal(t, trip.Group("offers").Delegates, trip.Flow.Step("search").Delegate)
	require.Equal(t, dsl.All, trip.Group("offers").Join)
	require.False(t, trip.Delegate("flights").Offered, "a step runs it")
	require.True(t, trip.Tool("pay").Confirm)
	require.Equal(t, "pay_late", trip.Tool("pay").OnTimeout.Goto)
	require.Equal(t, float64(1500), trip.Slot("budget").Default)

	meter := compiled(t, "Meter_Reading", example(t, "meter_reading"))
	require.Zero(t, meter.Limits.ModelCalls, "a scripted agent needs no model")
	require.Equal(t, 0, *meter.Tests[0].Turns[1].Expect.ModelCalls)
}

func TestConditionsAndTextsSeeTheScope(t *testing.T) {
	triage := compiled(t, "Support_Triage", example(t, "support_triage"))
	billing := triage.Handoffs[0].When
	scope := dsl.Scope{"gather": map[string]any{"topic": "billing", "email": "a@example.com"}}
	held, err := billing.Holds(scope)
	require.NoError(t, err)
	require.True(t, held)

	held, err = billing.Holds(dsl.Scope{"gather": map[string]any{"email": "a@example.com", "topic": nil}})
	require.ErrorContains(t, err, "condition_error", "a slot that is not filled")
	require.False(t, held, "an error is never true")
	held, err = (*dsl.Condition)(nil).Holds(nil)
	require.NoError(t, err)
	require.True(t, held, "no condition always holds")

	said, err := triage.OnStart.Say.Say("en", dsl.Scope{"caller": map[string]any{"name": "Ada"}})
	require.NoError(t, err)
	require.Equal(t, "Hello Ada, how can I help?", said)
	said, _ = triage.OnStart.Say.Say("en", nil)
	require.Equal(t, "Hello, how can I help?", said)

	broken, err := triage.Constraints[0].Broken(dsl.Scope{})
	require.NoError(t, err)
	require.True(t, broken)
	broken, _ = triage.Constraints[0].Broken(scope)
	require.False(t, broken)
}

// What a user says is never a secret, even when it looks like one.
// Given code, then it reads, unless it may write a store or says that it writes.
func TestCodeReadsUnlessItMayWrite(t *testing.T) {
	for tool, writes := range map[string]bool{
		"":                              false,
		"STORES: [seen]":                false,
		"STORES: [seen, all]":           true,
		"STORES: [left]":                true,
		"STORES: [all], EFFECT: read":   false,
		"STORES: [seen], EFFECT: write": true,
	} {
		p, problems := dsl.Compile("A", withHead("MEMORY: {all: {SCOPE: session}, seen: {SCOPE: session, ACCESS: read}, "+
			"left: {SCOPE: session, ACCESS: write}}\nTOOLS: {t: {KIND: code, SOURCE: return 1, "+tool+"}}"))
		require.Empty(t, problems, tool)
		require.Equal(t, writes, p.Tool("t").Write, tool)
	}
}

func TestSecretsAreOnlyWhatTheSourceWrites(t *testing.T) {
	p := compiled(t, "A", withHead("TOOLS: {t: {KIND: http, METHOD: POST, URL: 'https://a.example/x',\n"+
		"  HEADERS: {Authorization: 'Bearer ${secret:KEY}'}, BODY: {a: '{{ args.a }}', n: '{{ args.n }}', l: ['{{ args.a }}!', 1]},\n"+
		"  PARAMS: {type: object, properties: {a: {type: string}, n: {type: integer}}}}}\n"))
	request := p.Tool("t").Request
	scope := dsl.Scope{"args": map[string]any{"a": "${secret:KEY}", "n": float64(3)}}
	asked := []string{}
	secrets := func(name string) (string, error) { asked = append(asked, name); return "s3", nil }
	body, err := request.Body.Fill(scope, secrets)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": "${secret:KEY}", "n": int64(3), "l": []any{"${secret:KEY}!", int64(1)}}, body)
	require.Empty(t, asked)
	headers, err := dsl.FillArguments(request.Headers, scope, secrets)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"Authorization": "Bearer s3"}, headers)
	shown, err := dsl.Arguments(request.Headers, scope)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"Authorization": "Bearer ***"}, shown)
	_, err = request.Body.Eval(dsl.Scope{})
	require.ErrorContains(t, err, "condition_error")
}

// Who sets the session's language has it as it is: the compiler says so, and lets it run.
func TestAnAgentDoesNotSetTheLanguage(t *testing.T) {
	p := compiled(t, "A", withHead("ON_START: {SET: {session.language: '\"de\"', session.lang: '1.0'}}"))
	require.Len(t, p.Warnings, 1)
	require.Equal(t, []any{"target", 4}, []any{p.Warnings[0].Code, p.Warnings[0].Line})
}

func TestTheSessionsLanguageChooses(t *testing.T) {
	p := compiled(t, "A", withHead("ON_START: {SAY: {en: Hello, de: [Guten Tag, 'Zeile {{ 1 + 1 }}'], pt-BR: Oi, zh: 你好, zh-Hant: 您好}}"))
	for language, want := range map[string]string{"en": "Hello", "en-US": "Hello", "de-AT": "Guten Tag\nZeile 2",
		"pt-br": "Oi", "pt-BR-x-abc": "Oi", "pt": "Oi", "pt-PT": "Oi", "fr": "Hello", "": "Hello", "zh-Hant-TW": "您好",
		"ZH-hant": "您好", "zh-TW": "你好", "zh-Hans-CN": "你好"} {
		said, err := p.OnStart.Say.Say(language, nil)
		require.NoError(t, err)
		require.Equal(t, want, said, language)
	}
	require.Equal(t, []string{"en", "de", "pt-BR", "zh", "zh-Hant"}, p.OnStart.Say.Languages())
}

func TestWhatIsOfferedToTheModel(t *testing.T) {
	p := compiled(t, "A", withHead("HANDOFF: [{TO: B}, {TO: C, WHEN: 'true', PRIORITY: 5}]\n"+
		"DELEGATE: [{AGENT: D}, {AGENT: E, WHEN: 'true'}]\n"+
		"ESCALATE: [{QUEUE: q}]\nTOOLS: {u: {USE: t-1}, w: {KIND: workflow, USE: wf-1}}"))
	require.Equal(t, "C", p.Handoffs[0].To, "the higher priority first")
	require.False(t, p.Handoffs[0].Offered)
	require.True(t, p.Handoffs[1].Offered)
	require.True(t, p.Delegate("D").Offered)
	require.False(t, p.Delegate("E").Offered)
	require.True(t, p.Escalates[0].Offered)
	r := p.References()
	require.Equal(t, []string{"t-1"}, r.Tools)
	require.Equal(t, []string{"wf-1"}, r.Workflows)
	require.Equal(t, []string{"B", "C", "D", "E"}, r.Agents)
}

// Given an ASK beside a way to go, then that way is a warning at its place, since the question ends the turn; beside STOP it is none.
func TestAWayBesideAQuestionIsAWarning(t *testing.T) {
	source := func(then string) string {
		return "DSL: 1\nAGENT: A\nFLOW: {START: a, STEPS: {a: {RICH: [{KIND: button, ID: x, LABEL: X}], ON_ACTION: {x: {" + then +
			"}}}}}\nGATHER: {s: {TYPE: text, PROMPT: Which}}"
	}
	for _, way := range []string{"GOTO: a", "NEXT: a", "ESCALATE: q", "END: true", "CONTINUE: true"} {
		p := compiled(t, "A", source("SAY: y, ASK: [s], "+way))
		require.Len(t, p.Warnings, 1, way)
		require.Equal(t, dsl.Problem{"FLOW.STEPS.a.ON_ACTION.x." + way[:strings.Index(way, ":")], 3, 105, "asks_instead",
			"is not followed beside ASK, whose question ends the turn: leave out one of the two"}, p.Warnings[0], way)
	}
	require.Empty(t, compiled(t, "A", source("SAY: y, ASK: [s], STOP: true")).Warnings)
}

// Given a RETRY where nothing is tried again, then that is a warning at its place; where something is, it is none.
func TestARetryOfNothingIsAWarning(t *testing.T) {
	step := func(text string) string { return "FLOW: {START: a, STEPS: {a: {" + text + "}}}" }
	for name, c := range map[string]struct {
		text string
		at   [2]int
	}{
		"a check":   {step("CHECK: 'true', ON_FAIL: {RETRY: 1, END: true}"), [2]int{3, 55}},
		"a branch":  {step("BRANCH: [{ELSE: true, RETRY: 1, END: true}]"), [2]int{3, 52}},
		"no work":   {step("SAY: x, ON_ERROR: {RETRY: 1, END: true}"), [2]int{3, 49}},
		"a handoff": {"HANDOFF: [{TO: B, ON_FAIL: {RETRY: 1, SAY: x}}]\nGOAL: g", [2]int{3, 29}},
	} {
		p := compiled(t, "A", "DSL: 1\nAGENT: A\n"+c.text)
		require.Len(t, p.Warnings, 1, name)
		require.Equal(t, "no_retry", p.Warnings[0].Code, name)
		require.Equal(t, c.at, [2]int{p.Warnings[0].Line, p.Warnings[0].Column}, name)
	}
	p := compiled(t, "A", "DSL: 1\nAGENT: A\n"+step("DELEGATE: D, ON_ERROR: {RETRY: 1, END: true}")+"\nDELEGATE: [{AGENT: D}]")
	require.Empty(t, p.Warnings)
}

func TestAnUnreachableStepIsAWarning(t *testing.T) {
	p := compiled(t, "A", "DSL: 1\nAGENT: A\nFLOW: {START: a, STEPS: {a: {END: true}, b: {END: true}}}")
	require.Len(t, p.Warnings, 1)
	require.Equal(t, "unreachable", p.Warnings[0].Code)
	require.Equal(t, 3, p.Warnings[0].Line)
}

// shown is a program as a text, with all conditions as they are written.
func shown(t require.TestingT, p *dsl.Program) string {
	data, err := json.Marshal(p)
	require.NoError(t, err)
	return string(data)
}

func TestTheSameSourceGivesTheSame(t *testing.T) {
	sources := []string{example(t, "support_triage"), example(t, "trip_planner"), example(t, "meter_reading")}
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(rapid.SampledFrom(sources).Draw(t, "source"), "\n")
		for range rapid.IntRange(0, 2).Draw(t, "lost") { // most of these do not compile
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			lines = append(lines[:i:i], lines[i+1:]...)
		}
		source := strings.Join(lines, "\n")
		one, problems := dsl.Compile("", source)
		two, again := dsl.Compile("", source)
		require.Equal(t, problems, again)
		require.Equal(t, one == nil, two == nil)
		if one != nil {
			require.Equal(t, shown(t, one), shown(t, two))
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, name := range []string{"support_triage", "trip_planner", "meter_reading"} {
		f.Add(example(f, name))
	}
	f.Add(bomb())
	f.Add("DSL: 1\nAGENT: A\nGOAL: {{{\n")
	f.Fuzz(func(t *testing.T, source string) {
		p, problems := dsl.Compile("", source)
		require.Equal(t, p == nil, len(problems) > 0)
		require.LessOrEqual(t, len(problems), dsl.MostProblems)
		for _, one := range problems {
			require.Positive(t, one.Line)
			require.Positive(t, one.Column)
			require.NotEmpty(t, one.Code)
		}
	})
}

// Given what a deployment says in place of MODEL, then that holds, and the rest of the source as it was; the program itself stays.
func TestAProgramWithAnotherModel(t *testing.T) {
	cold, warm := 0.0, 1.5
	source := dsl.Model{Tier: "fast", FallbackTier: "powerful", Temperature: &cold, MaxTokens: 100, Timeout: time.Second}
	for name, c := range map[string]struct {
		override dsl.Override
		edit     func(*dsl.Model)
	}{
		"nothing": {dsl.Override{}, func(*dsl.Model) {}},
		"a tier":  {dsl.Override{Tier: "balanced"}, func(m *dsl.Model) { m.Tier = "balanced" }},
		"a model": {dsl.Override{ModelID: "own"}, func(m *dsl.Model) { m.Tier, m.ID = "", "own" }},
		"other tiers": {dsl.Override{FallbackTier: "balanced", ExtractTier: "fast"}, func(m *dsl.Model) {
			m.FallbackTier, m.ExtractTier = "balanced", "fast"
		}},
		"how it talks": {dsl.Override{Temperature: &warm, MaxTokens: 7}, func(m *dsl.Model) { m.Temperature, m.MaxTokens = &warm, 7 }},
	} {
		p, want := &dsl.Program{Agent: "a", Model: source}, source
		c.edit(&want)
		require.Equal(t, &dsl.Program{Agent: "a", Model: want}, p.With(c.override), name)
		require.Equal(t, source, p.Model, name)
	}
	named := &dsl.Program{Model: dsl.Model{ID: "own"}}
	require.Equal(t, dsl.Model{Tier: "fast"}, named.With(dsl.Override{Tier: "fast"}).Model)
}
