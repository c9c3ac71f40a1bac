package channels

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// accountOf is a connection as its stream has it.
type accountOf struct{ w *filesWorld }

func (a accountOf) state() connections.State {
	read, err := eventstore.Read(a.w.Context(), a.w.store, connections.Connections, connections.Stream("acme", "cn-1"))
	require.NoError(a.w, err)
	return read.State
}

func (a accountOf) WithID(context.Context, string, string) (channels.Connection, error) {
	_, unanswered := a.state().Troubles[connections.Answering]
	return channels.Connection{ID: "cn-1", TenantID: "acme", Unanswered: unanswered}, nil
}

// Given a message that nobody answers, as nothing is deployed, then its connection says so, once, until somebody does.
func TestAConnectionByWhichNobodyAnswersSaysSo(t *testing.T) {
	w := newFilesWorld(t)
	account := accountOf{w}
	w.Connections, w.Deployments = account, nothing{}
	_, err := eventstore.Execute(t.Context(), w.store, connections.Connections, connections.Stream("acme", "cn-1"),
		eventstore.Command{Tenant: "acme", Actor: "test"}, func(connections.State) ([]event.Payload, error) {
			return []event.Payload{connections.Created{ConnectionID: "cn-1", TenantID: "acme", Kind: "slack"}}, nil
		})
	require.NoError(t, err)
	for id := range 2 {
		m := w.state().Waiting[0]
		require.NoError(t, w.handle(t.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e", Payload: m}))
		require.Empty(t, w.state().Waiting)
		about, wrong := account.state().LastError()
		require.Equal(t, connections.Answering, about)
		require.Equal(t, []string{"NOT_FOUND", "nothing is deployed that could answer"}, []string{wrong.Code, wrong.Reason})
		w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(),
			Entry: channels.Entry{ExternalID: string(rune('a' + id)), Thread: "t", From: "U1", Text: "again"}})
	}
	told, err := eventstore.History(t.Context(), w.store, connections.Connections, connections.Stream("acme", "cn-1"))
	require.NoError(t, err)
	require.Len(t, told.Events, 2, "made, and seen once")

	g := &giving{ThreadTurns: w.ThreadTurns}
	g.account, _ = account.WithID(t.Context(), "", "")
	g.see(t.Context(), nil)
	_, wrong := account.state().LastError()
	require.Nil(t, wrong)
	g.account, _ = account.WithID(t.Context(), "", "")
	g.see(t.Context(), nil)
	told, err = eventstore.History(t.Context(), w.store, connections.Connections, connections.Stream("acme", "cn-1"))
	require.NoError(t, err)
	require.Len(t, told.Events, 3)
}
