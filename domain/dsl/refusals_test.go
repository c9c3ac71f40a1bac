package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

func withHead(rest string) string { return "DSL: 1\nAGENT: A\nGOAL: G\n" + rest }

// Each refusal has its line, its column and a code; lines count in the whole source, of
// which the first three are DSL, AGENT and GOAL.
func TestEveryRefusalNamesItsPlace(t *testing.T) {
	for name, c := range map[string]struct {
		source, at, code, hint string
	}{
		// traps of YAML
		"a condition read as a tag":   {"ESCALATE:\n  - WHEN: !has(caller.x)\n    QUEUE: q", "5:11", "tag", "quotes"},
		"the same in braces":          {"ESCALATE: [{WHEN: !has(caller.x), QUEUE: q}]", "4:1", "not_yaml", "'!has(x)'"},
		"an anchor":                   {"PERSONA: &p Calm", "4:10", "anchor", "&p"},
		"an alias":                    {"PERSONA: &p Calm\nLIMITATIONS: [*p]", "4:10", "anchor", "&p"},
		"an empty condition":          {"COMPLETE:\n  - WHEN:\n    SAY: bye", "5:5", "empty", "is empty"},
		"a blank condition":           {"COMPLETE: [{WHEN: ' '}]", "4:20", "empty_expression", "always hold"},
		"a key twice":                 {"PERSONA: a\nPERSONA: b", "5:1", "duplicate", "line 4"},
		"digits with lines":           {"LIMITS: {STEPS: 1_000}", "4:17", "range", "digits only"},
		"an octal number":             {"LIMITS: {STEPS: 010}", "4:17", "range", "digits only"},
		"infinity":                    {"LIMITS: {COST_USD: .inf}", "4:20", "range", "0.0001 to 1000"},
		"two documents":               {"---\nDSL: 1", "4:1", "documents", "one document"},
		"a condition from a quote on": {"COMPLETE: [{WHEN: \"a\" == turn.text}]", "4:1", "not_yaml", "whole condition"},
		"a question mark in braces":   {"COMPLETE: [{WHEN: true, SAY: a ? b}, {? }]", "4:", "", ""},
		"a tab":                       {"LIMITS:\n\tSTEPS: 1", "5:2", "not_yaml", "tabs"},
		"a merge":                     {"LIMITS: {<<: {STEPS: 1}}", "4:10", "key", "plain text"},
		"no text for a yes":           {"GATHER: {a: {TYPE: string, REQUIRED: NO}}", "4:38", "type", "true or false"},
		// keys and values
		"an unknown key":            {"HANDOF: []", "4:1", "unknown_key", "HANDOFF"},
		"an unknown key of a step":  {"FLOW: {START: a, STEPS: {a: {SAYS: x, END: true}}}", "4:30", "unknown_key", "SAY"},
		"a language of another age": {"PERSONA: {English: a}", "4:11", "language", "de-AT"},
		"a list for a map":          {"MODEL: [fast]", "4:8", "type", "map"},
		"a tier that is none":       {"MODEL: {TIER: fasst}", "4:15", "choice", "did you mean fast"},
		"tier and id":               {"MODEL: {TIER: fast, ID: x}", "4:8", "either", "ID"},
		"too hot":                   {"MODEL: {TEMPERATURE: 3}", "4:22", "range", "0 to 2"},
		// expressions
		"an undeclared slot": {"GATHER: {email: {TYPE: email}}\nCOMPLETE: [{WHEN: has(gather.emial)}]",
			"5:29", "unknown_member", "email"},
		"a name nobody declares":   {"COMPLETE: [{WHEN: sesion.done == true}]", "4:19", "unknown_name", "session"},
		"text where there is none": {"COMPLETE: [{WHEN: text == 'a'}]", "4:19", "unknown_name", "text"},
		"no bool":                  {"COMPLETE: [{WHEN: turn.text}]", "4:19", "not_bool", "string"},
		"a wrong type":             {"GATHER: {n: {TYPE: integer}}\nCOMPLETE: [{WHEN: gather.n == 'a'}]", "5:28", "expression", "overload"},
		"AND":                      {"COMPLETE: [{WHEN: true AND false}]", "4:24", "expression", "&&"},
		"IS SET":                   {"COMPLETE: [{WHEN: caller.x IS SET}]", "4:28", "expression", "has(x)"},
		"one equals sign":          {"COMPLETE: [{WHEN: turn.text = 'a'}]", "4:29", "expression", "=="},
		"an unknown store": {"MEMORY: {profile: {SCOPE: contact}}\nCOMPLETE: [{WHEN: has(memory.profil.x)}]",
			"5:29", "unknown_member", "profile"},
		"a member of a schema": {"MEMORY: {p: {SCOPE: contact, SCHEMA: {type: object, properties: {vip: {type: boolean}}}}}\n" +
			"COMPLETE: [{WHEN: memory.p.vap}]",
			"5:27", "unknown_member", "vap"},
		"a whole number and an open one": {"COMPLETE: [{WHEN: session.n + 1 > 2}]", "4:31", "number", "1.0"},
		"too costly":                     {"COMPLETE: [{WHEN: '" + costly() + "'}]", "4:20", "too_costly", "10000"},
		"too long":                       {"COMPLETE: [{WHEN: 'true" + strings.Repeat(" || true", 300) + "'}]", "4:20", "too_long", "2000"},
		"an open template":               {"PERSONA: 'Hi {{ turn.text'", "4:14", "template", "not closed"},
		"a mistake in a template":        {"PERSONA: 'Hi {{ trun.text }}'", "4:17", "unknown_name", "turn"},
		"in a block":                     {"PERSONA: |\n  One\n  two {{ trun.text }}", "6:10", "unknown_name", "turn"},
		"a secret in what is said":       {"PERSONA: 'x ${secret:KEY}'", "4:13", "secret_place", "HEADERS"},
		"a secret in an URL": {"TOOLS: {t: {KIND: http, URL: 'https://a.example/${secret:K}'}}",
			"4:49", "secret_place", "HEADERS"},
		"a secret misspelt": {"TOOLS: {t: {KIND: http, URL: 'https://a.example/', HEADERS: {X: '${secret:}'}}}",
			"4:66", "secret", "NAME"},
		// slots and stores
		"an enum without options":   {"GATHER: {a: {TYPE: enum}}", "4:13", "required", "enum"},
		"options of a date":         {"GATHER: {a: {TYPE: date, OPTIONS: [b]}}", "4:26", "not_here", "enum"},
		"a pattern that is none":    {"GATHER: {a: {TYPE: pattern, PATTERN: '('}}", "4:38", "pattern", "RE2"},
		"a default that fits not":   {"GATHER: {a: {TYPE: integer, DEFAULT: many}}", "4:38", "default", "whole number"},
		"a name that is none":       {"GATHER: {'a b': {TYPE: string}}", "4:10", "name", "letter"},
		"a store that is no schema": {"MEMORY: {a: {SCOPE: project, SCHEMA: {type: nothing}}}", "4:38", "schema", "JSON Schema"},
		"no scope":                  {"MEMORY: {a: {TTL: 1d}}", "4:13", "required", "session, contact or project"},
		// tools
		"a tool without kind":       {"TOOLS: {t: {URL: 'https://a.example'}}", "4:12", "required", "http"},
		"too patient":               {"TOOLS: {t: {KIND: http, URL: 'https://a.example', TIMEOUT: 61s}}", "4:60", "duration", "to 1m"},
		"an http tool that expires": {"TOOLS: {t: {KIND: http, URL: 'https://a.example', EXPIRES: 1h}}", "4:51", "not_here", "http"},
		"a computed host":           {"TOOLS: {t: {KIND: http, URL: 'https://{{ args.host }}/x'}}", "4:30", "url", "host"},
		"a host that goes on":       {"TOOLS: {t: {KIND: http, URL: 'https://a.example{{ args.x }}/x'}}", "4:30", "url", "whole host"},
		"a host that a ? ends":      {"TOOLS: {t: {KIND: http, URL: 'https://a.example?x=/{{ args.x }}'}}", "4:30", "url", "followed by /"},
		"a user before the host":    {"TOOLS: {t: {KIND: http, URL: 'https://u@a.example/'}}", "4:30", "url", "no user"},
		"a host that is none":       {"TOOLS: {t: {KIND: http, URL: 'https://a\\b/'}}", "4:30", "url", "no URL"},
		"a fragment":                {"TOOLS: {t: {KIND: http, URL: 'https://a.example/#x'}}", "4:30", "url", "no #"},
		"a space in a URL":          {"TOOLS: {t: {KIND: http, URL: 'https://a.example/a b'}}", "4:30", "url", "no space"},
		"a URL of two lines":        {"TOOLS: {t: {KIND: http, URL: ['https://a.example/', b]}}", "4:30", "url", "no space"},
		"half an escape":            {"TOOLS: {t: {KIND: http, URL: 'https://a.example/%{{ args.x }}'}}", "4:30", "url", "%25"},
		"a path with a way up":      {"TOOLS: {t: {KIND: http, URL: 'https://a.example/a/%2e./b'}}", "4:30", "url", ".."},
		"no name of a header":       {"TOOLS: {t: {KIND: http, URL: 'https://a.example', HEADERS: {'X A': b}}}", "4:60", "header", "no name"},
		"a header twice": {"TOOLS: {t: {KIND: http, URL: 'https://a.example', HEADERS: {X-A: b, x-a: c}}}",
			"4:60", "header", "already"},
		"a header that frames": {"TOOLS: {t: {KIND: http, URL: 'https://a.example', HEADERS: {content-length: 0}}}",
			"4:60", "header", "connection"},
		"a body of GET": {"TOOLS: {t: {KIND: http, METHOD: GET, URL: 'https://a.example', BODY: {}}}",
			"4:70", "not_here", "GET"},
		"a ref to elsewhere":        {"TOOLS: {t: {USE: x, PARAMS: {type: object, $ref: 'http://a.example/s'}}}", "4:29", "schema", ""},
		"params that are no object": {"TOOLS: {t: {USE: x, PARAMS: {type: array}}}", "4:29", "schema", "object"},
		"a workflow without id":     {"TOOLS: {t: {KIND: workflow}}", "4:12", "required", "workflow"},
		"what code with stores says, kept": {"MEMORY: {m: {SCOPE: session, ACCESS: read}}\n" +
			"TOOLS: {t: {KIND: code, SOURCE: 'return 1', STORES: [m], CACHE: 1m}}", "5:65", "cache", "STORES"},
		"what code that writes says, kept": {"MEMORY: {m: {SCOPE: session}}\n" +
			"TOOLS: {t: {KIND: code, SOURCE: 'return 1', STORES: [m], CACHE: 1m}}", "5:65", "cache", "EFFECT read"},
		"a callback's url elsewhere": {"TOOLS: {t: {KIND: http, URL: 'https://a.example', QUERY: {u: '{{ callback.url }}'}}}",
			"4:66", "unknown_name", "callback"},
		// flow
		"a start that is none": {"FLOW: {START: b, STEPS: {a: {END: true}}}", "4:15", "unknown_step", "b"},
		"a next that is none": {"FLOW: {START: a, STEPS: {a: {SAY: x, NEXT: frist}, first: {END: true}}}",
			"4:44", "unknown_step", "first"},
		"a goto that is none": {"FLOW: {START: a, STEPS: {a: {CHECK: 'true', ON_FAIL: {GOTO: z}, END: true}}}",
			"4:61", "unknown_step", "z"},
		"a model without goal": {"FLOW: {START: a, STEPS: {a: {MODE: model}}}", "4:29", "required", "MODE model"},
		"a call in MODE model": {"FLOW: {START: a, STEPS: {a: {MODE: model, GOAL: g, CALL: x}}}", "4:52", "not_here", "model"},
		"a slot that is none":  {"FLOW: {START: a, STEPS: {a: {GATHER: [x], END: true}}}", "4:39", "unknown_slot", "x"},
		"a tool that is none":  {"FLOW: {START: a, STEPS: {a: {CALL: x, END: true}}}", "4:36", "unknown_tool", "x"},
		"ELSE before IF": {"FLOW: {START: a, STEPS: {a: {BRANCH: [{ELSE: true, END: true}, {IF: 'true', END: true}]}}}",
			"4:39", "order", "last"},
		"two ways": {"FLOW: {START: a, STEPS: {a: {BRANCH: [{ELSE: true, END: true, NEXT: a}]}}}", "4:39", "either", "exclude"},
		"an action of no button": {"FLOW: {START: a, STEPS: {a: {RICH: [{KIND: button, ID: b, LABEL: B}], ON_ACTION: {c: a}}}}",
			"4:83", "unknown_action", "b"},
		"a session's own member": {"ON_START: {SET: {session.id: 1}}", "4:18", "target", "session.id"},
		"memory that is read only": {"MEMORY: {p: {SCOPE: contact, ACCESS: read}}\nON_START: {SET: {memory.p.x: 1}}",
			"5:18", "access", "ACCESS read"},
		// what does not fit
		"an argument that is missing": {toolN + "ON_START: {CALL: t}", "5:11", "argument", "required"},
		"an argument of no parameter": {toolN + "ON_START: {CALL: t, WITH: {n: 1, m: 2}}", "5:27", "unknown_argument", "m"},
		"an argument that fits not":   {toolN + "ON_START: {CALL: t, WITH: {n: \"'x'\"}}", "5:27", "argument", "string"},
		"an argument out of range":    {toolN + "ON_START: {CALL: t, WITH: {n: -1}}", "5:27", "argument", "minimum"},
		"two into one variable": {"DELEGATE:\n  - {ID: a, GROUP: g, AGENT: B, RETURNS: {x: session.x}}\n" +
			"  - {ID: b, GROUP: g, AGENT: C, RETURNS: {y: session.x}}",
			"6:46", "same_variable", "delegate a"},
		"a handoff to itself":         {"HANDOFF: [{TO: A}]", "4:16", "itself", "itself"},
		"a delegate to itself":        {"DELEGATE: [{AGENT: A}]", "4:20", "itself", "itself"},
		"a group of nobody":           {"FAN_OUT: {g: {JOIN: all}}", "4:11", "unknown_group", "g"},
		"more to join than there are": {"DELEGATE: [{AGENT: B, GROUP: g}]\nFAN_OUT: {g: {JOIN: 2}}", "5:21", "choice", "1 to 1"},
		"REQUIRE and FORBID":          {"CONSTRAINTS: [{REQUIRE: 'true', FORBID: 'true'}]", "4:15", "either", "2 of"},
		"before a tool that is none":  {"CONSTRAINTS: [{REQUIRE: 'true', BEFORE: call:x}]", "4:41", "unknown_tool", "call:<tool>"},
		"always complete":             {"COMPLETE: [{SAY: bye}]", "4:12", "required", "at once"},
		"no model, but no flow":       {"LIMITS: {MODEL_CALLS: 0}", "4:23", "needs_model", "FLOW"},
		"no model, but a step": {"LIMITS: {MODEL_CALLS: 0}\nFLOW: {START: a, STEPS: {a: {MODE: model, GOAL: g}}}",
			"4:23", "needs_model", "step a"},
		"no model, but a slot": {"LIMITS: {MODEL_CALLS: 0}\nGATHER: {s: {TYPE: text, EXTRACT: model}}\n" +
			"FLOW: {START: a, STEPS: {a: {END: true}}}",
			"4:23", "needs_model", "slot s"},
		"a mock of no tool":             {"TESTS: [{NAME: a, CONTEXT: {toolMocks: [{tool: x}]}, TURNS: []}]", "4:48", "unknown_tool", "x"},
		"a test from a step of nowhere": {"TESTS: [{NAME: a, CONTEXT: {startAtStep: x}, TURNS: []}]", "4:42", "unknown_step", "x"},
		"a test with no such slot":      {"TESTS: [{NAME: a, CONTEXT: {gatherValues: {x: 1}}, TURNS: []}]", "4:44", "unknown_slot", "x"},
	} {
		p, problems := dsl.Compile("A", withHead(c.source))
		require.Nil(t, p, name)
		require.NotEmpty(t, problems, name)
		first := problems[0]
		require.True(t, strings.HasPrefix(fmt.Sprintf("%d:%d", first.Line, first.Column), c.at), "%s: want %s, got %+v", name, c.at, first)
		if c.code != "" {
			require.Equal(t, c.code, first.Code, "%s: %+v", name, first)
		}
		require.Contains(t, first.Hint, c.hint, name)
	}
}

