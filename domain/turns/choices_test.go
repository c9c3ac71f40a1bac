package turns_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const choosing = `
FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "Book it?"
      RICH: [{KIND: button, ID: book, LABEL: Book it}, {KIND: button, ID: change, LABEL: Change}]
      ON_ACTION: {book: {SAY: Booked., END: true}, change: {GOTO: talk}}
    talk: {SAY: "What then?", NEXT: offer}
`

func TestWhatIsChosenIsFoundByItsIdOrItsWords(t *testing.T) {
	c := with(t, agent("trip", choosing))
	require.Equal(t, "Book it?", c.says("Hi"))
	require.Equal(t, "Book it?", c.says("maybe"))
	require.Equal(t, []string{"ignored action"}, c.noticed())
	require.Equal(t, "What then? | Book it?", c.says("CHANGE"), "its label, whatever the case")
	require.Equal(t, "Booked.", c.chooses("book", nil))
	require.Equal(t, sessions.Ended, c.state.Status)
}

// Given what is chosen by its words, then ON_ACTION sees what it would see if it had been pressed, and so does the
// transcript.
func TestWhatIsChosenByWordsIsAsIfItWasPressed(t *testing.T) {
	const flow = `FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "Which?"
      RICH:
        - {KIND: button, ID: book, LABEL: Book it, VALUE: "{{ 40 + 2 }}"}
        - {KIND: button, ID: plain, LABEL: Nothing else}
        - {KIND: select, ID: size, LABEL: Size, OPTIONS: [{ID: s, LABEL: Small}]}
      ON_ACTION: {book: {GOTO: tell}, s: {GOTO: tell}, plain: {GOTO: tell}}
    tell: {SAY: "{{ turn.action }} {{ has(turn.value) ? string(turn.value) : '' }}", END: true}
`
	for words, pressed := range map[string]sessions.Chosen{"book IT": {ID: "book", Value: json.RawMessage("42")},
		"Small": {ID: "size", Value: json.RawMessage(`"s"`)}, "plain": {ID: "plain"}} {
		by := map[string]string{}
		for how, in := range map[string]turns.Receive{"words": {Text: words}, "press": {Text: words, Action: &pressed}} {
			c := with(t, agent("trip", flow))
			c.says("Hi")
			by[how] = c.answer(in)
			require.NotContains(t, c.noticed(), "condition_error", words)
		}
		require.Contains(t, by["press"], pressed.ID, words)
		require.Equal(t, by["press"], by["words"], words)
	}
}

// Given a select with a branch and an option with one of its own, then the option's words, its press and its id go to
// the option's, wherever it stands; words of an option without one go to the select's, as its press does.
func TestAnOptionGoesBeforeItsSelect(t *testing.T) {
	const flow = `FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "What for?"
      RICH: [{KIND: select, ID: kind, LABEL: Kind, OPTIONS: [{ID: refund, LABEL: Money back}, {ID: swap, LABEL: Another one}]}]
      ON_ACTION: {kind: {SAY: "kind {{ turn.value }}"}, refund: {SAY: "refund {{ turn.value }}"}}
      NEXT: end
    end: {END: true}
`
	for want, all := range map[string][]turns.Receive{
		"refund refund": {{Text: "money back"}, {Text: "refund"}, {Action: &sessions.Chosen{ID: "kind", Value: json.RawMessage(`"refund"`)}}},
		"kind swap":     {{Text: "Another one"}, {Text: "SWAP"}, {Action: &sessions.Chosen{ID: "kind", Value: json.RawMessage(`"swap"`)}}},
	} {
		for _, in := range all {
			c := with(t, agent("shop", flow))
			c.says("Hi")
			require.Equal(t, want, c.answer(in), "%+v", in)
			require.Equal(t, sessions.Ended, c.state.Status, "behind it the step goes on")
		}
	}
}

