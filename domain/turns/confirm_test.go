package turns_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const careful = `
TOOLS:
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: write, MASK: [card],
    DESCRIPTION: {en: Pay the bill., de: Die Rechnung zahlen.},
    PARAMS: {type: object, properties: {eur: {type: integer}, card: {type: string}}}}
  look: {KIND: http, URL: "https://pay.example.com/", CONFIRM: write}
GATHER: {eur: {TYPE: integer, EXTRACT: pattern}}
FLOW:
  START: look
  STEPS:
    look: {CALL: look, NEXT: pay}
    pay: {CALL: pay, WITH: {eur: 'has(gather.eur) ? gather.eur : 12', card: '"4111"'},
      ON_ERROR: {RETRY: 2, SAY: Not paid., GOTO: end}, NEXT: done}
    done: {SAY: Paid., NEXT: end}
    end: {END: true}
`

// carefully is a conversation that has come to where it asks for a yes.
func carefully(t *testing.T, source string) *talk {
	t.Helper()
	c := with(t, agent("shop", source))
	c.hears("Hi")
	require.Equal(t, "ok  | May I do this: Pay the bill (card ***, eur 12)? | .", c.ends(ok("null")), "what reads is not asked for")
	require.Equal(t, []any{sessions.ForConfirm, "pay"}, []any{c.state.Talk.Waits.For, c.state.Talk.Waits.Tool})
	return c
}

// Given a tool with CONFIRM, then it is called when the user says yes, in words or by a button, and not
// when he says no: then ON_ERROR goes on, without its RETRY.
func TestAToolIsCalledWhenTheUserSaysYes(t *testing.T) {
	c := carefully(t, careful)
	require.Empty(t, c.hears("Yes, please!"))
	require.Equal(t, "pay", c.wants(mine.Try)[0].CallOpened.Tool)
	require.Equal(t, "error BROKE", c.ends(failed("BROKE")))
	require.Equal(t, "ok  | Paid. | .", c.ends(ok("null")), "a RETRY asks nobody")

	c = carefully(t, careful)
	require.Equal(t, "Not paid. | .", c.hears("no"))
	require.Equal(t, []string{"confirmation pay"}, c.noticed())

	c = carefully(t, careful)
	require.Empty(t, c.answer(turns.Receive{Action: &sessions.Chosen{ID: "yes"}, Try: mine}))
	require.Len(t, c.wants(mine.Try), 1)

	c = carefully(t, careful)
	require.Equal(t, "May I do this: Pay the bill (card ***, eur 12)? | .", c.hears("What do you mean?"))
	require.Equal(t, "Not paid. | .", c.hears("Well"), "who does not say yes has not said it")
}

// A yes is one to what was asked: with other arguments it is asked again.
func TestAYesIsToWhatWasAsked(t *testing.T) {
	c := carefully(t, careful)
	first := sessions.InTurn{Turn: 1, At: noon}
	c.add(sessions.SlotsFilled{InTurn: first, Agent: "shop", Values: map[string]json.RawMessage{"eur": []byte("99")}},
		sessions.TurnEnded{InTurn: first, Waits: c.waitsAgain("pay")})
	require.Equal(t, "May I do this: Pay the bill (card ***, eur 99)? | .", c.hears("yes"))
	require.Empty(t, c.hears("ja"))
	require.Equal(t, int64(99), c.wants(mine.Try)[0].Scope["args"].(map[string]any)["eur"])
}

// waitsAgain is what the first turn left.
func (c *talk) waitsAgain(tool string) sessions.Waiting {
	for _, p := range c.past {
		if e, is := p.(sessions.TurnEnded); is && e.Waits.Tool == tool {
			return e.Waits
		}
	}
	return sessions.Waiting{}
}

// Given a model that wants such a tool called, then the user is asked between, the rest waits, and the
// model is told of a no, in the user's words too.
func TestAModelHasToBeConfirmed(t *testing.T) {
	source := agent("clerk", `
GOAL: Help.
TOOLS:
  look: {KIND: http, URL: "https://pay.example.com/"}
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: always}
`)
	c := with(t, source)
	c.hears("Pay!")
	require.Equal(t, "One moment.", c.thinks("One moment.", "look {}", "pay {}", "look {}"))
	require.Equal(t, "ok  | May I do this: pay? | .", c.ends(ok(`{"n":1}`)))
	require.Empty(t, c.hears("yes"))
	require.Equal(t, "pay", c.wants(mine.Try)[0].CallOpened.Tool)
	c.ends(ok(`{"paid":true}`))
	c.ends(ok(`{"n":2}`))
	require.Equal(t, []string{`{"n":1}`, `{"paid":true}`, `{"n":2}`}, c.told())
	require.Equal(t, "Paid. | .", c.thinks("Paid."))

	c = with(t, source)
	c.hears("Pay!")
	require.Equal(t, "May I do this: pay? | .", c.thinks("", "pay {}"))
	require.Empty(t, c.hears("Only half of it"))
	require.Contains(t, c.told()[0], "NOT_CONFIRMED")
	last := c.question().Messages
	require.Equal(t, completions.Message{Role: completions.User, Text: "Only half of it"}, last[len(last)-1])
}

