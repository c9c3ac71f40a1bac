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
      RICH: [{KIND: button, ID: skip, LABEL: Skip}, {KIND: button, ID: why, LABEL: Why}, {KIND: button, ID: two, LABEL: Two, VALUE: "2"}]
      ON_ACTION: {skip: {SAY: Skipped., GOTO: rest}, why: {SAY: For the table., ASK: [n]}}
      NEXT: rest
    rest: {SAY: "n is {{ has(gather.n) ? gather.n : 0 }}.", END: true}
`
	press := func(c *talk, id string) string { return c.answer(turns.Receive{Action: &sessions.Chosen{ID: id}}) }
	c := with(t, agent("table", flow))
	require.Equal(t, " | How many?", c.says("Hi"))
	require.Equal(t, "A number.", c.says("Skip"))
	require.Equal(t, "For the table. | How many?", press(c, "why"))
	require.Equal(t, "Skipped. | n is 0.", press(c, "skip"))
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
