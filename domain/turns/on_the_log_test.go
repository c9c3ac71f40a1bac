package turns_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// eventsOf are the events of one kind that a conversation has on its log.
func eventsOf[E event.Payload](c *talk) (out []E) {
	for _, p := range c.past {
		if e, is := p.(E); is {
			out = append(out, e)
		}
	}
	return out
}

// Given a message, then it and its answer stand on the log in full: what came with it, and what was shown beside the words.
func TestAMessageAndItsAnswerStandOnTheLog(t *testing.T) {
	c := with(t, agent("form", `
FLOW:
  START: show
  STEPS:
    show:
      SAY: "Fill it in."
      RICH:
        - {KIND: button, ID: send, LABEL: Send it, VALUE: "{{ 40 + 2 }}"}
        - {KIND: select, ID: size, LABEL: Size, OPTIONS: [{ID: s, LABEL: Small}, m]}
        - {KIND: input, ID: mail, LABEL: Mail, INPUT_TYPE: email, REQUIRED: true}
      ON_ACTION: {send: {END: true}}
`))
	_, err := c.turn(turns.Receive{Text: "Hi", Metadata: json.RawMessage(`{"page":"home"}`), IgnoredAgent: "other"})
	require.NoError(t, err)
	in := sessions.InTurn{Turn: 1, At: noon}
	require.Equal(t, []sessions.MessageReceived{{InTurn: in, MessageID: sessions.MessageID("s-1", 1), Text: "Hi",
		Metadata: json.RawMessage(`{"page":"home"}`)}}, eventsOf[sessions.MessageReceived](c))
	said := sessions.Said{InTurn: in, MessageID: sessions.MessageID("s-1", 2), Agent: "form", Step: "show", Text: "Fill it in.",
		Rich: []sessions.Element{
			{Kind: "button", ID: "send", Label: "Send it", InputType: "text", Value: json.RawMessage("42")},
			{Kind: "select", ID: "size", Label: "Size", InputType: "text",
				Options: []sessions.Choice{{ID: "s", Label: "Small"}, {ID: "m", Label: "m"}}},
			{Kind: "input", ID: "mail", Label: "Mail", InputType: "email", Required: true},
		}}
	require.Equal(t, []sessions.Said{said}, eventsOf[sessions.Said](c))
	require.Equal(t, []sessions.Noticed{{InTurn: in, Kind: "ignored", Agent: "form", What: "agentId",
		Detail: "the session has begun with another agent"}}, eventsOf[sessions.Noticed](c))
}

// Given a test, then each thing that it brings stands with its message, so that the log alone decides the turn.
func TestWhatATestBringsStandsOnTheLog(t *testing.T) {
	for name, x := range map[string]struct {
		in   turns.Receive
		want *sessions.Brought
	}{
		"nothing":     {turns.Receive{}, nil},
		"a beginning": {turns.Receive{StartAt: "reading"}, &sessions.Brought{StartAt: "reading"}},
		"no ON_START": {turns.Receive{SkipOnStart: true}, &sessions.Brought{SkipOnStart: true}},
		"a value": {turns.Receive{Slots: map[string]json.RawMessage{"value": []byte("7")}},
			&sessions.Brought{Slots: map[string]json.RawMessage{"value": []byte("7")}}},
		"a mock": {turns.Receive{Mocks: []sessions.Mock{{Tool: "look", Error: "AWAY"}}},
			&sessions.Brought{Mocks: []sessions.Mock{{Tool: "look", Error: "AWAY"}}}},
	} {
		c := with(t, agent("meter", meter+"TOOLS: {look: {KIND: http, URL: \"https://m.example.com/\"}}\n"))
		x.in.Text = "Hi"
		c.answer(x.in)
		require.Equal(t, x.want, eventsOf[sessions.MessageReceived](c)[0].Brought, name)
	}
}

