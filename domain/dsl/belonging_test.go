package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

// toldOf are the problems of a source as texts: field, code, and what is said.
func toldOf(problems dsl.Problems) (all []string) {
	for _, p := range problems {
		all = append(all, fmt.Sprintf("%s %s: %s", p.Field, p.Code, p.Hint))
	}
	return all
}

// A member that stands where it has no effect, or beside one that it excludes, is refused and not passed over. Each
// of these sources has one such mistake, and is told nothing else, but for two of a flow.
func TestWhatDoesNotBelongTogether(t *testing.T) {
	step := func(members string) string {
		return "GATHER: {s: {TYPE: string}}\nTOOLS: {t: {USE: x}}\nDELEGATE: [{ID: d, AGENT: D, GROUP: g}]\n" +
			"FLOW: {START: a, STEPS: {a: {" + members + "}}}"
	}
	tool := func(members string) string { return "TOOLS: {t: {" + members + "}}" }
	const url = "URL: 'https://a.example'"
	for _, one := range []struct{ source, told string }{
		// steps
		{step("END: true, NEXT: a"),
			"FLOW.STEPS.a.NEXT either: comes after END: true, and is never reached"},
		{step("ON_FAIL: {END: true}"),
			"FLOW.STEPS.a.ON_FAIL not_here: belongs to CHECK"},
		{step("WITH: {a: '1'}"),
			"FLOW.STEPS.a.WITH not_here: belongs to CALL"},
		{step("EXIT_WHEN: 'true'"),
			"FLOW.STEPS.a.EXIT_WHEN not_here: belongs to a step of MODE model"},
		{step("CALL: t, DELEGATE: d"),
			"FLOW.STEPS.a.DELEGATE either: does not go with CALL: have two steps"},
		{step("DELEGATE: dd"),
			"FLOW.STEPS.a.DELEGATE unknown_delegate: there is no delegate or group dd: did you mean d?"},
		{step("DELEGATE: nobody"),
			"FLOW.STEPS.a.DELEGATE unknown_delegate: there is no delegate or group nobody; there are d, g"},
		{step("MODE: model, GOAL: g, TOOLS: [none]"),
			"FLOW.STEPS.a.TOOLS[0] unknown_tool: there is no tool none; there are t"},
		{step("BRANCH: [{END: true}]"),
			"FLOW.STEPS.a.BRANCH[0] either: must have IF, or ELSE: true"},
		{step("BRANCH: [{IF: 'true', ELSE: true, END: true}]"),
			"FLOW.STEPS.a.BRANCH[0] either: must have IF, or ELSE: true"},
		{step("CHECK: 'true', ON_FAIL: {}"),
			"FLOW.STEPS.a.ON_FAIL empty: is empty: say what happens"},
		{step("CHECK: 'true', ON_FAIL: {HANDOFF: Z}"),
			"FLOW.STEPS.a.ON_FAIL.HANDOFF unknown_agent: there is no agent in HANDOFF Z, and none at all"},
		{step("CALL: t, AS: gather.s"),
			"FLOW.STEPS.a.AS target: must be session.<name>"},
		{"FLOW: {STEPS: {a: {END: true}}}",
			"FLOW.START required: is required: the first step"},
		{"FLOW: {START: a}",
			"FLOW.STEPS required: is required\nFLOW.START unknown_step: there is no step a, and none at all"},
		{"FLOW: {STEPS: {}, START: a}",
			"FLOW.STEPS empty: is empty: a flow has at least one step\n" +
				"FLOW.START unknown_step: there is no step a, and none at all"},
		// rich content
		{"ON_START: {RICH: [{KIND: select, ID: a, LABEL: A}]}",
			"ON_START.RICH[0].OPTIONS required: is required for a select"},
		{"ON_START: {RICH: [{KIND: button, ID: a, LABEL: A, OPTIONS: [b]}]}",
			"ON_START.RICH[0].OPTIONS not_here: belongs to a select"},
		{"ON_START: {RICH: [{KIND: button, ID: a, LABEL: A, REQUIRED: true}]}",
			"ON_START.RICH[0].REQUIRED not_here: belongs to an input"},
		{"ON_START: {RICH: [{KIND: select, ID: a, LABEL: A, OPTIONS: []}]}",
			"ON_START.RICH[0].OPTIONS empty: is empty: give at least one option"},
		{"ON_START: {RICH: [{KIND: select, ID: a, LABEL: A, OPTIONS: [{LABEL: b}]}]}",
			"ON_START.RICH[0].OPTIONS[0].ID required: is required"},
		{"ON_START: {RICH: [{ID: a, LABEL: A}]}",
			"ON_START.RICH[0].KIND required: is required"},
		{"ON_START: {RICH: [{KIND: button, ID: a, LABEL: A}, {KIND: button, ID: a, LABEL: B}]}",
			"ON_START.RICH[1].ID duplicate: is already the id of another"},
		// slots
		{"GATHER: {s: {TYPE: pattern}}",
			"GATHER.s.PATTERN required: is required for a pattern"},
		{"GATHER: {s: {TYPE: integer, PATTERN: a}}",
			"GATHER.s.PATTERN not_here: belongs to pattern, string and text, and to a list with EXTRACT pattern"},
		{"GATHER: {s: {TYPE: list, PATTERN: a}}",
			"GATHER.s.PATTERN not_here: belongs to pattern, string and text, and to a list with EXTRACT pattern"},
		{"GATHER: {s: {TYPE: text, EXTRACT: pattern}}",
			"GATHER.s.EXTRACT pattern: needs a PATTERN for a text"},
		{"GATHER: {s: {TYPE: list, EXTRACT: pattern}}",
			"GATHER.s.EXTRACT pattern: needs a PATTERN for a list"},
		{"GATHER: {s: {TYPE: enum, OPTIONS: [a, {ID: a}]}}",
			"GATHER.s.OPTIONS[1] duplicate: is already an option"},
		{"GATHER: {s: {TYPE: enum, OPTIONS: []}}",
			"GATHER.s.OPTIONS empty: is empty: give at least one option"},
		{"GATHER: {s: {DESCRIPTION: d}}",
			"GATHER.s.TYPE required: is required: string, text, integer, number, boolean, date, datetime, email, ... or list"},
		{"GATHER: {s: {TYPE: string, PATTERN: " + strings.Repeat("a", 501) + "}}",
			"GATHER.s.PATTERN pattern: is no regular expression of RE2: may have at most 500 characters"},
		// targets
		{"ON_START: {SET: {nowhere.a: '1'}}",
			"ON_START.SET.nowhere.a target: must be session.<name>, gather.<slot> or memory.<store>.<member>"},
		{"ON_START: {SET: {gather.a: '1'}}",
			"ON_START.SET.gather.a unknown_slot: there is no slot a in GATHER"},
		{"GATHER: {s: {TYPE: string}}\nON_START: {SET: {gather.s.x: '1'}}",
			"ON_START.SET.gather.s.x unknown_slot: there is no slot s.x in GATHER"},
		{"ON_START: {SET: {memory.m.a: '1'}}",
			"ON_START.SET.memory.m.a unknown_store: there is no store m in MEMORY"},
		{"MEMORY: {m: {SCOPE: session}}\nON_START: {SET: {memory.m: '1'}}",
			"ON_START.SET.memory.m target: must name a member: memory.m.<member>"},
		// tools
		{tool("KIND: http"),
			"TOOLS.t.URL required: is required"},
		{tool("KIND: http, URL: '/a'"),
			"TOOLS.t.URL url: must begin with https:// or http:// and be one text: where it goes is not computed"},
		{tool("KIND: http, URL: {en: 'https://a.example'}"),
			"TOOLS.t.URL url: must begin with https:// or http:// and be one text: where it goes is not computed"},
		{tool("KIND: http, URL: 'https:///a'"),
			"TOOLS.t.URL url: must have its whole host in it, followed by /, and no user"},
		{tool("KIND: http, METHOD: HEAD, BODY: {}, " + url),
			"TOOLS.t.BODY not_here: does not belong to HEAD"},
		{tool("KIND: http, USE: x, " + url),
			"TOOLS.t.USE not_here: does not belong to a tool of kind http"},
		{tool("KIND: http, VERSION: '1.0', " + url),
			"TOOLS.t.VERSION not_here: belongs to a tool of kind a2a"},
		{tool("KIND: http, EFFECT: write, CACHE: 1m, " + url),
			"TOOLS.t.CACHE cache: belongs to a tool with EFFECT read"},
		{tool("KIND: http, RETRY: {BACKOFF: 1s}, " + url),
			"TOOLS.t.RETRY.MAX required: is required: how often it is tried again"},
		{tool("KIND: callback, CACHE: 1m, EFFECT: read, " + url),
			"TOOLS.t.CACHE not_here: does not belong to a tool of kind callback"},
		{tool("KIND: mcp, TOOL: x"),
			"TOOLS.t.SERVER required: is required: the name of the MCP server"},
		{tool("KIND: mcp, SERVER: x"),
			"TOOLS.t.TOOL required: is required: the tool's name on the server"},
		{tool("KIND: mcp, SERVER: x, TOOL: y, METHOD: GET"),
			"TOOLS.t.METHOD not_here: does not belong to a tool of kind mcp"},
		{tool("KIND: code"),
			"TOOLS.t.SOURCE required: is required: the body of a function of args"},
		{tool("KIND: code, SOURCE: x, LANG: py"),
			"TOOLS.t.LANG choice: must be js"},
		{tool("KIND: code, SOURCE: x, STORES: [m]"),
			"TOOLS.t.STORES unknown_store: there is no store m in MEMORY"},
		{tool("USE: x, SOURCE: y"),
			"TOOLS.t.SOURCE not_here: does not belong to a tool of kind tool"},
		{tool("USE: x, PARAMS: [a]"),
			"TOOLS.t.PARAMS type: must be a JSON Schema: a map"},
		// others
		{"HANDOFF: [{TO: B, ON_RETURN: {SET: {session.a: '1'}}}]",
			"HANDOFF[0].ON_RETURN not_here: belongs to RETURN: true"},
		{"HANDOFF: [{WHEN: 'true'}]",
			"HANDOFF[0].TO required: is required: the agent's name"},
		{"HANDOFF: [{TO: B, CONTEXT: {HISTORY: 101}}]",
			"HANDOFF[0].CONTEXT.HISTORY choice: must be none, all, or a number of messages from 1 to 100"},
		{"HANDOFF: [{TO: B, CONTEXT: {HISTORY: 0}}]",
			"HANDOFF[0].CONTEXT.HISTORY choice: must be none, all, or a number of messages from 1 to 100"},
		{"HANDOFF: [{TO: B, CONTEXT: {MEMORY: [m]}}]",
			"HANDOFF[0].CONTEXT.MEMORY unknown_store: there is no store m in MEMORY"},
		{"HANDOFF: [{TO: B, CONTEXT: {PASS: [turn.text]}}]",
			"HANDOFF[0].CONTEXT.PASS[0] path: must be a path such as gather.email or session.customer_id"},
		{"DELEGATE: [{ID: d, AGENT: B}, {ID: d, AGENT: C}]",
			"DELEGATE[1].ID duplicate: there is already a delegate d: give this one an ID of its own"},
		{"DELEGATE: [{PURPOSE: p}]",
			"DELEGATE[0].AGENT required: is required: the agent's name"},
		{"DELEGATE: [{AGENT: B, ID: 'a b'}]",
			"DELEGATE[0].ID name: must be a name: a letter or _, then letters, digits and _, at most 64"},
		{"DELEGATE: [{AGENT: B, ON_FAIL: retry}]",
			"DELEGATE[0].ON_FAIL choice: must be stop, continue"},
		{"DELEGATE: [{AGENT: B, RETURNS: {a: session.x, b: session.x.y}}]",
			"DELEGATE[0].RETURNS.b same_variable: session.x.y is already returned by delegate B, which runs at once"},
		{"DELEGATE: [{AGENT: B, GROUP: g}]\nFAN_OUT: {g: {JOIN: many}}",
			"FAN_OUT.g.JOIN choice: must be all, any, or a number from 1 to 1, as many as the group has"},
		{"DELEGATE: [{AGENT: B, GROUP: g}]\nFAN_OUT: {g: {JOIN: 0}}",
			"FAN_OUT.g.JOIN choice: must be all, any, or a number from 1 to 1, as many as the group has"},
		{"ESCALATE: [{WHEN: 'true'}]",
			"ESCALATE[0].QUEUE required: is required: the queue of the people"},
		{"ESCALATE: [{QUEUE: q, SKILLS: [a, a]}]",
			"ESCALATE[0].SKILLS[1] duplicate: is already in the list"},
		{"CONSTRAINTS: [{WHEN: 'true'}]",
			"CONSTRAINTS[0] either: has 0 of REQUIRE, FORBID and WARN: one is needed"},
		{"GUARDRAILS: {g: {ON: input, CHECK: 'true'}}",
			"GUARDRAILS.g.ACTION required: is required: a guardrail has ON, CHECK and ACTION, and ACTION is not there"},
		{"GUARDRAILS: {g: {ON: input, CHECK: 'true', ACTION: escalate}}",
			"GUARDRAILS.g required: escalates: name a QUEUE, or have an ESCALATE"},
		{"PERSONA: {}",
			"PERSONA empty: is empty: write a text, or one for each language"},
		{"COMPLETE: [{WHEN: [a]}]",
			"COMPLETE[0].WHEN type: must be a condition: a text in CEL, in quotes if it starts with { or ["},
		// tests
		{"TESTS: [{TURNS: []}]",
			"TESTS[0].NAME required: is required"},
		{"TESTS: [{NAME: a}]",
			"TESTS[0].TURNS required: is required: what the user says, and what is expected"},
		{"TESTS: [{NAME: a, TURNS: []}, {NAME: a, TURNS: []}]",
			"TESTS[1].NAME duplicate: there is already a test a"},
		{"TESTS: [{NAME: a, TURNS: [{USER: x, ACTION: y}]}]",
			"TESTS[0].TURNS[0] either: must have USER or ACTION: one of them"},
		{"TESTS: [{NAME: a, TURNS: [{VALUE: 1}]}]",
			"TESTS[0].TURNS[0] either: must have USER or ACTION: one of them"},
		{"TESTS: [{NAME: a, CONTEXT: {callerContext: [a]}, TURNS: []}]",
			"TESTS[0].CONTEXT.callerContext type: must be a map"},
		{"TESTS: [{NAME: a, CONTEXT: {toolMocks: [{error: x}]}, TURNS: []}]",
			"TESTS[0].CONTEXT.toolMocks[0].tool required: is required"},
		{"TOOLS: {t: {USE: x}}\nTESTS: [{NAME: a, CONTEXT: {toolMocks: [{tool: t, error: x, result: 1}]}, TURNS: []}]",
			"TESTS[0].CONTEXT.toolMocks[0] either: has result and error: take one of them away"},
		{"TESTS: [{NAME: a, TURNS: [{USER: x, EXPECT: {TOOLS: [u]}}]}]",
			"TESTS[0].TURNS[0].EXPECT.TOOLS[0] unknown_tool: there is no tool u, and none at all"},
		{"TESTS: [{NAME: a, TURNS: [{USER: x, EXPECT: {STEP: s}}]}]",
			"TESTS[0].TURNS[0].EXPECT.STEP unknown_step: there is no step s, and none at all"},
	} {
		_, problems := dsl.Compile("A", withHead(one.source))
		require.Equal(t, one.told, strings.Join(toldOf(problems), "\n"), one.source)
	}
}

