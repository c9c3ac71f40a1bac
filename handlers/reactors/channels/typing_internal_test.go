package channels

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
)

// phone is a client that shows for five seconds that somebody is about to answer.
type phone struct {
	carrier
	shown atomic.Int32
}

func (p *phone) Typing(context.Context, channels.Connection, string) { p.shown.Add(1) }
func (*phone) TypingFor() time.Duration                              { return 5 * time.Second }

// Given a turn that takes long, then the person is shown that somebody is about to answer until there is
// a reply; so many at a time, the others once.
func TestWhoWaitsIsShownThatSomebodyAnswers(t *testing.T) {
	session := sessions.Sessions.Stream("s-1")
	begins := func(w *filesWorld) {
		_, err := eventstore.Execute(w.Context(), w.store, sessions.Sessions, session, eventstore.Command{Tenant: "acme", Actor: "test"},
			func(sessions.State) ([]event.Payload, error) {
				return []event.Payload{sessions.Opened{SessionID: "s-1", TenantID: "acme"},
					sessions.MessageReceived{InTurn: sessions.InTurn{Turn: 1}, Text: "hi"}}, nil
			})
		require.NoError(w, err)
	}
	for name, c := range map[string]struct {
		places int
		ends   func(w *filesWorld)
		want   int32
	}{
		"a reply": {1, func(w *filesWorld) {
			w.do(threads.Queue{SessionID: "s-1", MessageID: "m-1", Text: "here", Limits: channels.Limits{Text: 99}, At: time.Now()})
		}, 4},
		"no place": {0, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := newFilesWorld(t), &phone{}
				begins(w)
				w.Adapters = func(string) (carrier, bool) { return p, true }
				w.typing = make(chan struct{}, c.places)
				g := &giving{ThreadTurns: w.ThreadTurns, stream: conversation, thread: w.state(), message: w.state().Waiting[0]}
				g.show(t.Context(), session, true)
				time.Sleep(13 * time.Second)
				if c.ends != nil {
					c.ends(w)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.Equal(t, c.want, p.shown.Load())
				require.Empty(t, w.typing)
			})
		})
	}
}
