package turns_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// within begins a conversation whose models may cost so much.
func within(t *testing.T, usd float64, sources ...string) *talk {
	c := with(t, sources...)
	begun := *c.past[0].(sessions.Opened).Begun
	begun.BudgetPico = completions.Pico(usd)
	opened := c.past[0].(sessions.Opened)
	opened.Begun = &begun
	c.past, c.state = nil, sessions.State{}
	c.add(opened)
	return c
}

// costs is an answer of the model that has its price.
func (c *talk) costs(usd float64, text string, calls ...sessions.ModelCall) string {
	c.t.Helper()
	cost := completions.Pico(usd)
	return c.replies(sessions.ModelAnswered{Text: text, ToolCalls: calls, ModelID: "m-1", CostPico: &cost})
}

const frugal = "GOAL: Help.\nMODEL: {FALLBACK_TIER: fast}\nLIMITS: {COST_USD: 0.5}\n"

var again = sessions.ModelCall{Name: "fly", Arguments: "{}"} // a tool that there is not: the model is asked once more

// Given an agent that may cost so much, when its models have cost that, then it asks none any more: the turn fails, and so does the
// next one, also behind a reset. What an answer says for which nothing was left stands: it was paid.
func TestAnAgentAsksNoModelBeyondItsCost(t *testing.T) {
	c := with(t, agent("a", frugal))
	c.hears("Hello")
	require.Equal(t, "Hi. | .", c.costs(0.39, "Hi."))
	require.Empty(t, c.noticed())
	c.hears("More")
	require.Equal(t, "Yes.", c.costs(0.01, "Yes.", again))
	require.Equal(t, []string{"budget COST_USD"}, c.noticed(), "four fifths are spent")
	require.Equal(t, "Yes. | .COST_LIMIT", c.costs(0.1, "Yes.", again))
	require.Equal(t, []string{"budget COST_USD", "budget COST_LIMIT"}, c.noticed(), "which is told once")
	require.Equal(t, ".COST_LIMIT", c.hears("And now?"))
	c.add(sessions.WasReset{Before: c.state.Talk.Messages, At: noon})
	require.Equal(t, ".COST_LIMIT", c.hears("And now?"))
}

// Given a session with a budget, then its end is that of the session, whoever is at it; and a message for which nothing is left is
// refused. Unknown prices count nothing.
func TestASessionHasABudget(t *testing.T) {
	c := within(t, 1, agent("a", "GOAL: Help.\n"))
	c.hears("Hello")
	require.Equal(t, "Hi. | .", c.replies(sessions.ModelAnswered{Text: "Hi.", ModelID: "m-2", TokensOut: 1_000_000}))
	require.Equal(t, sessions.Spent{Unpriced: 1}, c.state.Spent)
	c.hears("More")
	require.Equal(t, "Yes. | .", c.costs(0.8, "Yes."))
	require.Equal(t, []string{"budget sessionUsd"}, c.noticed())
	c.hears("More")
	require.Equal(t, "Yes. | .BUDGET_EXCEEDED", c.costs(0.4, "Yes.", again))
	require.Equal(t, []string{"budget BUDGET_EXCEEDED"}, c.noticed())

	_, err := c.turn(turns.Receive{Text: "More", Try: mine})
	require.Equal(t, fault.BudgetExceeded, fault.CodeOf(err))
	require.ErrorContains(t, err, "sessionUsd of the project's settings, is spent: 1.2 of 1 USD")
	heard := c.decides(turns.Receive{Text: "More", OnCall: true, Programs: c.programs, At: noon, Try: mine}.Decide)
	require.Equal(t, ".BUDGET_EXCEEDED", words(heard), "what is said on a call was said")
}

// Given a session that people have, when its budget is spent, then what is said to them is taken.
func TestWhatIsSaidToPeopleCostsNothing(t *testing.T) {
	c := within(t, 0.1, agent("a", "GOAL: Help.\n"))
	c.hears("Hello")
	c.costs(0.2, "Hi.")
	c.add(sessions.TakenByPeople{TransferID: "t-1", ConversationID: "c-1", Turn: 1, At: noon})
	got, err := c.turn(turns.Receive{Text: "Anybody?"})
	require.NoError(t, err)
	require.IsType(t, sessions.PassedOn{}, got[0])
}

// Given slots that a model finds, when nothing is left for it, then they are read without one.
func TestSlotsAreReadWithoutAModelThatCostsTooMuch(t *testing.T) {
	const trip = `
LIMITS: {COST_USD: 0.5}
GATHER: {nights: {TYPE: integer, EXTRACT: model, PROMPT: "How many nights?"}}
FLOW: {START: ask, STEPS: {ask: {GATHER: [nights], NEXT: done}, done: {SAY: "{{ gather.nights }} it is.", END: true}}}
`
	c := with(t, agent("trip", trip))
	c.hears("for a while")
	c.costs(0.6, "", sessions.ModelCall{Name: "remember", Arguments: "{}"})
	require.Equal(t, "3 it is. | .", c.hears("3"))
}

// Given a project whose month is spent, when a model is refused for that, then neither another tier nor ON_ERROR is tried.
func TestARefusedQuestionEndsTheTurn(t *testing.T) {
	c := with(t, agent("a", frugal))
	c.hears("Hello")
	nothing := int64(0)
	require.Equal(t, ".BUDGET_EXCEEDED", c.replies(sessions.ModelAnswered{Failed: "BUDGET_EXCEEDED", CostPico: &nothing}))
	require.Contains(t, c.past[len(c.past)-2].(sessions.Noticed).Detail, "monthUsd")
	require.Zero(t, c.state.Spent)
}

// Given delegates, then what their models cost is the session's, and they ask none when it has no more.
func TestDelegatesSpendTheSessionsBudget(t *testing.T) {
	c := within(t, 1, agent("boss", "GOAL: Help.\nDELEGATE: [{ID: price, AGENT: clerk, ON_FAIL: continue}]\n"),
		agent("clerk", "GOAL: Find prices.\nLIMITS: {COST_USD: 0.3}\n"))
	c.hears("What does it cost?")
	c.costs(0.2, "", sessions.ModelCall{Name: "delegate_to_price", Arguments: `{"task":"Find it"}`})
	var last event.Payload
	for _, q := range c.questions() {
		cost := completions.Pico(0.15)
		c.decides(turns.Outcome{CallID: q.CallID, Answer: &sessions.ModelAnswered{ModelID: "m", CostPico: &cost,
			ToolCalls: []sessions.ModelCall{again}}, Programs: c.programs, At: noon, Try: mine}.Decide)
	}
	for _, p := range c.past {
		if e, is := p.(sessions.DelegateEnded); is {
			last = e
		}
	}
	require.Equal(t, "COST_LIMIT", last.(sessions.DelegateEnded).Code, fmt.Sprint(c.past))
	require.Equal(t, completions.Pico(0.35), c.state.Spent.Pico)
	require.Equal(t, "About 3. | .", c.costs(0.1, "About 3."), "who gave the work may still ask")
}

func (c *talk) questions() []turns.Question {
	q, err := turns.QuestionsOf(c.state, c.programs, mine.Try)
	require.NoError(c.t, err)
	return q
}
