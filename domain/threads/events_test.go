package threads_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
)

// Given what happens in a conversation, then each event says whose it is, in which conversation and when: read models,
// audits and others have nothing else.
func TestEventsSayWhatTheyAreOf(t *testing.T) {
	s := &story{T: t}
	asked := says("C1:1.0", "hi")
	asked.Asked, asked.Entry.Name, asked.Entry.ReplyTo, asked.Entry.At = true, "Ann", "C1", after(-1)
	asked.Entry.MessageID, asked.Metadata = "1.0", json.RawMessage(`{"a":1}`)
	require.Equal(t, []event.Payload{threads.Received{Number: 1, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack",
		ExternalID: "C1:1.0", Thread: "t", From: "U1", Name: "Ann", ReplyTo: "C1", Text: "hi", Asked: true, SaidAt: event.Stamp(after(-1)),
		At: noon, Metadata: json.RawMessage(`{"a":1}`), ProviderMessageID: "1.0"}}, s.when(asked))

	s.when(take(1, 1))
	require.Equal(t, []event.Payload{threads.Queued{Reply: 1, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack",
		SessionID: "s-1", Turn: 1, MessageID: "m-1", To: "C1", Answers: 1, Parts: []string{"one"}, Messages: 1, At: noon,
		SendBy: noon.Add(threads.LastFor)}},
		s.when(threads.Queue{SessionID: "s-1", Turn: 1, MessageID: "m-1", Text: "one", Limits: plain, At: noon}))
	s.when(said("s-1", 1, "two"))
	require.Equal(t, []event.Payload{threads.Answered{Number: 1, SessionID: "s-1", Replies: []int{2}, Held: true, At: noon}},
		s.when(threads.Answer{Number: 1, Now: true, At: noon}))

	require.Equal(t, threads.Opted{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", Out: true,
		Thread: "t", From: "U1", ReplyTo: "U1", SessionID: "s-1", At: noon}, s.when(opts("2", "STOP", channels.OptOut))[0])
	s = (&story{T: t}).given(received)
	require.Equal(t, []event.Payload{threads.Refused{Number: 1, ProjectID: "shop", Code: "NOT_FOUND", Reason: "nothing", At: noon}},
		s.when(threads.Refuse{Number: 1, Code: fault.NotFound, Reason: "nothing", At: noon}))
	s = (&story{T: t}).given(received, threads.Taken{Number: 1, SessionID: "s-1"}, queued, started)
	refused := outcome(channels.Refused)
	refused.Outcome.OptedOut = true
	require.Equal(t, threads.Opted{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", Out: true, SessionID: "s-1",
		ByProvider: true, At: noon}, s.when(refused)[0])
}

// Given a line, then what is said there is of its conversation, and a list that is empty is one.
func TestEventsOfALineSayWhatTheyAreOf(t *testing.T) {
	s := &story{T: t}
	require.Equal(t, []event.Payload{threads.LineOpened{ID: "l-1", TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1",
		Kind: "audiocodes", Thread: "t", At: noon}}, s.when(opens("l-1")))
	s.when(asked("1", "hi"))
	s.when(take(1, 1))
	require.Equal(t, []event.Payload{threads.Answered{Number: 1, SessionID: "s-1", Replies: []int{}, Elsewhere: true, At: noon}},
		s.when(threads.HandOver{Line: "l-1", At: noon}))
}
