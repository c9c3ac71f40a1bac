package channels_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/reactors"
	channelreactors "github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/projections"
)

// platform is a provider that answers as it is told, and remembers what it took.
type platform struct {
	limits channels.Limits
	says   func(m channels.Outbound) channels.Outcome
	asked  []channels.Outbound
}

func (*platform) Name() string              { return "scripted" }
func (p *platform) Limits() channels.Limits { return p.limits }

func (p *platform) Send(_ context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	p.asked = append(p.asked, m)
	return p.says(m)
}

func (*platform) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

func (p *platform) texts() (out []string) {
	for _, m := range p.asked {
		out = append(out, m.Text)
	}
	return out
}

// accounts are the connections there are; it may fail.
type accounts struct {
	channels.Connection
	err error
}

func (a *accounts) WithID(context.Context, string, string) (channels.Connection, error) {
	return a.Connection, a.err
}

// threadWorld is one conversation by Slack, in which something was said.
type threadWorld struct {
	*testing.T
	log      *memory.Log
	store    *eventstore.Store
	platform *platform
	accounts *accounts
	now      time.Time
	stream   string
	events   int
	counts   *connected.Counts
	figures  *prometheus.Registry
}

func newThreadWorld(t *testing.T) *threadWorld {
	log := memory.New()
	w := &threadWorld{T: t, log: log, store: log.Open(eventstore.Config{Node: "n-1"}), accounts: &accounts{},
		platform: &platform{limits: channels.Limits{Text: 10, Unit: channels.Characters, Choices: 2, Label: 20}},
		now:      time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), stream: threads.Threads.Stream("t-1")}
	w.platform.says = func(channels.Outbound) channels.Outcome { return wasTaken }
	t.Cleanup(w.store.Close)
	w.figures = prometheus.NewRegistry()
	w.counts = connected.NewCounts(w.figures, []string{"slack"})
	w.do(threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", At: w.now,
		Entry: channels.Entry{ExternalID: "1", Thread: "t", From: "U1", Text: "Hi"}}.Decide)
	return w
}

func (w *threadWorld) do(decide func(threads.State) ([]event.Payload, error)) {
	w.Helper()
	by := eventstore.Command{Tenant: "acme", Actor: "test"}
	require.NoError(w, eventstore.Do(w.Context(), w.store, threads.Threads, w.stream, by, decide))
}

func (w *threadWorld) state() threads.State {
	return threads.Threads.State(memory.Events(w.log, threads.Threads.Category, w.stream)...)
}

func (w *threadWorld) replies() channelreactors.ThreadReplies {
	return channelreactors.ThreadReplies{Store: w.store, Adapters: channelreactors.Carriers(map[string]*platform{"slack": w.platform}),
		Now: func() time.Time { return w.now }}
}

// says is an event of a session, as the reactor gets it; the same id is the same event.
func (w *threadWorld) says(id string, p event.Payload) error {
	return w.replies().Reactor().Handle(w.Context(), reactors.Event{Stream: sessions.Sessions.Stream("s-1"), Tenant: "acme", ID: id,
		Payload: p})
}

// sender is one on some node.
func (w *threadWorld) sender() *reactors.Attempts[threads.State] {
	return channelreactors.ThreadSender{Node: "n-1", Store: w.store, Connections: w.accounts, Now: func() time.Time { return w.now },
		Counts: w.counts, Adapters: channelreactors.Carriers(map[string]*platform{"slack": w.platform}),
		Log: slog.New(slog.DiscardHandler)}.Attempts()
}

// goesOn hands the thread's newest event to a sender for as long as one wants to ask.
func (w *threadWorld) goesOn() {
	w.Helper()
	for w.state().Attempt.Wanted() {
		w.events++
		next := reactors.Event{Stream: w.stream, Tenant: "acme", ID: fmt.Sprint("e-", w.events)}
		require.NoError(w, w.sender().Reactor().Handle(w.Context(), next))
	}
}