// Given a call of a step or of a model, then it stands on the log by whom, for what and with what, and so does what came of it:
// the problem of one that went well is none.
func TestACallStandsOnTheLog(t *testing.T) {
	c := with(t, agent("trip", `
GOAL: Sell a trip.
TOOLS: {weather: {KIND: http, URL: "https://w.example.com/", PARAMS: {type: object, properties: {city: {type: string}}}}}
FLOW:
  START: look
  STEPS:
    look: {CALL: weather, WITH: {city: turn.text}, NEXT: talk}
    talk: {MODE: model, GOAL: Agree on a plan, EXIT_WHEN: has(session.agreed)}
`))
	c.hears("Rome")
	went := ok(`{ "sun": true }`)
	went.Problem = "slow today"
	c.ends(went)
	c.thinks("", `weather {"city":"Oslo"}`)
	c.ends(failed("HTTP_500"))
	in, wish := sessions.InTurn{Turn: 1, At: noon}, "x"
	// The model's question between them has a number as well.
	first, second := sessions.CallID("s-1", 1), sessions.CallID("s-1", 3)
	require.Equal(t, []sessions.CallOpened{
		{InTurn: in, CallID: first, Key: first, Agent: "trip", Step: "look", Tool: "weather", Repeat: true, Claimed: mine,
			Arguments: map[string]json.RawMessage{"city": json.RawMessage(`"Rome"`)}},
		{InTurn: in, CallID: second, Key: second, Agent: "trip", Step: "talk", Tool: "weather", Repeat: true, Claimed: mine, Wish: wish,
			Arguments: map[string]json.RawMessage{"city": json.RawMessage(`"Oslo"`)}},
	}, eventsOf[sessions.CallOpened](c))
	require.Equal(t, []sessions.CallEnded{
		{InTurn: in, CallID: first, Agent: "trip", Step: "look", Tool: "weather", Outcome: sessions.CallOK, Status: 200, Tries: 1,
			Result: json.RawMessage(`{"sun":true}`)},
		{InTurn: in, CallID: second, Agent: "trip", Step: "talk", Tool: "weather", Outcome: sessions.CallFailed, Code: "HTTP_500", Wish: wish},
	}, eventsOf[sessions.CallEnded](c))
}

// Given delegates, then the log says what each was to do, what it was given, and what came of it: nothing where there is none.
func TestDelegatesStandOnTheLog(t *testing.T) {
	c := with(t, agent("boss", `
DELEGATE:
  - {ID: ask, AGENT: clerk, INPUT: {n: '7', none: 'null', note: '"x"'}, RETURNS: {text: session.text}, TIMEOUT: 9s, ON_FAIL: continue}
  - {ID: tell, AGENT: clerk, PURPOSE: "Tell it.", TIMEOUT: 9s, ON_FAIL: {RETRY: 2}, INPUT: {note: session.missing}}
FLOW: {START: a, STEPS: {a: {DELEGATE: ask, NEXT: b}, b: {DELEGATE: tell, ON_ERROR: {SAY: Not told., END: true}}}}
`), agent("clerk", "GATHER: {n: {TYPE: integer, REQUIRED: false}}\nFLOW: {START: a, STEPS: {a: {SAY: Well., END: true}}}\n"))
	require.Equal(t, "Not told.", c.says("Hi"))
	in, inside := sessions.InTurn{Turn: 1, At: noon}, sessions.InTurn{Turn: 1, At: noon, Delegate: "1"}
	require.Equal(t, []sessions.DelegateBegun{
		{InTurn: in, DelegateID: "1", Name: "ask", From: "boss", To: "clerk", Task: "ask", ExpiresAt: noon.Add(9 * time.Second)},
		{InTurn: in, DelegateID: "2", Name: "tell", From: "boss", To: "clerk", Task: "Tell it.", ExpiresAt: noon.Add(9 * time.Second)},
	}, eventsOf[sessions.DelegateBegun](c), "what cannot be given is not tried again")
	require.Equal(t, []sessions.SlotsFilled{{InTurn: inside, Agent: "clerk", Values: map[string]json.RawMessage{"n": []byte("7")}}},
		eventsOf[sessions.SlotsFilled](c))
	require.Equal(t, sessions.VariablesSet{InTurn: inside, Values: map[string]json.RawMessage{"note": []byte(`"x"`)}},
		eventsOf[sessions.VariablesSet](c)[0])
	require.Equal(t, []sessions.DelegateEnded{
		{InTurn: in, DelegateID: "1", Name: "ask", From: "boss", To: "clerk", Task: "ask", Outcome: sessions.DelegateOK,
			Result: map[string]json.RawMessage{"text": []byte(`"Well."`)}},
		{InTurn: in, DelegateID: "2", Name: "tell", From: "boss", To: "clerk", Task: "Tell it.", Outcome: sessions.DelegateFailed,
			Code: "ARGUMENTS"},
	}, eventsOf[sessions.DelegateEnded](c))
	require.Equal(t, []sessions.WorkDone{{InTurn: in, Agent: "boss"}, {InTurn: in, Agent: "boss", Failed: "tell", Code: "ARGUMENTS"}},
		eventsOf[sessions.WorkDone](c))
}

