package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/contactcenter"
)

const parrot = `DSL: 1
AGENT: parrot
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/"}}
FLOW:
  START: a
  STEPS:
    a: {SAY: "{{ turn.text }}!", BRANCH: [{IF: 'turn.text == "pay"', GOTO: b}]}
    b: {WHEN: 'turn.text == "pay"', CALL: pay, NEXT: a}
`

var (
	noon       = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	asksAssist = conversations.Conversations.Stream("acme.bot.conv-1")
)

// floor is a conversation on a log in memory, with agents that assist its people.
type floor struct {
	*reactorstest.World
	named string // by the settings
}

// Find implements the finding of agents: there is the parrot alone.
func (f *floor) Find(_ context.Context, of takers.Want) (*takers.Agent, error) {
	if of.Name != "parrot" {
		return nil, nil
	}
	return &takers.Agent{Name: "parrot", Begun: sessions.Begun{Manifest: map[string]sessions.Pinned{"parrot": {Hash: "h"}}}}, nil
}

func (f *floor) Held(context.Context, string, string, string) (projectsettings.Settings, error) {
	return projectsettings.Settings{AssistingAgent: f.named}, nil
}

func (f *floor) Sources(context.Context, string, string, []string) (map[string]string, error) {
	return map[string]string{"h": parrot}, nil
}

func (f *floor) Call(context.Context, driving.Asking) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallOK}
}

// Transcript is what the conversation's stream has of a message.
func (f *floor) Transcript(ctx context.Context, _ string, upTo, _ int) ([]contactcenter.ConversationMessage, error) {
	told, err := eventstore.History(ctx, f.Store, conversations.Conversations, asksAssist)
	for _, e := range told.Events {
		if m, is := e.Payload.(conversations.MessageReceived); is && m.Number == upTo {
			return []contactcenter.ConversationMessage{{Number: m.Number, Query: m.Query}}, nil
		}
	}
	return nil, err
}

// on is the reactor of a node.
func (f *floor) on(store *eventstore.Store) runtime.Assist {
	log := acts.Log{Store: store, MAC: func(parts string, more ...string) []byte {
		return []byte(fmt.Sprintf("%-32.32s", parts+fmt.Sprint(more)))
	}, Now: f.Now}
	return runtime.Assist{Log: log, Agents: f, Settings: f, Said: f, Turns: &driving.Turns{Log: log, Tools: f, Process: "p",
		Programs: &acts.Programs{Sources: f}, URL: func() string { return "https://parley.example" },
		Lives: func(context.Context, string) (bool, error) { return true, nil }}}
}

// newFloor is a conversation in which the user has said some things.
func newFloor(t *testing.T, texts ...string) *floor {
	f := &floor{World: reactorstest.New(t, noon), named: "parrot"}
	reactorstest.Given(f.World, conversations.Conversations, asksAssist, conversations.Opened{ConversationID: "conv-1", TenantID: "acme",
		ProjectID: "bot", Origin: conversations.ByHook, At: noon},
		conversations.AgentEntered{ConversationID: "conv-1", Identity: "a1", TransferType: conversations.NA, Stay: 1, Segment: 1, At: noon})
	for i, text := range texts {
		reactorstest.Given(f.World, conversations.Conversations, asksAssist, conversations.MessageReceived{Number: i + 1,
			Author: conversations.User, Query: text, Recorded: true, SendUserMessage: true, Language: "en", At: noon})
	}
	return f
}

// told is what stands in the conversation, in its order, and how many turns there were.
func (f *floor) told() (lines []string, turns int) {
	f.Helper()
	told, err := eventstore.History(f.Context(), f.Store, conversations.Conversations, asksAssist)
	require.NoError(f, err)
	for _, e := range told.Events {
		switch p := e.Payload.(type) {
		case conversations.AssistAnswered:
			lines = append(lines, fmt.Sprint(p.Number, " ", p.Text))
		case conversations.AssistFailed:
			lines = append(lines, fmt.Sprint(p.Number, " ", p.Code))
		}
	}
	for _, r := range f.Log.Accepted() {
		if r.Topic == sessions.Sessions.Topic() {
			if _, is := memory.Payload(sessions.Sessions.Category, r).(sessions.MessageReceived); is {
				turns++
			}
		}
	}
	return lines, turns
}

