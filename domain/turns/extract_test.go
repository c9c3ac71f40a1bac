package turns_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const travel = `
MODEL: {TIER: balanced, EXTRACT_TIER: fast}
LIMITS: {MODEL_CALLS: 2}
GATHER:
  city: {TYPE: string, PROMPT: "Where to?", RETRY_PROMPT: "Which city?", EXTRACT: model, MAX_RETRIES: 2}
  nights: {TYPE: integer, PROMPT: "How many nights?", EXTRACT: model, VALIDATE: value > 0 && value < 29}
  kind: {TYPE: enum, OPTIONS: [beach, sights], PROMPT: "Beach or sights?", EXTRACT: model}
  name: {TYPE: string, PROMPT: "Your name?"}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [city, nights, kind, name], NEXT: done}
    done: {SAY: "{{ gather.city }}, {{ gather.nights }}, {{ gather.kind }}, {{ gather.name }}."}
`

func trip(t *testing.T) *talk { return with(t, agent("trip", travel)) }

// finds is an answer of the model that found values.
func (c *talk) finds(values string) string { return c.thinks("", "remember "+values) }

// Given slots with EXTRACT: model, when the user says something, then a model is asked for the
// values of the open ones, and only what it does not find is asked for.
func TestAModelFindsValuesInWhatTheUserSays(t *testing.T) {
	c := trip(t)
	require.Empty(t, c.hears("Three nights in Rome"))
	asked := c.past[len(c.past)-1].(sessions.ModelAsked)
	require.Equal(t, []any{sessions.Extracts, []string{"city", "nights", "kind"}}, []any{asked.Purpose, asked.Slots})
	q := c.question()
	require.Equal(t, []string{"fast", completions.OneTool, "remember"}, []string{q.Tier, q.ToolChoice, q.OnlyTool})
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string","description":"Where to?"},
		"nights":{"type":"integer","description":"How many nights?"},
		"kind":{"type":"string","enum":["beach","sights"],"description":"Beach or sights?"}}}`, string(q.Tools[0].Parameters))
	require.Contains(t, q.Messages[0].Text, "Today is 2026-11-24.")
	require.Equal(t, "Three nights in Rome", q.Messages[1].Text)

	require.Equal(t, "Beach or sights? | .", c.finds(`{"city":"Rome","nights":3}`))
	require.Equal(t, []string{`"Rome"`, "3"}, []string{c.slot("city"), c.slot("nights")})
	require.Equal(t, "Your name? | .", c.hears("sights"), "an option as it stands needs no model")
	require.Equal(t, "Rome, 3, sights, Ann. | .", c.hears("Ann"), "all is known")
}

// Given a question for a slot, when the model finds another one, then the question is asked once
// more, which is no retry; when it finds nothing, then RETRY_PROMPT is.
func TestWhatAModelDoesNotFindIsAskedFor(t *testing.T) {
	c := trip(t)
	c.hears("Hello")
	require.Equal(t, "Where to? | .", c.finds(`{}`))
	c.hears("somewhere for the sights")
	q := c.question()
	require.Contains(t, q.Messages[0].Text, "The user was asked for: city")
	require.Equal(t, completions.Message{Role: completions.Assistant, Text: "Where to?"}, q.Messages[1])
	require.Equal(t, "Where to? | .", c.finds(`{"kind":"sights","city":null}`))
	c.hears("I do not know")
	require.Equal(t, "Which city? | .", c.finds(`{"city":""}`))
	require.Contains(t, c.noticed(), "retry city")
	c.hears("still not")
	c.finds(`{}`)
	c.hears("no")
	require.Equal(t, ".RETRIES_EXHAUSTED", c.finds(`{}`))
}

// Given a model that fails, or gives what is no value, then slots are read as they would be
// without it.
func TestAModelThatIsOfNoHelp(t *testing.T) {
	for name, answer := range map[string]sessions.ModelAnswered{
		"fails":      {Failed: "TIMEOUT"},
		"talks":      {Text: "Nice!"},
		"bad JSON":   {ToolCalls: []sessions.ModelCall{{ID: "x", Name: "remember", Arguments: `{"nights":`}}},
		"other tool": {ToolCalls: []sessions.ModelCall{{ID: "x", Name: "fly", Arguments: `{"nights":2}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := trip(t)
			c.hears("Hello")
			require.Equal(t, "Where to? | .", c.replies(answer))
			c.hears("Rome")
			require.Equal(t, "How many nights? | .", c.replies(answer), "the whole text, as with EXTRACT exact")
			c.hears("Say 12, with a beach")
			require.Equal(t, "Your name? | .", c.replies(answer), "what has a form is found, as with EXTRACT pattern")
			require.Equal(t, []string{"12", `"beach"`}, []string{c.slot("nights"), c.slot("kind")})
		})
	}
	c := trip(t)
	c.hears("Rome!")
	c.finds(`{"city":"Rome"}`)
	c.hears("99 or so")
	require.Equal(t, "How many nights? | .", c.finds(`{"nights":99,"pet":"dog"}`), "VALIDATE holds for a model, too")
	require.Equal(t, []string{"gather nights", "gather EXTRACT", "retry nights"}, c.noticed())
	c.hears("for the whole of the 2 weeks")
	require.Equal(t, "Beach or sights? | .", c.finds(`{"nights":"two"}`), "what it invented is read without it")
}