// Given a delegate that is given variables alone, or slots alone, then nothing else is said to have been set.
func TestADelegateIsGivenWhatThereIs(t *testing.T) {
	for input, want := range map[string][2]int{"{note: '\"x\"'}": {0, 1}, "{n: '7'}": {1, 0}, "{note: 'null'}": {0, 0}} {
		c := with(t, agent("boss", "DELEGATE: [{AGENT: clerk, INPUT: "+input+"}]\nFLOW: {START: a, STEPS: {a: {DELEGATE: clerk}}}\n"),
			agent("clerk", "GATHER: {n: {TYPE: integer}}\nFLOW: {START: a, STEPS: {a: {END: true}}}\n"))
		c.says("Hi")
		require.Equal(t, want, [2]int{len(eventsOf[sessions.SlotsFilled](c)), len(eventsOf[sessions.VariablesSet](c))}, input)
	}
}

// Given expressions, then they see of the turn and of the session what the log has of them.
func TestExpressionsSeeTheTurnAndTheSession(t *testing.T) {
	c := with(t, agent("a", `
FLOW: {START: a, STEPS: {a: {SAY: "{{ turn.text }} {{ turn.number }} {{ turn.channel }} {{ turn.language }} {{ turn.metadata.page }} -
  {{ session.id }} {{ session.turns }} {{ session.channel }} {{ session.language }} {{ session.messageMetadata.page }}"}}}
`))
	require.Equal(t, "Hi 1 api en home - s-1 1 api en home", c.answer(turns.Receive{Text: "Hi", Metadata: json.RawMessage(`{"page":"home"}`)}))
}

// Given a turn under way whose agents' sources are not there, then nothing is decided of it.
func TestATurnDoesNotGoOnWithoutItsAgents(t *testing.T) {
	asked, read, given := hotel(t), with(t, agent("barber", barber)), with(t, agent("a", `FLOW: {START: p, STEPS: {p: {ESCALATE: desk}}}`))
	asked.hears("Hi")
	read.hears("Hi")
	given.says("Hi")
	people := given.state.Talk.People
	for name, x := range map[string]struct {
		c      *talk
		decide func(sessions.State) ([]event.Payload, error)
	}{
		"a model's answer": {asked, turns.Outcome{CallID: asked.state.Talk.Running.Asked.CallID, Answer: &sessions.ModelAnswered{Text: "x"},
			At: noon}.Decide},
		"what is in stores": {read, turns.Recalled{CallID: read.work().CallID, At: noon}.Decide},
		"people give back":  {given, turns.GiveBack{TransferID: people.TransferID, Turn: people.Turn, Failed: true, At: noon}.Decide},
	} {
		got, err := x.decide(x.c.state)
		require.ErrorContains(t, err, "was not given to the turn", name)
		require.Empty(t, got, name)
	}
	_, err := turns.QuestionsOf(asked.state, nil, mine.Try)
	require.ErrorContains(t, err, "was not given to the turn")
}

// Given a COMPLETE that cannot be computed, then that is noticed once, also where a delegate ends by the next one.
func TestWhatCannotBeComputedIsNoticedOnce(t *testing.T) {
	c := with(t, agent("boss", "DELEGATE: [{AGENT: clerk}]\nFLOW: {START: a, STEPS: {a: {DELEGATE: clerk}}}\n"), agent("clerk", `
COMPLETE: [{WHEN: session.n > 1.0, RESULT: {n: "1"}}, {WHEN: "true", RESULT: {n: "2"}}]
FLOW: {START: a, STEPS: {a: {SAY: Well.}}}
`))
	c.says("Hi")
	require.Len(t, eventsOf[sessions.Noticed](c), 1)
	require.JSONEq(t, `"2"`, string(eventsOf[sessions.DelegateEnded](c)[0].Result["n"]))
}