// passes lets time go by, timers with it.
func (w *threadWorld) passes(d time.Duration) {
	w.Helper()
	w.now = w.now.Add(d)
	_, timer, fire := w.sender().Wakes()
	require.NoError(w, fire(w.Context(), projections.Timer{Stream: w.stream, Name: timer}, w.now))
	w.goesOn()
}

func said(id, text string) sessions.Said {
	return sessions.Said{MessageID: id, Text: text, Thread: threads.Threads.Stream("t-1")}
}

// Given what agent and people say, then each text is queued once, in its order, however often its event
// comes; what is of no conversation, or of nobody any more, is not.
func TestWhatIsSaidIsQueuedOnce(t *testing.T) {
	w := newThreadWorld(t)
	for range 3 {
		require.NoError(t, w.says("e-1", said("m-1", "one")))
		require.NoError(t, w.says("e-2", sessions.PersonSaid{MessageID: "m-2", Text: "two", Thread: w.stream}))
		require.NoError(t, w.says("e-3", sessions.Said{MessageID: "m-3", Text: "of no conversation"}))
	}
	s := w.state()
	require.Equal(t, []any{2, "m-2"}, []any{s.Queued, s.Latest})
	w.goesOn()
	require.Equal(t, []string{"one", "two"}, w.platform.texts())

	w.do(threads.Forget{At: w.now}.Decide)
	require.NoError(t, w.says("e-4", said("m-4", "to nobody")))
	require.Equal(t, 2, w.state().Queued)
	w.do(threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", At: w.now,
		Entry: channels.Entry{ExternalID: "2", Thread: "t", From: "U1", Text: "Hi again"}}.Decide)
	require.NoError(t, w.says("e-6", said("m-6", projections.Erased)), "what is handled late has no words any more")
	require.Equal(t, 2, w.state().Queued)
	require.ErrorContains(t, w.says("e-5", sessions.Said{MessageID: "m-5", Text: "x", Thread: threads.Threads.Stream("none")}), "kind")
}

// Given a provider that is down for an hour, then it is asked again, more and more seldom, and has all in
// its order when it is back; what is in doubt is asked for once more.
func TestAProviderIsDownForAnHour(t *testing.T) {
	w := newThreadWorld(t)
	w.platform.says = func(channels.Outbound) channels.Outcome { return channels.Outcome{Reason: "500"} }
	require.NoError(t, w.says("e-1", said("m-1", "one")))
	require.NoError(t, w.says("e-2", said("m-2", "two")))
	w.goesOn()
	for back := w.now.Add(time.Hour); w.now.Before(back); {
		w.passes(10 * time.Second)
	}
	require.Less(t, len(w.platform.asked), 25, "not every second")
	require.Greater(t, len(w.platform.asked), 8)
	require.Equal(t, threads.CodeUnknown, w.missed().Code)
	w.platform.asked, w.platform.says = nil, func(channels.Outbound) channels.Outcome { return wasTaken }
	w.passes(15 * time.Minute)
	require.Equal(t, []string{"one", "two"}, w.platform.texts())
	require.Empty(t, w.state().Replies)
}

// Given replies that nobody sent in their day, when the sender is back, then the provider is asked for
// none of them, and for each one behind them by a claim of its own.
func TestWhatIsGivenUpAsItsAttemptBeginsIsAskedOfNobody(t *testing.T) {
	w := newThreadWorld(t)
	require.NoError(t, w.says("e-1", said("m-1", "late")))
	w.now = w.now.Add(threads.LastFor + time.Minute)
	require.NoError(t, w.says("e-2", said("m-2", "in time")))
	w.goesOn()
	require.Equal(t, []string{"in time"}, w.platform.texts())
	require.Zero(t, w.missed(), "what was given up is no attempt")
	claimed := 0
	for _, p := range memory.Events(w.log, threads.Threads.Category, w.stream) {
		if _, is := p.(threads.Started); is {
			claimed++
		}
	}
	require.Equal(t, 1, claimed)
}

