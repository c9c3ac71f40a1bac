package channels

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/runtime"
)

// nothing is deployed.
type nothing struct{ takers.Deployments }

func (nothing) Serving(context.Context, string, string, string) (runtime.Deployment, bool, error) {
	return runtime.Deployment{}, false, nil
}

// agentTexts are those of agents, by their hashes.
type agentTexts map[string]string

func (x agentTexts) Sources(context.Context, string, string, []string) (map[string]string, error) {
	return x, nil
}

// people have taken a session s-1 over.
func (w *filesWorld) people() {
	w.Helper()
	w.Turns.Programs, w.Deployments = &acts.Programs{Sources: agentTexts{"h": "DSL: 1\nAGENT: a\nGOAL: Help.\n"}}, nothing{}
	_, err := eventstore.Execute(w.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"),
		eventstore.Command{Tenant: "acme", Actor: "test"}, func(sessions.State) ([]event.Payload, error) {
			return []event.Payload{sessions.Opened{SessionID: "s-1", TenantID: "acme", Channel: "slack", Thread: conversation, AgentName: "a",
				Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"a": {Hash: "h"}}}},
				sessions.TakenByPeople{TransferID: "t-1", ConversationID: "c-1"}}, nil
		})
	require.NoError(w, err)
}

// Given somebody who says STOP, and something more, when the end of a turn is handled before the STOP, then the
// session that it ends hears what was said before it, as always, and nothing of what was said behind it.
func TestWhatIsSaidBehindAStopIsNotOfTheSessionThatItEnds(t *testing.T) {
	w, session := newFilesWorld(t), sessions.Sessions.Stream("s-1")
	w.people()
	w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
	for _, e := range []channels.Entry{{Text: "before"}, {Text: "STOP", Opt: channels.OptOut}, {Text: "behind"}} {
		e.ExternalID, e.Thread, e.From = e.Text, "t", "U1"
		w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(), Entry: e})
	}
	require.NoError(t, w.handle(t.Context(), reactors.Event{Stream: session, Tenant: "acme", ID: "e-1",
		Payload: sessions.TurnEnded{Thread: conversation}}))
	require.Empty(t, w.state().Waiting)
	told, err := eventstore.History(t.Context(), w.store, sessions.Sessions, session)
	require.NoError(t, err)
	var heard []string
	for _, e := range told.Events {
		if said, is := e.Payload.(sessions.PassedOn); is {
			heard = append(heard, said.Text)
		}
	}
	require.Equal(t, []string{"before"}, heard)
}

// Given somebody whose session people have, when they pick up once more, then it is noted that people have it.
func TestWhoPicksUpWherePeopleAreIsWithPeople(t *testing.T) {
	w := newFilesWorld(t)
	w.people()
	w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
	w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "genesys", Asked: true, At: time.Now(),
		Entry: channels.Entry{ExternalID: "2", Thread: "t", From: "U1", Says: channels.Begins}})
	tells[threads.Received](w)
	told, err := eventstore.History(t.Context(), w.store, threads.Threads, conversation)
	require.NoError(t, err)
	x, is := threads.ExchangeOf(payloads(told), 2)
	require.True(t, is)
	require.Equal(t, []any{"s-1", sessions.ToPeople}, []any{x.Fate.Session, x.Fate.Over})
}

func payloads(told eventstore.Told[threads.State]) (all []event.Payload) {
	for _, e := range told.Events {
		all = append(all, e.Payload)
	}
	return all
}

// Given somebody who says STOP, whether the session that answers is known by then or their message is just being given to it, then it
// ends; one that answers what they say behind START goes on.
func TestASessionEndsThatAnswersWhoWantsNoReplies(t *testing.T) {
	says := func(id, text string, opt channels.Opt) threads.Receive {
		return threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(),
			Entry: channels.Entry{ExternalID: id, Thread: "t", From: "U1", Text: text, Opt: opt}}
	}
	stop, start := says("2", "STOP", channels.OptOut), says("3", "START", channels.OptIn)
	for name, c := range map[string]struct {
		before, while []threads.Receive
		after         []threads.Receive
		want          sessions.Status
	}{
		"while it is being given":  {while: []threads.Receive{stop}, want: sessions.Ended},
		"when it is known":         {after: []threads.Receive{stop}, want: sessions.Ended},
		"and START behind it":      {before: []threads.Receive{stop, start}, want: sessions.Active},
		"before, and writes again": {before: []threads.Receive{stop}, want: sessions.Active},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFilesWorld(t)
			for _, r := range c.before {
				w.do(threads.Refuse{Number: 1, Code: "X", At: time.Now()})
				w.do(r)
			}
			if c.before != nil {
				w.do(says("4", "and now?", ""))
			}
			g := w.onItsWay()
			session := sessions.Sessions.Stream("s-1")
			_, err := eventstore.Execute(t.Context(), w.store, sessions.Sessions, session, eventstore.Command{Tenant: "acme", Actor: "test"},
				func(sessions.State) ([]event.Payload, error) {
					return []event.Payload{sessions.Opened{SessionID: "s-1", TenantID: "acme", Channel: "slack", Thread: conversation}}, nil
				})
			require.NoError(t, err)
			for _, r := range c.while {
				w.do(r)
			}
			require.NoError(t, g.took(t.Context(), threads.Take{Number: g.message.Number, SessionID: "s-1", MessageID: "m", At: time.Now()}))
			for _, r := range c.after {
				w.do(r)
			}
			tells[threads.Opted](w)
			at, err := eventstore.Read(t.Context(), w.store, sessions.Sessions, session)
			require.NoError(t, err)
			require.Equal(t, c.want, at.State.Status)
		})
	}
}
