package channels

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// ends hands the end of a session's turn to this node, and gives what came of that.
func (w *filesWorld) ends(turn int) <-chan error {
	out := make(chan error, 1)
	go func() {
		out <- w.handle(w.Context(), reactors.Event{Stream: sessions.Sessions.Stream("s-1"), Tenant: "acme", ID: "e-1",
			Payload: sessions.TurnEnded{InTurn: sessions.InTurn{Turn: turn}, Thread: conversation}})
	}()
	return out
}

// Given a message that another node has given, and whose note is on its way, when this node hears that its turn is over, then
// it waits for the note, and does not give the message once more.
func TestAMessageThatAnotherNodeIsNotingIsNotGivenOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFilesWorld(t)
		w.Deployments = nothing{}
		over := w.ends(1)
		synctest.Wait()
		w.do(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: time.Now()})
		require.NoError(t, <-over)
		require.Equal(t, "s-1", w.state().Took.Session, "else this node refused it: nothing is deployed here")
		require.Empty(t, w.state().Waiting)
	})
}

// Given a message that came while a turn ran, when the turn is over, then it is given at once where the turn is noted, and a moment later
// where nobody notes it.
func TestAMessageBehindATurnDoesNotWaitForLong(t *testing.T) {
	for took, turn := range map[time.Duration]int{0: 1, whileNoted: 2} {
		synctest.Test(t, func(t *testing.T) {
			w := newFilesWorld(t)
			w.Deployments, w.Turns.Programs = nothing{}, &acts.Programs{Sources: agentTexts{}}
			w.do(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: time.Now()})
			w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(),
				Entry: channels.Entry{ExternalID: "second", Thread: "t", From: "U1", Text: "second"}})
			require.Len(t, w.state().Waiting, 1)
			began := time.Now()
			require.NoError(t, <-w.ends(turn))
			require.Empty(t, w.state().Waiting, "given, and refused")
			require.Equal(t, took, time.Since(began))
		})
	}
}
