package turns_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// anyTools are tools of each kind that the engine tells apart.
const anyTools = `TOOLS:
  look: {KIND: http, URL: "https://t.example.com/look"}
  write: {KIND: http, METHOD: POST, URL: "https://t.example.com/write", RESULT: {type: object}}
  book: {KIND: http, METHOD: POST, IDEMPOTENT: true, URL: "https://t.example.com/book", RESULT: {type: object}}
  pay: {KIND: http, METHOD: POST, CONFIRM: write, URL: "https://t.example.com/pay"}
  later: {KIND: callback, URL: "https://t.example.com/later", BODY: {id: "{{ callback.id }}"}, EXPIRES: 10m}
  order: {KIND: callback, URL: "https://t.example.com/order", BODY: {id: "{{ callback.id }}"}, IDEMPOTENT: true, EXPIRES: 10m,
    ON_TIMEOUT: {SAY: Too late., STOP: true}}
`

var (
	toolNames = []string{"look", "write", "book", "pay", "later", "order"}
	textsSaid = []string{"a", "b", "h", "p", "no", "yes", "bye", "x"}
)

// randomAgents is an agent of whatever the language has, with those that it hands over to and has
// work for it.
func randomAgents(r *rand.Rand) []string {
	flag := func() bool { return r.IntN(2) == 0 }
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	main := "GOAL: Help.\nLIMITS: {MODEL_CALLS: 4, STEPS: 30, TRANSFERS: 3}\n" + anyTools
	main += "GATHER: {city: {TYPE: string, PROMPT: City}, n: {TYPE: integer, PROMPT: N, MAX_RETRIES: 1, EXTRACT: " +
		one("exact", "pattern", "model") + "}}\n"
	if flag() {
		main += "MEMORY: {notes: {SCOPE: session}}\n"
	}
	if flag() {
		main += "ON_START: {" + one("SAY: Hello.", "CALL: look, SAY: Hello.", "CALL: book, SAY: Hello.") + "}\n"
	}
	if flag() {
		main += `CONSTRAINTS: [{REQUIRE: 'turn.text != "no"'` + one("", ", BEFORE: call:write", ", BEFORE: call:look", ", BEFORE: reply") +
			one("", ", ON_FAIL: {SAY: No.}", ", ON_FAIL: {SAY: No., STOP: true}", ", ON_FAIL: {SAY: No., ESCALATE: desk}") + "}]\n"
	}
	if flag() {
		main += "HANDOFF: [{TO: helper, RETURN: " + one("true", "false") + one(`, WHEN: 'turn.text == "h"'`, "") +
			one("", ", ON_FAIL: {SAY: Away.}", ", ON_FAIL: {SAY: Away., ESCALATE: desk}") + "}]\n"
	}
	if flag() {
		main += "ESCALATE: [{QUEUE: desk" + one(`, WHEN: 'turn.text == "p"'`, "") + "}]\n"
	}
	if flag() {
		main += `COMPLETE: [{WHEN: 'turn.text == "bye"', SAY: Bye.}]` + "\n"
	}
	delegates := 0
	if flag() {
		delegates = 1 + r.IntN(3)
		main += "DELEGATE:\n"
		for i := range delegates {
			main += fmt.Sprintf("  - {ID: d%d, GROUP: g, AGENT: %s, RETURNS: {n: session.d%d}, TIMEOUT: 1m, ON_FAIL: %s}\n", i,
				one("reader", "writer", "thinker"), i, one("stop", "continue", "{RETRY: 1}"))
		}
		main += fmt.Sprintf("FAN_OUT: {g: {JOIN: %s, TIMEOUT: 2m, MAX_PARALLEL: %d}}\n", one("all", "any"),
			1+r.IntN(3))
	}
	if !flag() {
		main += anyFlow(r, delegates > 0, strings.Contains(main, "MEMORY"))
	}
	return append([]string{agent("main", main)}, others(r)...)
}