// What goes together, or is one of several ways to write the same, is no mistake.
func TestWhatBelongsTogether(t *testing.T) {
	for _, source := range []string{
		"TOOLS: {t: {KIND: http, URL: 'http://a.example:80/'}}",
		"TOOLS: {t: {KIND: http, METHOD: HEAD, URL: 'https://a.example', CACHE: 1m}}",
		"TOOLS: {t: {KIND: http, URL: 'https://a.example', CACHE: 1m}}",
		"MODEL: {ID: x}",
		"GATHER: {s: {TYPE: text, PATTERN: '[a-z]+', EXTRACT: pattern}}",
		"GATHER: {s: {TYPE: integer, EXTRACT: pattern}}",
		"GATHER: {s: {TYPE: integer, VALIDATE: value > 9, DEFAULT: 1}}",
		"GATHER: {s: {TYPE: list, OPTIONS: [a, b], DEFAULT: [a]}}",
		"HANDOFF: [{TO: B, CONTEXT: {HISTORY: none}}, {TO: C, CONTEXT: {HISTORY: all}}, {TO: D, CONTEXT: {HISTORY: 100}}, " +
			"{TO: E, CONTEXT: {HISTORY: 1}}]",
		"ESCALATE: [{QUEUE: q}]\nGUARDRAILS: {g: {ON: input, CHECK: 'true', ACTION: escalate}}",
		"DELEGATE: [{AGENT: B, RETURNS: {a: session.x}}, {AGENT: C, RETURNS: {a: session.x}}]",
		"DELEGATE: [{AGENT: B, GROUP: g}, {AGENT: C, GROUP: g}]\nFAN_OUT: {g: {JOIN: 2}}",
		"GATHER: {s: {TYPE: string}}\nON_START: {SET: {gather.s: '\"x\"'}}",
		"TOOLS: {t: {USE: x, PARAMS: {type: object, additionalProperties: true}}}\nON_START: {CALL: t, WITH: {any: '1'}}",
		"COMPLETE: [{WHEN: 'turn.language == \"de\" && turn.channel == \"web\" && turn.action == \"a\" && turn.value == 1 && " +
			"turn.metadata.a'}]",
		"COMPLETE: [{WHEN: 'call.id == \"c\" && context.a == \"b\" && caller.a == \"b\"'}]",
		toolN + "ON_START: {CALL: t, WITH: {n: 1 - 2}}", // what it comes to is known when it is computed
		"GATHER: {n: {TYPE: number}, b: {TYPE: boolean}, l: {TYPE: list}}\n" +
			"COMPLETE: [{WHEN: 'gather.n > 1.5 && gather.b && gather.l.size() > 1'}]",
		"MEMORY: {m: {SCOPE: session, SCHEMA: {type: object, properties: {a: {type: array, items: {type: object, properties: " +
			"{b: {type: integer}}}}, c: {type: number}, d: {type: object}}}}}\n" +
			"COMPLETE: [{WHEN: 'memory.m.a[0].b + 1 > 2 && memory.m.c > 1.5 && memory.m.d.any == 1'}]",
	} {
		_, problems := dsl.Compile("A", withHead(source))
		require.Empty(t, problems, source)
	}
}

