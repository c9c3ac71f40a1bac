package driving_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/actstest"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// Given a turn that is told as it goes on, when nothing happens, then who tells it keeps nothing of what it has told: a
// thousand may wait at once.
func TestWhoTellsATurnKeepsNothingOfItMeanwhile(t *testing.T) {
	w := actstest.New(t)
	x := &driving.Turns{Log: w.Acting(), Follow: func(string) (<-chan struct{}, func(), error) { return nil, func() {}, nil }}
	stream := running(w, sessions.Claimed{Process: "p-1", Try: "t-1"})
	ctx, leave := context.WithCancel(w.Context())
	told, left := make(chan weak.Pointer[eventstore.Recorded], 1), make(chan error, 1)
	go func() {
		_, err := x.Tell(ctx, stream, 1, x.Hear(stream), time.Minute, func(n driving.News) error {
			told <- weak.Make(&n.Events[0])
			return nil
		})
		left <- err
	}()
	events := <-told
	require.Eventually(t, func() bool { runtime.GC(); return events.Value() == nil }, 10*time.Second, time.Millisecond)
	leave()
	require.Error(t, <-left)
}

// Given a turn that runs, when a cancel is decided and what stands behind it is refused, then the state that was decided on is
// as it was: the store goes on with it.
func TestWhatIsRefusedLeavesTheStateAsItIs(t *testing.T) {
	in := sessions.InTurn{Turn: 1, At: actstest.Noon}
	running := func() sessions.State {
		return sessions.Sessions.State(sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "shop", Channel: "api", AgentName: "shop",
			Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"shop": {Hash: "h"}}}, At: actstest.Noon},
			sessions.MessageReceived{InTurn: in, MessageID: "m-1", Text: "Hi"},
			sessions.CallOpened{InTurn: in, CallID: "c-1", Agent: "shop", Tool: "find", Repeat: true})
	}
	s, cancel := running(), sessions.CancelTurn{At: actstest.Noon}
	_, err := driving.OneAfterTheOther(cancel.Decide, func(now sessions.State) ([]event.Payload, error) {
		require.Nil(t, now.Talk.Running, "it is decided on what the cancel left")
		return nil, fault.Field("attachmentIds", "names no attachment of the session")
	})(s)
	require.Error(t, err)
	require.Equal(t, running(), s)
}