// An object in words is as good as the call that was wanted.
func TestAModelMayAnswerInWords(t *testing.T) {
	c := trip(t)
	c.hears("To Rome")
	require.Equal(t, "How many nights? | .", c.thinks("Here: ```{\"city\":\"Rome\"}```"))
}

const beds = `
GATHER: {bed: {TYPE: enum, OPTIONS: [single, double], EXTRACT: model, PROMPT: "Which bed?"}}
FLOW: {START: a, STEPS: {a: {GATHER: [bed], NEXT: b}, b: {SAY: "A {{ gather.bed }} bed."}}}
`

// Given a handoff, then the other agent has the message looked at, too. Each question counts as a
// call of the turn: with none left, and where nobody asks, slots are read without a model.
func TestExtractionIsBounded(t *testing.T) {
	over := travel + "HANDOFF: [{TO: hotel, WHEN: gather.city == \"Oslo\"}]\n"
	c := with(t, agent("trip", over), agent("hotel", beds))
	c.hears("Oslo, a single bed")
	require.Empty(t, c.finds(`{"city":"Oslo"}`))
	require.Equal(t, []string{"bed"}, c.state.Talk.Running.Asked.Slots)
	require.Equal(t, "A double bed. | .", c.finds(`{"bed":"double"}`))

	c = with(t, agent("trip", over), agent("hotel", "LIMITS: {MODEL_CALLS: 1}"+beds))
	c.hears("Oslo, a single bed")
	require.Equal(t, "A single bed. | .", c.finds(`{"city":"Oslo"}`))
	require.Contains(t, c.noticed(), "limit MODEL_LIMIT")

	c = trip(t)
	require.Equal(t, "Where to?", c.says("Hello"))
	require.Equal(t, "How many nights?", c.says("to Rome"))
	require.Equal(t, "Beach or sights?", c.says("3 or so"))
}

// Given a try that is no more, then another asks the same.
func TestAnotherAsksForValuesInPlaceOfATryThatIsGone(t *testing.T) {
	c := trip(t)
	c.hears("Rome")
	before := c.question()
	c.decides(turns.TakeOver{From: mine.Try, Programs: c.programs, At: noon, Try: other}.Decide)
	require.Equal(t, other.Try, c.state.Talk.Running.Asked.Try)
	require.Equal(t, before, c.question())
	require.Equal(t, "How many nights? | .", c.finds(`{"city":"Rome"}`))
	require.Len(t, c.state.Talk.History, 2, "of the conversation: what was asked for values is none of it")
}

// Given an answer that is the value asked for as it stands, then no model is asked for the rest that is open either. What is given
// in place of a choice is none of the model's.
func TestNoModelIsAskedWhereItHasNoRoom(t *testing.T) {
	c := trip(t)
	c.hears("To Rome")
	require.Equal(t, "How many nights? | .", c.finds(`{"city":"Rome"}`))
	require.Equal(t, "Beach or sights? | .", c.hears("3"), "though the kind is open")

	c = with(t, agent("trip", `
GATHER: {city: {TYPE: string, EXTRACT: model, PROMPT: "Where to?"}}
FLOW:
  START: offer
  STEPS:
    offer: {SAY: "Go?", RICH: [{KIND: button, ID: go, LABEL: Go}], ON_ACTION: {go: {GOTO: ask}}}
    ask: {GATHER: [city], NEXT: done}
    done: {SAY: "To {{ gather.city }}.", END: true}
`))
	c.hears("Hello")
	c.finds("{}")
	require.Equal(t, "Go? | .", c.hears("To Rome"))
	require.Equal(t, []string{"ignored action"}, c.noticed())
}