// missed is the newest attempt that came to nothing.
func (w *threadWorld) missed() (out threads.Missed) {
	for _, p := range memory.Events(w.log, threads.Threads.Category, w.stream) {
		if m, is := p.(threads.Missed); is {
			out = m
		}
	}
	return out
}

// Given a provider that has too many requests, then it is left alone for as long as it says, or, if it does
// not, for a pause of ours.
func TestAProviderIsBusy(t *testing.T) {
	for pause, wants := range map[time.Duration]time.Duration{0: 5 * time.Second, 30 * time.Second: 30 * time.Second,
		100 * time.Hour: time.Hour} {
		w := newThreadWorld(t)
		w.platform.says = func(channels.Outbound) channels.Outcome {
			return channels.Outcome{Status: channels.NotTaken, Code: "429", RetryAfter: pause}
		}
		require.NoError(t, w.says("e-1", said("m-1", "one")))
		w.goesOn()
		w.platform.says = func(channels.Outbound) channels.Outcome { return wasTaken }
		if pause > 0 {
			w.passes(wants - time.Second)
			require.Len(t, w.platform.asked, 1, "before the pause of %s is over", pause)
		}
		w.passes(wants)
		require.Len(t, w.platform.asked, 2)
		require.Equal(t, w.platform.asked[0].Reference, w.platform.asked[1].Reference, "the key by which a repeat is known")
		require.Empty(t, w.state().Replies)
	}
}

// Given a kind that knows no repeats, and costs, when a node dies after it asked, or nobody knows what the
// provider did, then it is not asked again, and the next reply goes out.
func TestWhatCostsIsNotSentAgain(t *testing.T) {
	w := newThreadWorld(t)
	w.platform.limits.Once = true
	w.platform.says = func(m channels.Outbound) channels.Outcome {
		if m.Text == "one" {
			return channels.Outcome{Reason: "no answer"}
		}
		return wasTaken
	}
	require.NoError(t, w.says("e-1", said("m-1", "one")))
	require.NoError(t, w.says("e-2", said("m-2", "two")))
	require.NoError(t, w.says("e-3", said("m-3", "three")))
	w.events++
	require.NoError(t, w.sender().Reactor().Handle(t.Context(), reactors.Event{Stream: w.stream, Tenant: "acme", ID: "e"}))
	require.True(t, w.state().Attempt.Claimed(), "in doubt until the lease is over")
	w.passes(41 * time.Second)
	require.Equal(t, []string{"one", "two", "three"}, w.platform.texts())
	require.Len(t, w.state().Failed, 1)

	require.NoError(t, w.says("e-4", said("m-4", "four")))
	w.do(threads.Start{Claim: attempt.Claim{ID: "of the dead", Node: "n-0", At: w.now, LeaseUntil: w.now.Add(40 * time.Second)}}.Decide)
	w.goesOn()
	w.passes(39 * time.Second)
	require.True(t, w.state().Attempt.Claimed(), "while the lease holds")
	w.passes(2 * time.Second)
	require.Len(t, w.platform.asked, 3)
	require.Len(t, w.state().Failed, 2)
}