// Given a node that dies before or behind each commit, when another one goes on, then each message
// has one turn and one suggestion, in their order.
func TestANodeThatDiesAsksNothingTwice(t *testing.T) {
	for _, lost := range []string{"before", "behind"} {
		for n := range 8 {
			f := newFloor(t, "one", "two", "three")
			mu, seen := sync.Mutex{}, 0
			dies := func([]*eventstore.Record) error {
				mu.Lock()
				defer mu.Unlock()
				if seen++; seen > n {
					return errors.New("it is dead")
				}
				return nil
			}
			faults := memory.Faults{Append: dies}
			if lost == "behind" {
				faults = memory.Faults{Verdict: dies}
			}
			f.Log.Fail(faults)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_ = f.Play(ctx, f.on(f.Store).Reactor())
			cancel()
			f.Log.Fail(memory.Faults{})
			require.NoError(t, f.Play(t.Context(), f.on(f.Another("b")).Reactor()), "%s %d", lost, n)
			lines, turns := f.told()
			require.Equal(t, []string{"1 one!", "2 two!", "3 three!"}, lines, "%s %d", lost, n)
			require.Equal(t, 3, turns, "%s %d", lost, n)
		}
	}
}

// Given nodes that handle the same events at once, then it is as if there were one.
func TestManyNodesAskOnce(t *testing.T) {
	f := newFloor(t, "one", "two", "three", "four")
	var all sync.WaitGroup
	for i := range 4 {
		reactor := f.on(f.Another(fmt.Sprint("n", i))).Reactor()
		all.Go(func() {
			for f.Play(t.Context(), reactor) != nil {
			}
		})
	}
	all.Wait()
	lines, turns := f.told()
	require.Equal(t, []string{"1 one!", "2 two!", "3 three!", "4 four!"}, lines)
	require.Equal(t, 4, turns)
}

// Given a turn that waits for something from outside, when its message has waited for too long, then
// that is given up, the turn is cut off, and the message behind it has its own.
func TestWhatWaitsForTooLongHoldsNobodyUp(t *testing.T) {
	f := newFloor(t, "pay", "two")
	x := f.on(f.Store)
	require.NoError(t, f.Play(t.Context(), x.Reactor()))
	lines, _ := f.told()
	require.Empty(t, lines)
	timer := projections.Timer{Stream: asksAssist, Tenant: reactorstest.Tenant}
	require.IsType(t, reactors.Later(0), x.Look(t.Context(), timer, f.Now()))
	require.NoError(t, x.Turns.Close(t.Context()))

	f.Passes(conversations.AssistWithin - time.Minute)
	reactorstest.Given(f.World, conversations.Conversations, asksAssist, conversations.MessageReceived{Number: 3,
		Author: conversations.User, Query: "three", Recorded: true, SendUserMessage: true, At: f.Now()})
	f.Passes(time.Minute)
	require.NoError(t, f.on(f.Another("b")).Look(t.Context(), timer, f.Now()), "nothing waits any more")
	lines, turns := f.told()
	require.Equal(t, []string{"1 TIMEOUT", "2 TIMEOUT", "3 three!"}, lines)
	require.Equal(t, 2, turns, "what was given up before is not asked")
}

// Given no agent, then the message says so; an agent that is named and gone is another matter.
func TestNobodyCanBeAsked(t *testing.T) {
	for named, want := range map[string]string{"": conversations.AssistNoAgent, "gone": conversations.AssistUnknown} {
		f := newFloor(t, "one")
		f.named = named
		require.NoError(t, f.Play(t.Context(), f.on(f.Store).Reactor()))
		lines, turns := f.told()
		require.Equal(t, []any{[]string{"1 " + want}, 0}, []any{lines, turns})
	}
}
