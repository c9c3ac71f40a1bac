package a2a

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
)

// Given a conversation in which no more can wait, when a message brings a file, then nobody is asked for the file;
// when there is room the file is fetched, and not once more for the same message.
func TestFilesOfARefusedMessageAreNotFetched(t *testing.T) {
	store := memory.New().Open(eventstore.Config{Node: "n-1"})
	t.Cleanup(store.Close)
	asked := 0
	x := API{Commands: rest.Commands{Log: acts.Log{Store: store, Now: time.Now}},
		Fetch: func(context.Context, channels.File) (channels.Fetched, error) {
			asked++
			return channels.Fetched{}, &channels.Unfetched{Code: channels.FileGone, Reason: "it is not there"}
		}}
	m := protocol.Message{ID: "m-1", Parts: []protocol.Part{{File: &protocol.File{URI: "https://files.example.com/dot.png"}}}}
	said := func(id string) threads.Receive {
		return threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: Kind, At: time.Now(),
			Entry: channels.Entry{ExternalID: id, Thread: "c-1", From: "U1", Text: "look"}}
	}
	do := func(decide func(threads.State) ([]event.Payload, error), requestID string) {
		t.Helper()
		_, err := eventstore.Execute(t.Context(), store, threads.Threads, "thread-1",
			eventstore.Command{Tenant: "acme", Actor: "test", RequestID: requestID}, decide)
		require.NoError(t, err)
	}
	for n := range threads.MostWaiting {
		do(said(fmt.Sprint(n)).Decide, "")
	}
	by := acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "test", RequestID: "r-1"}}
	_, err := x.bring(t.Context(), m, "thread-1", by, said("m-1"))
	require.Equal(t, fault.QueueFull, fault.CodeOf(err))
	require.Zero(t, asked)

	do(threads.Refuse{Number: 1, Code: fault.NotFound, At: time.Now()}.Decide, "")
	all, err := x.bring(t.Context(), m, "thread-1", by, said("m-1"))
	require.NoError(t, err)
	require.Equal(t, []any{1, 1, channels.FileGone}, []any{asked, len(all), all[0].Code})
	do(said("m-1").Decide, "r-1")
	_, err = x.bring(t.Context(), m, "thread-1", by, said("m-1"))
	require.NoError(t, err)
	require.Equal(t, 1, asked)
}
