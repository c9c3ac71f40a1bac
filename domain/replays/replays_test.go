package replays_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const shop = `DSL: 1
AGENT: shop
TOOLS:
  find: {KIND: http, URL: "https://crm.example.com/find", PARAMS: {type: object, properties: {name: {type: string}}}}
  pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/", EXPIRES: 30m, ON_TIMEOUT: {SAY: Too late., GOTO: ask}}
GATHER: {name: {TYPE: string, PROMPT: "Who?"}, pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$", PROMPT: "PIN?", SENSITIVE: true}}
GUARDRAILS: {cards: {ON: input, CHECK: '!text.matches("[0-9]{12}")', ACTION: redact, PATTERN: "[0-9]{12}"},
  rude: {ON: input, CHECK: '!text.contains("damn")', ACTION: block, MESSAGE: Please.}}
ON_START: {SAY: Welcome.}
FLOW:
  START: ask
  STEPS:
    ask: {GATHER: [name, pin], NEXT: find}
    find: {CALL: find, WITH: {name: gather.name}, AS: session.found, ON_ERROR: {RETRY: 1, SAY: Not found., GOTO: talk}, NEXT: pay}
    pay: {CALL: pay, ON_ERROR: {SAY: Not paid., CONTINUE: true}, NEXT: talk}
    talk: {MODE: model, GOAL: Thank them, EXIT_WHEN: has(session.bye), NEXT: bye}
    bye: {SAY: Goodbye., END: true}
GOAL: Sell things.
`

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// recording is a session under way: what it is decided by, and the commits so far.
type recording struct {
	t        *testing.T
	programs turns.Programs
	state    sessions.State
	commits  []replays.Commit
	inputs   []string // what they came of
	try      int
}

// input is what is decided on.
type input interface {
	Decide(s sessions.State) ([]event.Payload, error)
}

func programsOf(t *testing.T, sources ...string) turns.Programs {
	t.Helper()
	out := turns.Programs{}
	for _, source := range sources {
		_, name, _ := strings.Cut(source, "AGENT: ")
		name, _, _ = strings.Cut(name, "\n")
		p, problems := dsl.Compile(name, source)
		require.NotNil(t, p, problems)
		out[name] = p
	}
	return out
}

// record begins a session with the first of the agents, of a call if that has an id.
func record(t *testing.T, call, agent string, sources ...string) *recording {
	r := &recording{t: t, programs: programsOf(t, sources...)}
	manifest := map[string]sessions.Pinned{}
	for name := range r.programs {
		manifest[name] = sessions.Pinned{Hash: "h"}
	}
	open := sessions.Open{ID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", Thread: "thread-1", CallID: call, AgentName: agent,
		At: noon, Begun: &sessions.Begun{Manifest: manifest, Language: "en"}}
	r.decides(open)
	return r
}

// decides puts a decision on the log, as it comes back from there.
func (r *recording) decides(in input) {
	r.t.Helper()
	own := r.state
	own.Talk = own.Talk.Own()
	got, err := in.Decide(own)
	require.NoError(r.t, err)
	var c replays.Commit
	for _, p := range got {
		kind, err := sessions.Sessions.KindOf(p)
		require.NoError(r.t, err)
		data, err := json.Marshal(p)
		require.NoError(r.t, err)
		back, err := sessions.Sessions.Decode("parley.sessions."+kind.Name+".v1", data)
		require.NoError(r.t, err)
		sessions.Sessions.Fold(&r.state, back)
		c = append(c, back)
	}
	if len(c) > 0 {
		r.commits = append(r.commits, c)
		r.inputs = append(r.inputs, reflect.TypeOf(in).Name())
	}
}

func (r *recording) claim() sessions.Claimed {
	r.try++
	return sessions.Claimed{Process: "n-1@a", Try: string(rune('a' + r.try))}
}

func (r *recording) says(text string, more ...func(*turns.Receive)) {
	r.t.Helper()
	in := turns.Receive{Text: text, Programs: r.programs, At: noon.Add(time.Minute), Try: r.claim()}
	for _, m := range more {
		m(&in)
	}
	r.decides(in)
}

