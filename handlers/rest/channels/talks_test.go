package channels_test

import (
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/connected"
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

// Given a provider that waits for answers, then what is said by it is counted as what comes by others, and so is how long an
// answer takes; who is silent, waits or leaves says nothing.
func TestTheFiguresOfTalks(t *testing.T) {
	w, r := resttest.NewStored(t, nil), prometheus.NewRegistry()
	c := channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "genesys", External: "desk"}
	talks := channelapi.Talks{Threads: channelapi.Threads{Commands: w.Commands, Counts: connected.NewCounts(r, []string{"genesys"})}}
	patience := time.Millisecond
	hear := func(id string, says channels.Saying, text string) {
		e := channels.Entry{ExternalID: id, Thread: "gc-1", From: "gc-1", ReplyTo: "gc-1", Text: text, Says: says}
		_, err := talks.Hear(t.Context(), c, []channels.Entry{e}, patience)
		require.NoError(t, err)
	}
	figures := func(name string) (out float64) {
		all, err := r.Gather()
		require.NoError(t, err)
		for _, f := range all {
			for _, m := range f.GetMetric() {
				if f.GetName() == name {
					out += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
				}
			}
		}
		return out
	}
	hear("at-1", channels.Begins, "")
	hear("at-2", channels.Waits, "")
	require.Zero(t, figures("parley_channel_messages_total"))
	hear("at-3", channels.Words, "yes")
	require.Equal(t, 1., figures("parley_channel_messages_total"))
	require.Zero(t, figures("parley_channel_answer_seconds"), "nobody answers here")
	refuse := func(number int) {
		_, err := eventstore.Execute(t.Context(), w.Commands.Store, threads.Threads,
			threads.Stream(w.Commands.MAC, "acme", "cn-1", "gc-1"), eventstore.Command{Tenant: "acme", Actor: "test"},
			threads.Refuse{Number: number, Code: "NOT_FOUND", Reason: "nobody can answer", At: time.Now()}.Decide)
		require.NoError(t, err)
	}
	for n := range 3 {
		refuse(n + 1)
	}
	patience = time.Minute
	var answering sync.WaitGroup
	answering.Go(func() { hear("at-4", channels.Words, "no") })
	require.Eventually(t, func() bool { return figures("parley_channel_messages_total") == 2 }, 10*time.Second, time.Millisecond)
	for n := range 4 {
		refuse(n + 1)
	}
	answering.Wait()
	require.Equal(t, 1., figures("parley_channel_answer_seconds"))
}

// Given somebody on a socket who was answered, then they are told more when there is more, until somebody else asks in the
// same conversation, or they leave; where what is to have it has come before, it is had again at once.
func TestThereIsMoreUntilAnotherAsks(t *testing.T) {
	w := resttest.NewStored(t, nil)
	c := channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "jambonz", External: "desk"}
	talks := channelapi.Talks{Threads: channelapi.Threads{Commands: w.Commands}}
	entry := func(id string, says channels.Saying) channels.Entry {
		e := channels.Entry{ExternalID: id, Thread: "c-1", From: "c-1", ReplyTo: "c-1", Says: says}
		if says == channels.Words {
			e.Text = "hi"
		}
		return e
	}
	hear := func(e channels.Entry) {
		t.Helper()
		_, err := talks.Hear(t.Context(), c, []channels.Entry{e}, time.Millisecond)
		require.NoError(t, err)
	}
	does := func(decide func(threads.State) ([]event.Payload, error)) {
		t.Helper()
		_, err := eventstore.Execute(t.Context(), w.Commands.Store, threads.Threads, threads.Stream(w.Commands.MAC, "acme", "cn-1", "c-1"),
			eventstore.Command{Tenant: "acme", Actor: "test"}, decide)
		require.NoError(t, err)
	}
	more := func(behind, next channels.Entry) chan error {
		done := make(chan error, 1)
		go func() { done <- talks.More(t.Context(), c, behind, next, channels.Working) }()
		return done
	}
	first, next := entry("m1", channels.Words), entry("m1/1", channels.Waits)
	hear(first)
	waits := more(first, next)
	select {
	case err := <-waits:
		require.Fail(t, "nothing was said", "%v", err)
	case <-time.After(50 * time.Millisecond):
	}
	does(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: w.Now}.Decide)
	does(threads.Queue{SessionID: "s-1", Turn: 1, MessageID: "one", Text: "one", At: w.Now,
		Limits: channels.Limits{Text: 1000, Unit: channels.Characters, Fetched: true}}.Decide)
	select {
	case err := <-waits:
		require.Fail(t, "the agent is still speaking", "%v", err)
	case <-time.After(50 * time.Millisecond):
	}
	does(threads.TurnOver{SessionID: "s-1", Turn: 1, Action: sessions.Continue, At: w.Now}.Decide)
	require.NoError(t, <-waits)
	hear(next)
	require.NoError(t, <-more(first, next), "again")

	waits = more(next, entry("m1/2", channels.Waits))
	hear(entry("m2", channels.Words))
	require.ErrorContains(t, <-waits, "nobody hears")
	require.ErrorContains(t, <-more(next, entry("m1/2", channels.Waits)), "nobody hears", "another has asked")
	waits = more(entry("m2", channels.Words), entry("m2/1", channels.Waits))
	hear(entry("m2:over", channels.Leaves))
	require.ErrorContains(t, <-waits, "nobody hears")
}

