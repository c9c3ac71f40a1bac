package threads_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// Given what another agent says, then what goes with it is kept for the session, and counts as what waits.
func TestWhatGoesWithAMessageWaitsWithIt(t *testing.T) {
	cmd := threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "a2a", Entry: channels.Entry{ExternalID: "m-1",
		Thread: "c-1", From: "key:k", Text: "hi"}, Metadata: json.RawMessage(`{"a":1}`), Continues: 3, At: noon,
		Before: []sessions.Forwarded{{Text: "x"}, {Agent: "desk", Text: "y"}}}
	events, err := cmd.Decide(threads.State{Received: 4})
	require.NoError(t, err)
	got := events[0].(threads.Received)
	require.Equal(t, []any{5, 3, 3, `{"a":1}`, "key:k"}, []any{got.Number, got.Continues, got.Begins(), string(got.Metadata), got.ReplyTo})
	require.Equal(t, cmd.Before, got.Before)
	require.Equal(t, 7, threads.Received{Number: 7}.Begins())

	var s threads.State
	threads.Threads.Fold(&s, got)
	cmd.Before = []sessions.Forwarded{{Text: strings.Repeat("x", 1<<20)}}
	_, err = cmd.Decide(s)
	require.True(t, fault.Is(err, fault.QueueFull), err)
	cmd.Before, cmd.Metadata = nil, json.RawMessage(strings.Repeat(" ", 1<<20))
	_, err = cmd.Decide(s)
	require.True(t, fault.Is(err, fault.QueueFull), err)
}

// Given messages, when what one began is dropped, then what waits of it is let go with its files, once; but for the first of
// all, which a session may just be taking: that waits until it is known.
func TestWhatAMessageBeganIsDropped(t *testing.T) {
	file := []threads.File{{URL: "https://a.example/x"}}
	s := (&story{T: t}).given(threads.Received{Number: 1, ConnectionID: "cn-1", Files: file}, threads.Received{Number: 2},
		threads.Received{Number: 3, Continues: 1, Files: file}, threads.FilesFetched{Number: 3, Files: []threads.Fetched{{Blob: "b-3"}}})
	_, err := threads.Drop{Number: 4, At: noon}.Decide(s.State)
	require.True(t, fault.Is(err, fault.NotFound), err)
	_, err = threads.Drop{At: noon}.Decide(s.State)
	require.True(t, fault.Is(err, fault.NotFound), err)
	events, err := threads.Drop{Number: 1, At: noon}.Decide(s.State)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{threads.Dropped{Number: 1, Left: []string{"b-3"}, Stays: true, At: noon}}, events)
	old := *s
	old.given(threads.Dropped{Number: 1, At: noon})
	next, is := old.Next()
	require.Equal(t, []any{2, true, 1}, []any{next.Number, is, len(old.Waiting)}, "as it was: all of it is let go")
	s.given(events...)
	next, is = s.Next()
	require.Equal(t, []any{1, true, 2, true}, []any{next.Number, is, len(s.Waiting), s.IsDropped(next)})
	require.False(t, s.IsDropped(s.Waiting[1]))
	require.Empty(t, s.Unfetched(), "nobody wants its file")
	require.Equal(t, []string{"b-3"}, s.Blobs(), "until it is deleted")
	s.given(threads.Refused{Number: 1, Code: threads.CodeDropped})
	events, err = threads.Drop{Number: 2, At: noon}.Decide(s.State)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{threads.Dropped{Number: 2, Stays: true, At: noon}}, events)
	events, err = threads.Drop{Number: 1, At: noon}.Decide(s.State)
	require.NoError(t, err)
	require.Empty(t, events, "once")
	for n := range 101 {
		s.given(threads.Dropped{Number: n + 2})
	}
	require.Len(t, s.Dropped, 100)
}

