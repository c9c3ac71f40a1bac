package replays_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const desk = `DSL: 1
AGENT: desk
MEMORY: {profile: {SCOPE: project}}
TOOLS:
  add: {KIND: code, LANG: js, SOURCE: "return 1", STORES: [profile], PARAMS: {type: object}}
  pay: {KIND: http, METHOD: POST, URL: "https://pay.example.com/", CONFIRM: write}
GATHER: {name: {TYPE: string, PROMPT: "Who?"}}
GUARDRAILS: {cards: {ON: input, CHECK: '!text.matches("[0-9]{12}")', ACTION: redact, PATTERN: "[0-9]{12}"}}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [name], SET: {memory.profile.name: gather.name}, NEXT: add}
    add: {CALL: add, NEXT: pay}
    pay: {CALL: pay, ON_ERROR: {SAY: Not paid., CONTINUE: true}, NEXT: person}
    person: {SAY: "A colleague, {{ memory.profile.name }}.", ESCALATE: meters, NEXT: back}
    back: {SAY: "Welcome back, {{ memory.profile.name }}.", NEXT: ask}
`

// memory is what came of the stores that a turn waits for.
func (r *recording) memory(stores ...sessions.StoreTold) {
	r.t.Helper()
	require.NotNil(r.t, r.state.Talk.Running)
	require.NotNil(r.t, r.state.Talk.Running.Memory)
	r.decides(turns.Recalled{CallID: r.state.Talk.Running.Memory.CallID, Stores: stores, Programs: r.programs, At: noon, Try: r.claim()})
}

func (r *recording) goneOver() {
	r.t.Helper()
	r.decides(turns.TakeOver{From: r.state.Talk.Running.Claims()[0].Try, Programs: r.programs, At: noon, Try: r.claim()})
}

func (r *recording) givenBack(failed bool) {
	r.t.Helper()
	p := r.state.Talk.People
	r.decides(turns.GiveBack{TransferID: p.TransferID, Turn: p.Turn, Taken: p.Taken(), Failed: failed, Reason: "WHY", Programs: r.programs,
		At: noon, Try: r.claim()})
}

// peopled is a session with stores of memory, a tool that the user confirms, and people.
func peopled(t *testing.T) *recording {
	profile := sessions.StoreOf{Scope: memories.OfProject, Store: "profile"}
	store := func(version int, name string) sessions.StoreTold {
		return sessions.StoreTold{StoreOf: profile, Version: version, Content: json.RawMessage(`{"name":"` + name + `"}`)}
	}
	done := sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`1`)}
	r := record(t, "", "desk", desk)
	r.decides(sessions.Inform{UserSession: map[string]json.RawMessage{"a": json.RawMessage(`1`)}, At: noon})
	r.decides(sessions.LinkContact{ContactID: "ct-1", At: noon})
	r.decides(sessions.Attach{AttachmentID: "f-1", FileName: "a.txt", Blob: "b", At: noon})
	r.says("hi")
	r.goneOver()
	r.memory(store(1, "Zoe"))
	r.decides(sessions.GiveFeedback{MessageID: "m", Rating: "up", At: noon})
	r.says("Ann")
	r.memory(store(1, "Zoe")) // which the session knows
	r.memory(store(2, "Ann")) // before the tool that sees it
	r.decides(turns.Outcome{CallID: r.state.Talk.Running.Open[0].CallID, Ended: done, Memory: []sessions.StoreTold{store(3, "Bea")},
		Programs: r.programs, At: noon, Try: r.claim()})
	require.Equal(t, sessions.ForConfirm, r.state.Talk.Waits.For)
	r.says("perhaps")
	r.memory(sessions.StoreTold{StoreOf: profile, Failed: sessions.CodeTimeout})
	r.says("yes")
	r.memory(store(4, "Cat"))
	r.ends(sessions.CallEnded{Outcome: sessions.CallFailed, Code: "HTTP_500"})
	require.NotNil(t, r.state.Talk.People)
	r.says("hello?", func(in *turns.Receive) { in.Attached = []string{"f-1"} })
	r.decides(sessions.Take{TransferID: r.state.Talk.People.TransferID, ConversationID: "c-1", HumanAgentID: "a-1", Turn: 1, At: noon})
	r.says("my card is 123456789012")
	r.decides(sessions.HearPerson{ConversationID: "c-1", Number: 3, HumanAgentID: "a-1", Text: "Thanks.", At: noon})
	r.givenBack(false)
	r.memory(store(5, "Dan"))
	r.decides(sessions.BreakOff{Try: r.state.Talk.Running.Claims()[0].Try, Why: sessions.CodeSource, Detail: "line 3", At: noon})
	r.decides(sessions.Take{TransferID: "t-9", ConversationID: "c-9", QueueID: "q-1", Turn: 2, At: noon})
	r.givenBack(true) // a takeover
	r.decides(sessions.EndIdle{At: noon.Add(48 * time.Hour)})
	require.Equal(t, sessions.Ended, r.state.Status)
	return r
}