func (r *recording) ends(e sessions.CallEnded) {
	r.t.Helper()
	r.decides(turns.Outcome{CallID: r.state.Talk.Running.Open[0].CallID, Ended: e, Programs: r.programs, At: noon.Add(2 * time.Minute),
		Try: r.claim()})
}

func (r *recording) thinks(a sessions.ModelAnswered) {
	r.t.Helper()
	r.decides(turns.Outcome{CallID: r.state.Talk.Running.Asked.CallID, Answer: &a, Programs: r.programs, At: noon.Add(3 * time.Minute),
		Try: r.claim()})
}

// whole is a session in which all happens that can come to a turn.
func whole(t *testing.T) *recording {
	r := record(t, "", "shop", shop)
	r.says("hello", func(in *turns.Receive) { in.Metadata = json.RawMessage(`{"page": "/x"}`) })
	r.says("damn", func(in *turns.Receive) { in.IgnoredAgent = "x" })
	r.says("Ann 123456789012")
	r.says("1234")
	r.ends(sessions.CallEnded{Outcome: sessions.CallFailed, Code: "TIMEOUT"})
	r.decides(turns.TakeOver{From: r.state.Talk.Running.Open[0].Try, Programs: r.programs, At: noon, Try: r.claim()})
	r.ends(sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"n":1.50,"x":[1,2]}`), Status: 200})
	r.decides(turns.Suspend{CallID: r.state.Talk.Running.Open[0].CallID, Programs: r.programs, At: noon})
	r.ends(sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"ok":true}`), Later: true})
	r.thinks(sessions.ModelAnswered{Text: "Thank you."})
	r.says("bye")
	var many []sessions.ModelCall
	for range 18 {
		many = append(many, sessions.ModelCall{Name: "fly", Arguments: "{}"})
	}
	r.thinks(sessions.ModelAnswered{Text: "Well.", ToolCalls: many})
	r.decides(sessions.CancelTurn{At: noon})
	r.decides(sessions.Reset{At: noon})
	r.says("again", func(in *turns.Receive) {
		in.SkipOnStart, in.StartAt, in.Slots = true, "find", map[string]json.RawMessage{"name": json.RawMessage(`"Bob"`)}
		in.Mocks = []sessions.Mock{{Tool: "find", Result: json.RawMessage(`{"n":2}`)}}
	})
	r.decides(sessions.End{Reason: "ended", At: noon})
	return r
}

// Given a session that was written before calls that are sent had figures, and ends had threads, then deciding it again comes to
// what stands on the log.
func TestWhatWasWrittenWithoutNewMembersComesToTheSame(t *testing.T) {
	r := whole(t)
	without := 0
	for _, c := range r.commits {
		for i, p := range c {
			if sent, is := p.(sessions.CallSent); is {
				require.NotNil(t, sent.Figures)
				sent.Figures = nil
				c[i], without = sent, without+1
			}
			if ended, is := p.(sessions.SessionEnded); is {
				require.NotEmpty(t, ended.Thread)
				ended.Thread = ""
				c[i], without = ended, without+1
			}
		}
	}
	require.Equal(t, 2, without)
	require.Nil(t, replays.Replay(r.commits, programsOf(t, shop), false).Difference)
}

// Given a session, then deciding it again by its own sources comes to what stands on the log, from
// each prefix of it.
func TestTheSameSourcesComeToTheSame(t *testing.T) {
	r := whole(t)
	got := replays.Replay(r.commits, programsOf(t, shop), false)
	require.Nil(t, got.Difference)
	require.Equal(t, []int{6, 14, 0}, []int{got.Turns, got.Decisions, got.Passed})
	for n := range r.commits {
		require.Nil(t, replays.Replay(r.commits[:n], r.programs, false).Difference)
	}
}