const toolN = "TOOLS: {t: {USE: x, PARAMS: {type: object, required: [n], properties: {n: {type: integer, minimum: 0}}}}}\n"

// costly is a loop over a loop over a loop of what stands there.
func costly() string {
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", 40), ",") + "]"
	return list + ".all(a, " + list + ".all(b, " + list + ".exists_one(c, a + b + c > 0)))"
}

func TestWhatASourceMustHave(t *testing.T) {
	for name, c := range map[string]struct{ source, code, hint string }{
		"nothing":           {"", "empty", "DSL: 1"},
		"a comment":         {"# later\n", "empty", "DSL: 1"},
		"no version":        {"AGENT: A\nGOAL: g", "required", "DSL: 1"},
		"a later version":   {"DSL: 2\nAGENT: A\nGOAL: g", "range", "1 to 1"},
		"no name":           {"DSL: 1\nGOAL: g", "required", "name"},
		"another name":      {"DSL: 1\nAGENT: B\nGOAL: g", "agent_name", `called "A"`},
		"no goal":           {"DSL: 1\nAGENT: A", "required", "scripted"},
		"a list":            {"- a", "type", "map"},
		"no UTF-8":          {"DSL: 1\nAGENT: \xff", "not_utf8", "UTF-8"},
		"too large":         {"# " + strings.Repeat("x", dsl.MaxSource), "too_large", "262144"},
		"too deep":          {"DSL: " + strings.Repeat("[", 20) + strings.Repeat("]", 20), "too_deep", "16"},
		"too many steps":    {withHead("FLOW:\n  START: s0\n  STEPS:\n" + many("    s%d: {END: true}\n", 300)), "too_many", "200"},
		"too many tools":    {withHead("TOOLS:\n" + many("  t%d: {USE: x}\n", 65)), "too_many", "64"},
		"too many handoffs": {withHead("HANDOFF:\n" + many("  - {TO: B%d}\n", 33)), "too_many", "32"},
		"too many helpers":  {withHead("DELEGATE:\n" + many("  - {AGENT: B%d}\n", 17)), "too_many", "16"},
		"an alias bomb":     {bomb(), "anchor", "anchor"},
	} {
		p, problems := dsl.Compile("A", c.source)
		require.Nil(t, p, name)
		require.NotEmpty(t, problems, name)
		require.Equal(t, c.code, problems[0].Code, "%s: %+v", name, problems[0])
		require.Contains(t, problems[0].Hint, c.hint, name)
		require.LessOrEqual(t, len(problems), dsl.MostProblems, name)
		require.Contains(t, problems.Error(), "line ", name)
	}
	require.Equal(t, "no problems", dsl.Problems{}.Error())
}

