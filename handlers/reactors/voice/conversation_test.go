package voice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	"github.com/parley-platform/parley/projections/runtime"
)

const asker = `DSL: 1
AGENT: asker
GATHER: {n: {TYPE: integer, PROMPT: "How many?"}}
ON_START: {SAY: "Good day, {{ context.session.UserSession.metadata.name }}!"}
FLOW: {START: ask, STEPS: {ask: {GATHER: [n], NEXT: done}, done: {SAY: "{{ gather.n }}, noted.", END: true}}}
`

const payer = `DSL: 1
AGENT: payer
GATHER: {sure: {TYPE: string, PROMPT: "Sure?"}}
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "https://pay.example/", EXPIRES: 2m, BODY: {}}}
FLOW:
  START: pay
  STEPS:
    pay: {SAY: One moment., CALL: pay, AS: session.paid, NEXT: sure}
    sure: {GATHER: [sure], NEXT: done}
    done: {SAY: "{{ session.paid.state }}, {{ gather.sure }}.", END: true}
`

// sources are the working copies of a project in which nothing is deployed.
type sources map[string]string

func (s sources) Named(_ context.Context, _, _, name string) ([]runtime.Agent, error) {
	if text, ok := s[name]; ok {
		return []runtime.Agent{{Name: name, DSL: text}}, nil
	}
	return nil, nil
}

func (s sources) Sources(context.Context, string, string, []string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range s {
		out[string(agents.HashOf(text))] = text
	}
	return out, nil
}

func (sources) Serving(context.Context, string, string, string) (runtime.Deployment, bool, error) {
	return runtime.Deployment{}, false, nil
}

func (sources) Held(context.Context, string, string, string) (projectsettings.Settings, error) {
	return projectsettings.Settings{}, nil
}

// Get knows no deployment by its id: calls name none.
func (sources) Get(context.Context, string, string, string) (d runtime.Deployment, ok bool, err error) {
	return d, false, nil
}

// asked counts what tools are asked, which answer later.
type asked struct{ times atomic.Int32 }

func (a *asked) Call(context.Context, driving.Asking) sessions.CallEnded {
	a.times.Add(1)
	return sessions.CallEnded{Outcome: sessions.CallOK}
}

// talking gives a dialer agents.
func talking(store *eventstore.Store, tools *asked, all sources) func(*voice.DialerConfig) {
	mac := func(string, ...string) []byte { return make([]byte, 32) }
	return func(c *voice.DialerConfig) {
		c.Agents = &voice.Agents{Log: slog.New(slog.DiscardHandler), Agents: takers.Agents{Deployments: all, Copies: all, Settings: all,
			Turns: &driving.Turns{Log: acts.Log{Store: store, MAC: mac, Now: time.Now}, Programs: &acts.Programs{Sources: all}, Tools: tools,
				Process: "p-1", URL: func() string { return "https://parley.example" }}}}
	}
}

// inConversation runs a story with a dialer whose agents can be run.
func inConversation(t *testing.T, story func(*dialerWorld, *asked)) {
	tools := &asked{}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, tools, sources{"asker": asker, "payer": payer, "broken": "DSL: 1\nAGENT: other\n"}))
		story(w, tools)
	})
}

// Given a database that takes its time, when the agent of a call is found four seconds behind its answer, then it takes the call.
func TestAnAgentThatIsFoundLateTakesTheCall(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"asker": asker}), func(c *voice.DialerConfig) {
			c.Agents.Copies = lateSources{sources{"asker": asker}, 6800 * time.Millisecond}
		})
		w.place("c1", takenBy("asker"))
		w.pass(20 * time.Second)
		require.NotNil(w, w.store.state("c1").Agent)
		require.NotEmpty(w, w.store.talk("c1"))
		require.NotContains(w, w.store.talk("c1"), "said 0 Good day!")
	})
}

