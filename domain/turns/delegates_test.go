package turns_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// A planner has three others look for offers.
func planner(join, more string) string {
	return agent("planner", `
GATHER: {city: {TYPE: string, PROMPT: "Where to?"}}
DELEGATE:
  - {ID: air, GROUP: offers, AGENT: flights, PURPOSE: "Fly to {{ gather.city }}", INPUT: {to: gather.city}, RETURNS: {price: session.air},
    TIMEOUT: 12s, ON_FAIL: stop}
  - {ID: rail, GROUP: offers, AGENT: trains, INPUT: {to: gather.city}, RETURNS: {price: session.rail}, TIMEOUT: 12s, ON_FAIL: {RETRY: 1}}
  - {ID: visa, GROUP: offers, AGENT: visas, WHEN: 'gather.city != "Paris"', RETURNS: {price: session.visa}, TIMEOUT: 5s, ON_FAIL: continue}
FAN_OUT: {offers: `+join+`}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [city], NEXT: search}
    search: {DELEGATE: offers, NEXT: tell`+more+`}
    tell:
      SAY: "{{ has(session.air) ? string(session.air) : '-' }}, {{ has(session.rail) ? string(session.rail) : '-' }},
        {{ has(session.visa) ? string(session.visa) : '-' }}."
    sorry: {SAY: "Sorry."}
`)
}

// finder asks one tool, and gives what it finds.
func finder(name, method string) string {
	return agent(name, `
TOOLS:
  `+name+`_api: {KIND: http, METHOD: `+method+`, URL: "https://o.example.com/", PARAMS: {type: object, properties: {to: {type: string}}}}
GATHER: {to: {TYPE: string}}
COMPLETE: [{WHEN: has(session.found), RESULT: {price: "{{ session.found.n }}"}}]
FLOW:
  START: a
  STEPS: {a: {SAY: Looking., CALL: `+name+`_api, WITH: {to: 'has(gather.to) ? gather.to : "all"'}, AS: session.found, END: true}}
`)
}

// searching is a conversation in which the others work.
func searching(t *testing.T, join, more, city string) *talk {
	t.Helper()
	c := with(t, planner(join, more), finder("flights", "GET"), finder("trains", "GET"), finder("visas", "GET"))
	c.says("Hi")
	got, err := c.turn(turns.Receive{Text: city, Try: mine})
	require.NoError(t, err)
	require.Empty(t, words(got))
	return c
}

// answers says what came of the call of a tool, and gives what followed.
func (c *talk) answers(tool string, e sessions.CallEnded) string {
	c.t.Helper()
	return c.works(turns.Outcome{CallID: c.callOf(tool), Ended: e, Programs: c.programs, At: noon, Try: mine}.Decide)
}

func (c *talk) callOf(tool string) string {
	c.t.Helper()
	for _, w := range c.wants(mine.Try) {
		if w.CallOpened.Tool == tool {
			return w.CallID
		}
	}
	require.Fail(c.t, "nobody calls "+tool)
	return ""
}

// works tells what was decided of delegates, beside what was said.
func (c *talk) works(decide func(sessions.State) ([]event.Payload, error)) string {
	c.t.Helper()
	var out []string
	for _, p := range c.decides(decide) {
		switch e := p.(type) {
		case sessions.DelegateBegun:
			out = append(out, "+"+e.Name)
		case sessions.DelegateEnded:
			out = append(out, strings.TrimSpace(strings.Join([]string{"-" + e.Name, string(e.Outcome), e.Code}, " ")))
		case sessions.Said:
			out = append(out, e.Text)
		case sessions.TurnEnded:
			out = append(out, "."+e.Failed)
		}
	}
	return strings.Join(out, " | ")
}

func (c *talk) late(after time.Duration) string {
	c.t.Helper()
	return c.works(turns.Late{Programs: c.programs, At: noon.Add(after), Try: mine}.Decide)
}

func found(n int) sessions.CallEnded { return ok(fmt.Sprintf(`{"n":%d}`, n)) }