// Given a step that asks for a value and shows a button beside it, when that is pressed, then what follows it follows; what
// is a value is one, and words are for the slot.
func TestAButtonBesideASlotIsPressed(t *testing.T) {
	const flow = `
GATHER: {n: {TYPE: integer, PROMPT: "How many?", RETRY_PROMPT: "A number.", MAX_RETRIES: 5}}
FLOW:
  START: ask
  STEPS:
    ask:
      GATHER: [n]
      RICH: [{KIND: button, ID: skip, LABEL: Skip}, {KIND: button, ID: why, LABEL: Why}, {KIND: button, ID: two, LABEL: Two, VALUE: "2"},
        {KIND: button, ID: four, LABEL: Four}]
      ON_ACTION: {skip: {SAY: Skipped., GOTO: rest}, four: {SET: {gather.n: "4"}}, why: {SAY: For the table., ASK: [n]}}
      NEXT: rest
    rest: {SAY: "n is {{ has(gather.n) ? gather.n : 0 }}.", END: true}
`
	press := func(c *talk, id string) string { return c.answer(turns.Receive{Action: &sessions.Chosen{ID: id}}) }
	c := with(t, agent("table", flow))
	require.Equal(t, " | How many?", c.says("Hi"))
	require.Equal(t, "A number.", c.says("Skip"))
	require.Equal(t, "For the table. | How many?", press(c, "why"))
	require.Equal(t, "n is 2.", c.chooses("two", "2"), "what is a value of the slot is one")

	c = with(t, agent("table", flow))
	c.says("Hi")
	require.Equal(t, "Skipped. | n is 0.", press(c, "skip"))
	c = with(t, agent("table", flow))
	c.says("Hi")
	require.Equal(t, "n is 4.", press(c, "four"), "what gives the slot its value goes on with the step, which waits for nothing more")
}

// Given a test that begins at a step which shows what can be chosen, then the first message is the choice, pressed or in
// words; what is none shows it.
func TestATestBeginsAtAChoice(t *testing.T) {
	for want, in := range map[string]turns.Receive{
		"Booked.":               {Action: &sessions.Chosen{ID: "book"}},
		"What then? | Book it?": {Text: "change"},
		"Book it?":              {Text: "Hello"},
	} {
		c := with(t, agent("trip", choosing))
		in.StartAt = "offer"
		require.Equal(t, want, c.answer(in))
	}
}

// Given a button whose value is the id of another one's option, then it is the button that was pressed. What nothing follows is
// not chosen by its words either.
func TestAPressIsOfWhatWasPressed(t *testing.T) {
	const flow = `FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "What for?"
      RICH:
        - {KIND: select, ID: kind, LABEL: Kind, OPTIONS: [{ID: refund, LABEL: Money back}]}
        - {KIND: button, ID: book, LABEL: Book it, VALUE: refund}
        - {KIND: button, ID: bare, LABEL: Bare}
      ON_ACTION: {refund: {SAY: A refund., END: true}, book: {SAY: Booked., END: true}}
`
	for want, in := range map[string]turns.Receive{
		"Booked.":   {Action: &sessions.Chosen{ID: "book", Value: json.RawMessage(`"refund"`)}},
		"A refund.": {Text: "money back"},
		"What for?": {Text: "bare"},
	} {
		c := with(t, agent("shop", flow))
		c.says("Hi")
		require.Equal(t, want, c.answer(in))
	}
}

// Given a constraint before replies, when nothing that was shown is chosen, then the question is not asked again against it.
func TestAConstraintKeepsAQuestionForAChoiceBack(t *testing.T) {
	for then, want := range map[string]string{"STOP: true": "No more.", "GOTO: free": "No more. | Free."} {
		c := with(t, agent("trip", `
CONSTRAINTS: [{REQUIRE: turn.number < 2 || has(session.free), BEFORE: reply,
  ON_FAIL: {SET: {session.free: 'true'}, SAY: No more., `+then+`}}]
FLOW:
  START: offer
  STEPS:
    offer: {SAY: "Book it?", RICH: [{KIND: button, ID: book, LABEL: Book it}], ON_ACTION: {book: {END: true}}}
    free: {SAY: Free.}
`))
		require.Equal(t, "Book it?", c.says("Hi"))
		require.Equal(t, want, c.says("maybe"))
	}
}

// Given a constraint before replies, then what is shown without words is kept back as words are.
func TestWhatIsShownWithoutWordsIsAReply(t *testing.T) {
	c := with(t, agent("trip", `
CONSTRAINTS: [{REQUIRE: has(session.known), BEFORE: reply, ON_FAIL: {SAY: Not yet., STOP: true}}]
FLOW: {START: offer, STEPS: {offer: {RICH: [{KIND: button, ID: book, LABEL: Book it}], ON_ACTION: {book: {END: true}}}}}
`))
	require.Equal(t, "Not yet.", c.says("Hi"))
}