// Given a record that says something else, then that is found, whichever it is.
func TestEachChangeIsFound(t *testing.T) {
	r := whole(t)
	for i, c := range r.commits[1:] {
		for j := range c {
			if _, is := c[j].(sessions.WasReset); is || len(c) == 1 && j == 0 {
				continue // what was decided by nothing but its input
			}
			changed := slices.Clone(r.commits)
			changed[i+1] = slices.Delete(slices.Clone(c), j, j+1)
			if got := replays.Replay(changed, r.programs, false); got.Difference == nil && got.Passed == 0 {
				require.IsType(t, sessions.MessageReceived{}, c[j], "%T of commit %d", c[j], i+1)
			}
		}
	}
}

// Given another version of the source, then the first difference is shown with where it is; what a
// model is asked besides is none.
func TestAnotherVersionIsComparedUpToTheFirstDifference(t *testing.T) {
	r := whole(t)
	for name, c := range map[string]struct {
		old, new   string
		turn       int
		step, want string
		got        string
	}{
		"says something else": {"Welcome.", "Hello.", 1, "", "said Welcome.", "said Hello."},
		"another retry":       {"{RETRY: 1, ", "{", 4, "find", "call-opened", "said Not found."},
		"asks the model else": {"GOAL: Sell things.", "GOAL: Give things away.", 0, "", "", ""},
		"has a guardrail more": {"GUARDRAILS: {", `GUARDRAILS: {zoo: {ON: input, CHECK: '!text.contains("hello")', ACTION: block, MESSAGE: No.},
  `, 1, "", "message-received", "message-received"},
		"ends otherwise": {"NEXT: pay}", "NEXT: bye}", 4, "find", "step-entered", "step-entered"},
	} {
		t.Run(name, func(t *testing.T) {
			source := replaced(t, shop, c.old, c.new)
			got := replays.Replay(r.commits, programsOf(t, source), true)
			if c.turn == 0 {
				require.Nil(t, got.Difference)
				require.Equal(t, "model-asked", replays.Replay(r.commits, programsOf(t, source), false).Difference.Expected.Name)
				return
			}
			d := got.Difference
			require.NotNil(t, d)
			require.Equal(t, []any{c.turn, c.step}, []any{d.Turn, d.Step})
			require.Equal(t, []string{c.want, c.got}, []string{words(d.Expected), words(d.Got)})
			require.NotEmpty(t, d.Input)
		})
	}
	d := replays.Replay(r.commits, programsOf(t, replaced(t, shop, "SENSITIVE: true", "SENSITIVE: false")), true).Difference
	require.NotContains(t, string(d.Expected.Data), "1234", "a sensitive value is not shown")
}

func replaced(t *testing.T, in, old, by string) string {
	t.Helper()
	require.Contains(t, in, old)
	return strings.Replace(in, old, by, 1)
}

func words(e *replays.Event) string {
	if e == nil {
		return ""
	}
	var said struct{ Text string }
	_ = json.Unmarshal(e.Data, &said)
	if e.Name == "said" {
		return e.Name + " " + said.Text
	}
	return e.Name
}

const (
	planner = `DSL: 1
AGENT: planner
DELEGATE:
  - {ID: air, GROUP: offers, AGENT: flights, RETURNS: {price: session.air}, TIMEOUT: 12s, ON_FAIL: continue}
  - {ID: rail, GROUP: offers, AGENT: trains, RETURNS: {price: session.rail}, TIMEOUT: 20s, ON_FAIL: {RETRY: 1}}
FAN_OUT: {offers: {JOIN: all}}
ON_START: {SAY: Hello.}
FLOW: {START: search, STEPS: {search: {SAY: Searching., DELEGATE: offers}}}
`
	finder = `DSL: 1
AGENT: %s
TOOLS: {%s: {KIND: http, METHOD: %s, URL: "https://o.example.com/"}}
COMPLETE: [{WHEN: has(session.found), RESULT: {price: "{{ session.found.n }}"}}]
FLOW: {START: a, STEPS: {a: {SAY: Looking., CALL: %s, AS: session.found, END: true}}}
`
)

