package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// conversation is what is shown of one.
func (w *transferDesk) conversation(t *testing.T, on *server, id string) map[string]any {
	t.Helper()
	var out struct{ Conversation map[string]any }
	on.do(t, "GET", "/api/v1/projects/"+mainApp+"/conversations/"+id, nil, "auth", w.auth).must(t, 200).into(t, &out)
	return out.Conversation
}

// Given a transfer that was taken, then the conversation that it names can be used at
// once on any node, goes where the transfers of its session go, and ends with the last.
func TestAConversationThatATransferOpenedGoesWithIt(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1", "a-2")
	w.queue(t, "q-1", nil, "a-1", "a-2")
	w.queue(t, "q-empty", nil)
	w.queue(t, "q-short", fields{"waitTimeoutSeconds": 1})
	is := func(t *testing.T, id, status string) {
		t.Helper()
		until(t, "the conversation to be "+status, func() bool { return w.conversation(t, w.c.b, id)["status"] == status })
	}

	t.Run("an agent has it until the session ends", func(t *testing.T) {
		session := w.session(t, mainApp)
		got := w.assign(t, session, toAgent("a-1"))
		require.Equal(t, session, w.conversation(t, w.c.b, got.ConversationID)["sessionId"], "at once, on the other node")
		is(t, got.ConversationID, "active")
		require.Equal(t, got.ConversationID, w.assign(t, session, toAgent("a-2")).ConversationID)
		is(t, got.ConversationID, "active")
		w.becomes(t, session, "assigned", "a-2")
		again := w.assign(t, session, toAgent("a-2"))
		require.Equal(t, []string{"transferred", got.ConversationID}, []string{again.Status, again.ConversationID}, "who has it keeps it")
		w.presence(t, "a-1", "AWAY", "")
		require.Equal(t, "failed", w.assign(t, session, toAgent("a-1")).Status, "a later one that fails changes nothing")
		w.presence(t, "a-1", "AVAILABLE", "")
		require.Equal(t, got.ConversationID, w.assign(t, session, toQueue("q-empty")).ConversationID)
		is(t, got.ConversationID, "waiting")
		w.endSession(t, session)
		is(t, got.ConversationID, "ended")
		require.Equal(t, "SESSION_ENDED", w.conversation(t, w.c.a, got.ConversationID)["endReason"])
	})
	t.Run("it waits until the wait is over", func(t *testing.T) {
		waits := w.assign(t, w.session(t, mainApp), toQueue("q-empty"))
		require.Equal(t, "waiting", w.conversation(t, w.c.b, waits.ConversationID)["status"], "at once")
		got := w.assign(t, w.session(t, mainApp), toQueue("q-short"))
		is(t, got.ConversationID, "ended")
		require.Equal(t, "QUEUE_TIMEOUT", w.conversation(t, w.c.a, got.ConversationID)["endReason"])
	})
	t.Run("a transfer that nobody took names none", func(t *testing.T) {
		session := w.session(t, mainApp)
		w.presence(t, "a-1", "AWAY", "")
		got := w.assign(t, session, toAgent("a-1"))
		require.Equal(t, []string{"failed", ""}, []string{got.Status, got.ConversationID})
		require.NotContains(t, w.row(t, session), "conversationId")
		w.c.a.do(t, "GET", "/api/v1/projects/"+mainApp+"/conversations/c-"+got.TransferID, nil, "auth", w.auth).refused(t, 404, fault.NotFound)
	})
}

// Given a conversation that waits in a queue, when hooks tell that an agent has come to it, then it waits no more: nobody else is
// given it, its asker is told who has it, and it ends when hooks say so.
func TestAConversationThatAnAgentHasComeToWaitsNoMore(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1", "a-2")
	w.queue(t, "q-1", nil, "a-1")
	w.presence(t, "a-1", "AWAY", "")
	session := w.session(t, mainApp)
	waits := w.assign(t, session, toQueue("q-1"))
	require.Equal(t, "queued", w.row(t, session)["status"])
	hooks := func(events ...any) {
		t.Helper()
		w.c.b.do(t, "POST", "/agentassist/api/v1/hooks/"+mainApp, fields{"conversationId": waits.ConversationID, "botId": mainApp,
			"events": events}, "auth", w.auth).must(t, 200)
	}

	hooks(enters("NA", "a-2"))
	w.becomes(t, session, "assigned", "a-2")
	told := w.told(t, session, 2)[1]
	require.Equal(t, []any{"transferred", "a-2", "q-1"}, []any{told["status"], told["agentId"], told["queueId"]})
	w.presence(t, "a-1", "AVAILABLE", "")
	other := w.session(t, mainApp)
	w.assign(t, other, toQueue("q-1"))
	w.becomes(t, other, "assigned", "a-1") // who can have one alone
	require.Equal(t, "a-2", w.row(t, session)["agentId"])

	hooks(leaves("NA", "a-2"), finishes())
	w.becomes(t, session, "ended", "a-2")
	until(t, "the agent to be free", func() bool {
		return w.assign(t, w.session(t, mainApp), toAgent("a-2")).Status == "transferred"
	})
}

