package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
)

// presenceWorld is a tenant whose contact center tells of agents, and transfers to them.
type presenceWorld struct {
	*transferDesk
	hooks *desk
}

func newPresenceWorld(t *testing.T, agents ...string) presenceWorld {
	t.Helper()
	w := newTransferDesk(t, shared(t))
	w.staff(t, fields{"canSupportVoice": true}, agents...)
	return presenceWorld{w, &desk{tenant: w.tenant, c: w.c, token: w.auth}}
}

func (w presenceWorld) tell(t *testing.T, id string, events ...map[string]any) {
	t.Helper()
	w.hooks.events(t, id, events...).ok(t)
}

// has waits until an agent has so many conversations.
func (w presenceWorld) has(t *testing.T, agent string, n int) {
	t.Helper()
	until(t, agent+"'s conversations", func() bool { return w.load(t, agent) == n })
}

// outcome is what becomes of a transfer of a new session of a channel to an agent.
func (w presenceWorld) outcome(t *testing.T, channel, agent string) string {
	t.Helper()
	id := uuid.NewString()
	open := sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: channel, At: time.Now()}
	executed(t, w.on, w.id, sessions.Sessions, sessions.Sessions.Stream(id), open.Decide)
	got := w.assign(t, id, toAgent(agent))
	if got.Status == "transferred" {
		w.endSession(t, id)
		w.becomes(t, id, "ended", agent)
	}
	return got.Status + got.Reason
}

func spoken(e map[string]any) map[string]any {
	e["experience"] = "voice"
	return e
}

func emailOf(w presenceWorld, t *testing.T, agent string) string {
	t.Helper()
	return object(t, w.call(t, "PUT", agentPath(agent), w.agentBody(agent, nil)))["emailId"].(string)
}

func TestHookEntriesAndExitsTakeAndFreeCapacity(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1", "a-2")
	mail := strings.ToUpper(emailOf(w, t, "a-1"))

	t.Run("a chat", func(t *testing.T) {
		w.tell(t, "chat", enters("NA", mail))
		w.has(t, "a-1", 1)
		require.Equal(t, "failedAGENT_FULL", w.outcome(t, "api", "a-1"))
		w.tell(t, "chat", leaves("NA", mail))
		w.has(t, "a-1", 0)
		require.Equal(t, "transferred", w.outcome(t, "api", "a-1"))
		w.has(t, "a-1", 0)
	})
	t.Run("a call", func(t *testing.T) {
		w.tell(t, "call", spoken(enters("NA", "a-1")))
		w.has(t, "a-1", 1)
		require.Equal(t, "failedAGENT_FULL", w.outcome(t, "voice", "a-1"))
		require.Equal(t, "transferred", w.outcome(t, "api", "a-1"), "a call is no chat")
		w.tell(t, "call", spoken(leaves("NA", "a-1")))
		w.has(t, "a-1", 0)
		require.Equal(t, "transferred", w.outcome(t, "voice", "a-1"))
	})
	t.Run("a redial takes it again, the end frees", func(t *testing.T) {
		w.tell(t, "again", enters("NA", "a-1"), leaves("NA", "a-1"), enters("redial", "a-1"))
		w.has(t, "a-1", 1)
		w.tell(t, "again", leaves("NA", "a-1"), finishes())
		w.has(t, "a-1", 0)
	})
	t.Run("one hands over to another, who is offline and full", func(t *testing.T) {
		w.presence(t, "a-2", "OFFLINE", "")
		w.tell(t, "full", enters("NA", "a-2"))
		w.has(t, "a-2", 1)
		w.tell(t, "handover", enters("NA", "a-1"), leaves("cold", "a-1"), enters("cold", "a-2"))
		w.has(t, "a-2", 2)
		w.has(t, "a-1", 0)
		w.tell(t, "handover", leaves("NA", "a-2"))
		w.tell(t, "full", leaves("NA", "a-2"))
		w.has(t, "a-2", 0)
	})
	t.Run("who the custom fields name, also when the exit has none", func(t *testing.T) {
		in := enters("NA", "seat 7")
		in["participant"].(map[string]any)["customFields"] = map[string]any{"agentEmail": mail}
		w.tell(t, "seat", in)
		w.has(t, "a-1", 1)
		w.tell(t, "seat", leaves("NA", "seat 7"))
		w.has(t, "a-1", 0)
	})
	t.Run("under two identities, the last exit frees", func(t *testing.T) {
		w.tell(t, "twice", enters("NA", "a-1"), enters("warm", mail), enters("warm", "a-2"))
		w.has(t, "a-2", 1)
		w.tell(t, "twice", leaves("warm", mail), leaves("warm", "a-2"))
		w.has(t, "a-2", 0) // told last
		require.Equal(t, 1, w.load(t, "a-1"))
		w.tell(t, "twice", leaves("NA", "a-1"))
		w.has(t, "a-1", 0)
	})
	t.Run("strangers and other tenants' agents are nobody", func(t *testing.T) {
		other := newPresenceWorld(t, "a-9")
		w.tell(t, "strangers", enters("NA", "a-9"), enters("warm", "nobody"), enters("warm", "a-1"))
		w.has(t, "a-1", 1) // told last, so the others were looked at
		require.Zero(t, other.load(t, "a-9"))
		require.Zero(t, w.load(t, "a-9"))
		require.Zero(t, w.load(t, "nobody"))
	})
}

