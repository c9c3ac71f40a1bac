package turns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Given an agent with all that a source can say to a model, then the model is told it once, in this order.
func TestAModelIsToldWhoItIs(t *testing.T) {
	c := with(t, agent("guide", `
GOAL: Show the city.
PERSONA: Brief.
LIMITATIONS: [Promise nothing., Name no prices.]
INSTRUCTIONS: [Ask first., Then tell.]
GATHER: {days: {TYPE: integer, PROMPT: "How long?"}}
FLOW: {START: a, STEPS: {a: {MODE: model, GOAL: Agree on a day, GATHER: [days], EXIT_WHEN: has(gather.days)}}}
`))
	c.hears("Hi")
	require.Equal(t, `Your goal now: Agree on a day
It serves this goal: Show the city.
You are guide. Brief.
Keep to this:
- Promise nothing.
- Name no prices.
How to go about it:
- Ask first.
- Then tell.
The user's language: en
Still to be asked for, and remembered: days. How long?
You have reached your goal when this holds: has(gather.days)`, c.question().Messages[0].Text)
}

// Given slots of each type, then a model is told what their values look like.
func TestAModelIsToldWhatValuesLookLike(t *testing.T) {
	for slot, want := range map[string]string{
		`{TYPE: string, PROMPT: "Who?"}`:                       `{"type":"string","description":"Who?"}`,
		`{TYPE: string, DESCRIPTION: A name., PROMPT: "Who?"}`: `{"type":"string","description":"A name. Who?"}`,
		`{TYPE: integer}`:                                      `{"type":"integer"}`,
		`{TYPE: number}`:                                       `{"type":"number"}`,
		`{TYPE: boolean}`:                                      `{"type":"boolean"}`,
		`{TYPE: enum, OPTIONS: [one]}`:                         `{"type":"string","enum":["one"]}`,
		`{TYPE: list}`:                                         `{"type":"array","items":{"type":"string"}}`,
		`{TYPE: date}`:                                         `{"type":"string","format":"date","description":"(date)"}`,
		`{TYPE: email, PROMPT: "Mail?"}`:                       `{"type":"string","format":"email","description":"Mail? (email)"}`,
		`{TYPE: pattern, PATTERN: "^[0-9]+$"}`:                 `{"type":"string","pattern":"^[0-9]+$","description":"(of the form ^[0-9]+$)"}`,
	} {
		c := with(t, agent("a", "GOAL: Help.\nGATHER: {v: "+slot+"}\n"))
		c.hears("Hi")
		require.JSONEq(t, `{"type":"object","properties":{"v":`+want+`}}`, string(c.question().Tools[0].Parameters), slot)
	}
}

// Given a model that wants more than an answer may, or the same twice, then so many are heeded, each by an id of its own.
func TestSoManyWishesOfAnAnswerAreHeeded(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	c.thinks("", strings.Split(strings.Repeat("fly {}\n", 16)+"fly {}", "\n")...)
	require.Len(t, c.told(), 16)
	require.Equal(t, "of 17 calls that the model wanted, the first 16 are made", eventsOf[sessions.Noticed](c)[0].Detail)
	ids := map[string]bool{}
	for _, wish := range eventsOf[sessions.ModelAnswered](c)[0].ToolCalls {
		ids[wish.ID] = true
	}
	require.Len(t, ids, 16)

	c = hotel(t)
	c.hears("Hello")
	c.thinks("", strings.Split(strings.Repeat("fly {}\n", 15)+"fly {}", "\n")...)
	require.Empty(t, c.noticed(), "as many as may be")
	require.Equal(t, "x", eventsOf[sessions.ModelAnswered](c)[0].ToolCalls[0].ID, "an id that nobody else has stays")
}

// Given a model that says a call of its answer twice, then it is made once: a write too. By another id, or with other
// arguments, it is another call.
func TestACallThatAModelRepeatsIsMadeOnce(t *testing.T) {
	c := with(t, agent("clerk", `
GOAL: Help.
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", PARAMS: {type: object, properties: {eur: {type: number}}}}}
`))
	c.hears("Pay!")
	c.replies(sessions.ModelAnswered{Finish: completions.ToolUse, ToolCalls: []sessions.ModelCall{
		{ID: "a", Name: "pay", Arguments: `{"eur":1}`}, {ID: "a", Name: "pay", Arguments: `{ "eur": 1 }`},
		{ID: "a", Name: "pay", Arguments: `{"eur":2}`}, {ID: "b", Name: "pay", Arguments: `{"eur":1}`},
		{Name: "pay", Arguments: `{"eur":3}`}, {Name: "pay", Arguments: `{"eur":3}`}}})
	var made []string
	for len(c.wants(mine.Try)) > 0 {
		args, _ := json.Marshal(c.wants(mine.Try)[0].Scope["args"])
		made = append(made, string(args))
		c.ends(ok(`{"paid":true}`))
	}
	require.Equal(t, []string{`{"eur":1}`, `{"eur":2}`, `{"eur":1}`, `{"eur":3}`, `{"eur":3}`}, made)
	require.Len(t, c.told(), 5)
	ids := map[string]bool{}
	for _, wish := range eventsOf[sessions.ModelAnswered](c)[0].ToolCalls {
		ids[wish.ID] = true
	}
	require.Len(t, ids, 5, "each has an id of its own")
}

