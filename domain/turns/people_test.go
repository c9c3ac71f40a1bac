package turns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const readings = `
GATHER:
  value: {TYPE: integer, PROMPT: "The reading?"}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [value], NEXT: person}
    person: {SAY: A colleague takes over., ESCALATE: meter_desk, NEXT: after}
    after: {SAY: "Welcome back.", ESCALATE: second, END: true}
`

// escalation is what the agent wanted of people last.
func (c *talk) escalation() sessions.Escalated {
	c.t.Helper()
	require.NotNil(c.t, c.state.Talk.People)
	require.NotNil(c.t, c.state.Talk.People.Wish)
	return *c.state.Talk.People.Wish
}

// taken lets people take the conversation.
func (c *talk) taken(turn int) {
	c.t.Helper()
	p := c.state.Talk.People
	got, err := sessions.Take{TransferID: p.TransferID, ConversationID: p.ConversationID, QueueID: "q-1", HumanAgentID: "a-1", Turn: turn,
		At: noon}.Decide(c.state)
	require.NoError(c.t, err)
	c.add(got...)
}

// back is what follows when a transfer is over.
func (c *talk) back(failed bool) ([]event.Payload, string) {
	c.t.Helper()
	of := c.state.Talk.People
	give := turns.GiveBack{TransferID: of.TransferID, Turn: of.Turn, Taken: !failed, Failed: failed, Reason: "WHY",
		Programs: c.programs, At: noon, Try: mine}
	got := c.decides(give.Decide)
	again, err := give.Decide(c.state)
	require.NoError(c.t, err)
	require.Empty(c.t, again, "a transfer is over once")
	return got, uttered(got)
}

// uttered is what the agent says, line by line.
func uttered(all []event.Payload) string {
	var out []string
	for _, p := range all {
		if e, is := p.(sessions.Said); is {
			out = append(out, e.Text)
		}
	}
	return strings.Join(out, " | ")
}

func ended(all []event.Payload) (out sessions.TurnEnded) {
	for _, p := range all {
		if e, is := p.(sessions.TurnEnded); is {
			out = e
		}
	}
	return out
}

// A step gives the conversation to people; while they have it what the user says is for them, and
// behind them the flow goes on with NEXT, and END ends the session.
func TestAStepEscalates(t *testing.T) {
	c := with(t, agent("meter", readings))
	c.says("Hi")
	got, err := c.turn(turns.Receive{Text: "17"})
	require.NoError(t, err)
	require.Equal(t, "A colleague takes over.", uttered(got))
	require.Equal(t, []any{sessions.ToPeople, sessions.ForPeople}, []any{ended(got).Action, ended(got).Waits.For})
	e := c.escalation()
	require.Equal(t, []any{"meter_desk", "person", sessions.ByStep, 1, false}, []any{e.Queue, e.Step, e.By, e.Number, e.Ends})
	require.Equal(t, sessions.TransferID("s-1", 1), e.TransferID)

	got, err = c.turn(turns.Receive{Text: "Hello?"})
	require.NoError(t, err)
	early := got[0].(sessions.PassedOn)
	require.Equal(t, []any{1, "Hello?", true, "c-" + e.TransferID}, []any{len(got), early.Text, early.Early, early.ConversationID})
	require.Equal(t, c.state.Talk.Figures, early.Figures)
	c.taken(1)
	got, err = c.turn(turns.Receive{Text: "Is anybody there?"})
	require.NoError(t, err)
	require.False(t, got[0].(sessions.PassedOn).Early)
	require.Equal(t, 2, c.state.Talk.Turns, "what is for people is no turn of the agent")

	got, said := c.back(false)
	require.Equal(t, "Welcome back.", said)
	require.Equal(t, sessions.GivenBack{InTurn: sessions.InTurn{Turn: 3, At: noon}, TransferID: e.TransferID, TransferTurn: 1,
		Reason: "WHY"}, got[0])
	require.Equal(t, []any{"second", 2, true}, []any{c.escalation().Queue, c.escalation().Number, c.escalation().Ends})
	c.taken(2)
	got, _ = c.back(false)
	require.Equal(t, sessions.EndAction, ended(got).Action)
	require.Equal(t, sessions.Ended, c.state.Status)
}

