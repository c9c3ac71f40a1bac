package replays_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// What is pressed, sent as a file, or said to an agent that is not asked comes with a message, and is played again as
// the log has it.
func TestWhatComesWithAMessageIsDecidedAgain(t *testing.T) {
	r := record(t, "", "shop", `DSL: 1
AGENT: shop
GUARDRAILS: {loud: {ON: output, CHECK: '!text.contains("!")', ACTION: redact, PATTERN: "!"}}
ON_START: {SAY: Welcome!}
FLOW:
  START: offer
  STEPS:
    offer:
      SAY: "What for?"
      RICH: [{KIND: button, ID: book, LABEL: Book it, VALUE: "7"}]
      ON_ACTION: {book: {SAY: "Booked {{ turn.value }}."}}
      NEXT: offer
`)
	r.decides(sessions.Attach{AttachmentID: "f-1", FileName: "a.txt", Blob: "b", At: noon})
	r.says("hello")
	r.says("book it")
	r.says("", func(in *turns.Receive) { in.Action = &sessions.Chosen{ID: "book", Value: json.RawMessage(`"8"`)} })
	r.says("", func(in *turns.Receive) { in.Action = &sessions.Chosen{ID: "fly"} })
	r.says("see", func(in *turns.Receive) {
		in.Attached = []string{"f-1"}
		in.Files = []sessions.ToldFile{{AttachmentID: "f-1", Name: "a.txt"}, {Name: "b.txt", Problem: "is too large"}}
	})
	r.says("and this", func(in *turns.Receive) { in.Attached, in.IgnoredAgent = []string{"f-1", "f-1"}, "desk" })
	again(t, r, 6)
}

// People have a call too: what its callee says is theirs. What they have elsewhere is nobody's of ours.
func TestPeopleOnACallAreDecidedAgain(t *testing.T) {
	r := record(t, "c-1", "line", `DSL: 1
AGENT: line
MEMORY: {profile: {SCOPE: project}}
FLOW: {START: a, STEPS: {a: {SAY: Hello., NEXT: b}, b: {ESCALATE: q, NEXT: c}, c: {SAY: Back.}}}
`)
	r.decides(turns.PickUp{Programs: r.programs, At: noon, Try: r.claim()})
	r.memory()
	p := r.state.Talk.People
	require.NotNil(t, p)
	r.says("", func(in *turns.Receive) { in.OnCall, in.Action = true, &sessions.Chosen{ID: "1"} })
	r.decides(sessions.Take{TransferID: p.TransferID, ConversationID: "c-1", Elsewhere: true, Turn: 1, At: noon})
	r.says("Is somebody there?", func(in *turns.Receive) { in.OnCall = true })
	again(t, r, 5)
}

// Who is in a room of a session hears what it begins with, whatever else the session is of.
func TestWhoComesIntoARoomIsDecidedAgain(t *testing.T) {
	r := record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {SAY: Hello.}}}\n")
	r.decides(turns.PickUp{Programs: r.programs, InRoom: true, At: noon, Try: r.claim()})
	again(t, r, 1)
}

// A session that assists people hears what is said in their conversation.
func TestWhatAnAssistingSessionHearsIsDecidedAgain(t *testing.T) {
	r := record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {SAY: Yes.}}}\n")
	opened := r.commits[0][0].(sessions.Opened)
	opened.Begun.Assists = "conv-1"
	r.commits[0][0], r.state = opened, sessions.Sessions.State(opened)
	r.says("hi", func(in *turns.Receive) { in.Asked = true })
	again(t, r, 1)
}