func TestNobodyConfirmsForADelegateOrBeforeTheBeginning(t *testing.T) {
	c := with(t, agent("boss", `
DELEGATE: [{AGENT: shop}]
FLOW: {START: a, STEPS: {a: {DELEGATE: shop, ON_ERROR: {SAY: Failed., STOP: true}}}}
`),
		agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: always}}
FLOW: {START: a, STEPS: {a: {CALL: pay, END: true}}}
`))
	require.Equal(t, "Failed. | .", c.hears("x"))
	require.Contains(t, c.noticed(), "limit NOT_CONFIRMED")
	c = with(t, agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: always}}
ON_START: {CALL: pay, SAY: Hello.}
FLOW: {START: a, STEPS: {a: {SAY: Well.}}}
`))
	require.Equal(t, "Hello. | Well. | .", c.hears("x"))
}

func TestAUserIsAskedInHisLanguage(t *testing.T) {
	c := carefully(t, careful)
	c.state.Talk.Language = "de-AT"
	got, err := turns.Receive{Text: "was?", Programs: c.programs, At: noon}.Decide(c.state)
	require.NoError(t, err)
	require.Equal(t, "Darf ich das tun: Die Rechnung zahlen (card ***, eur 12)? | .", words(got))
	require.Equal(t, "Ja", got[1].(sessions.Said).Rich[0].Label)
}

// Given a question that waits for a yes, then it shows both answers, and the log tells that it was asked and what came of it.
func TestAConfirmationIsShownAndNoticed(t *testing.T) {
	c := carefully(t, careful)
	said := eventsOf[sessions.Said](c)
	require.Equal(t, []sessions.Element{{Kind: "button", ID: "yes", Label: "Yes"}, {Kind: "button", ID: "no", Label: "No"}}, said[0].Rich)
	in := sessions.InTurn{Turn: 1, At: noon}
	asked := sessions.Noticed{InTurn: in, Kind: "confirmation", Agent: "shop", Step: "pay", What: "pay", Detail: "asked"}
	require.Equal(t, []sessions.Noticed{asked}, eventsOf[sessions.Noticed](c))
	c.hears("yes")
	yes := asked
	yes.Turn, yes.Detail = 2, "yes"
	require.Equal(t, []sessions.Noticed{asked, yes}, eventsOf[sessions.Noticed](c))

	c = with(t, agent("shop", `
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: always}}
ON_START: {CALL: pay, SAY: Hello.}
FLOW: {START: a, STEPS: {a: {SAY: Well.}}}
`))
	c.hears("x")
	require.Equal(t, []sessions.Noticed{{InTurn: in, Kind: "confirmation", Agent: "shop", What: "pay", Detail: "NOT_CONFIRMED"}},
		eventsOf[sessions.Noticed](c), "nobody is there yet who could say yes")
}

// Given a question that waits for a yes, when what is said leads to another agent or to people, then it goes there, and nothing
// is called.
func TestARuleGoesBeforeAConfirmation(t *testing.T) {
	for rule, want := range map[string]string{
		`HANDOFF: [{TO: desk, WHEN: 'turn.text == "yes, but"'}]`:           "Here is the desk. | .",
		`ESCALATE: [{QUEUE: desk, WHEN: 'turn.text == "yes, but"'}]`:       ".",
		`ESCALATE: [{QUEUE: desk, WHEN: 'turn.text == "something else"'}]`: "May I do this: Pay the bill (card ***, eur 12)? | .",
	} {
		c := with(t, agent("shop", careful+rule+"\n"), agent("desk", "FLOW: {START: a, STEPS: {a: {SAY: Here is the desk.}}}\n"))
		c.hears("Hi")
		c.ends(ok("null"))
		require.Equal(t, want, c.hears("yes, but"), rule)
		require.Len(t, eventsOf[sessions.CallOpened](c), 1, rule)
	}
}

// Given a source that has become another one while a yes was waited for, then there is nothing to say yes to: the flow goes on.
func TestAYesToWhatIsNoMore(t *testing.T) {
	const tool = `TOOLS: {pay: {KIND: http, URL: "https://p.example.com/"}}` + "\n"
	for name, source := range map[string]string{
		"no tool": `FLOW: {START: look, STEPS: {look: {SAY: x}, pay: {SAY: x, NEXT: free}, free: {SAY: It is free.}}}`,
		"no call": tool + `FLOW: {START: pay, STEPS: {pay: {SAY: x, NEXT: free}, free: {SAY: It is free.}}}`,
	} {
		c := carefully(t, careful)
		c.changed(agent("shop", source+"\n"))
		require.Equal(t, "It is free. | .", c.hears("yes"), name)
		require.NotContains(t, c.noticed(), "confirmation pay", name)
	}
}

// Given a source that has become another one, when the step is gone at which the agent stands, then the turn fails, and says which.
func TestAnAgentThatStandsAtAStepThatIsNoMore(t *testing.T) {
	c := carefully(t, careful)
	c.changed(agent("shop", "FLOW: {START: look, STEPS: {look: {SAY: x}}}\n"))
	require.Equal(t, ".UNKNOWN_STEP", c.hears("yes"))
	require.Equal(t, []string{"limit UNKNOWN_STEP"}, c.noticed())
}
