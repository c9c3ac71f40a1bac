package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
)

// wire is a line that a provider has opened to us.
type wire struct {
	facts  chan calls.Fact
	hungUp int
}

func newWire() *wire { return &wire{facts: make(chan calls.Fact, 100)} }

func (l *wire) Facts() <-chan calls.Fact { return l.facts }

func (l *wire) Say(context.Context, string, string) error { return nil }

func (l *wire) HangUp(context.Context) error {
	l.hungUp++
	return nil
}

func (l *wire) says(text string) {
	l.facts <- calls.Fact{Kind: calls.FactWords, At: time.Now(), Text: text}
	l.facts <- calls.Fact{Kind: calls.FactSilence, At: time.Now()}
}

const carried = "018f0000-0000-8000-8000-00000000000c"

// bring puts a call into the store that a provider brought, and that an agent has answered, the asker if no
// other text is named; without a name nobody has.
func (w *dialerWorld) bring(agent string, text ...string) {
	w.Helper()
	w.bringAs(agent, append(text, asker)[0], func(*calls.Arrive) {})
}

func (w *dialerWorld) bringAs(agent, text string, change func(*calls.Arrive)) {
	w.Helper()
	answer := calls.Answer{SessionID: "s-1", At: time.Now()}
	if agent != "" {
		manifest, _, err := acts.Freeze(agent, func(string) (string, bool, error) { return text, true, nil })
		require.NoError(w, err)
		answer.Agent = &calls.Agent{Name: agent, Manifest: manifest, Language: "en"}
	}
	arrive := calls.Arrive{CallID: carried, TenantID: "acme", ProjectID: "a-1", ConnectionID: "cn-1", Provider: calls.ProviderTwilio,
		ProviderID: "CA1", Person: "+15550000001", OurNumber: "+15550100", Direction: calls.Inbound, AnswerBy: time.Now().Add(15 * time.Minute),
		At: time.Now()}
	change(&arrive)
	w.store.do(w.T, carried, "", calls.InTurn(arrive.Decide, answer.Decide))
}

// carry carries the call in the background.
func (w *dialerWorld) carry(on *wire) <-chan error {
	done := make(chan error, 1)
	go func() { done <- w.dialer.Carry(w.Context(), carried, "MZ1", on) }()
	w.pass(time.Second)
	return done
}

func TestACallThatAProviderBroughtIsCarried(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.bring("asker")
		line, second := newWire(), newWire()
		done := w.carry(line)
		require.True(w, fault.Is(<-w.carry(second), fault.Unauthorized), "the line is given away once")
		line.says("1")
		line.says("17")
		w.pass(time.Minute)
		require.NoError(w, <-done)
		require.Equal(w, []string{"said 1 Good day, !", "heard 1 1", "heard 2 17", "said 3 How many?", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, w.store.talk(carried))
		require.Equal(w, 1, line.hungUp)
		s := w.store.session(carried)
		require.Equal(w, []any{sessions.Ended, carried, "voice", "asker"}, []any{s.Status, s.CallID, s.Channel, s.AgentName})
		require.JSONEq(w, `"inbound"`, string(s.Talk.Caller["direction"]))
		require.True(w, fault.Is(w.dialer.Carry(w.Context(), carried, "MZ2", second), fault.Unauthorized), "it is over")
		require.Zero(w, w.carrier.dials(), "nobody is dialled")
	})
}

// A room is carried as a call is; its session is no call's alone, and its agent speaks first all the same.
func TestARoomIsCarried(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.bringAs("asker", asker, func(c *calls.Arrive) { c.Provider, c.ProviderID = calls.ProviderLiveKit, "t_acme__p_a-1__s_s-1" })
		line := newWire()
		done := w.carry(line)
		line.says("1")
		w.pass(time.Second)
		line.says("17")
		w.pass(time.Minute)
		require.NoError(w, <-done)
		require.Equal(w, []string{"said 1 Good day, !", "heard 1 1", "said 3 How many?", "heard 2 17", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, w.store.talk(carried))
		require.Empty(w, w.store.session(carried).CallID)
	})
}

