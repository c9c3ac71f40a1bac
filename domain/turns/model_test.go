package turns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const concierge = `
GOAL: Help the guest of {{ session.id }}.
PERSONA: Brief.
LIMITATIONS: [Never promise anything.]
MODEL: {TIER: fast, FALLBACK_TIER: powerful, TEMPERATURE: 0, MAX_TOKENS: 50, TIMEOUT: 7s}
LIMITS: {MODEL_CALLS: 4}
TOOLS:
  find: {KIND: http, URL: "https://h.example.com/", MASK: [pin],
    PARAMS: {type: object, required: [id], properties: {id: {type: integer}, pin: {type: string}}}}
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}
CONSTRAINTS: [{REQUIRE: has(gather.email), BEFORE: call:pay}]
GATHER:
  email: {TYPE: email, PROMPT: "Your e-mail?", SENSITIVE: true}
  nights: {TYPE: integer, REQUIRED: false, VALIDATE: value > 0}
HANDOFF: [{TO: desk, INTENT: wants a person}]
GUARDRAILS: {secret: {ON: output, CHECK: '!text.contains("4711")', ACTION: redact, PATTERN: "4711"}}
COMPLETE: [{WHEN: has(session.bye), SAY: Goodbye.}]
`

// Given an agent that a model leads, when another one gives the conversation back, then COMPLETE ends it without asking the model;
// where it does not hold the model goes on.
func TestAModelIsNotAskedBehindAReturnThatEndsTheWork(t *testing.T) {
	guide := "GOAL: Guide.\n" +
		"HANDOFF: [{TO: clerk, WHEN: 'turn.text == \"bill\"', RETURN: true, ON_RETURN: {SET: {session.paid: result.paid}}}]\n" +
		"COMPLETE: [{WHEN: has(session.paid) && session.paid == true, SAY: Goodbye.}]\n"
	clerk := "GATHER: {paid: {TYPE: boolean, PROMPT: \"Paid?\"}}\n" +
		"COMPLETE: [{WHEN: has(gather.paid), RESULT: {paid: '{{ gather.paid }}'}}]\n" +
		"FLOW: {START: a, STEPS: {a: {GATHER: [paid]}}}\n"
	for answer, want := range map[string]string{"yes": "Goodbye. | .", "no": ""} {
		c := with(t, agent("guide", guide), agent("clerk", clerk))
		require.Equal(t, "Paid? | .", c.hears("bill"))
		require.Equal(t, want, c.hears(answer))
		require.Equal(t, want == "", c.state.Talk.Running != nil, "the model is asked")
	}
}

const desk = "GOAL: Take notes.\n"

// hotel is a conversation with an agent that a model leads.
func hotel(t *testing.T) *talk { return with(t, agent("concierge", concierge), agent("desk", desk)) }

// hears lets the user say something, and gives what followed before a model was asked.
func (c *talk) hears(text string) string {
	c.t.Helper()
	got, err := c.turn(turns.Receive{Text: text, Try: mine})
	require.NoError(c.t, err)
	return words(got)
}

// question is what the model is asked.
func (c *talk) question() completions.Request {
	c.t.Helper()
	q, err := turns.QuestionsOf(c.state, c.programs, c.state.Talk.Running.Asked.Try)
	require.NoError(c.t, err)
	require.Len(c.t, q, 1)
	return q[0].Request
}

// thinks is an answer of the model, with calls as name and arguments.
func (c *talk) thinks(text string, calls ...string) string {
	c.t.Helper()
	e := sessions.ModelAnswered{Text: text, Finish: completions.EndTurn, ModelID: "m-1", TokensIn: 10, TokensOut: 5}
	for i, call := range calls {
		name, arguments, _ := strings.Cut(call, " ")
		e.ToolCalls = append(e.ToolCalls, sessions.ModelCall{ID: "x" + strings.Repeat("x", i), Name: name, Arguments: arguments})
	}
	return c.replies(e)
}

func (c *talk) replies(e sessions.ModelAnswered) string {
	c.t.Helper()
	c.question()
	asked := c.state.Talk.Running.Asked
	o := turns.Outcome{CallID: asked.CallID, Answer: &e, Programs: c.programs, At: noon, Try: mine}
	return words(c.decides(o.Decide))
}