func many(form string, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, form, i)
	}
	return out.String()
}

// bomb would be ten to the ninth items if aliases were followed.
func bomb() string {
	out := "DSL: 1\na0: &a0 [x]\n"
	for i := 1; i < 10; i++ {
		one := fmt.Sprintf("*a%d", i-1)
		out += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(one+", ", 10), ", "))
	}
	return out
}

func TestAllProblemsAreToldInTheOrderOfTheSource(t *testing.T) {
	_, problems := dsl.Compile("A", withHead("LIMITS: {STEPS: 0}\nMODEL: {TIER: x}\nHANDOF: []\n"))
	require.Len(t, problems, 3)
	require.Equal(t, []int{4, 5, 6}, []int{problems[0].Line, problems[1].Line, problems[2].Line})
	require.Equal(t, dsl.Problem{Field: "LIMITS.STEPS", Line: 4, Column: 17, Code: "range",
		Hint: "must be a whole number from 1 to 1000, in digits only"}, problems[0])
}

// Headers that frame a request or speak to the connection would let a source say two things
// at once of where a request goes and where it ends.
func TestHeadersOfTheConnectionAreRefused(t *testing.T) {
	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
		"Proxy-Authorization", "Proxy-Authenticate", "TE", "Trailer", "Upgrade", "Expect", "Accept-Encoding", "Content-Encoding"} {
		for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			_, problems := dsl.Compile("A", withHead("TOOLS: {t: {KIND: http, URL: 'https://a.example', HEADERS: {"+spelt+": x}}}"))
			require.Len(t, problems, 1, spelt)
			require.Equal(t, "header", problems[0].Code, spelt)
		}
	}
}