// Given a step that something outside of the flow, or another step, leads to, then it is reached: of the steps below
// only `nowhere` is not.
func TestEveryWayReachesItsStep(t *testing.T) {
	for name, c := range map[string]struct{ beside, step string }{
		"a tool that ran out of time": {"TOOLS: {t: {KIND: callback, URL: 'https://a.example', ON_TIMEOUT: there}}", ""},
		"a constraint":                {"CONSTRAINTS: [{REQUIRE: 'true', ON_FAIL: there}]", ""},
		"a handoff that failed":       {"HANDOFF: [{TO: B, ON_FAIL: there}]", ""},
		"a handoff that came back":    {"HANDOFF: [{TO: B, RETURN: true, ON_RETURN: {NEXT: there}}]", ""},
		"an escalation that failed":   {"ESCALATE: [{QUEUE: q, ON_FAIL: there}]", ""},
		"the next":                    {"", ", NEXT: there"},
		"a check":                     {"", ", CHECK: 'true', ON_FAIL: there"},
		"too many visits":             {"", ", MAX_VISITS: 1, ON_EXHAUSTED: there"},
		"an error":                    {"", ", ON_ERROR: there"},
		"a branch":                    {"", ", BRANCH: [{ELSE: true, GOTO: there}]"},
		"an action":                   {"", ", RICH: [{KIND: button, ID: b, LABEL: B}], ON_ACTION: {b: there}"},
	} {
		p := compiled(t, "A", withHead(c.beside+"\nFLOW: {START: a, STEPS: {a: {SAY: x"+c.step+"}, "+
			"there: {NEXT: then}, then: {NEXT: there}, nowhere: {END: true}}}"))
		require.Equal(t, []string{"FLOW.STEPS.nowhere unreachable: no step leads to nowhere"}, toldOf(p.Warnings), name)
	}
}