// Given what comes of people, memory and confirmation, then it is decided again as all the rest,
// and nothing is passed over.
func TestPeopleMemoryAndConfirmationAreDecidedAgain(t *testing.T) {
	r := peopled(t)
	got := replays.Replay(r.commits, programsOf(t, desk), false)
	require.Nil(t, got.Difference)
	aside := 6 // opened, informed, linked, attached, feedback, ended
	require.Equal(t, []int{0, len(r.commits) - aside}, []int{got.Passed, got.Decisions})
	for i, c := range r.commits {
		for j := range c {
			switch c[j].(type) {
			case sessions.MessageReceived, sessions.SessionEnded: // without it a commit is another one
				continue
			}
			if len(c) == 1 {
				continue
			}
			changed := slices.Clone(r.commits)
			changed[i] = slices.Delete(slices.Clone(c), j, j+1)
			again := replays.Replay(changed, r.programs, false)
			require.True(t, again.Difference != nil || again.Passed > 0, "%T of commit %d is missed", c[j], i)
		}
	}
	d := replays.Replay(r.commits, programsOf(t, strings.Replace(desk, "Welcome back", "Hello again", 1)), true).Difference
	require.Equal(t, []string{"said", "what came of stores of memory"}, []string{d.Expected.Name, d.Input})
}

// What the detection of a call has found out comes in one commit with what the callee says.
func TestWhatTheChannelKnowsComesWithAMessage(t *testing.T) {
	r := record(t, "c-1", "shop", shop)
	r.decides(turns.PickUp{Programs: r.programs, At: noon, Try: r.claim()})
	r.says("hello", func(in *turns.Receive) { in.OnCall = true })
	last := len(r.commits) - 1
	r.commits[last] = append(replays.Commit{sessions.Informed{UserSession: map[string]json.RawMessage{"amd": json.RawMessage(`"human"`)},
		At: noon}}, r.commits[last]...)
	got := replays.Replay(r.commits, r.programs, false)
	require.Nil(t, got.Difference)
	require.Equal(t, []int{2, 0}, []int{got.Decisions, got.Passed})
}

// A turn with whose source a server could not go on ended for that, and so did one that people gave
// back.
func TestARefusedSourceIsDecidedAgain(t *testing.T) {
	const why = "the source of the agent desk does not compile"
	r := record(t, "", "desk", desk)
	r.says("hi")
	r.decides(sessions.BreakOff{Try: r.state.Talk.Running.Claims()[0].Try, Why: sessions.CodeSource, Detail: why, At: noon})
	again(t, r, 2)

	r = record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {ESCALATE: q, NEXT: b}, b: {SAY: Back.}}}\n")
	r.says("hi")
	p := r.state.Talk.People
	r.decides(turns.GiveBack{TransferID: p.TransferID, Turn: p.Turn, Refused: why, At: noon, Try: r.claim()})
	require.Equal(t, sessions.CodeSource, r.commits[len(r.commits)-1][2].(sessions.TurnEnded).Failed)
	again(t, r, 2)
}