// Given a gateway that begins a conversation again, then it is given the same addresses while nothing was said in it; from then on
// it is refused, also when that conversation is over: two calls under one id would hear each other's answers.
func TestAConversationOfAGatewayBeginsOnce(t *testing.T) {
	w := resttest.NewStored(t, nil)
	gateway, err := audiocodes.New("")
	require.NoError(t, err)
	shop := channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "audiocodes", External: "shop",
		Credentials: channels.Credentials{audiocodes.Token: "hush"}}
	other, off := shop, shop
	other.ID, other.External = "cn-2", "other"
	off.ID, off.External, off.Inactive = "cn-3", "off", true
	channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{"audiocodes": gateway},
		Connections: &inbox{all: []channels.Connection{shop, other, off}},
		Talks:       channelapi.Talks{Threads: channelapi.Threads{Commands: w.Commands}},
		PublicURL:   func() string { return "https://parley.example.com" }, Now: w.Commands.Now})
	begins := func(door string) *resttest.Reply {
		return w.Call("POST", "/api/v1/channels/audiocodes/webhook/"+door, `{"conversation":"c-1","id":"m"}`, "Authorization", "Bearer hush")
	}
	first := begins("cn-1")
	require.Equal(t, 200, first.Status)
	require.Equal(t, first.Text, begins("cn-1").Text, "nothing was said yet")
	unsaid := begins("cn-3")
	does := func(connection string, decide func(threads.State) ([]event.Payload, error)) {
		t.Helper()
		_, err := eventstore.Execute(t.Context(), w.Commands.Store, threads.Threads, threads.Stream(w.Commands.MAC, "acme", connection, "c-1"),
			eventstore.Command{Tenant: "acme", Actor: "test"}, decide)
		require.NoError(t, err)
	}
	for _, connection := range []string{"cn-1", "cn-3"} {
		does(connection, threads.Receive{TenantID: "acme", ConnectionID: connection, Kind: "audiocodes", At: w.Now,
			Entry: channels.Entry{ExternalID: "1", Thread: "c-1", From: "+1", Says: channels.Begins}}.Decide)
	}
	require.Equal(t, 409, begins("cn-1").Status)
	require.Equal(t, 200, begins("cn-2").Status, "another connection calls its own conversations as it likes")
	again := begins("cn-3")
	require.Equal(t, []any{unsaid.Status, unsaid.Text}, []any{again.Status, again.Text}, "one that is switched off answers as ever")
	does("cn-1", threads.Leave{At: w.Now}.Decide)
	require.Equal(t, 409, begins("cn-1").Status, "and it stays so")
}