// Given a log that takes its time, when the callee hangs up before the agent has begun, then that is no fault of which a line of the
// node's log would tell.
func TestAnAgentThatHasNotBegunWhenTheCallIsOver(t *testing.T) {
	var said bytes.Buffer
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"asker": asker}), func(c *voice.DialerConfig) {
			c.Log = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError}))
		})
		w.store.Fail(memory.Faults{Append: failing("sessions.opened", 1_000, errAway)})
		w.place("c1", takenBy("asker"), number("0001"))
		w.pass(time.Minute)
		require.NotContains(w, strings.Join(w.store.talk("c1"), "\n"), "said")
		require.Equal(w, calls.PhaseCompleted, w.store.state("c1").Phase)
	})
	require.Empty(t, said.String())
}

func takenBy(agent string, says ...string) func(*calls.DialOut) {
	return func(c *calls.DialOut) {
		c.Target, c.Flow = calls.Talker, calls.Flow{AgentName: agent, StartText: "Good day!", Language: "en", Talks: true}
		c.Metadata, _ = json.Marshal(map[string]any{"name": "Ada", "says": says})
	}
}

// talk is what was said and heard in a call, in the order of its stream.
func (m *memoryCalls) talk(callID string) (lines []string) {
	for _, e := range m.events(callID) {
		switch e := e.(type) {
		case calls.Said:
			lines = append(lines, fmt.Sprint("said ", e.Message, " ", e.Text))
		case calls.Heard:
			lines = append(lines, fmt.Sprint("heard ", e.Number, " ", e.Text))
		case calls.Completed:
			lines = append(lines, fmt.Sprint(e.ReasonCode, ": ", e.Cause))
		}
	}
	return lines
}

func (m *memoryCalls) session(callID string) sessions.State {
	return sessions.Sessions.State(m.sessionEvents(callID)...)
}

func (m *memoryCalls) sessionEvents(callID string) []event.Payload {
	return memory.Events(m.Log, sessions.Sessions.Category, sessions.Sessions.Stream(m.state(callID).SessionID))
}

func TestAConversation(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.place("c1", takenBy("asker", "hello you", "many", "17"))
		w.pass(time.Minute)
		require.Equal(w, []string{"said 1 Good day, Ada!", "heard 1 hello you", "said 3 How many?", "heard 2 many",
			"said 5 How many?", "heard 3 17",
			"said 7 17, noted.", "Bot-disconnected: the agent ended the conversation"}, w.store.talk("c1"))
		require.Len(w, w.carrier.hungUp, 1)
		s := w.store.session("c1")
		require.Equal(w, []any{sessions.Ended, "c1", "voice", 4, 7}, []any{s.Status, s.CallID, s.Channel, s.Talk.Turns, s.Talk.Messages})
		require.Equal(w, w.store.state("c1").Agent.Manifest, s.Talk.Manifest)
	})
}

// Given an agent that cannot be run, or is not there, then it says its start text, and nothing is heard.
func TestAnAgentThatCannotBeRunSaysItsStartText(t *testing.T) {
	for _, agent := range []string{"broken", "gone"} {
		inConversation(t, func(w *dialerWorld, _ *asked) {
			w.place("c1", takenBy(agent, "hello"), func(c *calls.DialOut) { c.Target = "tel:+15550000001" })
			w.pass(time.Minute)
			require.Equal(w, []string{"said 0 Good day!", "Caller-disconnected: the callee hung up"}, w.store.talk("c1"), agent)
			require.Nil(w, w.store.state("c1").Agent)
			require.Empty(w, w.store.sessionEvents("c1"), "which its reactor opens")
		})
	}
}