// Given a task, when others want to be told of it, then each address is once, and there are not too many.
func TestWhoIsToldOfATask(t *testing.T) {
	s := (&story{T: t}).given(threads.Received{Number: 1, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1"})
	_, err := threads.Tell{Teller: threads.Teller{Number: 2, ID: "p"}}.Decide(s.State)
	require.True(t, fault.Is(err, fault.NotFound), err)
	_, err = threads.Tell{Teller: threads.Teller{ID: "p"}}.Decide(s.State)
	require.True(t, fault.Is(err, fault.NotFound), err)
	set := func(tell threads.Teller) []event.Payload {
		events, err := threads.Tell{Teller: tell, At: noon}.Decide(s.State)
		require.NoError(t, err)
		s.given(events...)
		return events
	}
	require.Equal(t, []event.Payload{threads.TellerSet{Teller: teller, TenantID: "acme", ProjectID: "shop", At: noon}}, set(teller))
	require.Empty(t, set(teller), "the same once more")
	other := teller
	other.URL = "https://b.example.com"
	require.Len(t, set(other), 1)
	require.Equal(t, []threads.Teller{other}, s.Of(1), "in the place of the one with its id")
	for n := range threads.MostTellers - 1 {
		set(threads.Teller{Number: 1, ID: fmt.Sprint(n)})
	}
	require.Len(t, s.Of(1), threads.MostTellers)
	_, err = threads.Tell{Teller: threads.Teller{Number: 1, ID: "more"}}.Decide(s.State)
	require.True(t, fault.Is(err, fault.LimitReached), err)
	require.Len(t, set(teller), 1, "in place of another there is room")

	events, err := threads.TellNoMore{Number: 1, ID: "p-1", At: noon}.Decide(s.State)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{threads.TellerDeleted{Number: 1, ID: "p-1", At: noon}}, events)
	s.given(events...)
	events, err = threads.TellNoMore{Number: 1, ID: "p-1", At: noon}.Decide(s.State)
	require.NoError(t, err)
	require.Empty(t, events)
	require.Len(t, s.Of(1), threads.MostTellers-1)
	s.given(threads.TellerSet{Teller: threads.Teller{Number: 2, ID: "0"}})
	s.when(threads.TellNoMore{Number: 1, ID: "0", At: noon})
	require.Len(t, s.Of(2), 1, "the one of another task with that name is left")
	for n := range 101 {
		s.given(threads.TellerSet{Teller: threads.Teller{Number: 1, ID: fmt.Sprint("x", n)}})
	}
	require.Len(t, s.Tellers, 100)
}

// Given addresses that are told of tasks, then each has a way of its own, the same for all tasks, that is known as long as there is
// anything of the conversation: when nobody is told there any more, and when its person is forgotten.
func TestEachAddressIsToldOnAWayOfItsOwn(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	one := threads.Teller{Number: 1, ID: "a", URL: "https://a.example.com"}
	other := threads.Teller{Number: 1, ID: "b", URL: "https://b.example.com"}
	s.when(threads.Tell{Teller: one, At: noon})
	s.when(threads.Tell{Teller: other, At: noon})
	again := one
	again.Number, again.ID = 2, "c"
	require.Equal(t, one.Way("thread-1"), again.Way("thread-1"))
	both := []string{one.Way("thread-1"), other.Way("thread-1")}
	require.ElementsMatch(t, both, s.Ways("thread-1"))
	require.NotEqual(t, both[0], both[1])
	s.when(threads.TellNoMore{Number: 1, ID: "a", At: noon})
	s.when(threads.Forget{At: noon})
	require.ElementsMatch(t, both, s.Ways("thread-1"))
	for _, way := range both {
		require.Regexp(t, `^thread-1\.[0-9]{1,2}$`, way)
	}
}

// Given a reply that the caller looks for, then it is on the thread, with its menu, and nobody carries it.
func TestAReplyIsLookedFor(t *testing.T) {
	s := (&story{T: t}).given(received)
	events, err := threads.Queue{SessionID: "s-1", MessageID: "m-1", Text: "Which?", Polled: true, At: noon,
		Rich:   []sessions.Element{{Kind: "button", ID: "a", Label: "One"}},
		Limits: channels.Limits{Text: 100, Unit: channels.Characters}}.Decide(s.State)
	require.NoError(t, err)
	s.given(events...)
	require.Equal(t, []string{"Which?\n1. One"}, events[0].(threads.Queued).Parts)
	require.Empty(t, s.Replies)
	require.False(t, s.Attempt.Wanted())
	require.Equal(t, 1, s.Open)
}
