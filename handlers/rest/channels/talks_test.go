package channels_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// Given a provider whose messages have no id, then one that is what came a moment ago is that, and has its answer; the
// same words later are another message.
func TestWhatCameAMomentAgoIsTakenOnce(t *testing.T) {
	w := resttest.NewStored(t, nil)
	c := channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "genesys", External: "desk"}
	talks := channelapi.Talks{Threads: channelapi.Threads{Commands: w.Commands}}
	received := func(id string, earlier ...string) int {
		e := channels.Entry{ExternalID: id, Earlier: earlier, Thread: "gc-1", From: "gc-1", ReplyTo: "gc-1", Text: "yes"}
		reply, err := talks.Hear(t.Context(), c, []channels.Entry{e}, time.Millisecond)
		require.NoError(t, err)
		require.Equal(t, channels.Working, reply.State, "nobody answers here")
		read, err := eventstore.Read(t.Context(), w.Commands.Store, threads.Threads,
			threads.Stream(w.Commands.MAC, "acme", "cn-1", "gc-1"))
		require.NoError(t, err)
		return read.State.Received
	}
	require.Equal(t, 1, received("at-1", "at-0"))
	require.Equal(t, 1, received("at-1", "at-0"), "again at once")
	require.Equal(t, 1, received("at-2", "at-1", "at-0"), "a moment later")
	require.Equal(t, 2, received("at-9", "at-8", "at-7"))
}