// What a model had taken that was cut off is a figure, and decides nothing.
func TestWhatIsCountedIsNoDecision(t *testing.T) {
	r := record(t, "", "guide", "DSL: 1\nAGENT: guide\nGOAL: Help.\n")
	r.says("hi")
	asked := r.state.Talk.Running.Asked.CallID
	r.decides(sessions.CancelTurn{At: noon})
	r.decides(sessions.CountCut{CallID: asked, Took: sessions.ModelAnswered{ModelID: "m", TokensIn: 3}, At: noon})
	require.IsType(t, sessions.ModelCounted{}, r.commits[len(r.commits)-1][0])
	again(t, r, 2)
}

// What a user takes back decides nothing, and what is decided behind it is decided on what models see then.
func TestWhatIsTakenBackIsNoDecision(t *testing.T) {
	r := record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {SAY: Yes.}}}\n")
	r.says("hi")
	said, is := sessions.HeardAs(r.commits[len(r.commits)-1][0])
	require.True(t, is)
	r.decides(sessions.TakeBack{Message: said, At: noon})
	require.IsType(t, sessions.MessageTakenBack{}, r.commits[len(r.commits)-1][0])
	r.says("and now")
	again(t, r, 2)
}

// What a difference tells has neither its words nor what goes with them.
func TestADifferenceDoesNotTellWhatWasTakenBack(t *testing.T) {
	r := record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {SAY: Yes.}}}\n")
	r.says("my pin is 4711", func(in *turns.Receive) { in.Metadata = json.RawMessage(`{"pin":"4711"}`) })
	said, _ := sessions.HeardAs(r.commits[len(r.commits)-1][0])
	r.decides(sessions.TakeBack{Message: said, At: noon})
	for label, programs := range map[string]turns.Programs{"something else is decided": r.programs, "nothing is": {}} {
		t.Run(label, func(t *testing.T) {
			changed := slices.Clone(r.commits)
			first := slices.Clone(changed[1])
			heard := first[0].(sessions.MessageReceived)
			heard.Turn = 7
			first[0], changed[1] = heard, first
			d := replays.Replay(changed, programs, false).Difference
			require.NotNil(t, d)
			require.Equal(t, "a message that its sender has taken back", d.Input)
			shown, err := json.Marshal(d)
			require.NoError(t, err)
			require.NotContains(t, string(shown), "4711")
			require.Contains(t, string(d.Expected.Data), sessions.TakenBackLine)
		})
	}
}

// So it is with what says that a reset has dropped a message.
func TestWhatIsDroppedIsNoDecision(t *testing.T) {
	r := record(t, "", "line", "DSL: 1\nAGENT: line\nFLOW: {START: a, STEPS: {a: {SAY: Yes.}}}\n")
	r.says("hi")
	r.decides(sessions.Reset{At: noon})
	r.decides(sessions.DropMessage{At: noon})
	require.IsType(t, sessions.Noticed{}, r.commits[len(r.commits)-1][0])
	r.says("and now")
	again(t, r, 2)
}

// again replays all that was recorded.
func again(t *testing.T, r *recording, decisions int) {
	t.Helper()
	got := replays.Replay(r.commits, r.programs, false)
	require.Nil(t, got.Difference)
	require.Equal(t, []int{decisions, 0}, []int{got.Decisions, got.Passed})
}

// A new kind of input is to be played here: then it is seen whether it is decided again.
func TestEveryInputOfSessionsIsKnown(t *testing.T) {
	// in the other recordings
	played := []string{"Open", "PickUp", "Late", "CancelTurn", "CountCut", "BreakOff", "Reset", "DropMessage", "TakeBack", "End"}
	for _, r := range []*recording{whole(t), peopled(t)} {
		got := replays.Replay(r.commits, r.programs, false)
		require.Nil(t, got.Difference)
		require.Zero(t, got.Passed)
		played = append(played, r.inputs...)
	}
	slices.Sort(played)
	var all []string
	for _, folder := range []string{"../turns", "../sessions"} {
		all = append(all, inputsIn(t, folder)...)
	}
	slices.Sort(all)
	require.Equal(t, all, slices.Compact(played))
}

// inputsIn are the types of a package that decide on the state of a session.
func inputsIn(t *testing.T, folder string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		tree, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			f, is := d.(*ast.FuncDecl)
			if is && f.Recv != nil && f.Name.Name == "Decide" {
				out = append(out, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}
