package sockets_test

import (
	"context"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/sockets"
)

// Given somebody who takes long, when more comes than may wait, then that is refused, and the others are dealt with in
// their order; what comes when nothing waits any more is dealt with as the first was.
func TestWhatComesIsDealtWithInItsOrder(t *testing.T) {
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	conn := given(t, sockets.Config{}, func(ctx context.Context, s *sockets.Socket) {
		inbox := sockets.Inbox[string]{Most: 2, Deal: func(_ context.Context, one string) {
			begun <- struct{}{}
			<-goOn
			_ = s.Send([]byte(one))
		}}
		for {
			data, err := s.ReadText()
			if err != nil {
				return
			}
			if !inbox.Put(ctx, s, string(data)) {
				_ = s.Send([]byte("no room for " + string(data)))
			}
		}
	}).dial(t, "/talk")
	say := func(all ...string) {
		for _, text := range all {
			require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
		}
	}
	hear := func(wants string) {
		_, got, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, wants, string(got))
	}
	say("one")
	<-begun
	say("two", "three", "four")
	hear("no room for four")
	goOn <- struct{}{}
	hear("one")
	for _, next := range []string{"two", "three"} {
		<-begun
		goOn <- struct{}{}
		hear(next)
	}
	say("five")
	<-begun
	goOn <- struct{}{}
	hear("five")
}

// Given messages that wait, when the socket ends, then nobody deals with them any more.
func TestWhatWaitsEndsWithTheSocket(t *testing.T) {
	begun, dealt := make(chan struct{}, 1), make(chan string, 3)
	ended := make(chan struct{})
	w := given(t, sockets.Config{}, func(ctx context.Context, s *sockets.Socket) {
		inbox := sockets.Inbox[string]{Most: 2, Deal: func(ctx context.Context, one string) {
			begun <- struct{}{}
			<-ctx.Done()
			dealt <- one
		}}
		s.Beside(func() { <-ctx.Done(); close(ended) })
		for {
			data, err := s.ReadText()
			if err != nil {
				return
			}
			inbox.Put(ctx, s, string(data))
		}
	})
	conn := w.dial(t, "/talk")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("one")))
	<-begun
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("two")))
	require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
	<-ended
	require.Equal(t, "one", <-dealt)
	require.Empty(t, dealt)
}