// Given a group, then its delegates have their calls open at once, each with what INPUT gives it,
// and results are taken in the order of the list, whoever is first.
func TestDelegatesOfAGroupWorkAtOnce(t *testing.T) {
	c := searching(t, "{JOIN: all}", "", "Rome")
	require.Len(t, c.wants(mine.Try), 3)
	require.Equal(t, map[string]any{"to": "Rome"}, c.wants(mine.Try)[0].Scope["args"])
	require.Equal(t, map[string]any{"to": "all"}, c.wants(mine.Try)[2].Scope["args"], "it is given nothing")
	require.Equal(t, "-visa ok", c.answers("visas_api", found(3)))
	require.Equal(t, "-rail ok", c.answers("trains_api", found(2)))
	require.Equal(t, "-air ok | 1, 2, 3. | .", c.answers("flights_api", found(1)))
	var order []string
	for _, p := range c.past {
		if e, is := p.(sessions.VariablesSet); is && e.Delegate == "" {
			for name := range e.Values {
				order = append(order, name)
			}
		}
	}
	require.Equal(t, []string{"air", "rail", "visa"}, order)
	require.NotContains(t, c.state.Talk.Vars, "found", "their own variables are gone with them")
	require.Nil(t, c.state.Talk.Running)
	require.Equal(t, 0, c.state.Talk.Handoffs)
}

// What a delegate says, the user does not hear; whoever gave it the work may have it.
func TestNobodyHearsADelegate(t *testing.T) {
	c := with(t, agent("boss", `
DELEGATE: [{AGENT: clerk, RETURNS: {text: session.note, none: session.old}}]
FLOW: {START: a, STEPS: {a: {SET: {session.old: '"x"'}, NEXT: b}, b: {DELEGATE: clerk, NEXT: c},
  c: {SAY: "It says {{ session.note }} {{ has(session.old) }}"}}}
`), agent("clerk", "FLOW: {START: a, STEPS: {a: {SAY: Well., NEXT: b}, b: {SAY: Done.}}}\n"))
	require.Equal(t, "It says Well.\nDone. false", c.says("Hi"))
	require.Equal(t, 2, c.state.Talk.Messages)
}

// A member of RESULT that cannot be computed takes nothing of the others with it, neither to
// who gave the work nor to who handed the conversation over.
func TestAResultIsWhatCanBeComputedOfIt(t *testing.T) {
	clerk := agent("clerk", `COMPLETE: [{WHEN: "true", RESULT: {found: "yes", why: "{{ session.reason }}", n: "{{ session.n }}"}}]
FLOW: {START: a, STEPS: {a: {SET: {session.n: 2}}}}
`)
	c := with(t, agent("boss", `
DELEGATE: [{AGENT: clerk, RETURNS: {found: session.found, why: session.why, n: session.got}}]
FLOW: {START: b, STEPS: {b: {DELEGATE: clerk, NEXT: c}, c: {SAY: "{{ session.found }} {{ has(session.why) }} {{ session.got }}"}}}
`), clerk)
	require.Equal(t, "yes false 2", c.says("Hi"))
	require.Len(t, c.noticed(), 1, "that it could not be is noticed")

	c = with(t, agent("boss", `
HANDOFF: [{TO: clerk, WHEN: "!has(session.found)", RETURN: true, ON_RETURN: {SET: {session.found: result.found, session.got: result.n}}}]
FLOW: {START: c, STEPS: {c: {SAY: "{{ session.found }} {{ session.got }}"}}}
`), clerk)
	require.Equal(t, "yes 2", c.says("Hi"))
}

func TestThoseWhoseWhenDoesNotHoldAreLeftOut(t *testing.T) {
	c := searching(t, "{JOIN: all}", "", "Paris")
	require.Len(t, c.wants(mine.Try), 2)
	c.answers("trains_api", found(2))
	require.Equal(t, "-air ok | 1, 2, -. | .", c.answers("flights_api", found(1)))
}