// told are the results that the model sees when it is asked again.
func (c *talk) told() (out []string) {
	for _, m := range c.question().Messages {
		if m.Role == completions.FromTool {
			out = append(out, m.Text)
		}
	}
	return out
}

// Given an agent without a flow, when the user says something, then a model is asked with all that
// the source says, and its text is the answer.
func TestAModelLeadsAnAgentWithoutAFlow(t *testing.T) {
	c := hotel(t)
	require.Empty(t, c.hears("Hello"))
	q := c.question()
	require.Equal(t, []any{"fast", "", int64(50), 0.0}, []any{q.Tier, q.ModelID, q.MaxTokens, *q.Temperature})
	require.Equal(t, completions.Message{Role: completions.User, Text: "Hello"}, q.Messages[1])
	for _, part := range []string{"Your goal: Help the guest of s-1.", "You are concierge. Brief.", "- Never promise anything.",
		"Still to be asked for, and remembered: email. Your e-mail?"} {
		require.Contains(t, q.Messages[0].Text, part)
	}
	var names []string
	for _, tool := range q.Tools {
		names = append(names, tool.Name)
		require.True(t, json.Valid(tool.Parameters))
	}
	require.Equal(t, []string{"find", "pay", "remember", "hand_off_to_desk"}, names)
	require.Equal(t, "Hi, [redacted]. | .", c.thinks("Hi, 4711."), "what is said is guarded")
	require.Equal(t, sessions.ForMessage, c.state.Talk.Waits.For)

	c.hears("And now?")
	said := c.question().Messages[1:]
	require.Equal(t, []completions.Message{{Role: completions.User, Text: "Hello"}, {Role: completions.Assistant, Text: "Hi, [redacted]."},
		{Role: completions.User, Text: "And now?"}}, said)
}

// What is recorded as asked is what is asked, also by whoever takes over.
func TestTheHashIsThatOfTheQuestion(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	first, asked := c.question(), *c.state.Talk.Running.Asked
	require.Len(t, asked.Prompt, 64)
	over := turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon.Add(time.Minute), Try: other}
	require.Len(t, c.decides(over.Decide), 1)
	require.Empty(t, c.decides(over.Decide), "which is another's now")
	require.Equal(t, other, c.state.Talk.Running.Asked.Claimed)
	require.Equal(t, first, c.question())
	require.Equal(t, "Hi. | .", c.thinks("Hi."))
	late := turns.Outcome{CallID: asked.CallID, Answer: &sessions.ModelAnswered{Text: "Me too"}, Programs: c.programs, At: noon}
	require.Empty(t, c.decides(late.Decide), "the first answer counts")
}

func TestAModelHasToolsCalled(t *testing.T) {
	c := hotel(t)
	c.hears("Where is 7?")
	require.Equal(t, "One moment.", c.thinks("One moment.", `find {"pin":"1234","id":7}`, `find {"id":8}`))
	w := c.wants(mine.Try)
	require.Len(t, w, 2, "at once, as both read")
	require.Equal(t, map[string]any{"id": int64(7), "pin": "1234"}, w[0].Scope["args"])
	opened := c.past[len(c.past)-2].(sessions.CallOpened)
	require.JSONEq(t, `"***"`, string(opened.Arguments["pin"]))
	ends := func(w turns.Wanted, e sessions.CallEnded) string {
		return words(c.decides(turns.Outcome{CallID: w.CallID, Ended: e, Programs: c.programs, At: noon, Try: mine}.Decide))
	}
	require.Equal(t, "error HTTP_500", ends(w[1], failed("HTTP_500")))
	require.Nil(t, c.state.Talk.Running.Asked, "the model is asked when all have ended")
	require.Equal(t, "ok ", ends(w[0], ok(`{"room":70}`)))
	require.Equal(t, []string{`{"room":70}`, `{"error":"HTTP_500"}`}, c.told(), "a failure is the model's to deal with")
	calling := c.question().Messages[2]
	require.Equal(t, []any{completions.Assistant, "One moment.", 2}, []any{calling.Role, calling.Text, len(calling.ToolCalls)})
	require.NotEqual(t, calling.ToolCalls[0].ID, calling.ToolCalls[1].ID, "each has an id of its own")
	require.Equal(t, "Room 70. | .", c.thinks("Room 70."))

	c.hears("Thanks")
	require.Len(t, c.question().Messages, 5, "of an earlier turn it sees what was said")
}