func TestHooksMakeAnAgentBusyAndAvailableAgain(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	shows := func(name, typ string) {
		t.Helper()
		got := object(t, w.call(t, "GET", agentPath("a-1"), nil))
		require.Equal(t, []any{name, typ}, []any{got["onlineStatus"], got["onlineStatusType"]})
		_, listed := w.listAgents(t, "")
		require.Equal(t, got["onlineStatusType"], listed["a-1"]["onlineStatusType"])
	}
	w.presence(t, "a-1", "AVAILABLE", "Ready")
	w.tell(t, "only", enters("NA", "a-1"))
	w.has(t, "a-1", 1)
	shows("Busy", "BUSY")
	require.Equal(t, "BUSY", w.presence(t, "a-1", "AVAILABLE", "Ready")["onlineStatusType"])
	w.presence(t, "a-1", "AWAY", "Lunch")
	shows("Lunch", "AWAY")
	require.Equal(t, "BUSY", w.presence(t, "a-1", "AVAILABLE", "Ready")["onlineStatusType"])
	w.tell(t, "only", leaves("NA", "a-1"))
	w.has(t, "a-1", 0)
	shows("Ready", "AVAILABLE")
	object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{"maxDigitalChatSupport": 2})))
	w.tell(t, "second", enters("NA", "a-1"))
	w.has(t, "a-1", 1)
	shows("Ready", "AVAILABLE")
}

func TestAHookEntryIntoATransferredConversationIsNoSecondOne(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1", "a-2")
	session := w.session(t, mainApp)
	got := w.assign(t, session, toAgent("a-1"))
	w.tell(t, got.ConversationID, enters("NA", "a-1"), enters("warm", "a-2"))
	w.has(t, "a-2", 1) // told last
	require.Equal(t, 1, w.load(t, "a-1"))
	w.tell(t, got.ConversationID, leaves("warm", "a-2"), leaves("NA", "a-1"))
	w.has(t, "a-1", 0)
	w.has(t, "a-2", 0)
	// whoever told of it first
	until(t, "its session", func() bool { return w.hooks.shown(t, got.ConversationID, "").Conversation.SessionID == session })
	w.tell(t, got.ConversationID, finishes())
	w.becomes(t, session, "ended", "a-1")
	require.Equal(t, "CONVERSATION_ENDED", w.row(t, session)["reason"])
}

func TestAHookThatNamesATransferredConversationByItsSessionOrCallIsNoSecondOne(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1", "a-2")
	_, call := w.talked(t, `{}`)
	until(t, "the call's session", func() bool {
		return w.ask(t, w.c.a, w.to(call.session, toAgent("a-1")), "Idempotency-Key", call.id).Status == 200
	})
	session := w.session(t, mainApp)
	for _, conversation := range []string{call.id, session} {
		t.Run(map[string]string{call.id: "call", session: "session"}[conversation], func(t *testing.T) {
			if conversation == session {
				require.Equal(t, "transferred", w.assign(t, session, toAgent("a-1")).Status)
			}
			w.tell(t, conversation, enters("NA", "a-1"), enters("warm", "a-2"))
			w.has(t, "a-2", 1) // told last
			require.Equal(t, 1, w.load(t, "a-1"))
			w.tell(t, conversation, leaves("warm", "a-2"), leaves("NA", "a-1"))
			w.has(t, "a-1", 0)
			w.has(t, "a-2", 0)
			w.tell(t, conversation, finishes())
			w.becomes(t, map[string]string{call.id: call.session, session: session}[conversation], "ended", "a-1")
		})
	}
}

func TestTheEndOfAConversationFreesWhoeverStillHasIt(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	old := emailOf(w, t, "a-1")
	w.tell(t, "renamed", enters("NA", old))
	w.has(t, "a-1", 1)
	object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{"emailId": "new." + old})))
	w.tell(t, "renamed", leaves("NA", old), finishes())
	w.has(t, "a-1", 0)
}

func TestTheSameConversationIDInTwoProjectsIsTwoConversations(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	w.tell(t, "one", enters("NA", "a-1"))
	body := map[string]any{"conversationId": "one", "botId": otherApp, "events": []any{enters("NA", "a-1")}}
	w.c.b.do(t, "POST", hookPath+otherApp, body, "auth", w.auth).ok(t)
	w.has(t, "a-1", 2)
	w.tell(t, "one", leaves("NA", "a-1"), finishes())
	w.has(t, "a-1", 1)
}

func TestWhoWaitsGetsTheAgentWhomAHookFrees(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	w.queue(t, "q-1", nil, "a-1")
	w.tell(t, "busy", enters("NA", "a-1"))
	w.has(t, "a-1", 1)
	session := w.session(t, mainApp)
	w.assign(t, session, toQueue("q-1"))
	require.Equal(t, "queued", w.row(t, session)["status"])
	w.tell(t, "busy", leaves("NA", "a-1"))
	w.becomes(t, session, "assigned", "a-1")
}