// Given JOIN any or a number, then the rest is cancelled when so many are done, and what they
// answer then comes too late.
func TestEnoughIsEnough(t *testing.T) {
	c := searching(t, "{JOIN: any}", "", "Rome")
	slow := c.callOf("flights_api")
	require.Equal(t, "-rail ok | -air cancelled | -visa cancelled | -, 2, -. | .", c.answers("trains_api", found(2)))
	require.Empty(t, c.decides(turns.Outcome{CallID: slow, Ended: found(1), Programs: c.programs, At: noon}.Decide))

	c = searching(t, "{JOIN: any}", "", "Rome")
	c.answers("visas_api", failed("HTTP_500"))
	require.Equal(t, "-air error TOOL_FAILED", c.answers("flights_api", failed("HTTP_500")), "one is possible still")
	require.Equal(t, "-rail ok | -, 2, -. | .", c.answers("trains_api", found(2)))

	c = searching(t, "{JOIN: 2}", "", "Rome")
	require.Equal(t, "-rail ok", c.answers("trains_api", found(2)))
	require.Equal(t, "-air error TOOL_FAILED", c.answers("flights_api", failed("HTTP_500")), "two are possible still")
	require.Equal(t, "-visa ok | -, 2, 3. | .", c.answers("visas_api", found(3)))
}

// Given a delegate that fails, then ON_FAIL says what that means.
func TestADelegateThatFails(t *testing.T) {
	broke := failed("HTTP_500")
	c := searching(t, "{JOIN: all}", "", "Rome")
	require.Equal(t, "-visa error TOOL_FAILED", c.answers("visas_api", broke), "continue")
	require.Equal(t, "-rail error TOOL_FAILED | +rail", c.answers("trains_api", broke), "once more")
	require.Equal(t, "-rail ok", c.answers("trains_api", found(2)))
	require.Equal(t, "-air ok | 1, 2, -. | .", c.answers("flights_api", found(1)))

	c = searching(t, "{JOIN: all}", "", "Rome")
	require.Equal(t, "-air error TOOL_FAILED | -rail cancelled | -visa cancelled | .DELEGATE_FAILED", c.answers("flights_api", broke))

	c = searching(t, "{JOIN: all}", ", ON_ERROR: {RETRY: 1, GOTO: sorry}", "Rome")
	require.Equal(t, "-air error TOOL_FAILED | -rail cancelled | -visa cancelled | +air | +rail | +visa", c.answers("flights_api", broke))
	require.Equal(t, "-air error TOOL_FAILED | -rail cancelled | -visa cancelled | Sorry. | .", c.answers("flights_api", broke))

	c = searching(t, "{JOIN: 2}", ", ON_ERROR: {GOTO: sorry}", "Rome")
	c.answers("visas_api", broke)
	require.Equal(t, "-air error TOOL_FAILED | -rail cancelled | Sorry. | .", c.answers("flights_api", broke), "two are not possible")
}

// Given delegates that take too long, then they have failed, one by its own time, all by the group's.
func TestADelegateThatTakesTooLong(t *testing.T) {
	c := searching(t, "{JOIN: all, TIMEOUT: 15s}", "", "Rome")
	require.Equal(t, noon.Add(5*time.Second), c.state.Talk.Running.Ends())
	require.Empty(t, c.late(4*time.Second))
	require.Equal(t, "-visa error TIMEOUT", c.late(5*time.Second))
	require.Empty(t, c.late(6*time.Second))
	require.Equal(t, "-air error TIMEOUT | -rail error TIMEOUT | +rail | -rail cancelled | .DELEGATE_FAILED", c.late(12*time.Second))

	c = searching(t, "{JOIN: all, TIMEOUT: 3s}", ", ON_ERROR: {GOTO: sorry}", "Rome")
	require.Equal(t, "-air error TIMEOUT | -rail error TIMEOUT | -visa error TIMEOUT | Sorry. | .", c.late(3*time.Second))
}

func TestSoManyWorkAtOnceAtMost(t *testing.T) {
	c := searching(t, "{JOIN: all, MAX_PARALLEL: 2}", "", "Rome")
	require.Len(t, c.wants(mine.Try), 2)
	require.Equal(t, "-rail ok | +visa", c.answers("trains_api", found(2)))
	require.Equal(t, "-air ok", c.answers("flights_api", found(1)))
	require.Equal(t, "-visa ok | 1, 2, 3. | .", c.answers("visas_api", found(3)))
	c = searching(t, "{JOIN: all, MAX_PARALLEL: 1, TIMEOUT: 2s}", "", "Rome")
	require.Equal(t, "-air error TIMEOUT | .DELEGATE_FAILED", c.late(2*time.Second))
}