// What was in stores, what turns put there, and that another went on with it, is decided again; and so is what a turn makes of a store
// that it knows already.
func TestStoresAreDecidedAgain(t *testing.T) {
	r := record(t, "", "barber", `DSL: 1
AGENT: barber
MEMORY: {visit: {SCOPE: session}, shop: {SCOPE: project, ACCESS: read}}
TOOLS: {cut: {KIND: code, SOURCE: "return 1", STORES: [visit]}}
GATHER: {name: {TYPE: string, PROMPT: "Your name?"}}
FLOW:
  START: a
  STEPS:
    a: {GATHER: [name], SET: {memory.visit.name: gather.name}, NEXT: b}
    b: {CALL: cut, AS: session.cut, NEXT: c}
    c: {SAY: "{{ memory.visit.name }}, chair {{ memory.shop.chair }}."}
`)
	told := func(store string, scope memories.Scope, version int, content string) sessions.StoreTold {
		return sessions.StoreTold{StoreOf: sessions.StoreOf{Scope: scope, Store: store}, Version: version, Content: json.RawMessage(content)}
	}
	visit := func(version int, content string) sessions.StoreTold {
		return told("visit", memories.OfSession, version, content)
	}
	shop := told("shop", memories.OfProject, 3, `{"chair":2}`)
	recalls := func(stores ...sessions.StoreTold) {
		t.Helper()
		r.decides(turns.Recalled{CallID: r.state.Talk.Running.Memory.CallID, Stores: stores, Programs: r.programs, At: noon,
			Try: r.claim()})
	}
	r.says("hello")
	r.decides(turns.TakeOver{From: r.state.Talk.Running.Memory.Try, Programs: r.programs, At: noon, Try: r.claim()})
	recalls(visit(0, ""), shop)
	r.says("Ann")
	recalls(visit(0, ""), shop)
	recalls(visit(1, `{"name":"Ann"}`))
	r.decides(turns.Outcome{CallID: r.state.Talk.Running.Open[0].CallID, Ended: sessions.CallEnded{Outcome: sessions.CallOK},
		Memory: []sessions.StoreTold{visit(2, `{"name":"Ann","cut":1}`)}, Programs: r.programs, At: noon, Try: r.claim()})
	require.Nil(t, r.state.Talk.Running)
	got := replays.Replay(r.commits, r.programs, false)
	require.Nil(t, got.Difference)
	require.Equal(t, []int{2, 7, 0}, []int{got.Turns, got.Decisions, got.Passed})
}

// Delegates that work at once, in time and too late, are decided again, and so is their cancel, and
// what the callee of a call hears and says.
func TestDelegatesAndCallsAreDecidedAgain(t *testing.T) {
	named := func(name, method string) string { return fmt.Sprintf(finder, name, name, method, name) }
	r := record(t, "c-1", "planner", planner, named("flights", "GET"), named("trains", "POST"))
	r.decides(turns.PickUp{Programs: r.programs, At: noon, Try: r.claim()})
	onCall := func(in *turns.Receive) { in.OnCall = true }
	outcome := func(n int, e sessions.CallEnded) {
		t.Helper()
		r.decides(turns.Outcome{CallID: r.state.Talk.Running.Left()[n], Ended: e, Programs: r.programs, At: noon.Add(time.Minute),
			Try: r.claim()})
	}
	found := sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"n":7}`)}
	r.says("search", onCall)
	outcome(1, found)
	outcome(0, found)
	r.says("search", onCall)
	r.decides(turns.TakeOver{From: r.state.Talk.Running.Claims()[0].Try, Programs: r.programs, At: noon.Add(time.Minute), Try: r.claim()})
	r.decides(turns.Late{Programs: r.programs, At: noon.Add(time.Hour), Try: r.claim()})
	r.says("search", onCall)
	r.decides(sessions.CancelTurn{At: noon.Add(2 * time.Minute)})
	require.Nil(t, r.state.Talk.Running)
	require.Len(t, r.commits, 9)
	got := replays.Replay(r.commits, r.programs, false)
	require.Nil(t, got.Difference)
	require.Equal(t, []int{4, 8, 0}, []int{got.Turns, got.Decisions, got.Passed})
}
