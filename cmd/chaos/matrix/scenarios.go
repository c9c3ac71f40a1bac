package matrix

import "fmt"

// scenario is a turn whose steps the matrix kills between.
type scenario struct {
	Name   string
	Agents []string // sources; %[1]s is where the tools are. The session is begun with the first
	Before []string // what is said before the turn that counts; {case} is the name of the case
	Text   string   // what begins it; empty: a call that is placed
	Tools  int      // how often tools are asked in it
	Else   []string // what may be said in place of the calm answer where nobody knows whether a write was made
	After  string   // what is said when all is over
	Pauses bool     // the caller is answered before it has ended, when it waits for a callback
	Whole  string   // of one that pauses: all that is said in it
	Taken  bool     // it is over when somebody has taken the session
	Waits  bool     // it is over after a time, whatever the node does: so Else may be said wherever that died

	Reacted bool // reactors do a part of it, at any node

	Channel string // the kind by which it is said; the provider is asked for what is answered
}

// The scenarios: each kind of step that a turn can have.
var scenarios = []scenario{
	{Name: "script", Text: "{case}", Agents: []string{`DSL: 1
AGENT: m-script
GATHER: {more: {TYPE: string, PROMPT: "More?"}}
FLOW: {START: a, STEPS: {a: {SAY: "You are {{ turn.text }}.", NEXT: b}, b: {GATHER: [more]}}}
`}},
	{Name: "read", Text: "{case}", Tools: 1, Agents: []string{`DSL: 1
AGENT: m-read
TOOLS: {look: ` + tool("GET", "look", "") + `}
FLOW: {START: a, STEPS: {a: {CALL: look, WITH: {case: turn.text}, AS: session.seen, NEXT: b}, b: {SAY: "Seen {{ session.seen.n }}."}}}
`}},
	{Name: "write", Text: "{case}", Tools: 1, Else: []string{"Nobody knows."}, Agents: []string{`DSL: 1
AGENT: m-write
TOOLS: {write: ` + tool("POST", "write", "") + `}
FLOW:
  START: a
  STEPS:
    a: {CALL: write, WITH: {case: turn.text}, ON_ERROR: {RETRY: 3, SAY: Nobody knows., STOP: true}, NEXT: b}
    b: {SAY: Written.}
`}},
	{Name: "chain", Text: "{case}", Tools: 3, Agents: []string{`DSL: 1
AGENT: m-chain
TOOLS: {look: ` + tool("GET", "look", "") + `, book: ` + tool("POST", "book", "IDEMPOTENT: true, ") + `}
FLOW:
  START: a
  STEPS:
    a: {CALL: look, WITH: {case: turn.text}, AS: session.seen, NEXT: b}
    b: {SAY: Booking., CALL: book, WITH: {case: turn.text}, NEXT: c}
    c: {CALL: look, WITH: {case: turn.text}, NEXT: d}
    d: {SAY: "Booked {{ session.seen.n }}."}
`}},
	{Name: "callback", Text: "{case}", Tools: 1, Pauses: true, Whole: "One moment.\nIt is done.", Agents: []string{`DSL: 1
AGENT: m-callback
TOOLS: {later: ` + callback("later", "IDEMPOTENT: true, EXPIRES: 5m, ") + `}
FLOW:
  START: a
  STEPS:
    a: {SAY: One moment., CALL: later, WITH: {case: turn.text}, AS: session.told, NEXT: b}
    b: {SAY: "It is {{ session.told.state }}."}
`}},
	{Name: "charge", Text: "{case}", Tools: 1, Waits: true, Pauses: true, Whole: "One moment.\nIt is done.",
		Else: []string{"One moment.", "Too late."}, Agents: []string{`DSL: 1
AGENT: m-charge
TOOLS: {charge: ` + callback("charge", "EXPIRES: 20s, ON_TIMEOUT: {SAY: Too late., STOP: true}, ") + `}
FLOW:
  START: a
  STEPS:
    a: {SAY: One moment., CALL: charge, WITH: {case: turn.text}, AS: session.told, NEXT: b}
    b: {SAY: "It is {{ session.told.state }}."}
`}},
	{Name: "fan", Text: "{case}", Tools: 3, Agents: []string{`DSL: 1
AGENT: m-fan
DELEGATE:
  - {ID: one, GROUP: all, AGENT: m-look, INPUT: {case: turn.text}, RETURNS: {n: session.one}, TIMEOUT: 5m}
  - {ID: two, GROUP: all, AGENT: m-book, INPUT: {case: turn.text}, RETURNS: {n: session.two}, TIMEOUT: 5m}
  - {ID: three, GROUP: all, AGENT: m-look, INPUT: {case: turn.text}, RETURNS: {n: session.three}, TIMEOUT: 5m}
FAN_OUT: {all: {JOIN: all, TIMEOUT: 5m, MAX_PARALLEL: 2}}
FLOW:
  START: a
  STEPS: {a: {DELEGATE: all, NEXT: b}, b: {SAY: "All: {{ session.one }}, {{ session.two }}, {{ session.three }}."}}
`, working("m-look", tool("GET", "look", "")), working("m-book", tool("POST", "book", "IDEMPOTENT: true, "))}},
	{Name: "model", Text: `look {"case":"{case}"}`, Tools: 1, Agents: []string{`DSL: 1
AGENT: m-model
GOAL: Look things up.
TOOLS: {look: ` + tool("GET", "look", "") + `}
`}},
	{Name: "confirm", Before: []string{"{case}"}, Text: "yes", Tools: 1, Agents: []string{`DSL: 1
AGENT: m-confirm
TOOLS: {book: ` + tool("POST", "book", "IDEMPOTENT: true, CONFIRM: write, ") + `}
FLOW:
  START: a
  STEPS:
    a: {SET: {session.case: turn.text}, NEXT: b}
    b: {CALL: book, WITH: {case: session.case}, ON_ERROR: {SAY: Not booked., STOP: true}, NEXT: c}
    c: {SAY: Booked.}
`}},
	{Name: "memory", Before: []string{"{case}"}, Text: "again", After: "and again", Agents: []string{`DSL: 1
AGENT: m-memory
MEMORY: {notes: {SCOPE: session, SCHEMA: {type: object, properties: {n: {type: integer}}}}}
FLOW:
  START: a
  STEPS:
    a:
      SET: {memory.notes.n: "has(memory.notes.n) ? memory.notes.n + 1 : 1"}
      BRANCH: [{ELSE: true, SAY: "{{ memory.notes.n }} times.", STOP: true}]
`}},
	{Name: "people", Text: "{case}", Taken: true, Reacted: true, Agents: []string{`DSL: 1
AGENT: m-people
FLOW: {START: a, STEPS: {a: {SAY: A colleague takes over., ESCALATE: ` + queue + `, NEXT: b}, b: {SAY: Welcome back.}}}
`}},
	{Name: "call", Reacted: true, Agents: []string{`DSL: 1
AGENT: m-call
GATHER:
  kind: {TYPE: string, PROMPT: "Electricity or gas?"}
  reading: {TYPE: string, PROMPT: "What does the meter say?"}
ON_START: {SAY: "Hello."}
FLOW: {START: a, STEPS: {a: {GATHER: [kind, reading], NEXT: b}, b: {SAY: "{{ gather.reading }} for {{ gather.kind }}.", END: true}}}
`}},
	written("slack"), written("telegram"), written("twilio_sms"),
}

