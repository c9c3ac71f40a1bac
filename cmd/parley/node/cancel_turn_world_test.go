package node_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting has a session of the shop wait for a tool that does not answer: its turn's answer comes
// by the one channel, that the tool's request was cut off by the other.
func (w *tooled) waiting(t *testing.T) (session string, answers chan *answer, cut chan struct{}) {
	t.Helper()
	session, answers, cut = w.begin(t, "shop"), make(chan *answer, 1), make(chan struct{}, 1)
	w.say(t, session, "Hello")
	asked := make(chan struct{}, 1)
	w.answering(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
		cut <- struct{}{}
	})
	go func() {
		answers <- w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": session, "message": "Ann"})
	}()
	await(t, asked)
	return session, answers, cut
}

func await[T any](t *testing.T, c <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-c:
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
	}
	return got
}