// Given an answer that wants something written as well, then its calls are made one after the other.
func TestAWriteIsNotMadeBesideOthers(t *testing.T) {
	c := hotel(t)
	c.hears("x")
	c.thinks("", `remember {"email":"a@example.com"}`, `find {"id":7}`, `pay {}`, `find {"id":8}`)
	for _, tool := range []string{"find", "pay", "find"} {
		w := c.wants(mine.Try)
		require.Len(t, w, 1)
		require.Equal(t, tool, w[0].CallOpened.Tool)
		c.ends(ok("null"))
	}
	require.Len(t, c.told(), 4)
}

// Given wishes that nobody can grant, then the model is told, and the turn goes on.
func TestWhatTheModelGetsWrongIsToldToIt(t *testing.T) {
	for wish, told := range map[string]string{
		`fly {}`:                       "UNKNOWN_TOOL",
		`hand_off_to_nobody {}`:        "UNKNOWN_TOOL",
		`find {"id":"seven"}`:          "ARGUMENTS",
		`find {"id":`:                  "ARGUMENTS",
		`find [1]`:                     "ARGUMENTS",
		`pay {}`:                       "NOT_ALLOWED",
		`remember {"nights":-1}`:       "is not allowed",
		`remember {"pet":"dog"}`:       "no such value",
		`remember {"session":{"x":1}}`: "no such value",
	} {
		t.Run(wish, func(t *testing.T) {
			c := hotel(t)
			c.hears("Hello")
			require.Empty(t, c.thinks("", wish))
			require.Len(t, c.told(), 1)
			require.Contains(t, c.told()[0], told)
			require.Equal(t, "Sorry. | .", c.thinks("Sorry."))
		})
	}
}

func TestAModelRemembersWhatTheUserSaid(t *testing.T) {
	c := hotel(t)
	c.hears("Ann@Example.com, 2 nights")
	c.thinks("", `remember {"email":"Ann@Example.com","nights":2}`)
	require.Equal(t, []string{`{"remembered":["email","nights"]}`}, c.told())
	require.Equal(t, []string{`"ann@example.com"`, "2"}, []string{c.slot("email"), c.slot("nights")})
	brief := c.question().Messages[0].Text
	require.Contains(t, brief, "Known: email (not shown)")
	require.Contains(t, brief, "Known: nights = 2")
	require.Equal(t, "Goodbye. | .", c.thinks("", `remember {"session":{"bye":true}}`), "COMPLETE holds")
	require.Equal(t, sessions.Ended, c.state.Status)
}

func TestAModelHandsOver(t *testing.T) {
	c := hotel(t)
	c.hears("A person, please")
	require.Equal(t, "Gladly.", c.thinks("Gladly.", "hand_off_to_desk ", "find {\"id\":1}"), "what it wanted besides is left")
	q := c.question()
	require.Contains(t, q.Messages[0].Text, "Your goal: Take notes.")
	require.Equal(t, completions.Message{Role: completions.Assistant, Text: "Gladly."}, q.Messages[2], "with what was said")
	require.Equal(t, "Noted. | .", c.thinks("Noted."))
	require.Equal(t, "desk", c.state.Talk.Agent)
}

func TestAModelIsAskedSoOftenOnly(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	for range 3 {
		c.thinks("", "fly {}")
	}
	require.Equal(t, ".MODEL_LIMIT", c.thinks("", "fly {}"))
	require.Nil(t, c.state.Talk.Running)
}

func TestAModelThatFailsIsReplacedOnce(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	require.Empty(t, c.replies(sessions.ModelAnswered{Failed: "UNAVAILABLE"}))
	require.Equal(t, "powerful", c.question().Tier)
	require.Equal(t, ".MODEL_FAILED", c.replies(sessions.ModelAnswered{Failed: "TIMEOUT"}))

	c.hears("Hello again")
	require.Equal(t, "fast", c.question().Tier)
	require.Empty(t, c.thinks(" "), "it is asked once more")
	require.Equal(t, ".MODEL_EMPTY", c.thinks(""))
}