// Nobody is there: the user is told, by the source's words where it has some, and never left alone;
// END does not count, and nothing is asked of people once more by itself.
func TestNobodyIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		said   string
		action sessions.Action
	}{
		"without words of its own": {`FLOW: {START: p, STEPS: {p: {ESCALATE: desk, END: true}}}`,
			"Unfortunately none of my colleagues is available at the moment.", sessions.Continue},
		"NEXT goes on": {`FLOW: {START: p, STEPS: {p: {ESCALATE: desk, NEXT: q}, q: {SAY: "Anything else?"}}}`,
			"Unfortunately none of my colleagues is available at the moment. | Anything else?", sessions.Continue},
		"it would ask for ever": {`FLOW: {START: p, STEPS: {p: {SAY: Wait., ESCALATE: desk, NEXT: p}}}`,
			"Unfortunately none of my colleagues is available at the moment. | Wait.", sessions.Continue},
		"ON_ERROR of the step": {`FLOW: {START: p, STEPS: {p: {ESCALATE: desk, ON_ERROR: {SAY: Call us., END: true}}}}`,
			"Call us.", sessions.EndAction},
		"ON_FAIL of the ESCALATE": {`
ESCALATE: [{WHEN: turn.text == "Hi", QUEUE: desk, ON_FAIL: {SAY: Later., NEXT: q}}]
FLOW: {START: q, STEPS: {q: {SAY: "Anything else?"}}}`, "Later. | Anything else?", sessions.Continue},
		"ESCALATE of what follows something": {`FLOW: {START: p, STEPS: {p: {BRANCH: [{ELSE: true, ESCALATE: desk}]}}}`,
			"Unfortunately none of my colleagues is available at the moment.", sessions.Continue},
	} {
		t.Run(name, func(t *testing.T) {
			talk := with(t, agent("a", c.source))
			talk.says("Hi")
			got, said := talk.back(true)
			require.Equal(t, c.said, said)
			require.Equal(t, c.action, ended(got).Action)
			require.True(t, got[0].(sessions.GivenBack).Failed)
		})
	}
	german := with(t, agent("a", `FLOW: {START: p, STEPS: {p: {ESCALATE: desk}}}`))
	german.says("Hi")
	german.state.Talk.Language = "de-AT"
	got, err := turns.GiveBack{TransferID: german.escalation().TransferID, Failed: true, Programs: german.programs,
		At: noon}.Decide(german.state)
	require.NoError(t, err)
	require.Contains(t, uttered(got), "Leider")
}

const desired = `
GATHER: {email: {TYPE: email, REQUIRED: false}}
ESCALATE:
  - {WHEN: 'turn.text.startsWith("person")', QUEUE: support, PRIORITY: high, REASON: "{{ turn.text }} was said", SKILLS: [german],
     CONTEXT: {said: turn.text}}
FLOW: {START: hear, STEPS: {hear: {SAY: I hear.}}}
`

// An ESCALATE whose WHEN holds comes before the flow, with what it says; it escalates once for as
// long as it holds.
func TestARuleEscalatesOnce(t *testing.T) {
	c := with(t, agent("a", desired))
	require.Equal(t, "I hear.", c.says("Hi"))
	require.Empty(t, c.noticed(), "what nobody has raised is not over")
	require.Empty(t, c.says("person please"))
	e := c.escalation()
	require.Equal(t, []any{"support", "high", "person please was said", []string{"german"}, 1}, []any{e.Queue, e.Priority, e.Why, e.Skills,
		e.Index})
	require.Equal(t, map[string]json.RawMessage{"said": json.RawMessage(`"person please"`)}, e.Context)
	got, said := c.back(false)
	require.Empty(t, said, "the user is heard first")
	require.Equal(t, sessions.ForMessage, ended(got).Waits.For)
	require.Equal(t, "I hear.", c.says("person again"), "it holds still")
	require.Equal(t, "I hear.", c.says("thanks"))
	require.Equal(t, []string{"escalation_over a/1"}, c.noticed())
	require.Empty(t, c.says("person"))
	require.Equal(t, 2, c.escalation().Number)
}