// Given a connection that was deleted, is not active or cannot be read, then replies fail, or wait.
func TestTheConnectionOfAReply(t *testing.T) {
	for name, c := range map[string]struct {
		accounts accounts
		code     string
		fails    bool
	}{
		"deleted":         {accounts{err: connections.Unknown()}, "CONNECTION", true},
		"cannot be read":  {accounts{err: errors.New("the database is away")}, "CONNECTION", false},
		"is not active":   {accounts{Connection: channels.Connection{Inactive: true}}, "INACTIVE", false},
		"is of no kind":   {accounts{}, "KIND", true},
		"revoked by them": {accounts{}, "invalid_auth", false},
	} {
		w := newThreadWorld(t)
		*w.accounts = c.accounts
		w.platform.says = func(channels.Outbound) channels.Outcome {
			return channels.Outcome{Status: channels.NotTaken, Code: "invalid_auth"}
		}
		require.NoError(t, w.says("e-1", said("m-1", "one")))
		sender := w.sender()
		if c.code == "KIND" {
			sender = channelreactors.ThreadSender{Node: "n-1", Store: w.store, Connections: w.accounts, Now: func() time.Time { return w.now },
				Adapters: channelreactors.Carriers(map[string]*platform{}), Log: slog.New(slog.DiscardHandler)}.Attempts()
		}
		require.NoError(t, sender.Reactor().Handle(t.Context(), reactors.Event{Stream: w.stream, Tenant: "acme", ID: "e"}))
		s := w.state()
		require.Equal(t, c.fails, len(s.Failed) == 1, name)
		if !c.fails {
			require.Equal(t, c.code, w.missed().Code, name)
			require.True(t, s.Attempt.Waiting(), name)
		}
	}
}

// Given a reply that is taken the second time, then its kind's figures say how often it was asked for, and
// how long the person waited.
func TestTheFiguresOfReplies(t *testing.T) {
	w := newThreadWorld(t)
	w.platform.says = func(channels.Outbound) channels.Outcome { return notNow }
	next := said("m-1", "one")
	next.Turn = 1
	require.NoError(t, w.says("e-1", next))
	w.goesOn()
	w.platform.says = func(channels.Outbound) channels.Outcome { return wasTaken }
	w.passes(90 * time.Second)
	all, err := w.figures.Gather()
	require.NoError(t, err)
	asked := map[string]float64{}
	for _, f := range all {
		switch f.GetName() {
		case "parley_channel_answer_seconds":
			h := f.GetMetric()[0].GetHistogram()
			require.Equal(t, []any{uint64(1), 90.}, []any{h.GetSampleCount(), h.GetSampleSum()})
		case "parley_channel_deliveries_total":
			for _, m := range f.GetMetric() {
				asked[m.GetLabel()[1].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	require.Equal(t, map[string]float64{"refused": 0, "retried": 1, "taken": 1, "unknown": 0}, asked)
}

// Given a message that people had, and one that waits, when the agent goes on behind the people, then what it says is for the
// message that they had; and what it says in the turn that the other begins, before that is noted, is for that.
func TestWhatIsSaidBehindPeopleIsNotForWhoWaits(t *testing.T) {
	w := newThreadWorld(t)
	for n, text := range []string{"for people", "waits"} {
		w.do(threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", At: w.now, Asked: true,
			Entry: channels.Entry{ExternalID: text, Thread: "t", From: "U1", Text: text}}.Decide)
		if n == 0 {
			w.do(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: w.now}.Decide)
			w.do(threads.Take{Number: 2, SessionID: "s-1", MessageID: "m-1", At: w.now}.Decide)
		}
	}
	happens := func(p event.Payload) {
		err := eventstore.Do(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"),
			eventstore.Command{Tenant: "acme", Actor: "test"}, func(sessions.State) ([]event.Payload, error) { return []event.Payload{p}, nil })
		require.NoError(t, err)
	}
	answers := func() (all []int) {
		for _, p := range memory.Events(w.log, threads.Threads.Category, w.stream) {
			if q, is := p.(threads.Queued); is {
				all = append(all, q.Answers)
			}
		}
		return all
	}
	in := func(turn int, id string) sessions.Said {
		s := said(id, "text")
		s.Turn = turn
		return s
	}
	happens(sessions.GivenBack{InTurn: sessions.InTurn{Turn: 2}})
	require.NoError(t, w.says("e-1", in(2, "m-2")))
	require.Equal(t, []int{2}, answers())
	happens(sessions.MessageReceived{InTurn: sessions.InTurn{Turn: 3}, MessageID: "m-3"})
	require.NoError(t, w.says("e-2", in(3, "m-4")))
	require.Equal(t, []int{2, 3}, answers())
}