// Given a write of which nobody knows whether it was done, then the model may not have it done
// again: not in this turn at all, and not with the same arguments later.
func TestAModelDoesNotRepeatAWriteOfUnknownOutcome(t *testing.T) {
	c := hotel(t)
	c.hears("ann@example.com, pay 5")
	c.thinks("", `remember {"email":"ann@example.com"}`, `pay {"eur":5}`)
	over := turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon, Try: mine}
	require.Equal(t, "unknown UNKNOWN_OUTCOME", words(c.decides(over.Decide)))
	require.Contains(t, c.told()[1], "UNKNOWN_OUTCOME")
	c.thinks("", `pay {"eur":6}`)
	require.Contains(t, c.told()[2], "UNKNOWN_OUTCOME")
	c.thinks("It may have been paid.")
	c.hears("Again")
	c.thinks("", `pay { "eur": 5 }`)
	require.Contains(t, c.told()[0], "UNKNOWN_OUTCOME")
	c.thinks("", `pay {"eur":7}`)
	require.Len(t, c.wants(mine.Try), 1, "another one is made")
}

const guided = `
GOAL: Sell a trip.
TOOLS: {weather: {KIND: http, URL: "https://w.example.com/"}, pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW:
  START: greet
  STEPS:
    greet: {SAY: Welcome., NEXT: talk}
    talk: {MODE: model, GOAL: Agree on a plan, TOOLS: [weather], EXIT_WHEN: has(session.agreed), MAX_TURNS: 2, NEXT: done,
      ON_EXHAUSTED: {SAY: No plan., END: true}, ON_ERROR: {RETRY: 1, SAY: No model., GOTO: done}}
    done: {SAY: "Plan: {{ has(session.agreed) ? session.agreed : 'none' }}.", END: true}
`

func TestAModelLeadsAStepUntilItsEnd(t *testing.T) {
	c := with(t, agent("trip", guided))
	require.Equal(t, "Welcome.", c.hears("Hi"))
	q := c.question()
	require.Contains(t, q.Messages[0].Text, "Your goal now: Agree on a plan")
	require.Len(t, q.Tools, 2, "weather and remember")
	require.JSONEq(t, `{"type":"object","properties":{"session":{"type":"object","properties":{"agreed":{}}}}}`,
		string(q.Tools[1].Parameters))
	require.Equal(t, "Rome? | .", c.thinks("Rome?"))
	require.Equal(t, sessions.ForModel, c.state.Talk.Waits.For)
	require.Empty(t, c.hears("Yes"))
	require.Equal(t, 1, c.state.Talk.Visits[sessions.Visit("trip", "talk")], "the step is the same one")
	require.Equal(t, "Fine. | Plan: Rome. | .", c.thinks("Fine.", `remember {"session":{"agreed":"Rome"}}`, "weather {}"))
	require.Equal(t, sessions.Ended, c.state.Status)
}

func TestAStepOfAModelEndsWithItsTurns(t *testing.T) {
	c := with(t, agent("trip", guided))
	c.hears("Hi")
	c.thinks("Rome?")
	c.hears("No")
	require.Equal(t, "Paris? | No plan. | .", c.thinks("Paris?"))
	require.Contains(t, c.noticed(), "limit MAX_TURNS")
}

func TestOnErrorDecidesWhereAModelFails(t *testing.T) {
	c := with(t, agent("trip", guided))
	c.hears("Hi")
	require.Empty(t, c.replies(sessions.ModelAnswered{Failed: "TIMEOUT"}), "RETRY")
	require.Equal(t, "No model. | Plan: none. | .", c.replies(sessions.ModelAnswered{Failed: "TIMEOUT"}))
}

// Without EXIT_WHEN a step has its end when the slots of GATHER are there.
func TestAModelGathers(t *testing.T) {
	c := with(t, agent("ask", `
GOAL: Know the guest.
GATHER: {city: {TYPE: enum, OPTIONS: [rome, oslo]}, age: {TYPE: integer}}
FLOW: {START: a, STEPS: {a: {MODE: model, GOAL: Ask, GATHER: [city], NEXT: b}, b: {SAY: "To {{ gather.city }}."}}}
`))
	require.Empty(t, c.hears("Hi"), "the model asks, in its own words")
	require.Contains(t, c.question().Messages[0].Text, "remembered: city")
	require.NotContains(t, c.question().Messages[0].Text, "remembered: age")
	c.thinks("", `remember {"city":"Paris"}`)
	require.Contains(t, c.told()[0], "is none of the options")
	require.Equal(t, "To oslo. | .", c.thinks("", `remember {"city":"OSLO"}`))
}