// A guardrail that escalates lets people see what it is about; the agent says its MESSAGE.
func TestAGuardrailEscalates(t *testing.T) {
	c := with(t, agent("a", `
GUARDRAILS:
  in: {ON: input, CHECK: '!text.contains("fire")', ACTION: escalate, QUEUE: alarm, MESSAGE: Somebody comes.}
  out: {ON: output, CHECK: '!text.contains("4711")', ACTION: escalate, QUEUE: leak, MESSAGE: One moment.}
FLOW: {START: hear, STEPS: {hear: {SAY: "{{ turn.text }}", NEXT: more}, more: {SAY: "More?"}}}
`))
	require.Equal(t, "Somebody comes.", c.says("fire!"))
	require.Equal(t, "alarm", c.escalation().Queue)
	require.Equal(t, "fire!", c.state.Talk.History[0].Text)
	c.back(false)
	require.Equal(t, "One moment.", c.says("it is 4711"), "and the flow goes no further")
	require.Equal(t, "leak", c.escalation().Queue)
}

// One without WHEN is a tool of the model, which sees what people said.
func TestTheModelEscalates(t *testing.T) {
	c := with(t, agent("a", "GOAL: Help.\nESCALATE: [{QUEUE: first line, REASON: Wants a person}]\n"))
	c.hears("A person!")
	tools := c.question().Tools
	require.Equal(t, "escalate_to_first_line", tools[len(tools)-1].Name)
	c.thinks("", "escalate_to_first_line")
	require.Equal(t, sessions.ByModel, c.escalation().By)
	c.taken(1)
	said, err := sessions.HearPerson{ConversationID: "c-1", Number: 1, HumanAgentID: "Maria", Text: "It is done.", At: noon}.Decide(c.state)
	require.NoError(t, err)
	c.add(said...)
	c.back(false)
	c.hears("Thank you")
	told := c.question().Messages
	require.Equal(t, "(A colleague, a person, wrote:) It is done.", told[len(told)-2].Text)
}

// Somebody takes a session over: the turn that runs still ends, what the user says is for people,
// and handed back the agent waits for what it waited for.
func TestASessionIsTakenOver(t *testing.T) {
	c := with(t, agent("meter", readings))
	c.says("Hi")
	take := sessions.Take{TransferID: "t-1", ConversationID: "c-t-1", HumanAgentID: "a-1", Turn: 1, At: noon}
	got, err := take.Decide(c.state)
	require.NoError(t, err)
	c.add(got...)
	again, err := take.Decide(c.state)
	require.NoError(t, err)
	require.Empty(t, again)
	older, err := sessions.Take{TransferID: "t-0", Turn: 1, At: noon}.Decide(c.state)
	require.NoError(t, err)
	require.Empty(t, older, "a later transfer has it")
	require.Empty(t, c.says("17"))
	_, err = sessions.Reset{At: noon}.Decide(c.state)
	require.True(t, fault.Is(err, fault.Conflict))
	idle, err := sessions.EndIdle{At: noon.Add(10 * sessions.IdleAfter)}.Decide(c.state)
	require.NoError(t, err)
	require.Empty(t, idle)

	other, err := turns.GiveBack{TransferID: "t-9", Turn: 9, Programs: c.programs, At: noon}.Decide(c.state)
	require.NoError(t, err)
	require.Empty(t, other, "of another transfer, which nobody took")
	got, said := c.back(false)
	require.Equal(t, []any{1, 0, ""}, []any{len(got), got[0].(sessions.GivenBack).Turn, said})
	require.Equal(t, "A colleague takes over.", c.says("17"), "it still waits for the reading")
}

// A turn that waits for a call when the session is taken over ends, and says that people have it.
func TestATurnEndsThatRunsWhenItIsTakenOver(t *testing.T) {
	c := with(t, agent("a", "GOAL: Help.\n"))
	c.hears("Hi")
	got, err := sessions.Take{TransferID: "t-1", ConversationID: "c-t-1", HumanAgentID: "a-1", Turn: 1, At: noon}.Decide(c.state)
	require.NoError(t, err)
	c.add(got...)
	passed, err := c.turn(turns.Receive{Text: "Somebody?"})
	require.NoError(t, err)
	require.IsType(t, sessions.PassedOn{}, passed[0], "people hear it while the agent still thinks")
	require.Contains(t, c.thinks("Hello."), "Hello.")
	require.Equal(t, sessions.ToPeople, ended(c.past).Action)
}