// anyFlow is one of up to five steps.
func anyFlow(r *rand.Rand, delegates, memory bool) string {
	n := 1 + r.IntN(5)
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	name := func() string { return fmt.Sprint("s", r.IntN(n)) }
	out := "FLOW:\n  START: s0\n  STEPS:\n"
	for i := range n {
		var parts []string
		add := func(part string) { parts = append(parts, part) }
		if one("", "", "when") != "" {
			add(`WHEN: 'turn.text != "b"'`)
		}
		onError := func() {
			if then := one("", "SAY: Failed., CONTINUE: true", "RETRY: 1, SAY: Failed., STOP: true", "RETRY: 2, GOTO: "+name(),
				"SAY: Failed., END: true"); then != "" {
				add("ON_ERROR: {" + then + "}")
			}
		}
		switch kind := one("say", "gather", "call", "call", "call", "branch", "delegate", "model", "escalate", "set"); {
		case kind == "gather":
			add("GATHER: [" + one("city", "n", "city, n") + "]")
		case kind == "call":
			add("CALL: " + one(toolNames...) + ", AS: session.v")
			onError()
		case kind == "branch":
			add(`BRANCH: [{IF: 'turn.text == "a"', GOTO: ` + name() + "}, {ELSE: true, SAY: Else., GOTO: " + name() + "}]")
		case kind == "delegate" && delegates:
			add("DELEGATE: g")
			onError()
		case kind == "model":
			add("MODE: model, GOAL: Talk., MAX_TURNS: 2, EXIT_WHEN: has(session.done)" + one("", ", TOOLS: [look, write]"))
			onError()
		case kind == "escalate":
			add("SAY: A person., ESCALATE: desk")
		case kind == "set" && memory:
			add("SET: {memory.notes.n: turn.text, session.n: turn.text}")
		default:
			add("SAY: Step.")
		}
		switch one("next", "next", "stay", "end") {
		case "next":
			add("NEXT: " + name())
		case "end":
			add("END: true")
		}
		out += fmt.Sprintf("    s%d: {%s}\n", i, strings.Join(parts, ", "))
	}
	return out
}

// others are who works for an agent, and who it hands over to.
func others(r *rand.Rand) []string {
	called := toolNames[r.IntN(len(toolNames))]
	return []string{
		agent("helper", anyTools+`COMPLETE: [{WHEN: 'turn.text == "b"', SAY: Back to you.}]
FLOW: {START: a, STEPS: {a: {CALL: `+called+`, ON_ERROR: {SAY: Sorry., CONTINUE: true}, NEXT: b}, b: {SAY: Helped., END: true}}}
`),
		agent("reader", anyTools+"FLOW: {START: a, STEPS: {a: {CALL: look, NEXT: b}, b: {CALL: book, ON_ERROR: {CONTINUE: true}, END: true}}}\n"),
		agent("writer", anyTools+"FLOW: {START: a, STEPS: {a: {CALL: write, ON_ERROR: {RETRY: 1, SAY: Failed., END: true}, NEXT: b}, b: "+
			"{CALL: later, ON_ERROR: {CONTINUE: true}, END: true}}}\n"),
		agent("thinker", "GOAL: Think.\nLIMITS: {MODEL_CALLS: 3}\n"+anyTools),
	}
}

// anyAnswer is what a model may say or want.
func anyAnswer(r *rand.Rand) (text string, calls [][2]string, failed string) {
	wishes := append([]string{"nothing", "hand_off_to_helper", "delegate_to_d0", "escalate_to_desk", "remember"}, toolNames...)
	switch r.IntN(6) {
	case 0:
		return "", nil, pick(r, "TIMEOUT", "RATE_LIMITED")
	case 1:
		return "", nil, ""
	case 2, 3:
		for range 1 + r.IntN(3) {
			args := pick(r, "{}", `{"n":1}`, `{"session":{"done":true}}`, `{"city":"Oslo"}`, "[1]", `{"half":`)
			calls = append(calls, [2]string{wishes[r.IntN(len(wishes))], args})
		}
		return pick(r, "", "One moment."), calls, ""
	}
	return "Said.", nil, ""
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