// Given a delegate that has made a write, then it is not begun again: that might do it twice.
func TestAWriteOfADelegateIsNotMadeAgain(t *testing.T) {
	boss := agent("boss", `
DELEGATE: [{AGENT: clerk, ON_FAIL: {RETRY: 2}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: clerk, ON_ERROR: {RETRY: 2, SAY: Failed., END: true}}}}
`)
	clerk := agent("clerk", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}, tell: {KIND: http, URL: "https://pay.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: pay, NEXT: b}, b: {CALL: tell, END: true}}}
`)
	c := with(t, boss, clerk)
	c.hears("x")
	require.Equal(t, "-clerk error TOOL_FAILED | +clerk", c.answers("pay", failed("HTTP_500")), "which was not done")
	c.answers("pay", ok("null"))
	require.Equal(t, "-clerk error TOOL_FAILED | Failed. | .", c.answers("tell", failed("HTTP_500")))
	c = with(t, boss, clerk)
	c.hears("x")
	require.Equal(t, "-clerk error TIMEOUT | Failed. | .", c.late(time.Minute), "which may be done")
}

// Given a delegate that ends while its call is made, then that has an outcome: of a write nobody knows whether it was done, and
// a model that had it done hears that.
func TestWhatADelegateWaitedForHasAnOutcome(t *testing.T) {
	for method, want := range map[string]struct {
		outcome sessions.CallOutcome
		hint    string
	}{"POST": {sessions.CallUnknown, "this did not come to its end, and some of it may have been done"},
		"GET": {sessions.CallCancelled, "this was not done"}} {
		c := with(t, agent("boss", "GOAL: Help.\nDELEGATE: [{ID: bill, AGENT: clerk, PURPOSE: Pay it.}]\n"), agent("clerk", `
TOOLS: {pay: {KIND: http, METHOD: `+method+`, URL: "https://pay.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: pay, END: true}}}
`))
		c.hears("x")
		c.thinks("", `delegate_to_bill {"task":"Pay it."}`)
		call := c.callOf("pay")
		require.Equal(t, "-bill error TIMEOUT", c.late(time.Minute))
		ended := eventsOf[sessions.CallEnded](c)
		require.Len(t, ended, 1)
		require.Equal(t, []any{call, "1", want.outcome, sessions.CodeCancelled}, []any{ended[0].CallID, ended[0].Delegate, ended[0].Outcome,
			ended[0].Code})
		require.JSONEq(t, `{"error":"TIMEOUT","hint":"`+want.hint+`"}`, c.told()[0])
	}
}

// Given a delegate that cannot go on without the user, then it has failed; DEFAULT and what nobody
// must give do instead.
func TestADelegateCannotAskTheUser(t *testing.T) {
	boss := "DELEGATE: [{AGENT: clerk, INPUT: {n: '7', x: '\"y\"'}, RETURNS: {r: session.r}}]\n" +
		"FLOW: {START: a, STEPS: {a: {DELEGATE: clerk, ON_ERROR: {SAY: Failed., STOP: true}, NEXT: b}, b: {SAY: \"{{ session.r }}\"}}}\n"
	for name, clerk := range map[string]struct{ source, says string }{
		"a value that is missing": {`
GATHER: {m: {TYPE: integer}}
FLOW: {START: a, STEPS: {a: {GATHER: [m], END: true}}}`, "Failed."},
		"a default": {`
GATHER: {n: {TYPE: integer}, m: {TYPE: integer, DEFAULT: 5}, o: {TYPE: integer, REQUIRED: false}}
COMPLETE: [{WHEN: "true", RESULT: {r: "{{ gather.n + gather.m }} {{ session.x }}"}}]
FLOW: {START: a, STEPS: {a: {GATHER: [n, m, o]}}}`, "12 y"},
		"a choice": {`
FLOW: {START: a, STEPS: {a: {SAY: "Yes?", RICH: [{KIND: button, ID: y, LABEL: "Yes"}], ON_ACTION: {y: {END: true}}}}}`, "Failed."},
		"no result yet": {`
COMPLETE: [{WHEN: has(session.z), RESULT: {r: "1"}}]
FLOW: {START: a, STEPS: {a: {SAY: "And now?"}}}`, "Failed."},
		"an input that does not fit": {`
GATHER: {n: {TYPE: integer, VALIDATE: value > 10}}
FLOW: {START: a, STEPS: {a: {END: true}}}`, "Failed."},
		"a constraint": {`
CONSTRAINTS: [{REQUIRE: has(session.z)}]
FLOW: {START: a, STEPS: {a: {END: true}}}`, "Failed."},
	} {
		c := with(t, agent("boss", boss), agent("clerk", strings.TrimPrefix(clerk.source, "\n")+"\n"))
		require.Equal(t, clerk.says, c.says("x"), name)
	}
}

// Given agents that have each other work, then that ends with a code.
func TestDelegatesInACircleStop(t *testing.T) {
	to := func(other string) string {
		return "DELEGATE: [{AGENT: " + other + "}]\nFLOW: {START: a, STEPS: {a: {DELEGATE: " + other + "}}}\n"
	}
	c := with(t, agent("ping", to("pong")), agent("pong", to("pang")), agent("pang", to("ping")))
	require.Empty(t, c.says("Hi"))
	var codes []string
	for _, p := range c.past {
		if e, is := p.(sessions.DelegateEnded); is {
			codes = append(codes, e.DelegateID+" "+e.Code)
		}
	}
	require.Equal(t, []string{"1.1.1 DELEGATE_CIRCLE", "1.1 DELEGATE_FAILED", "1 DELEGATE_FAILED"}, codes)
	require.Equal(t, "DELEGATE_FAILED", c.past[len(c.past)-1].(sessions.TurnEnded).Failed)

	c = with(t, agent("loop", "LIMITS: {STEPS: 500}\nDELEGATE: [{AGENT: pong, ON_FAIL: continue}]\n"+
		"FLOW: {START: a, STEPS: {a: {DELEGATE: pong, MAX_VISITS: 60, ON_EXHAUSTED: {END: true}, NEXT: b}, b: {NEXT: a}}}\n"),
		agent("pong", "FLOW: {START: a, STEPS: {a: {END: true}}}\n"))
	c.says("Hi")
	require.Contains(t, fmt.Sprint(c.past), "DELEGATE_LIMIT")
}

// Given a DELEGATE with WHEN outside a flow, then it comes behind the flow and before COMPLETE, once
// a turn.
func TestADelegateThatAConditionStarts(t *testing.T) {
	c := with(t, agent("boss", `
GATHER: {n: {TYPE: integer, PROMPT: "n?"}}
DELEGATE: [{AGENT: clerk, WHEN: 'has(gather.n) && !has(session.sum)', INPUT: {n: gather.n}, RETURNS: {price: session.sum}}]
COMPLETE: [{WHEN: has(session.sum), SAY: "{{ session.sum }}"}]
FLOW: {START: a, STEPS: {a: {GATHER: [n], NEXT: b}, b: {SAY: One moment.}}}
`), strings.Replace(finder("clerk", "GET"), "GATHER: {to: {TYPE: string}}", "GATHER: {to: {TYPE: string}, n: {TYPE: integer}}", 1))
	require.Equal(t, "n? | .", c.hears("Hi"))
	require.Equal(t, "One moment.", c.hears("4"))
	require.Equal(t, "-clerk ok | 9 | .", c.answers("clerk_api", found(9)))
	require.Equal(t, sessions.Ended, c.state.Status)
}

// Given a delegate without WHEN, then the model may have it work, with values of its own or those of
// INPUT, and is told the result. A delegate may be led by a model as well.
func TestAModelHasADelegateWork(t *testing.T) {
	c := with(t, agent("concierge", `
GOAL: Help.
GATHER: {city: {TYPE: string, DEFAULT: Rome}}
DELEGATE: [{ID: fly, AGENT: pilot, PURPOSE: Find a flight., INPUT: {to: gather.city, seats: '2'}, RETURNS: {text: session.flight}}]
`), agent("pilot", "GOAL: Find flights.\nGATHER: {to: {TYPE: string}}\n"))
	c.hears("Fly me to Oslo")
	tool := c.question().Tools[1]
	require.Equal(t, "delegate_to_fly", tool.Name)
	require.Contains(t, tool.Description, "Find a flight.")
	require.JSONEq(t, `{"type":"object","properties":{"task":{"type":"string","description":"What is to be done, in your words."},
		"to":{"type":"string"},"seats":{"description":"Left out: what is known."}}}`, string(tool.Parameters))
	c.thinks("", `delegate_to_fly {"to":"Oslo"}`)
	q, err := turns.QuestionsOf(c.state, c.programs, mine.Try)
	require.NoError(t, err)
	require.Len(t, q, 1)
	system, user := q[0].Request.Messages[0].Text, q[0].Request.Messages[1].Text
	require.Equal(t, "Find a flight.", user)
	for _, part := range []string{"Your goal: Find flights.", `Known: to = "Oslo"`, "Known: seats = 2", "You work for the agent concierge."} {
		require.Contains(t, system, part)
	}
	asked := c.state.Talk.Running.Question(q[0].CallID)
	require.Equal(t, "1", asked.Delegate)
	o := turns.Outcome{CallID: q[0].CallID, Answer: &sessions.ModelAnswered{Text: "OS 1 at noon"}, Programs: c.programs, At: noon, Try: mine}
	require.Equal(t, "-fly ok", c.works(o.Decide))
	require.Equal(t, []string{`{"text":"OS 1 at noon"}`}, c.told())
	require.JSONEq(t, `"OS 1 at noon"`, string(c.state.Talk.Vars["flight"]))
	require.Equal(t, "At noon. | .", c.thinks("At noon."))

	c.hears("And to Rome?")
	c.thinks("", `delegate_to_fly {}`)
	require.Equal(t, "-fly error ARGUMENTS", func() string { // which is noticed: gather.city is not there
		var out []string
		for _, p := range c.past {
			if e, is := p.(sessions.DelegateEnded); is {
				out = append(out, "-"+e.Name+" "+string(e.Outcome)+" "+e.Code)
			}
		}
		return out[len(out)-1]
	}())
	require.Contains(t, c.told()[0], "ARGUMENTS")
}

// Given a delegate that a model leads, then it has tools called, and remembers, as it would for a user;
// what it is asked is what was hashed, each time.
func TestAModelLeadsADelegate(t *testing.T) {
	c := with(t, agent("boss", `
DELEGATE: [{AGENT: pilot, INPUT: {to: '"Oslo"'}, RETURNS: {price: session.price}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: pilot, NEXT: b}, b: {SAY: "{{ session.price }}"}}}
`), agent("pilot", `
GOAL: Find flights.
TOOLS: {find: {KIND: http, URL: "https://o.example.com/"}}
GATHER: {to: {TYPE: string}, eur: {TYPE: integer}}
COMPLETE: [{WHEN: has(gather.eur), RESULT: {price: "{{ gather.eur }}"}}]
`))
	c.hears("x")
	thinks := func(e sessions.ModelAnswered) string {
		q, err := turns.QuestionsOf(c.state, c.programs, mine.Try)
		require.NoError(t, err)
		require.Len(t, q, 1)
		whole, err := json.Marshal(q[0].Request)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(whole)), c.state.Talk.Running.Question(q[0].CallID).Prompt)
		return c.works(turns.Outcome{CallID: q[0].CallID, Answer: &e, Programs: c.programs, At: noon, Try: mine}.Decide)
	}
	wants := func(text, name, arguments string) sessions.ModelAnswered {
		return sessions.ModelAnswered{Text: text, ToolCalls: []sessions.ModelCall{{ID: "x", Name: name, Arguments: arguments}}}
	}
	require.Empty(t, thinks(wants("Looking.", "find", "{}")), "which the user does not hear")
	require.Empty(t, c.answers("find", ok(`{"eur":99}`)))
	require.Equal(t, "-pilot ok | 99 | .", thinks(wants("", "remember", `{"eur":99}`)))
	require.Equal(t, []string{"x", "99"}, func() (texts []string) {
		for _, l := range c.state.Talk.History {
			texts = append(texts, l.Text)
		}
		return texts
	}())
}

// Given a try that is gone, then another makes the calls of all delegates, and of a write of one
// nobody knows.
func TestAnotherGoesOnForAllDelegates(t *testing.T) {
	c := with(t, planner("{JOIN: all}", ""), finder("flights", "GET"), finder("trains", "POST"), finder("visas", "GET"))
	c.says("Hi")
	_, err := c.turn(turns.Receive{Text: "Rome", Try: mine})
	require.NoError(t, err)
	require.Len(t, c.state.Talk.Running.Claims(), 1)
	over := turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon, Try: other}
	require.Equal(t, "-rail error TOOL_FAILED | -air cancelled | -visa cancelled | .DELEGATE_FAILED", c.works(over.Decide),
		"a write is not made again, so there is no price")

	c = searching(t, "{JOIN: all}", "", "Rome")
	over.Programs = c.programs
	require.Len(t, c.decides(over.Decide), 3)
	require.Empty(t, c.decides(over.Decide))
	require.Len(t, c.wants(other.Try), 3)
}

// Mocks of a test answer delegates too, each as often as it may in all of the turn.
func TestMocksAnswerDelegates(t *testing.T) {
	c := with(t, planner("{JOIN: all}", ""), finder("flights", "GET"), finder("trains", "GET"), finder("visas", "GET"))
	c.says("Hi")
	got := c.answer(turns.Receive{Text: "Rome", Mocks: []sessions.Mock{{Tool: "flights_api", Result: json.RawMessage(`{"n":1}`), Times: 1},
		{Tool: "trains_api", Error: "AWAY", Times: 1}, {Tool: "trains_api", Result: json.RawMessage(`{"n":2}`), Times: 1},
		{Tool: "visas_api", Error: "AWAY"}}})
	require.Equal(t, "1, 2, -.", got)
}

// Given a delegate's tool that answers later, then the others go on meanwhile, and the session is not
// suspended.
func TestADelegateMayWaitForACallback(t *testing.T) {
	c := with(t, agent("boss", `
DELEGATE: [{AGENT: clerk, TIMEOUT: 20s, ON_FAIL: continue, RETURNS: {state: session.paid}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: clerk, NEXT: b}, b: {SAY: "It is {{ has(session.paid) ? session.paid : 'open' }}."}}}
`), agent("clerk", `
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/", BODY: {notify: "{{ callback.url }}"}, EXPIRES: 10s}}
COMPLETE: [{WHEN: has(session.p), RESULT: {state: "{{ session.p.state }}"}}]
FLOW: {START: a, STEPS: {a: {CALL: pay, AS: session.p}}}
`))
	c.hears("x")
	call := c.callOf("pay")
	suspend := turns.Suspend{CallID: call, Programs: c.programs, At: noon}
	require.Len(t, c.decides(suspend.Decide), 1)
	require.Empty(t, c.decides(suspend.Decide))
	require.Nil(t, c.state.Talk.Suspended())
	past := len(c.past)
	require.Equal(t, "-clerk ok | It is paid. | .", c.works(turns.Outcome{CallID: call, Ended: answer(`{"state":"paid"}`),
		Programs: c.programs, At: noon, Try: mine}.Decide))
	c.past = c.past[:past]
	require.Equal(t, "-clerk error TOOL_FAILED | It is open. | .", c.late(10*time.Second))
}

// Given any prefix of what delegates did, then it leads to the same whatever is folded before or after
// a snapshot of it.
func TestDelegatesComeBackFromASnapshot(t *testing.T) {
	c := searching(t, "{JOIN: all}", "", "Rome")
	c.answers("trains_api", found(2))
	data, err := json.Marshal(c.state)
	require.NoError(t, err)
	var again sessions.State
	require.NoError(t, json.Unmarshal(data, &again))
	over := turns.Outcome{CallID: c.callOf("flights_api"), Ended: found(1), Programs: c.programs, At: noon, Try: mine}
	want, err := over.Decide(c.state)
	require.NoError(t, err)
	got, err := over.Decide(again)
	require.NoError(t, err)
	require.Equal(t, want, got)
	same, err := json.Marshal(c.state)
	require.NoError(t, err)
	require.JSONEq(t, string(data), string(same), "a decision leaves the state that it is given")
}
