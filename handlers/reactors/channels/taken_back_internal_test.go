package channels

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Given a message with a file that its sender takes back, at whatever moment, then neither is shown any more: not in the
// session, not to models, and the file is gone.
func TestWhatIsTakenBackIsShownNoMore(t *testing.T) {
	for name, c := range map[string]struct {
		moment func(w *filesWorld, g *giving, takesBack func())
		hears  bool // a session has heard it
	}{
		"when it was heard": {func(w *filesWorld, g *giving, takesBack func()) {
			require.NoError(w, w.handle(w.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e-1", Payload: g.message}))
			takesBack()
		}, true},
		"while it is given": {func(w *filesWorld, g *giving, takesBack func()) {
			_, _, err := g.goOn(w.Context(), "s-1")
			require.NoError(w, err)
			takesBack()
			require.NoError(w, g.took(w.Context(), threads.Take{Number: 2, SessionID: "s-1", MessageID: g.id, At: time.Now()}))
		}, true},
		"when who gave it has died": {func(w *filesWorld, g *giving, takesBack func()) {
			_, _, err := g.goOn(w.Context(), "s-1")
			require.NoError(w, err)
			takesBack()
		}, true},
		"before anybody hears it": {func(_ *filesWorld, _ *giving, takesBack func()) { takesBack() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFilesWorld(t)
			w.people()
			w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
			w.desk.gives = map[string]string{"dot": dot}
			says := func(e channels.Entry) {
				e.Thread, e.From = "t", "U1"
				w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "line", At: time.Now(), Entry: e})
			}
			says(channels.Entry{ExternalID: "2", MessageID: "m2", Text: "my secret", Files: []channels.File{{URL: "dot"}}})
			g := w.onItsWay()
			c.moment(w, g, func() { says(channels.Entry{ExternalID: "3", Says: channels.TakesBack, TakesBack: "m2"}) })
			tells[threads.TakenBack](w)

			require.Empty(t, w.state().Waiting)
			require.Empty(t, w.shelf.kept, "its file is gone")
			session, err := eventstore.History(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"))
			require.NoError(t, err)
			require.Empty(t, session.State.Attachments)
			var seen []string
			for _, l := range session.State.Talk.History {
				seen = append(seen, l.Text)
				require.Empty(t, l.Files)
			}
			times := 0
			for _, e := range session.Events {
				if _, is := e.Payload.(sessions.MessageTakenBack); is {
					times++
				}
			}
			if !c.hears {
				require.Empty(t, seen)
				require.Zero(t, times)
				return
			}
			require.Equal(t, []string{sessions.TakenBackLine}, seen)
			require.Equal(t, 1, times)
		})
	}
}