// written is a turn that begins with a message of a channel. Nothing of it is done for a caller.
func written(kind string) scenario {
	return scenario{Name: kind, Channel: kind, Reacted: true, Tools: 2, Text: "{case}", After: "again", Agents: []string{`DSL: 1
AGENT: m-` + kind + `
GATHER: {more: {TYPE: string, PROMPT: "What else?"}}
ON_START: {SAY: Welcome.}
FLOW: {START: a, STEPS: {a: {GATHER: [more], NEXT: b}, b: {SAY: "And {{ gather.more }}.", END: true}}}
`}}
}

const params = `PARAMS: {type: object, properties: {case: {type: string}}}`

// tool is an http tool of the matrix's server, which is told whose case it is.
func tool(method, path, more string) string {
	return fmt.Sprintf(`{KIND: http, METHOD: %s, URL: "%%[1]s/%s", QUERY: {case: "{{ args.case }}"}, TIMEOUT: 60s, %s%s}`, method, path, more,
		params)
}

func callback(path, more string) string {
	return fmt.Sprintf(`{KIND: callback, METHOD: POST, URL: "%%[1]s/%s", QUERY: {case: "{{ args.case }}"}, `+
		`BODY: {notify: "{{ callback.id }}"}, TIMEOUT: 60s, %s%s}`, path, more, params)
}

// working is a delegate that asks one tool.
func working(name, tool string) string {
	return fmt.Sprintf(`DSL: 1
AGENT: %s
TOOLS: {ask: %s}
COMPLETE: [{WHEN: has(session.seen), RESULT: {n: "{{ session.seen.n }}"}}]
FLOW: {START: a, STEPS: {a: {CALL: ask, WITH: {case: session.case}, AS: session.seen, END: true}}}
`, name, tool)
}