func TestAModelSeesSoMuchOfTheConversation(t *testing.T) {
	c := with(t, agent("desk", desk))
	for i := range 51 {
		c.hears(fmt.Sprintf("text %d", i))
		c.thinks("Yes.")
	}
	require.Equal(t, []string{"history_trimmed HISTORY"}, c.noticed())
	require.Len(t, c.state.Talk.History, sessions.MostLines)
	c.hears(strings.Repeat("x", turns.LongestText))
	for range 7 {
		c.thinks("Yes.")
		c.hears(strings.Repeat("x", turns.LongestText))
	}
	bytes := 0
	for _, l := range c.state.Talk.History {
		bytes += len(l.Text)
	}
	require.LessOrEqual(t, bytes, sessions.MostLineBytes)
	require.Equal(t, completions.User, c.question().Messages[1].Role, "it begins with the user")
}

func TestATestMocksWhatAModelCalls(t *testing.T) {
	c := hotel(t)
	_, err := c.turn(turns.Receive{Text: "7?", Try: mine, Mocks: []sessions.Mock{{Tool: "find", Result: json.RawMessage(`{"room":70}`)}}})
	require.NoError(t, err)
	require.Equal(t, "ok ", c.thinks("", `find {"id":7}`))
	require.Equal(t, []string{`{"room":70}`}, c.told())
}

func TestAModelThatTakesTooLongEndsTheTurn(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	late := turns.Outcome{CallID: c.state.Talk.Running.Asked.CallID, Answer: &sessions.ModelAnswered{Text: "Hi"}, Programs: c.programs,
		At: noon.Add(turns.TurnFor + time.Second), Try: mine}
	require.Equal(t, ".TURN_TIMEOUT", words(c.decides(late.Decide)))
}

// Given another agent that sends data beside its words, then a model sees them with the message, in the turn of the message, as
// the guardrails leave them; data that came alone are the text, and are there once.
func TestAModelSeesTheDataOfAnotherAgent(t *testing.T) {
	guards := "GOAL: Sell.\nGUARDRAILS:\n  card: {ON: input, CHECK: '!text.contains(\"4711\")', ACTION: redact, PATTERN: \"4711\"}\n" +
		"  rude: {ON: input, CHECK: '!text.contains(\"fool\")', ACTION: block, MESSAGE: \"No.\"}\n"
	for name, c := range map[string]struct{ channel, text, metadata, want string }{
		"beside words":             {"a2a", "Order", `{"data":[{"b":1},[2]]}`, "Order\n\n(Sent with it, as data:) {\"b\":1}\n[2]"},
		"alone":                    {"a2a", `{"b":1,"a":2}` + "\n[2]", `{"data":[{"a":2,"b":1},[2]]}`, `{"b":1,"a":2}` + "\n[2]"},
		"a guardrail takes it out": {"a2a", "Order", `{"data":[{"b":"4711"}]}`, "Order\n\n(Sent with it, as data:) {\"b\":\"[redacted]\"}"},
		"a guardrail blocks it":    {"a2a", "Order", `{"data":[{"b":"fool"}]}`, "Order\n\n(Sent with it, as data:) [redacted]"},
		"no list":                  {"a2a", "Order", `{"data":7}`, "Order"},
		"none":                     {"a2a", "Order", ``, "Order"},
		"a user of a chat":         {"api", "Order", `{"data":[{"b":1}]}`, "Order"},
	} {
		t.Run(name, func(t *testing.T) {
			talk := with(t, agent("seller", guards))
			talk.state.Channel = c.channel
			opened := talk.past[0].(sessions.Opened)
			opened.Channel = c.channel
			talk.past[0] = opened
			_, err := talk.turn(turns.Receive{Text: c.text, Metadata: json.RawMessage(c.metadata), Try: mine})
			require.NoError(t, err)
			require.Equal(t, []completions.Message{{Role: completions.User, Text: c.want}}, talk.question().Messages[1:])
			talk.thinks("Done.")
			talk.hears("And?")
			require.Equal(t, c.text, talk.question().Messages[1].Text, "what goes with a message is of its turn")
		})
	}
}