// What an agent comes to in a turn that still runs while somebody has taken the session over sends nobody away, and asks
// for nobody else: it was done, or it wanted people. It goes on behind that when they give the session back.
func TestAnAgentWaitsForPeopleWhomItHasNotAsked(t *testing.T) {
	const source = `
TOOLS: {look: {KIND: http, URL: "https://example.com/"}}
FLOW:
  START: find
  STEPS:
    find: {CALL: look, NEXT: %s}
    done: {SAY: Bye., END: true}
    desk: {SAY: To people., ESCALATE: desk, ON_ERROR: {SAY: Nobody., STOP: true}, NEXT: after}
    after: {SAY: People are done.}
    late: {SAY: To people., ESCALATE: desk, END: true}
`
	for label, c := range map[string]struct {
		next, said string
		failed     bool
		behind     string
		ends       bool
	}{
		"it was done":                     {"done", "Bye.", false, "", true},
		"it was done, and nobody came":    {"done", "Bye.", true, "", true},
		"it wanted people":                {"desk", "To people.", false, "People are done.", false},
		"it wanted people, and none came": {"desk", "To people.", true, "Nobody.", false},
		"it wanted people and was done":   {"late", "To people.", false, "", true},
	} {
		t.Run(label, func(t *testing.T) {
			a := with(t, agent("a", fmt.Sprintf(source, c.next)))
			a.hears("Hi")
			got, err := sessions.Take{TransferID: "t-1", ConversationID: "c-t-1", QueueID: "q-1", Turn: 1, At: noon}.Decide(a.state)
			require.NoError(t, err)
			a.add(got...)
			require.Equal(t, c.said, uttered(a.decides(a.looked().Decide)))
			require.Equal(t, sessions.ToPeople, ended(a.past).Action)
			require.Equal(t, sessions.Active, a.state.Status)
			require.Equal(t, "t-1", a.state.Talk.People.TransferID, "nobody else is asked")
			require.Empty(t, a.says("Somebody?"), "for people")

			got, said := a.back(c.failed)
			require.Equal(t, c.behind, said)
			require.Nil(t, a.state.Talk.People)
			require.Equal(t, c.ends, a.state.Status == sessions.Ended)
			require.Equal(t, map[bool]sessions.Action{true: sessions.EndAction, false: sessions.Continue}[c.ends], ended(got).Action)
		})
	}
}

// looked is what came of the tool look.
func (c *talk) looked() turns.Outcome {
	return turns.Outcome{CallID: c.callOf("look"), Ended: sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage("{}")},
		Programs: c.programs, At: noon, Try: mine}
}

// So it is where what was set is kept in a store before the turn ends.
func TestWhatIsKeptInStoresComesBeforePeopleWhomItHasNotAsked(t *testing.T) {
	c := with(t, agent("a", `
TOOLS: {look: {KIND: http, URL: "https://example.com/"}}
MEMORY: {shop: {SCOPE: project, ACCESS: readwrite}}
FLOW:
  START: find
  STEPS:
    find: {CALL: look, NEXT: desk}
    desk: {SET: {memory.shop.chief: '"Bea"'}, ESCALATE: desk, NEXT: after}
    after: {SAY: People are done.}
`))
	c.hears("Hi")
	c.recalls(told(house, 1, `{}`))
	got, err := sessions.Take{TransferID: "t-1", ConversationID: "c-t-1", HumanAgentID: "a-1", Turn: 1, At: noon}.Decide(c.state)
	require.NoError(t, err)
	c.add(got...)
	c.decides(c.looked().Decide)
	c.recalls(told(house, 2, `{"chief":"Bea"}`))
	require.Equal(t, sessions.ToPeople, ended(c.past).Action)
	c.back(false)
	require.Contains(t, c.recalls(told(house, 2, `{"chief":"Bea"}`)), "People are done.")
}

// A delegate has no conversation to give: it fails, and whoever it works for goes on.
func TestADelegateCannotEscalate(t *testing.T) {
	c := with(t, agent("front", `
DELEGATE: [{AGENT: helper, PURPOSE: help, ON_FAIL: continue}]
FLOW: {START: ask, STEPS: {ask: {DELEGATE: helper, NEXT: say}, say: {SAY: On we go.}}}
`), agent("helper", `FLOW: {START: p, STEPS: {p: {ESCALATE: desk, END: true}}}`))
	require.Equal(t, "On we go.", c.says("Hi"))
	require.Nil(t, c.state.Talk.People)
	var codes []string
	for _, p := range c.past {
		if e, is := p.(sessions.DelegateEnded); is {
			codes = append(codes, e.Code)
		}
	}
	require.Equal(t, []string{"ASKS_PEOPLE"}, codes)
}