// Given a question for a value, when something is pressed that has the name of it and no value, then the name is the value,
// whatever was said beside it.
func TestAPressWithoutAValueIsItsName(t *testing.T) {
	c := with(t, agent("a", `
GATHER: {express: {TYPE: string, PROMPT: "How?"}}
FLOW: {START: a, STEPS: {a: {GATHER: [express], NEXT: b}, b: {SAY: "By {{ gather.express }}.", END: true}}}
`))
	c.says("Hi")
	require.Equal(t, "By express.", c.answer(turns.Receive{Text: "Fast", Action: &sessions.Chosen{ID: "express"}}))
}

// What goes with a choice is looked at by guardrails with all of its digits.
func TestAGuardrailSeesEveryDigitOfAChoice(t *testing.T) {
	c := with(t, agent("a", `
GUARDRAILS: {card: {ON: input, CHECK: '!text.contains("4111111111111111113")', ACTION: block, MESSAGE: No cards.}}
FLOW: {START: a, STEPS: {a: {SAY: Yes.}}}
`))
	c.says("Hi")
	said := c.answer(turns.Receive{Text: "this", Action: &sessions.Chosen{ID: "pay", Value: json.RawMessage(`4111111111111111113`)}})
	require.Equal(t, "No cards.", said)
}

// Given a question that takes any text, when a button is pressed that the agent showed long ago, then it is no answer, not even a wrong
// one: the question is asked again, and neither what the button brings nor its words are a value. What stands beside the question,
// or was shown in the same turn, is an answer.
func TestAnOldButtonIsNoAnswer(t *testing.T) {
	const flow = `
GATHER:
  name: {TYPE: string, PROMPT: "Your name?", RETRY_PROMPT: "Just your name.", MAX_RETRIES: 1}
  from: {TYPE: string, PROMPT: "Where from?", DEFAULT: nowhere}
  code: {TYPE: pattern, PATTERN: "[A-Z]{3}", EXTRACT: pattern, REQUIRED: false, PROMPT: "Which code?"}
FLOW:
  START: trip
  STEPS:
    trip:
      SAY: "Book it?"
      RICH: [{KIND: button, ID: book, LABEL: Book ABC, VALUE: Lisbon}, {KIND: button, ID: not, LABEL: Not now}]
      ON_ACTION: {book: {GOTO: who}}
    who: {GATHER: [name], NEXT: places}
    places: {SAY: "Some places.", RICH: [{KIND: select, ID: place, LABEL: Place, OPTIONS: [{ID: Rome, LABEL: Roma}]}], NEXT: where}
    where: {GATHER: [from, code], NEXT: told}
    told: {SAY: "{{ gather.name }} from {{ gather.from }}, {{ has(gather.code) ? gather.code : '' }}.", END: true}
`
	press := func(c *talk, id, words, value string) string {
		return c.answer(turns.Receive{Text: words, Action: &sessions.Chosen{ID: id, Value: json.RawMessage(value)}})
	}
	c := with(t, agent("trip", flow))
	require.Equal(t, "Book it?", c.says("Hi"))
	require.Equal(t, "Your name?", press(c, "book", "", `"Lisbon"`))
	for range 3 { // more often than wrong answers are taken
		require.Equal(t, "Just your name.", press(c, "book", "Book ABC", `"Lisbon"`))
		require.Equal(t, []string{"ignored action"}, c.noticed())
	}
	require.Equal(t, "Just your name.", press(c, "not", "Not now", ""), "its words neither")
	require.Equal(t, "Some places. | Where from?", c.says("Ann"))
	require.Equal(t, "Where from?", press(c, "book", "Book ABC", `"Lisbon"`), "nor what is taken for want of an answer")
	require.Equal(t, "Which code?", press(c, "from", "", `"Paris"`), "what is of the slot by its name is one, whenever it was shown")
	require.Equal(t, "Which code?", press(c, "book", "Book ABC", `"Lisbon"`), "it was not without one")
	require.Equal(t, "Ann from Paris, XYZ.", c.says("XYZ"))

	for id, value := range map[string]string{"place": `"Rome"`, "Rome": ""} {
		c = with(t, agent("trip", flow))
		c.says("Hi")
		press(c, "book", "", `"Lisbon"`)
		c.says("Ann")
		require.Equal(t, "Which code?", press(c, id, "Rome", value), "it was shown in the turn that asks")
		require.Equal(t, `"Rome"`, c.slot("from"))
	}
}