// Nobody knows what came of a write: of one that another took over, and of one that says so itself.
func TestOutcomesThatNobodyKnowsAreDecidedAgain(t *testing.T) {
	const source = `DSL: 1
AGENT: line
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: pay, ON_ERROR: {SAY: Not paid., CONTINUE: true}, NEXT: b}, b: {SAY: Done.}}}
`
	for input, e := range map[string]*sessions.CallEnded{
		"1 that another goes on with a call":                    nil,
		"1 the outcome unknown TIMEOUT of the tool pay":         {Outcome: sessions.CallUnknown, Code: sessions.CodeTimeout},
		"1 the outcome unknown UNKNOWN_OUTCOME of the tool pay": {Outcome: sessions.CallUnknown, Code: sessions.CodeUnknown, Tries: 1},
		"1 the outcome error UNKNOWN_OUTCOME of the tool pay":   {Outcome: sessions.CallFailed, Code: sessions.CodeUnknown},
		"1 the outcome ok UNKNOWN_OUTCOME of the tool pay":      {Outcome: sessions.CallOK, Code: sessions.CodeUnknown},
	} {
		t.Run(input, func(t *testing.T) {
			r := record(t, "", "line", source)
			r.says("hi")
			if e == nil {
				r.goneOver()
			} else {
				r.ends(*e)
			}
			again(t, r, 2)
			require.Equal(t, []string{`1 the message "hi"`, input}, inputs(t, r))
		})
	}
}

// What a tool has left in stores is told before what follows from it, whatever else a turn waits for.
func TestWhatAToolLeavesInStoresIsDecidedAgain(t *testing.T) {
	r := record(t, "", "barber", `DSL: 1
AGENT: barber
MEMORY: {visit: {SCOPE: session}}
TOOLS:
  cut: {KIND: code, SOURCE: "return 1", STORES: [visit]}
  look: {KIND: http, URL: "https://o.example.com/look"}
  sweep: {KIND: http, URL: "https://o.example.com/sweep"}
GATHER: {name: {TYPE: string, PROMPT: "Your name?"}}
FLOW:
  START: a
  STEPS:
    a: {GATHER: [name], SET: {memory.visit.name: gather.name}, NEXT: b}
    b: {CALL: cut, NEXT: c}
    c: {CALL: look, NEXT: d}
    d: {CALL: sweep, NEXT: e}
    e: {SAY: Done.}
`)
	visit := func(version int, content string) sessions.StoreTold {
		return sessions.StoreTold{StoreOf: sessions.StoreOf{Scope: memories.OfSession, Store: "visit"}, Version: version,
			Content: json.RawMessage(content)}
	}
	r.says("hi")
	r.memory(visit(0, ""))
	r.says("Ann", func(in *turns.Receive) { in.Mocks = []sessions.Mock{{Tool: "look", Result: json.RawMessage(`1`)}} })
	r.memory(visit(0, ""))
	require.NotNil(t, r.state.Talk.Running.Memory, "what was set is kept before the tool is called")
	r.decides(turns.Outcome{CallID: r.state.Talk.Running.Open[0].CallID, Ended: sessions.CallEnded{Outcome: sessions.CallOK},
		Memory: []sessions.StoreTold{visit(2, `{"name":"Ann","cut":1}`)}, Programs: r.programs, At: noon, Try: r.claim()})
	require.Equal(t, "sweep", r.state.Talk.Running.Open[0].Tool)
	again(t, r, 5)
	require.Equal(t, "2 the outcome of the tool cut, and what it left in stores", inputs(t, r)[4])
}

// Delegates who take too long end at their time, whoever sees it, and begin again where that is said.
func TestDelegatesWhoAreLateAreDecidedAgain(t *testing.T) {
	r := record(t, "", "planner", `DSL: 1
AGENT: planner
DELEGATE:
  - {ID: air, GROUP: offers, AGENT: flights, TIMEOUT: 12s, ON_FAIL: {RETRY: 1}}
  - {ID: rail, GROUP: offers, AGENT: trains, TIMEOUT: 20s, ON_FAIL: continue}
FAN_OUT: {offers: {JOIN: all}}
FLOW: {START: search, STEPS: {search: {SAY: Searching., DELEGATE: offers}}}
`, finderOf("flights"), finderOf("trains"))
	r.says("search")
	r.decides(turns.Late{Programs: r.programs, At: noon.Add(time.Minute + 15*time.Second), Try: r.claim()})
	require.Len(t, r.state.Talk.Running.Left(), 2, "flights are looked for again")
	again(t, r, 2)
	require.Equal(t, "1 the end of the time that delegates have", inputs(t, r)[1])
}