const remembering = `
MEMORY: {shop: {SCOPE: project, ACCESS: read}}
FLOW:
  START: person
  STEPS:
    person: {ESCALATE: desk, ON_ERROR: {SAY: "Nobody, by {{ memory.shop.chief }}.", GOTO: after}, NEXT: after}
    after: {SAY: "Welcome back, says {{ memory.shop.chief }}."}
`

// Given an agent with stores, when people give the conversation back, or nobody takes it, then it
// goes on with what is in them by then.
func TestStoresAreReadBehindPeople(t *testing.T) {
	for failed, want := range map[bool]string{false: "Welcome back, says Bea.", true: "Nobody, by Bea. | Welcome back, says Bea."} {
		c := with(t, agent("barber", remembering))
		c.hears("Hi")
		c.recalls(told(house, 1, `{"chief":"Ann"}`))
		if !failed {
			c.taken(1)
		}
		got, said := c.back(failed)
		require.Empty(t, said, "nothing is said before it is known what is remembered")
		require.Equal(t, []sessions.StoreOf{house}, got[1].(sessions.MemoryAsked).Reads)
		got = c.decides(turns.Recalled{CallID: c.work().CallID, Stores: []sessions.StoreTold{told(house, 2, `{"chief":"Bea"}`)},
			Programs: c.programs, At: noon, Try: mine}.Decide)
		require.Equal(t, want, uttered(got))
		require.Equal(t, sessions.Continue, ended(got).Action)
	}
}

// Given a turn behind people that is cut off, then the session waits for the user, and not for people.
func TestACutTurnBehindPeopleWaitsForTheUser(t *testing.T) {
	c := with(t, agent("barber", remembering))
	c.hears("Hi")
	c.recalls(told(house, 1, `{"chief":"Ann"}`))
	c.taken(1)
	c.back(false)
	got := c.decides(sessions.CancelTurn{At: noon}.Decide)
	require.Equal(t, sessions.ForMessage, ended(got).Waits.For)
}

// Given people who give the conversation back, when a source of its agents is wrong by then, then the turn fails, and says so; the
// session waits for the user.
func TestASourceThatIsWrongBehindPeople(t *testing.T) {
	c := with(t, agent("a", `FLOW: {START: p, STEPS: {p: {ESCALATE: desk, NEXT: q}, q: {SAY: Welcome back.}}}`))
	c.says("Hi")
	got := c.decides(turns.GiveBack{TransferID: c.escalation().TransferID, Failed: true, Refused: "a is no source", At: noon}.Decide)
	require.Empty(t, uttered(got))
	require.Equal(t, []any{sessions.CodeSource, sessions.Continue, sessions.ForMessage},
		[]any{ended(got).Failed, ended(got).Action, ended(got).Waits.For})
}

// Given a rule that escalates in a step which has ON_ERROR, when nobody is there, then that is no error of the step.
func TestNobodyIsThereForARule(t *testing.T) {
	c := with(t, agent("a", `
ESCALATE: [{WHEN: 'turn.text == "person"', QUEUE: desk}]
TOOLS: {look: {KIND: http, URL: "https://h.example.com/"}}
FLOW: {START: a, STEPS: {a: {SAY: "Yes?", CALL: look, ON_ERROR: {SAY: Call us., END: true}}}}
`))
	c.hears("Hi")
	c.ends(ok("null"))
	require.Empty(t, c.says("person"))
	got, said := c.back(true)
	require.Equal(t, "Unfortunately none of my colleagues is available at the moment.", said)
	require.Equal(t, sessions.Continue, ended(got).Action)
}

// Given what people decide, then the state that it is decided on is as it was.
func TestGivingBackLeavesTheStateThatItIsGiven(t *testing.T) {
	c := with(t, agent("meter", readings))
	c.says("Hi")
	c.says("17")
	before := sessions.Sessions.State(c.past...)
	want, err := json.Marshal(before)
	require.NoError(t, err)
	people := before.Talk.People
	got, err := turns.GiveBack{TransferID: people.TransferID, Turn: people.Turn, Failed: true, Programs: c.programs, At: noon}.Decide(before)
	require.NoError(t, err)
	require.NotEmpty(t, got)
	after, err := json.Marshal(before)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(after))
}