// Given a model by its id, then values are found by that one, unless EXTRACT_TIER names others; what it gives for a slot that it
// was not asked for is not taken.
func TestTheModelThatFindsValues(t *testing.T) {
	for of, want := range map[string][2]string{"{ID: m-7}": {"", "m-7"}, "{ID: m-7, EXTRACT_TIER: fast}": {"fast", ""},
		"{TIER: powerful}": {"powerful", ""}} {
		c := with(t, agent("trip", strings.Replace(travel, "{TIER: balanced, EXTRACT_TIER: fast}", of, 1)))
		c.hears("Hello")
		require.Equal(t, want, [2]string{c.question().Tier, c.question().ModelID}, of)
		require.Equal(t, "Where to? | .", c.finds(`{"name":"Ann"}`))
		require.Equal(t, []any{"", []string{"gather EXTRACT"}}, []any{c.slot("name"), c.noticed()[:1]})
	}
}

// Given a step that asks by what it says, when a model finds another value, then it says that once more.
func TestAStepThatAsksByWhatItSaysAsksAgain(t *testing.T) {
	c := with(t, agent("trip", `
GATHER: {city: {TYPE: string, EXTRACT: model}, nights: {TYPE: integer, EXTRACT: model, PROMPT: "How long?"}}
FLOW: {START: a, STEPS: {a: {SAY: "Where to?", GATHER: [city, nights], NEXT: b}, b: {SAY: Bye., END: true}}}
`))
	c.hears("Hello")
	require.Equal(t, "Where to? | .", c.finds("{}"))
	c.hears("for 3 nights")
	require.Equal(t, "Where to? | .", c.finds(`{"nights":3}`))
	c.hears("Rome")
	require.Equal(t, "Bye. | .", c.finds(`{"city":"Rome"}`))
}

// Given a test that begins at a question, when a model has found a value in the first message, then that message was no answer.
func TestATestThatBeginsAtAQuestionHasTheMessageLookedAt(t *testing.T) {
	c := trip(t)
	begin := turns.Receive{Text: "3 nights", StartAt: "ask", Try: mine}
	require.Empty(t, c.answer(begin))
	require.Equal(t, "Where to? | .", c.finds(`{"nights":3}`))
	require.Empty(t, c.slot("city"))
}

// Given slots with EXTRACT: pattern, then a value of theirs is found wherever it stands, without a model.
func TestAValueIsFoundByItsForm(t *testing.T) {
	c := with(t, agent("trip", `
GATHER: {city: {TYPE: string, PROMPT: "Where to?"}, nights: {TYPE: integer, EXTRACT: pattern, PROMPT: "How long?"}}
FLOW: {START: a, STEPS: {a: {GATHER: [city, nights], NEXT: b}, b: {SAY: "{{ gather.nights }} in {{ gather.city }}.", END: true}}}
`))
	require.Equal(t, "Where to?", c.says("I am away for 3 nights"))
	require.Equal(t, "3", c.slot("nights"))
	require.Equal(t, "3 in Rome.", c.says("Rome"))
}

// Given a question that nobody must answer, when the answer is no value, then the next one is asked, and this one no more. A
// DEFAULT is what stands in for an answer, not for the question.
func TestAQuestionThatNobodyMustAnswer(t *testing.T) {
	c := with(t, agent("form", `
GATHER:
  age: {TYPE: integer, REQUIRED: false, PROMPT: "How old?"}
  seats: {TYPE: integer, DEFAULT: 2, PROMPT: "How many?"}
  name: {TYPE: string, PROMPT: "Who?"}
FLOW: {START: a, STEPS: {a: {GATHER: [age, seats, name], NEXT: b}, b: {SAY: "{{ gather.seats }} for {{ gather.name }}.", END: true}}}
`))
	require.Equal(t, "How old?", c.says("Hi"))
	require.Equal(t, "How many?", c.says("no idea"))
	require.Equal(t, "Who?", c.says("some"))
	require.Equal(t, "2 for Ann.", c.says("Ann"))
}

// A whole number of a slot is one with a point to expressions, where the slot holds any number.
func TestANumberIsComputedWithAsOne(t *testing.T) {
	c := with(t, agent("a", "GATHER: {n: {TYPE: number, PROMPT: \"How many?\"}}\n"+
		"FLOW: {START: ask, STEPS: {ask: {GATHER: [n], NEXT: half}, half: {SAY: \"{{ gather.n / 2.0 }}\", END: true}}}\n"))
	c.says("Hi")
	require.Equal(t, "3.5", c.says("7"))
	require.Empty(t, c.noticed())
}
