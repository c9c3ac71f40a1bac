package turns_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// onCall makes the conversation one of a call.
func (c *talk) onCall() *talk {
	opened := c.past[0].(sessions.Opened)
	opened.Channel, opened.CallID = "voice", "c-1"
	opened.UserSession = map[string]json.RawMessage{"metadata": json.RawMessage(`{"order":17,"name":"Ada"}`)}
	opened.Begun.Caller = map[string]json.RawMessage{"userId": json.RawMessage(`"+15550000011"`)}
	c.past, c.state = nil, sessions.State{}
	c.add(opened)
	return c
}

// picksUp is what is said when the callee picks up.
func (c *talk) picksUp() []event.Payload {
	got, err := turns.PickUp{Programs: c.programs, At: noon, Try: sessions.Claimed{Process: "p", Try: "t"}}.Decide(c.state)
	require.NoError(c.t, err)
	c.add(got...)
	return got
}

func spoken(all []event.Payload) (texts []string) {
	for _, p := range all {
		if e, ok := p.(sessions.Said); ok {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// answersCallee is what the agent answers to something that the callee says.
func (c *talk) answersCallee(text string) string {
	return c.answer(turns.Receive{Text: text, OnCall: true})
}

func TestAnAgentSpeaksFirstOnACall(t *testing.T) {
	c := with(t, agent("meter", meter)).onCall()
	got := c.picksUp()
	require.Equal(t, []string{"Good day."}, spoken(got), "ON_START, and no more")
	require.Equal(t, sessions.PickedUp{InTurn: sessions.InTurn{Turn: 1, At: noon}}, got[0])
	require.Equal(t, sessions.TurnEnded{InTurn: sessions.InTurn{Turn: 1, At: noon}, Action: sessions.Continue,
		Waits: sessions.Waiting{For: sessions.ForMessage}, Figures: sessions.Figures{Turns: 1, Messages: 1, Traces: 2}}, got[len(got)-1])
	require.Empty(t, c.picksUp(), "once")
	require.Equal(t, "Which meter?", c.answersCallee("Hello"))
	require.Equal(t, "Your number?", c.answersCallee("gas"))
	require.Equal(t, "The reading?", c.answersCallee("1234"))
	require.Equal(t, "gas 1234: 17. Thank you.", c.answersCallee("17"))
	require.Equal(t, sessions.Ended, c.state.Status)
	require.Empty(t, c.picksUp(), "after the end")
}

// In a room an agent speaks first too, though the session is no call's alone: only where somebody is there to hear it.
func TestAnAgentSpeaksFirstInARoom(t *testing.T) {
	c := with(t, agent("meter", meter)).onCall()
	c.state.CallID = ""
	require.Empty(t, c.picksUp())
	got, err := turns.PickUp{Programs: c.programs, At: noon, Try: sessions.Claimed{Process: "p", Try: "t"}, InRoom: true}.Decide(c.state)
	require.NoError(t, err)
	require.Equal(t, []string{"Good day."}, spoken(got))
}

func TestAnAgentWithoutAGreetingBeginsWithItsFlow(t *testing.T) {
	c := with(t, agent("asker", `
GATHER: {n: {TYPE: integer, PROMPT: "How many?"}}
ON_START: {SET: {session.began: session.turns}}
FLOW: {START: ask, STEPS: {ask: {GATHER: [n], NEXT: done}, done: {SAY: "{{ gather.n }}.", END: true}}}
`)).onCall()
	require.Equal(t, []string{"How many?"}, spoken(c.picksUp()))
	require.Equal(t, "3.", c.answersCallee("3"))
}

func TestAnAgentThatSaysNothingFirstStartsOnce(t *testing.T) {
	c := with(t, agent("shy", `
ON_START: {SET: {session.starts: "has(session.starts) ? session.starts + 1.0 : 1.0"}}
FLOW: {START: wait, STEPS: {wait: {WHEN: "turn.text != ''", SAY: "{{ session.starts }}", NEXT: wait2}, wait2: {}}}
`)).onCall()
	c.picksUp()
	require.Equal(t, "1", string(c.state.Talk.Vars["starts"]))
	_ = c.answersCallee("Hello")
	require.Equal(t, "1", string(c.state.Talk.Vars["starts"]), "ON_START was carried out")
}

func TestAModelIsToldThatSomebodyPicksUp(t *testing.T) {
	c := with(t, "DSL: 1\nAGENT: guide\nGOAL: Help.\n").onCall()
	require.Empty(t, spoken(c.picksUp()))
	require.NotNil(t, c.state.Talk.Running, "a model is asked")
	asked := c.question().Messages
	require.Equal(t, sessions.PickedUpLine, asked[len(asked)-1].Text)
}

// What the channel knows is seen by name, from the first turn on and as it changes.
func TestTheContextOfACallIsSeen(t *testing.T) {
	c := with(t, agent("caller", `
ON_START: {SAY: "Hello {{ context.session.UserSession.metadata.name }}, at {{ caller.userId }}."}
FLOW:
  START: who
  STEPS:
    who:
      BRANCH:
        - {IF: "has(context.session.UserSession.amd) && 'amd_machine_detected' in context.session.UserSession.amd", GOTO: machine}
        - {ELSE: true, GOTO: person}
    person: {SAY: "Order {{ context.session.UserSession.metadata.order }}?", NEXT: who}
    machine: {SAY: "Reason: {{ context.session.UserSession.amdInfo.amdReason }}.", END: true}
`)).onCall()
	require.Equal(t, []string{"Hello Ada, at +15550000011."}, spoken(c.picksUp()))
	require.Empty(t, c.noticed())
	events, err := sessions.Inform{UserSession: map[string]json.RawMessage{"amd": json.RawMessage(`["amd_machine_detected"]`),
		"amdInfo": json.RawMessage(`{"amdReason":"long greeting"}`)}, At: noon}.Decide(c.state)
	require.NoError(t, err)
	c.add(events...)
	require.Equal(t, "Reason: long greeting.", c.answersCallee("Please leave a message"))
}

func TestASessionOfACallTakesWhatItsCalleeSaysAlone(t *testing.T) {
	c := with(t, agent("meter", meter)).onCall()
	c.picksUp()
	_, err := c.turn(turns.Receive{Text: "Hi"})
	require.True(t, fault.Is(err, fault.Conflict), err)
	_, err = sessions.Reset{At: noon}.Decide(c.state)
	require.True(t, fault.Is(err, fault.Conflict), err)
	c.add(sessions.SessionEnded{At: noon})
	_, err = c.turn(turns.Receive{Text: "Hi", OnCall: true})
	require.True(t, fault.Is(err, fault.Conflict), err)
}

func TestNobodyPicksUpInASessionThatIsNoCalls(t *testing.T) {
	require.Empty(t, with(t, agent("meter", meter)).picksUp())
}