// Given a turn that waits for a callback, then the line stays open, what is said meanwhile waits, and the turn goes on here, whoever took
// the answer.
func TestACallWaitsForACallback(t *testing.T) {
	inConversation(t, func(w *dialerWorld, tools *asked) {
		w.place("c1", takenBy("payer", "yes", "and more"))
		w.pass(30 * time.Second)
		require.Equal(w, []string{"said 1 One moment.", "heard 1 yes"}, w.store.talk("c1"))
		s := w.store.session("c1")
		waits := s.Talk.Suspended()
		require.NotNil(w, waits)
		require.EqualValues(w, 1, tools.times.Load())
		programs, err := (&acts.Programs{Sources: sources{"payer": payer}}).Of(w.Context(), "acme", "a-1", s.Talk.Manifest)
		require.NoError(w, err)
		_, err = eventstore.Execute(w.Context(), w.store.store, sessions.Sessions, sessions.Sessions.Stream(s.ID),
			eventstore.Command{Actor: "another node"}, turns.Outcome{CallID: waits.CallID, Programs: programs, At: time.Now(),
				Ended: sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`{"state":"paid"}`), Later: true}}.Decide)
		require.NoError(w, err)
		w.pass(30 * time.Second)
		require.Equal(w, []string{"said 1 One moment.", "heard 1 yes", "said 2 Sure?", "said 4 paid, yes.",
			"Bot-disconnected: the agent ended the conversation"}, w.store.talk("c1"))
	})
}

// Given a log that takes nothing for a while, then nothing that was heard is lost, and nothing is said twice.
func TestALogThatIsAwayLosesNoLine(t *testing.T) {
	for _, kind := range []string{"message-received", "picked-up", "heard", "answered"} {
		inConversation(t, func(w *dialerWorld, _ *asked) {
			w.store.Fail(memory.Faults{Verdict: failing(kind, 5, errAway)})
			w.place("c1", takenBy("asker", "hello", "17"))
			w.pass(time.Minute)
			require.Equal(w, []string{"said 1 Good day, Ada!", "heard 1 hello", "said 3 How many?", "heard 2 17", "said 5 17, noted.",
				"Bot-disconnected: the agent ended the conversation"}, w.store.talk("c1"), kind)
		})
	}
}

// Given a callee who hangs up, or a node that stops, in the middle of a word, then that it was said stands on the log.
func TestACallThatEndsInTheMiddleOfAWord(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.place("c1", takenBy("asker", "one two three four five"))
		w.pass(4200 * time.Millisecond) // answered at 2.8 s, the first word at 3.4 s
		require.NoError(w, w.dialer.Close(w.Context()))
		require.Equal(w, []string{"said 1 Good day, Ada!", "heard 1 one two three", "Gateway-disconnected: the node shut down"},
			w.store.talk("c1"))
	})
}

// Given a session that is ended by somebody else, then the call is hung up.
func TestTheEndOfItsSessionHangsUp(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.place("c1", takenBy("asker"))
		w.pass(10 * time.Second)
		_, err := eventstore.Execute(w.Context(), w.store.store, sessions.Sessions, sessions.Sessions.Stream(w.store.state("c1").SessionID),
			eventstore.Command{Actor: "user:ada"}, sessions.End{Reason: "ended", At: time.Now()}.Decide)
		require.NoError(w, err)
		w.pass(2 * time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "Bot-disconnected: the agent ended the conversation"}, w.store.talk("c1"))
		require.Len(w, w.carrier.hungUp, 1)
	})
}

// slowSources takes its time to say what is deployed.
type slowSources struct{ sources }

func (s slowSources) Serving(ctx context.Context, tenant, project, environment string) (runtime.Deployment, bool, error) {
	time.Sleep(9 * time.Second)
	return s.sources.Serving(ctx, tenant, project, environment)
}

// Given an agent that is found late, then who answers in life does not wait for it, and a callee of a faster simulation does, who rang for
// a moment only.
func TestAnAgentThatIsFoundLate(t *testing.T) {
	for speed, want := range map[int]bool{1: false, 100: true} {
		inVirtualTime(t, speed, func(w *dialerWorld) {
			require.NoError(w, w.dialer.Close(w.Context()))
			all := sources{"asker": asker}
			w.dialer = w.newDialer(talking(w.store.store, &asked{}, all), func(c *voice.DialerConfig) {
				c.Agents.Deployments = slowSources{all}
			})
			w.place("c1", takenBy("asker"))
			w.pass(11 * time.Second)
			require.Equal(w, want, w.store.state("c1").Agent != nil, "at %d times the speed", speed)
		})
	}
}