// What ends a session, or has it begin anew, cuts off the turn that runs.
func TestWhatCutsATurnOffIsDecidedAgain(t *testing.T) {
	for input, end := range map[string]input{
		"the end":  sessions.End{Reason: "hung up", At: noon.Add(time.Hour)},
		"a reset":  sessions.Reset{At: noon.Add(time.Hour)},
		"a cancel": sessions.CancelTurn{At: noon.Add(time.Hour)},
	} {
		r := record(t, "", "guide", "DSL: 1\nAGENT: guide\nGOAL: Help.\n")
		r.says("hi")
		require.NotNil(t, r.state.Talk.Running)
		r.decides(end)
		require.Greater(t, len(r.commits[2]), 1, input)
		again(t, r, 2)
	}
}

// A server that cannot go on with a source ends a turn that waits for an answer from outside too.
func TestASourceThatIsRefusedWhileATurnIsSuspended(t *testing.T) {
	r := record(t, "", "shop", `DSL: 1
AGENT: shop
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/", EXPIRES: 30m}}
FLOW: {START: a, STEPS: {a: {CALL: pay, NEXT: b}, b: {SAY: Paid.}}}
`)
	r.says("hi")
	r.decides(turns.Suspend{CallID: r.state.Talk.Running.Open[0].CallID, Programs: r.programs, At: noon})
	r.decides(sessions.BreakOff{Why: sessions.CodeSource, Detail: "line 3", At: noon.Add(time.Hour)})
	require.Nil(t, r.state.Talk.Running)
	again(t, r, 3)
}

// What no decision comes to is passed over, or differs from what is decided: a log may be of a later version.
func TestWhatNoDecisionComesTo(t *testing.T) {
	claimed := replays.Commit{sessions.CallClaimed{CallID: "x", Claimed: sessions.Claimed{Process: "n-1@a", Try: "z"}}}
	for label, c := range map[string]struct {
		commit replays.Commit
		passed int
	}{
		"a notice alone":               {replays.Commit{sessions.Noticed{What: "LATER"}}, 1},
		"a step alone":                 {replays.Commit{sessions.StepEntered{Step: "a"}}, 1},
		"the end of what did not run":  {replays.Commit{sessions.TurnEnded{Failed: sessions.CodeSource}}, 1},
		"a call that nobody waits for": {claimed, 0},
	} {
		t.Run(label, func(t *testing.T) {
			r := record(t, "", "shop", shop)
			r.says("hello")
			r.says("Ann")
			if label == "a call that nobody waits for" {
				r.commits = append(r.commits, claimed)
				got := replays.Replay(r.commits, r.programs, false)
				require.Equal(t, "call-claimed", got.Difference.Expected.Name)
				require.Nil(t, got.Difference.Got)
				r.commits = r.commits[:len(r.commits)-1]
				r.says("1234") // now it waits for another one
			}
			got := replays.Replay(append(r.commits, c.commit), r.programs, false)
			require.Equal(t, c.passed, got.Passed)
			require.Equal(t, c.passed == 0, got.Difference != nil)
		})
	}
}

func finderOf(agent string) string {
	return "DSL: 1\nAGENT: " + agent + `
TOOLS: {look: {KIND: http, URL: "https://o.example.com/"}}
FLOW: {START: a, STEPS: {a: {CALL: look, END: true}}}
`
}

// What a test brought along is judged by the sources of the replay, and stands on the log as it was.
func TestAReplayLeavesTheRecordAsItWas(t *testing.T) {
	const source = "DSL: 1\nAGENT: form\nGATHER: {n: {TYPE: string}}\nFLOW: {START: a, STEPS: {a: {GATHER: [n], NEXT: b}, b: {SAY: Yes.}}}\n"
	r := record(t, "", "form", source)
	r.says("hi", func(in *turns.Receive) { in.Slots = map[string]json.RawMessage{"n": json.RawMessage(`"7"`)} })
	was, err := json.Marshal(r.commits)
	require.NoError(t, err)
	d := replays.Replay(r.commits, programsOf(t, replaced(t, source, "string", "number")), true).Difference
	require.Equal(t, []string{"message-received", "message-received"}, []string{d.Expected.Name, d.Got.Name})
	is, err := json.Marshal(r.commits)
	require.NoError(t, err)
	require.JSONEq(t, string(was), string(is))
}