// Given a conversation that waits in a queue, when hooks tell of somebody who is no agent of ours, or of an agent who has left again at
// once, then it waits no more all the same, and it is over when hooks say so.
func TestAConversationThatSomebodyHasComeToWaitsNoMore(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, nil, "a-1", "a-2")
	w.queue(t, "q-1", nil, "a-1")
	hooks := func(conversation string, events ...any) {
		t.Helper()
		w.c.b.do(t, "POST", "/agentassist/api/v1/hooks/"+mainApp, fields{"conversationId": conversation, "botId": mainApp,
			"events": events}, "auth", w.auth).must(t, 200)
	}
	for name, c := range map[string]struct {
		events []any
		agent  any // as transfers and callbacks name who has it
	}{
		"somebody else's agent":                 {[]any{enters("NA", "ext-7")}, nil},
		"an agent who has left again":           {[]any{enters("NA", "a-2"), leaves("NA", "a-2")}, "a-2"},
		"an agent who has passed it on at once": {[]any{enters("NA", "a-2"), leaves("COLD", "a-2"), enters("COLD", "ext-7")}, "a-2"},
	} {
		t.Run(name, func(t *testing.T) {
			w.presence(t, "a-1", "AWAY", "")
			session := w.session(t, mainApp)
			waits := w.assign(t, session, toQueue("q-1"))
			require.Equal(t, "queued", w.row(t, session)["status"])

			hooks(waits.ConversationID, c.events...)
			w.becomes(t, session, "assigned", c.agent)
			told := w.told(t, session, 2)[1]
			require.Equal(t, []any{"transferred", c.agent, "q-1"}, []any{told["status"], told["agentId"], told["queueId"]})
			w.presence(t, "a-1", "AVAILABLE", "")
			other := w.session(t, mainApp)
			w.assign(t, other, toQueue("q-1"))
			w.becomes(t, other, "assigned", "a-1") // who can have one alone
			w.becomes(t, session, "assigned", c.agent)

			if last := c.events[len(c.events)-1].(map[string]any); last["transition"] == "entry" {
				hooks(waits.ConversationID, leaves("NA", "ext-7"))
			}
			hooks(waits.ConversationID, finishes())
			w.becomes(t, session, "ended", c.agent)
			w.endSession(t, other)
			until(t, "the agents to be free", func() bool { return w.load(t, "a-1")+w.load(t, "a-2") == 0 })
		})
	}
}

// Given a conversation that hooks have just ended, when its session is transferred again at once, then that is another conversation,
// which hooks can tell of; and a transfer that was asked for in the very moment of the end does not keep its agent for nothing.
func TestATransferAtTheEndOfAConversationKeepsNobodyForNothing(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	w.staff(t, fields{"maxDigitalChatSupport": 20}, "a-1", "a-2")
	hooks := func(conversation string, events ...any) {
		t.Helper()
		w.c.a.do(t, "POST", "/agentassist/api/v1/hooks/"+mainApp, fields{"conversationId": conversation, "botId": mainApp,
			"events": events}, "auth", w.auth).must(t, 200)
	}
	ended := func() (session, conversation string) {
		session = w.session(t, mainApp)
		conversation = w.assign(t, session, toAgent("a-1")).ConversationID
		hooks(conversation, enters("NA", "a-1"), leaves("NA", "a-1"), finishes())
		return session, conversation
	}
	for range 8 {
		session, before := ended()
		again := w.assign(t, session, toAgent("a-2"))
		require.Equal(t, "transferred", again.Status)
		require.NotEqual(t, before, again.ConversationID)
		hooks(again.ConversationID, enters("NA", "a-2"), leaves("NA", "a-2"), finishes())
		w.becomes(t, session, "ended", "a-2")
	}

	session, over := ended()
	w.becomes(t, session, "ended", "a-1")
	late := transfers.Request{TransferID: "t-late-" + session, TenantID: w.id, ProjectID: mainApp, OrgID: w.id + "-org", SessionID: session,
		ConversationID: over, Kind: humanagents.Chat, CallbackURL: w.hook.url, HumanAgentID: "a-2", Turn: 2, At: time.Now()}
	_, err := eventstore.Execute(t.Context(), w.on.Store(), transfers.Transfers, transfers.Stream(late.TransferID),
		eventstore.Command{Tenant: w.id, Actor: "user:test"}, late.Decide)
	require.NoError(t, err)
	w.becomes(t, session, "ended", "a-2")
	require.Equal(t, "CONVERSATION_ENDED", w.row(t, session)["reason"])
	until(t, "the agents to be free", func() bool { return w.load(t, "a-1")+w.load(t, "a-2") == 0 })
}
