package channels

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Given a message with a file whose sender wants no answer any more, at whatever moment of its way to a session, then no turn
// answers it, the thread knows of the session that heard it, and the file of one that nobody heard is gone.
func TestNobodyAnswersWhatIsDropped(t *testing.T) {
	heard := func(w *filesWorld, g *giving) {
		_, err := eventstore.Execute(w.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"), g.by.Command,
			func(sessions.State) ([]event.Payload, error) {
				return []event.Payload{sessions.MessageReceived{InTurn: sessions.InTurn{Turn: 1}, MessageID: "m-2", Text: "buy it"}}, nil
			})
		require.NoError(w, err)
	}
	for name, c := range map[string]struct {
		moment func(w *filesWorld, g *giving, drops func())
		hears  bool // a session has heard it
	}{
		"while it is given": {func(w *filesWorld, g *giving, drops func()) {
			heard(w, g)
			drops()
			require.NoError(w, g.took(w.Context(), threads.Take{Number: 2, SessionID: "s-1", Turn: 1, MessageID: "m-2", At: time.Now()}))
		}, true},
		"when who gave it has died": {func(w *filesWorld, g *giving, drops func()) {
			heard(w, g)
			drops()
		}, true},
		"when who dropped it has died": {func(w *filesWorld, g *giving, drops func()) {
			heard(w, g)
			require.NoError(w, g.took(w.Context(), threads.Take{Number: 2, SessionID: "s-1", Turn: 1, MessageID: "m-2", At: time.Now()}))
			drops()
		}, true},
		"before anybody hears it": {func(_ *filesWorld, _ *giving, drops func()) { drops() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFilesWorld(t)
			w.desk.gives = map[string]string{"dot": dot}
			session := sessions.Sessions.Stream("s-1")
			_, err := eventstore.Execute(t.Context(), w.store, sessions.Sessions, session, eventstore.Command{Tenant: "acme", Actor: "test"},
				func(sessions.State) ([]event.Payload, error) {
					return []event.Payload{sessions.Opened{SessionID: "s-1", TenantID: "acme", Channel: "a2a", Thread: conversation}}, nil
				})
			require.NoError(t, err)
			w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
			w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "a2a", At: time.Now(), Entry: channels.Entry{ExternalID: "2",
				Thread: "t", From: "key:k", Text: "buy it", Files: []channels.File{{URL: "dot"}}}})
			g := w.onItsWay()
			c.moment(w, g, func() { w.do(threads.Drop{Number: 2, At: time.Now()}) })
			tells[threads.Dropped](w)

			require.Empty(t, w.state().Waiting)
			at, err := eventstore.Read(t.Context(), w.store, sessions.Sessions, session)
			require.NoError(t, err)
			require.Nil(t, at.State.Talk.Running)
			if !c.hears {
				require.Zero(t, at.State.Talk.Turns)
				require.Empty(t, w.shelf.kept, "its file is gone")
				return
			}
			require.Equal(t, []int{1, 1}, []int{at.State.Talk.Turns, at.State.Talk.Cancelled})
			require.Equal(t, "s-1", w.state().Took.Session, "whoever is forgotten is forgotten there, too")
		})
	}
}

// Given a message with a file that waits for a session that goes on, when its connection is deleted or switched off meanwhile, then
// no session hears it, the thread says why, and its file is gone; one that a session has had is known as taken.
func TestNobodyAnswersWhatWaitedForAConnectionThatIsOff(t *testing.T) {
	for name, c := range map[string]struct {
		connection connectionsOf
		had        bool
		code       string
	}{
		"deleted":                        {connectionsOf{err: connections.Unknown()}, false, threads.CodeConnection},
		"switched off":                   {connectionsOf{inactive: true}, false, threads.CodeInactive},
		"switched off when it was had":   {connectionsOf{inactive: true}, true, ""},
		"switched off, and on in time":   {connectionsOf{}, false, ""},
		"deleted after a session had it": {connectionsOf{err: connections.Unknown()}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFilesWorld(t)
			w.people()
			w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
			w.desk.gives = map[string]string{"dot": dot}
			w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(), Entry: channels.Entry{ExternalID: "2",
				Thread: "t", From: "U1", Text: "this", Files: []channels.File{{URL: "dot"}}}})
			if g := w.onItsWay(); c.had {
				_, taken, err := g.goOn(t.Context(), "s-1")
				require.NoError(t, err)
				require.True(t, taken)
			}
			m := w.state().Waiting[0]
			w.Connections = c.connection
			require.NoError(t, w.handle(t.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e-1", Payload: m}))

			require.Empty(t, w.state().Waiting)
			told, err := eventstore.History(t.Context(), w.store, threads.Threads, conversation)
			require.NoError(t, err)
			refused, is := told.Events[len(told.Events)-1].Payload.(threads.Refused)
			require.Equal(t, []any{c.code != "", c.code}, []any{is, refused.Code})
			said, err := eventstore.Read(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"))
			require.NoError(t, err)
			require.Len(t, said.State.Attachments, len(w.shelf.kept))
			require.Equal(t, c.code == "", len(w.shelf.kept) == 1)
		})
	}
}