// Given arguments that are more than one object, then they are none.
func TestTwoObjectsAreNoArguments(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	c.thinks("", `find {"id":7}{"id":8}`)
	require.JSONEq(t, `{"error":"ARGUMENTS","hint":"the arguments are not a JSON object"}`, c.told()[0])
}

// What a model says is held back where somebody judges it first, or where the user does not hear it.
func TestWhatAModelSaysIsHeldBack(t *testing.T) {
	for source, held := range map[string]bool{
		"GOAL: Help.\n": false,
		"GOAL: Help.\nGUARDRAILS: {g: {ON: output, CHECK: 'true', ACTION: block}}\n":                                        true,
		"GOAL: Help.\nCONSTRAINTS: [{REQUIRE: 'true', BEFORE: reply}]\n":                                                    true,
		"GATHER: {v: {TYPE: integer, EXTRACT: model, PROMPT: v}}\nFLOW: {START: a, STEPS: {a: {GATHER: [v], END: true}}}\n": true,
		"DELEGATE: [{AGENT: pilot}]\nFLOW: {START: a, STEPS: {a: {DELEGATE: pilot}}}\n":                                     true,
	} {
		c := with(t, agent("a", source), agent("pilot", "GOAL: Fly.\n"))
		c.hears("Hello")
		q := c.questions()
		require.Len(t, q, 1)
		require.Equal(t, []any{held, time.Minute}, []any{q[0].Held, q[0].Timeout}, source)
	}
}

// Given a model that answers as the time of the turn runs out, then it is heard: the turn takes no longer than it may.
func TestAModelMayTakeAllTheTimeOfTheTurn(t *testing.T) {
	c := hotel(t)
	c.hears("Hello")
	require.Equal(t, "Hi | .", words(c.decides(turns.Outcome{CallID: c.state.Talk.Running.Asked.CallID,
		Answer: &sessions.ModelAnswered{Text: "Hi"}, Programs: c.programs, At: noon.Add(turns.TurnFor), Try: mine}.Decide)))
}

// changed are sources that have become others while a turn or a question was open.
func (c *talk) changed(sources ...string) {
	c.t.Helper()
	for _, source := range sources {
		program, problems := dsl.Compile(agentName(source), source)
		require.Empty(c.t, problems)
		c.programs[agentName(source)] = program
	}
}

// Given a source that has become another one while a model was asked in a step of it, then the turn fails, and says in which.
func TestAStepThatIsNoMoreFailsTheTurn(t *testing.T) {
	c := with(t, agent("trip", guided))
	c.hears("Hi")
	asked := c.state.Talk.Running.Asked.CallID
	c.changed(agent("trip", "GOAL: Sell a trip.\nFLOW: {START: greet, STEPS: {greet: {SAY: Welcome.}}}\n"))
	c.decides(turns.Outcome{CallID: asked, Answer: &sessions.ModelAnswered{Text: "Rome?"}, Programs: c.programs, At: noon, Try: mine}.Decide)
	notes := eventsOf[sessions.Noticed](c)
	require.Equal(t, "UNKNOWN_STEP talk", fmt.Sprint(notes[len(notes)-1].What, " ", notes[len(notes)-1].Detail))
	require.Equal(t, "UNKNOWN_STEP", ended(c.past).Failed)
}

// A model has the time that its agent gives it, in place of the minute of all.
func TestAModelHasTheTimeOfItsAgent(t *testing.T) {
	c := with(t, agent("a", "GOAL: Help.\nMODEL: {TIMEOUT: 7s}\n"))
	c.hears("Hello")
	require.Equal(t, 7*time.Second, c.questions()[0].Timeout)
}

// Given a caller who spoke while the agent did, then a model is told what he has heard of it.
func TestAModelIsToldWhatACallerHeard(t *testing.T) {
	for metadata, want := range map[string]string{
		`{"speech":{"interrupted":{"heard":"We open"}}}`: "The user began to speak while you did, and heard of what you said last only: We open",
		`{"speech":{"interrupted":{}}}`:                  "The user began to speak before you did, and has not heard what you said last.",
		`{"speech":{}}`:                                  "",
	} {
		c := with(t, agent("a", "GOAL: Help.\n"))
		_, err := c.turn(turns.Receive{Text: "Stop", Metadata: json.RawMessage(metadata), Try: mine})
		require.NoError(t, err)
		told := c.question().Messages[0].Text
		if want == "" {
			require.NotContains(t, told, "began to speak")
			continue
		}
		require.Contains(t, told, want)
	}
}

// A slot that is not to be asked for yet is none that a model asks for.
func TestAModelAsksForNothingBeforeItsTime(t *testing.T) {
	c := with(t, agent("a", "GOAL: Help.\nGATHER: {name: {TYPE: string, REQUIRED: true, PROMPT: \"Who?\"}, "+
		"room: {TYPE: string, REQUIRED: true, PROMPT: \"Which?\", ASK_WHEN: has(gather.name)}}\n"))
	c.hears("Hi")
	require.Contains(t, c.question().Messages[0].Text, "Still to be asked for, and remembered: name. Who?")
	require.NotContains(t, c.question().Messages[0].Text, "room")
}