// A session that was there before its room goes on in it: what was said is not said again, and its agent answers.
func TestARoomOfASessionIsCarried(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		before := func(c *calls.Arrive) {
			c.Provider, c.ProviderID, c.SessionID = calls.ProviderLiveKit, "t_acme__p_a-1__s_s-1", "s-1"
		}
		w.bringAs("asker", asker, before)
		line := newWire()
		done := w.carry(line)
		line.says("1")
		w.pass(time.Minute)
		line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		require.NoError(w, <-done)

		again := calls.Arrive{CallID: "r-2", TenantID: "acme", ProjectID: "a-1", ConnectionID: "cn-1", Person: "s_s-1", OurNumber: "x",
			Direction: calls.Inbound, Joins: true, AnswerBy: time.Now().Add(time.Minute), At: time.Now()}
		before(&again)
		w.store.do(w.T, "r-2", "", calls.InTurn(again.Decide, calls.Answer{SessionID: "s-1", At: time.Now()}.Decide))
		line = newWire()
		ended := make(chan error, 1)
		go func() { ended <- w.dialer.Carry(w.Context(), "r-2", "room", line) }()
		w.pass(time.Second)
		line.says("17")
		w.pass(time.Minute)
		require.NoError(w, <-ended)
		require.Equal(w, []string{"heard 1 17", "said 5 17, noted.", "Bot-disconnected: the agent ended the conversation"}, w.store.talk("r-2"))
	})
}

func TestHowACallThatIsCarriedEnds(t *testing.T) {
	for name, c := range map[string]struct {
		agent string
		then  func(*dialerWorld, *wire)
		ends  string
	}{
		"the callee hangs up": {"asker", func(_ *dialerWorld, l *wire) {
			l.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		}, "Caller-disconnected: the callee hung up"},
		"the stream breaks": {"asker", func(_ *dialerWorld, l *wire) { close(l.facts) }, "Gateway-disconnected: the carrier dropped the leg"},
		"the provider says so": {"asker", func(w *dialerWorld, _ *wire) {
			w.store.do(w.T, carried, "", calls.Tell{Status: calls.ToldCompleted, Raw: "completed", At: time.Now(), SessionID: "s-1"}.Decide)
		}, "Caller-disconnected: the provider says so"},
		"no agent can be run": {"", func(*dialerWorld, *wire) {}, "Bot-disconnected: no agent takes the call"},
		"nobody ever ends it": {"asker", func(w *dialerWorld, _ *wire) { w.pass(4 * time.Hour) }, "Bot-disconnected: the longest call is over"},
	} {
		inConversation(t, func(w *dialerWorld, _ *asked) {
			w.bring(c.agent)
			line := newWire()
			done := w.carry(line)
			c.then(w, line)
			w.pass(time.Minute)
			require.NoError(w, <-done, name)
			talk := w.store.talk(carried)
			require.Equal(w, c.ends, talk[len(talk)-1], name)
		})
	}
}

// A node that carries a call gives signs of life; another ends it when they stay away.
func TestACallWhoseCarrierIsLost(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.bring("")
		w.store.do(w.T, carried, "", func(s calls.State) ([]event.Payload, error) {
			now := time.Now()
			return calls.TakeLine{Try: "of another node", StreamID: "MZ1", Node: "n2", At: now, LeaseUntil: now.Add(time.Second)}.Decide(s)
		})
		require.NoError(w, w.dialer.Expire(w.Context(), carried, time.Now()))
		require.False(w, w.store.state(carried).Ended(), "it may live")
		w.pass(time.Second)
		require.NoError(w, w.dialer.Expire(w.Context(), carried, time.Now()))
		require.Equal(w, []string{"Gateway-disconnected: node lost"}, w.store.talk(carried))
	})
}
