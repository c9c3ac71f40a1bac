package turns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// talk is a conversation with agents: their sources, and the events so far.
type talk struct {
	t        *testing.T
	programs turns.Programs
	past     []event.Payload
	state    sessions.State
}

// with begins a conversation with the first of the sources.
func with(t *testing.T, sources ...string) *talk {
	t.Helper()
	c := &talk{t: t, programs: turns.Programs{}}
	entry, manifest := "", map[string]sessions.Pinned{}
	for _, source := range sources {
		_, rest, _ := strings.Cut(source, "AGENT: ")
		name, _, _ := strings.Cut(rest, "\n")
		program, problems := dsl.Compile(name, source)
		require.Empty(t, problems)
		c.programs[name], manifest[name] = program, sessions.Pinned{Hash: name}
		if entry == "" {
			entry = name
		}
	}
	c.add(sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", AgentName: entry,
		Begun: &sessions.Begun{Manifest: manifest, Language: "en"}, At: noon})
	return c
}

func (c *talk) add(all ...event.Payload) {
	for _, p := range all {
		c.past = append(c.past, p)
		sessions.Sessions.Fold(&c.state, p)
	}
}

// turn decides a message on the state of the events, and gives what it decided.
func (c *talk) turn(in turns.Receive) ([]event.Payload, error) {
	in.Programs, in.At = c.programs, noon
	got, err := in.Decide(sessions.Sessions.State(c.past...))
	if err == nil {
		again, _ := in.Decide(sessions.Sessions.State(c.past...))
		require.Equal(c.t, got, again, "the same message on the same state gives the same events")
		c.add(got...)
	}
	return got, err
}

// says what the agents answer to a text, line by line.
func (c *talk) says(text string) string { return c.answer(turns.Receive{Text: text}) }

func (c *talk) chooses(id string, value any) string {
	raw, err := json.Marshal(value)
	require.NoError(c.t, err)
	return c.answer(turns.Receive{Action: &sessions.Chosen{ID: id, Value: raw}})
}

func (c *talk) answer(in turns.Receive) string {
	c.t.Helper()
	got, err := c.turn(in)
	require.NoError(c.t, err)
	var said []string
	for _, p := range got {
		if e, ok := p.(sessions.Said); ok {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, " | ")
}

// slot is the value of a slot of the agent who is at it.
func (c *talk) slot(name string) string { return string(c.state.Talk.Slots[c.state.Talk.Agent][name]) }

// noticed are the kinds of what the last turn noticed.
func (c *talk) noticed() (kinds []string) {
	for _, p := range c.past {
		if e, ok := p.(sessions.Noticed); ok && e.Turn == c.state.Talk.Turns {
			kinds = append(kinds, e.Kind+" "+e.What)
		}
	}
	return kinds
}

func agent(name, body string) string { return "DSL: 1\nAGENT: " + name + "\n" + body }

const meter = `
GATHER:
  kind: {TYPE: enum, OPTIONS: [electricity, gas]}
  number: {TYPE: pattern, PATTERN: "^[0-9]{4}$", PROMPT: "Your number?", RETRY_PROMPT: "It has 4 digits.", MAX_RETRIES: 1}
  value: {TYPE: integer, PROMPT: "The reading?", VALIDATE: value >= 0}
ON_START: {SAY: Good day.}
FLOW:
  START: which
  STEPS:
    which:
      SAY: "Which meter?"
      RICH: [{KIND: select, ID: kind, LABEL: Meter, OPTIONS: [{ID: electricity, LABEL: Current}, {ID: gas, LABEL: Gas}]}]
      GATHER: [kind]
      NEXT: number
    number: {GATHER: [number], ON_EXHAUSTED: {SAY: Read it from the bill., END: true}, NEXT: reading}
    reading: {GATHER: [value], NEXT: thanks}
    thanks: {SAY: "{{ gather.kind }} {{ gather.number }}: {{ gather.value }}. Thank you.", END: true}
`

func TestAFlowAsksOneThingAfterTheOther(t *testing.T) {
	c := with(t, agent("meter", meter))
	require.Equal(t, "Good day. | Which meter?", c.says("Hi"))
	require.Equal(t, sessions.Waiting{For: sessions.ForSlot, Slot: "kind"}, c.state.Talk.Waits)
	require.Equal(t, "Your number?", c.chooses("kind", "gas"))
	require.Equal(t, `"gas"`, c.slot("kind"))
	require.Equal(t, "It has 4 digits.", c.says("12"))
	require.Equal(t, "The reading?", c.says("1234"))
	require.Equal(t, "The reading?", c.says("-1"), "VALIDATE does not hold")
	require.Equal(t, "gas 1234: 17. Thank you.", c.says("17"))
	require.Equal(t, []any{sessions.Ended, "completed", 6}, []any{c.state.Status, c.past[len(c.past)-1].(sessions.SessionEnded).Reason,
		c.state.Talk.Turns})
	_, err := c.turn(turns.Receive{Text: "More"})
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestWhoGivesNoValueIsAskedSoOftenOnly(t *testing.T) {
	c := with(t, agent("meter", meter))
	c.says("Hi")
	c.says("gas")
	require.Equal(t, "It has 4 digits.", c.says("no idea"))
	require.Equal(t, "Read it from the bill.", c.says("none"))
	require.Equal(t, sessions.Ended, c.state.Status)
}

func TestAStepBranchesOnWhatHolds(t *testing.T) {
	c := with(t, agent("door", `
GATHER: {age: {TYPE: integer, PROMPT: "How old are you?"}}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [age], SET: {session.adult: gather.age >= 18}, NEXT: choose}
    choose:
      BRANCH:
        - {IF: session.adult, SAY: Come in., NEXT: rest}
        - {ELSE: true, SAY: "Not yet, {{ 18 - gather.age }} years.", NEXT: rest}
    rest: {SAY: "Anything else?"}
`))
	require.Equal(t, "How old are you?", c.says("Hello"))
	require.Equal(t, "Not yet, 3 years. | Anything else?", c.says("15"))
	require.JSONEq(t, `false`, string(c.state.Talk.Vars["adult"]))
	require.Equal(t, "Anything else?", c.says("No"), "a step without NEXT is done again with what comes")
	require.Equal(t, sessions.Continue, c.past[len(c.past)-1].(sessions.TurnEnded).Action)
}

// Given a variable that is a number, then it counts: numbers of a session have a point.
func TestASessionCounts(t *testing.T) {
	c := with(t, agent("counter", `
ON_START: {SET: {session.n: "0.0"}}
FLOW: {START: a, STEPS: {a: {SAY: "{{ session.n }} before turn {{ session.turns }}", SET: {session.n: session.n + 1.0}}}}
`))
	require.Equal(t, "0 before turn 1", c.says("Hi"))
	require.Equal(t, "1 before turn 2", c.says("Again"))
	require.JSONEq(t, "2", string(c.state.Talk.Vars["n"]))
}

// What is put into a slot is judged as what the user says is: expressions count on its type.
func TestASlotTakesOnlyWhatFits(t *testing.T) {
	c := with(t, agent("clerk", `
GATHER:
  n: {TYPE: integer, REQUIRED: false, VALIDATE: value < 100}
  e: {TYPE: enum, OPTIONS: [red, blue], REQUIRED: false}
FLOW:
  START: a
  STEPS:
    a: {SET: {gather.n: '"7"', gather.e: '"RED"'}, NEXT: b}
    b: {SAY: "{{ gather.n + 1 }} {{ gather.e }}", SET: {gather.n: '"many"', gather.e: '"green"'}, NEXT: c}
    c: {SAY: "{{ gather.n + 1 }} {{ gather.e }}", SET: {gather.n: 'gather.n * 20', gather.e: 'null'}, NEXT: d}
    d: {SAY: "{{ gather.n + 1 }} {{ has(gather.e) }}"}
`))
	require.Equal(t, "8 red | 8 red | 8 false", c.says("Hi"))
	require.Equal(t, []string{"gather n", "gather e", "gather n"}, c.noticed())
}

// So is what a handoff passes; what the other agent does not take, it asks for.
func TestWhatIsPassedHasToFit(t *testing.T) {
	c := with(t, agent("desk", `
GATHER: {topic: {TYPE: string, PROMPT: "What?"}}
ON_START: {SET: {session.low: '"3"', session.high: '5'}}
HANDOFF: [{TO: sales, WHEN: has(gather.topic), CONTEXT: {PASS: [gather.topic, session.high, session.low]}}]
FLOW: {START: a, STEPS: {a: {GATHER: [topic]}}}
`), agent("sales", `
GATHER:
  low: {TYPE: integer}
  high: {TYPE: integer, VALIDATE: value > gather.low}
  topic: {TYPE: enum, OPTIONS: [cars, boats], PROMPT: "Cars or boats?"}
FLOW: {START: a, STEPS: {a: {GATHER: [low, high, topic], NEXT: b},
  b: {SAY: "{{ gather.topic }} from {{ gather.low + 1 }} to {{ gather.high }}"}}}
`))
	c.says("Hi")
	require.Equal(t, "Cars or boats?", c.says("something with wheels"))
	require.Equal(t, "cars from 4 to 5", c.says("cars"))
}

// A number that nothing can hold is one that cannot be computed: what is there stays.
func TestADivisionByZeroTakesNothingAway(t *testing.T) {
	c := with(t, agent("counter", `
ON_START: {SET: {session.sum.n: "3.0", session.sum.of: "0.0"}}
FLOW: {START: a, STEPS: {a: {SET: {session.sum.mean: session.sum.n / session.sum.of}, NEXT: b}, b: {SAY: "{{ session.sum }}"}}}
`))
	require.Equal(t, `{"n":3,"of":0}`, c.says("Hi"))
	require.Contains(t, c.noticed(), "condition_error condition_error")
}

const front = `
GATHER:
  topic: {TYPE: enum, OPTIONS: [bill, other], PROMPT: "What is it about?"}
  email: {TYPE: email, PROMPT: "Your e-mail?", SENSITIVE: true}
HANDOFF:
  - TO: bills
    WHEN: has(gather.topic) && gather.topic == "bill" && !has(session.paid)
    REASON: "About {{ gather.topic }}"
    CONTEXT: {PASS: [gather.email]}
    RETURN: true
    ON_RETURN: {SET: {session.paid: result.paid}, NEXT: after}
COMPLETE: [{WHEN: has(session.bye), SAY: Goodbye.}]
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [email, topic], NEXT: wait}
    wait: {SAY: I see.}
    after: {SAY: "Paid: {{ session.paid }}.", SET: {session.bye: "true"}}
`

const bills = `
GATHER: {email: {TYPE: email}, amount: {TYPE: number, PROMPT: "How much, {{ gather.email }}?"}}
COMPLETE: [{WHEN: has(gather.amount), RESULT: {paid: "{{ gather.amount }}"}}]
FLOW:
  START: pay
  STEPS:
    pay: {GATHER: [amount], NEXT: end}
    end: {SAY: "{{ gather.amount }} euro."}
`

func TestAnAgentHandsOverAndHasTheConversationBack(t *testing.T) {
	c := with(t, agent("front", front), agent("bills", bills))
	require.Equal(t, "Your e-mail?", c.says("Hi"))
	require.Equal(t, "What is it about?", c.says("Ann@example.com"))
	require.Equal(t, []string{"email"}, c.state.Talk.Sensitive["front"])
	require.Equal(t, "How much, ann@example.com?", c.says("bill"), "what is passed is there")
	require.Equal(t, []any{"bills", 1}, []any{c.state.Talk.Agent, c.state.Talk.Handoffs})
	require.Equal(t, "12.5 euro. | Paid: 12.5. | Goodbye.", c.says("12.50"))
	require.Equal(t, []any{sessions.Ended, "front", 1}, []any{c.state.Status, c.state.Talk.Agent, c.state.Talk.Handoffs})
}

// Given an agent that ends without a result, then whoever handed over to it goes on, and does not
// hand over again in the same turn.
func TestWhoGaveTheConversationBackDoesNotGetItAtOnce(t *testing.T) {
	c := with(t, agent("first", "HANDOFF: [{TO: second, WHEN: 'true', RETURN: true}]\nFLOW: {START: a, STEPS: {a: {SAY: Back again.}}}\n"),
		agent("second", "FLOW: {START: b, STEPS: {b: {SAY: Done., END: true}}}\n"))
	require.Equal(t, "Done. | Back again.", c.says("Hi"))
	require.Empty(t, c.noticed())
}

// Given an agent that has the conversation for another one, when it ends by END, then ON_RETURN sees the RESULT of the
// first COMPLETE that holds, as whoever delegates does. What that would say is not said.
func TestAnAgentThatEndsGivesItsResultBack(t *testing.T) {
	c := with(t, agent("first", "HANDOFF: [{TO: second, WHEN: '!has(session.got)', RETURN: true, ON_RETURN: {SET: "+
		"{session.got: result.n}}}]\n"+
		"FLOW: {START: a, STEPS: {a: {SAY: 'Got {{ session.got }}.'}}}\n"),
		agent("second", "COMPLETE: [{WHEN: 'has(session.never)', RESULT: {n: '1'}}, "+
			"{WHEN: 'has(session.known)', SAY: Not this., RESULT: {n: '2'}}]\n"+
			"FLOW: {START: b, STEPS: {b: {SET: {session.known: 'true'}, SAY: Done., END: true}}}\n"))
	require.Equal(t, "Done. | Got 2.", c.says("Hi"))
	require.Empty(t, c.noticed())
}

// Given an agent that fails before it has said anything, then who handed it the conversation has that again, where it stood,
// and ON_FAIL of the handoff follows. Who has said something has it.
func TestAHandoffThatTheOtherDoesNotTake(t *testing.T) {
	front := func(more string) string {
		return agent("front", `
HANDOFF: [{TO: back, WHEN: 'turn.text == "go"', ON_FAIL: {SAY: Not there.`+more+`}]
FLOW: {START: a, STEPS: {a: {SAY: "Yes?"}, menu: {SAY: "What else?"}}}
`)
	}
	back := func(step string) string {
		return agent("back", "TOOLS: {find: {KIND: http, URL: \"https://h.example.com/\"}}\nFLOW: {START: b, STEPS: {b: {CALL: find"+step+
			"}}}\n")
	}
	for name, x := range map[string]struct{ front, back, want, agent string }{
		"leads elsewhere": {", GOTO: menu}", "", "error UNAVAILABLE | Not there. | What else? | .", "front"},
		"is to return":    {", GOTO: menu}, RETURN: true", "", "error UNAVAILABLE | Not there. | What else? | .", "front"},
		"leads nowhere":   {"}", "", "error UNAVAILABLE | Not there. | .", "front"},
		"tries for ever":  {", HANDOFF: back}", "", strings.Repeat("error UNAVAILABLE | Not there. | ", 5) + ".TRANSFER_LIMIT", "front"},
		"was taken":       {", GOTO: menu}", ", SAY: Looking.", "Looking. | error UNAVAILABLE | .TOOL_FAILED", "back"},
	} {
		t.Run(name, func(t *testing.T) {
			c := with(t, front(x.front), back(x.back))
			require.Equal(t, "Yes?", c.says("Hi"))
			got, err := c.turn(turns.Receive{Text: "go"})
			require.NoError(t, err)
			require.Equal(t, x.want, words(got))
			require.Equal(t, x.agent, c.state.Talk.Agent)
			require.Empty(t, c.state.Talk.Frames)
			if x.agent == "front" {
				require.NotEqual(t, "Not there.", c.says("Hi"))
				require.Equal(t, x.agent, c.state.Talk.Agent)
			}
		})
	}
}

func TestHandoffsInACircleStop(t *testing.T) {
	pass := func(to string) string {
		return "HANDOFF: [{TO: " + to + ", WHEN: 'true'}]\nFLOW: {START: a, STEPS: {a: {SAY: never}}}\n"
	}
	c := with(t, agent("ping", pass("pong")), agent("pong", pass("ping")))
	require.Empty(t, c.says("Hi"))
	require.Equal(t, []string{"limit TRANSFER_LIMIT"}, c.noticed())
	ended := c.past[len(c.past)-1].(sessions.TurnEnded)
	require.Equal(t, []any{"TRANSFER_LIMIT", 1, sessions.Continue}, []any{ended.Failed, ended.Figures.Errors, ended.Action})
}

func TestAFlowInACircleStops(t *testing.T) {
	c := with(t, agent("loop", "LIMITS: {STEPS: 10}\nFLOW: {START: a, STEPS: {a: {NEXT: b}, b: {NEXT: a}}}\n"))
	require.Empty(t, c.says("Hi"))
	require.Equal(t, []string{"limit STEP_LIMIT"}, c.noticed())
}

func TestWhatAGuardrailTakesOutIsNowhere(t *testing.T) {
	c := with(t, agent("guard", `
GUARDRAILS:
  cards: {ON: input, CHECK: '!matches(text, "[0-9]{13,16}")', ACTION: redact, MESSAGE: Card number removed.}
  rude: {ON: input, CHECK: '!text.contains("damn")', ACTION: block, MESSAGE: Please be kind.}
  secret: {ON: output, CHECK: '!text.contains("4711")', ACTION: block, MESSAGE: I cannot say that.}
FLOW: {START: a, STEPS: {a: {SAY: "You said {{ turn.text }}."}}}
`))
	got := c.says("My card is 4111111111111111")
	require.NotContains(t, fmt.Sprint(c.past), "4111111111111111")
	require.Contains(t, got, "[redacted]")
	require.Equal(t, []string{"guardrail cards"}, c.noticed())
	require.Equal(t, "Please be kind.", c.says("damn you"))
	require.NotContains(t, fmt.Sprint(c.past), "damn you")
	require.Equal(t, "I cannot say that.", c.says("tell me 4711"))
}

// Whatever is filled in or chosen is guarded as what is said, in whatever form it comes.
func TestWhatIsFilledInIsGuarded(t *testing.T) {
	source := agent("guard", `
GATHER: {note: {TYPE: string, PROMPT: "Note?"}}
GUARDRAILS:
  cards: {ON: input, CHECK: '!matches(text, "[0-9]{13,16}")', ACTION: redact, MESSAGE: Card number removed.}
  rude: {ON: input, CHECK: '!text.contains("damn")', ACTION: block, MESSAGE: Please be kind.}
FLOW: {START: a, STEPS: {a: {SAY: "Note?", GATHER: [note], NEXT: b}, b: {SAY: "Noted {{ gather.note }}."}}}
`)
	for name, value := range map[string]any{"a text": "4111111111111111", "a number": 4111111111111111,
		"a list": []any{"x", "4111111111111111"}, "an object": map[string]any{"a": map[string]any{"b": 4111111111111111}},
		"a member's name": map[string]any{"4111111111111111": true}, "spelled otherwise": json.RawMessage(`"\u0034111111111111111"`)} {
		c := with(t, source)
		c.says("Hi")
		require.Contains(t, c.chooses("note", value), "[redacted]", name)
		require.Equal(t, []string{"guardrail cards"}, c.noticed(), name)
		for _, e := range c.past {
			data, err := json.Marshal(e)
			require.NoError(t, err)
			require.NotContains(t, string(data), "111111111111111", name)
		}
	}
	c := with(t, source)
	c.says("Hi")
	require.Equal(t, "Please be kind.", c.chooses("note", []string{"damn you"}))
	require.NotContains(t, fmt.Sprint(c.past), "damn you")
	require.Empty(t, c.slot("note"))
	require.Equal(t, "Noted fine.", c.chooses("note", "fine"))
}

func TestMessagesThatAreRefused(t *testing.T) {
	source := agent("a", "GATHER: {n: {TYPE: integer, PROMPT: \"n?\"}}\nFLOW: {START: a, STEPS: {a: {SAY: x}}}\n")
	for _, c := range []struct {
		given string
		past  []event.Payload
		in    turns.Receive
		code  fault.Code
	}{
		{"no session", nil, turns.Receive{Text: "x"}, fault.NotFound},
		{"nothing said", with(t, source).past, turns.Receive{}, fault.Validation},
		{"too long", with(t, source).past, turns.Receive{Text: strings.Repeat("x", turns.LongestText+1)}, fault.Validation},
		{"an unknown slot", with(t, source).past, turns.Receive{Text: "x", Slots: map[string]json.RawMessage{"m": []byte(`1`)}},
			fault.Validation},
		{"a value that does not fit", with(t, source).past, turns.Receive{Text: "x", Slots: map[string]json.RawMessage{"n": []byte(`"x"`)}},
			fault.Validation},
		{"a call's session", []event.Payload{sessions.Opened{SessionID: "s", Channel: "voice", At: noon}}, turns.Receive{Text: "x"},
			fault.Conflict},
	} {
		t.Run(c.given, func(t *testing.T) {
			c.in.Programs = with(t, source).programs
			_, err := c.in.Decide(sessions.Sessions.State(c.past...))
			require.True(t, fault.Is(err, c.code), "%v", err)
		})
	}
}

// Given any prefix of a conversation, when a message is decided on it, then the state that the
// caller has is as it was.
func TestATurnLeavesTheStateThatItIsGiven(t *testing.T) {
	c := with(t, agent("meter", meter))
	c.says("Hi")
	c.says("gas")
	before := sessions.Sessions.State(c.past...)
	want, err := json.Marshal(before)
	require.NoError(t, err)
	_, err = turns.Receive{Text: "1234", Programs: c.programs, At: noon}.Decide(before)
	require.NoError(t, err)
	after, err := json.Marshal(before)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(after))
}
