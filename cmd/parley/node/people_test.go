//go:build !apache

package node_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const escalating = `DSL: 1
AGENT: meter
ESCALATE: [{WHEN: 'turn.text == "lost"', QUEUE: nowhere, ON_FAIL: {SAY: Nobody knows that queue.}}]
FLOW:
  START: hello
  STEPS:
    hello: {SAY: "A person?", NEXT: wait}
    wait: {GATHER: [word], NEXT: person}
    person: {SAY: A colleague takes over., ESCALATE: Support, NEXT: after}
    after: {SAY: "Did that help?"}
GATHER: {word: {TYPE: string, PROMPT: "Say a word."}}
`

// peopleWorld is a tenant with an agent that escalates, and with a person who is there for it.
type peopleWorld struct {
	talkWorld
	hooks *desk
}

func newPeopleWorld(t *testing.T) peopleWorld {
	c := shared(t)
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": escalating})
	w.auth = w.token(t)
	d := &transferDesk{tenant: w.tenant, c: c, auth: w.auth}
	d.staff(t, fields{"maxDigitalChatSupport": 3}, "a-maria", "a-tom")
	w.apply(t, "Queue", "q-support", "Support", fields{"agents": []fields{{"userId": "a-maria"}}})
	return peopleWorld{talkWorld{w}, &desk{tenant: w.tenant, c: c, token: w.auth}}
}

type spokenMessage struct{ ID, Role, Content, AgentName string }

// transcript is what was said in a session, as "role: text".
func (w peopleWorld) transcript(t *testing.T, session string) (out []string) {
	t.Helper()
	var page struct{ Messages []spokenMessage }
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts?limit=100", nil).must(t, 200).into(t, &page)
	for _, m := range page.Messages {
		out = append(out, m.Role+": "+m.Content)
	}
	return out
}

// last waits until the transcript of a session ends with a line.
func (w peopleWorld) last(t *testing.T, session, line string) {
	t.Helper()
	until(t, "the line "+line, func() bool {
		all := w.transcript(t, session)
		return len(all) > 0 && all[len(all)-1] == line
	})
}

type shownTransfer struct {
	TransferID, ConversationID, Status, AgentID, Reason string
	Escalation                                          map[string]any
}

func (w peopleWorld) transfers(t *testing.T, session string) []shownTransfer {
	t.Helper()
	var page struct{ Transfers []shownTransfer }
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/transfers?sessionId="+session, nil).must(t, 200).into(t, &page)
	return page.Transfers
}

// taken waits until a person has the session, and gives the transfer.
func (w peopleWorld) taken(t *testing.T, session, agent string) (of shownTransfer) {
	t.Helper()
	until(t, session+" to be with "+agent, func() bool {
		all := w.transfers(t, session)
		if len(all) == 0 || all[0].Status != "assigned" || all[0].AgentID != agent || all[0].ConversationID == "" {
			return false
		}
		of = all[0]
		return true
	})
	return of
}

// read are the messages of a conversation, as "author: text".
func (w peopleWorld) read(t *testing.T, conversation string) (out []string) {
	t.Helper()
	var page struct {
		Messages []struct{ Author, Query string }
	}
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/conversations/"+conversation, nil).must(t, 200).into(t, &page)
	for _, m := range page.Messages {
		out = append(out, m.Author+": "+m.Query)
	}
	return out
}

// people is who has a session in place of its agent.
func (w peopleWorld) people(t *testing.T, session string) fields {
	t.Helper()
	var page struct{ Session struct{ People fields } }
	w.ask(t, "GET", sessionsPath+"/"+session, nil).must(t, 200).into(t, &page)
	return page.Session.People
}

// over is whether a conversation has ended.
func (w peopleWorld) over(t *testing.T, conversation string) bool {
	t.Helper()
	var page struct{ Conversation struct{ Status string } }
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/conversations/"+conversation, nil).must(t, 200).into(t, &page)
	return page.Conversation.Status == "ended"
}

// escalate begins a session that its agent gives to people.
func (w peopleWorld) escalate(t *testing.T) (session string, answer chatAnswer) {
	t.Helper()
	session = w.begin(t, "bot/meter")
	w.say(t, session, "Hi")
	answer = w.say(t, session, "please")
	return session, answer
}

// An agent gives its session to people: what each side says is read by the other, and when the
// conversation is over the agent goes on.
func TestAnAgentEscalates(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	session, asked := w.escalate(t)
	require.Equal(t, []any{"A colleague takes over.", "escalated"}, []any{asked.Response, asked.Action.Type})
	require.Contains(t, asked.traces(), "escalated")
	early := w.say(t, session, "Is it far?")
	require.Equal(t, []any{"", "escalated", asked.Action.TransferID, asked.Action.ConversationID}, []any{early.Response, early.Action.Type,
		early.Action.TransferID, early.Action.ConversationID})

	of := w.taken(t, session, "a-maria")
	require.Equal(t, []string{asked.Action.TransferID, asked.Action.ConversationID}, []string{of.TransferID, of.ConversationID})
	until(t, "the session to say who has it", func() bool { return w.people(t, session)["agentId"] != nil })
	has := w.people(t, session)
	delete(has, "since")
	require.Equal(t, fields{"transferId": of.TransferID, "conversationId": of.ConversationID, "queueId": "q-support", "agentId": "a-maria",
		"waiting": false}, has)
	require.Equal(t, map[string]any{"agentName": "meter", "step": "person"}, of.Escalation)
	until(t, "what was said early", func() bool { return len(w.read(t, of.ConversationID)) == 1 })
	w.hooks.events(t, of.ConversationID, enters("na", "a-maria")).ok(t)
	w.hooks.hook(t, w.b, of.ConversationID, says("AGENT", "I am Maria."), "Idempotency-Key", "m-1").ok(t)
	w.hooks.hook(t, w.a, of.ConversationID, says("AGENT", "I am Maria."), "Idempotency-Key", "m-1").ok(t)
	w.last(t, session, "agent: I am Maria.")

	key := []string{"Idempotency-Key", "say-1", "Authorization", "Bearer " + w.auth}
	body := fields{"projectId": mainAlias, "sessionId": session, "message": "Hello Maria"}
	for range 2 {
		w.a.do(t, "POST", "/api/v1/chat/agent", body, key...).must(t, 200)
	}
	until(t, "what was said", func() bool { return len(w.read(t, of.ConversationID)) == 3 })
	require.Equal(t, []string{"USER: Is it far?", "AGENT: I am Maria.", "USER: Hello Maria"}, w.read(t, of.ConversationID))
	w.ask(t, "POST", sessionsPath+"/"+session+"/reset", nil).refused(t, http.StatusConflict, fault.Conflict)

	w.hooks.events(t, of.ConversationID, leaves("na", "a-maria"), finishes()).ok(t)
	w.last(t, session, "assistant: Did that help?")
	require.Nil(t, w.people(t, session))
	require.Equal(t, []string{"user: Hi", "assistant: A person?", "assistant: Say a word.", "user: please",
		"assistant: A colleague takes over.", "user: Is it far?", "agent: I am Maria.", "user: Hello Maria",
		"assistant: Did that help?"}, w.transcript(t, session))
	again := w.say(t, session, "Yes")
	require.Equal(t, "continue", again.Action.Type)
	w.hooks.hook(t, w.a, of.ConversationID, says("AGENT", "Late"), "Idempotency-Key", "m-2").must(t, 400)

	var person string
	var page struct{ Messages []spokenMessage }
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &page)
	for _, m := range page.Messages {
		if m.Role == "agent" {
			person = m.ID
		}
	}
	w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": session, "messageId": person, "rating": "up"}).must(t, 200)

	a := newAnalyst(t, w.b, w.tenant)
	a.current(t)
	var counted struct {
		Data struct {
			Messages int `json:"message_count"`
		} `json:"data"`
	}
	a.get(t, "/analytics/session-metrics").must(t, 200).into(t, &counted)
	require.Equal(t, len(page.Messages), counted.Data.Messages, "what is for people, and what they say, is counted once")
}

// A session that waits in a queue's line is with somebody of whom hooks tell and who is no agent of ours: its stream says so.
func TestSomebodyElsesPeopleHaveASession(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	w.apply(t, "Queue", "q-support", "Support", fields{"agents": []fields{}})
	session, _ := w.escalate(t)
	var of shownTransfer
	until(t, "it to wait", func() bool {
		all := w.transfers(t, session)
		if len(all) == 1 {
			of = all[0]
		}
		return of.Status == "queued" && of.ConversationID != ""
	})
	traces := func() string {
		return w.ask(t, "GET", sessionsPath+"/"+session+"/traces?limit=100", nil).must(t, 200).Text
	}
	until(t, "the session to know", func() bool { return strings.Contains(traces(), "taken_by_people") })
	require.NotContains(t, traces(), `"elsewhere":true`)
	w.hooks.events(t, of.ConversationID, enters("NA", "ext-7")).ok(t)
	until(t, "the session to know", func() bool { return strings.Contains(traces(), `"elsewhere":true`) })
	w.hooks.hook(t, w.b, of.ConversationID, says("AGENT", "I am another's."), "Idempotency-Key", "m-1").ok(t)
	w.last(t, session, "agent: I am another's.")
}

// A queue that is not there is told: in the trace, by ON_FAIL, to the user.
func TestAnAgentEscalatesToNobody(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	session := w.begin(t, "bot/meter")
	require.Equal(t, "escalated", w.say(t, session, "lost").Action.Type)
	w.last(t, session, "assistant: Nobody knows that queue.")
	traces := w.ask(t, "GET", sessionsPath+"/"+session+"/traces?limit=100", nil).must(t, 200).Text
	require.Contains(t, traces, "NO_SUCH_QUEUE")
	require.Empty(t, w.transfers(t, session))
	require.Equal(t, "continue", w.say(t, session, "Hi").Action.Type)
}

// Somebody takes a session over, and hands it back: the agent waits for what it waited for.
func TestASessionIsTakenOverAndHandedBack(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	session := w.begin(t, "bot/meter")
	hello := w.say(t, session, "Hi")
	require.Equal(t, "continue", hello.Action.Type)
	path := sessionsPath + "/" + session
	w.ask(t, "POST", path+"/handback", nil).refused(t, http.StatusConflict, fault.Conflict)
	w.ask(t, "POST", path+"/takeover", fields{}).refused(t, http.StatusBadRequest, fault.Validation, "agentId")
	w.ask(t, "POST", path+"/takeover", fields{"agentId": "a-nobody"}).refused(t, http.StatusNotFound, fault.NotFound)
	w.scope(t, "as-run", "Run", mainApp, access.RunAPI)
	key := w.key(t, "as-run")
	other := w.cluster.tenant(t, "")
	for _, of := range []string{"takeover", "handback"} {
		w.b.do(t, "POST", path+"/"+of, fields{"agentId": "a-maria"}, "Authorization", "Bearer "+other.token(t)).refused(t, 404, fault.NotFound)
		w.b.do(t, "POST", path+"/"+of, fields{"agentId": "a-maria"}, "X-API-Key", key).refused(t, 403, fault.Forbidden)
	}

	var took struct{ Takeover map[string]string }
	w.ask(t, "POST", path+"/takeover", fields{"agentId": "a-tom"}, "Idempotency-Key", "k-1").must(t, 200).into(t, &took)
	require.Equal(t, []string{session, "a-tom"}, []string{took.Takeover["sessionId"], took.Takeover["agentId"]})
	said := w.say(t, session, "Who is there?")
	require.Equal(t, []string{"escalated", took.Takeover["conversationId"], ""}, []string{said.Action.Type, said.Action.ConversationID,
		said.Response})
	until(t, "what was said", func() bool { return len(w.read(t, took.Takeover["conversationId"])) == 1 })
	first := took
	w.ask(t, "POST", path+"/takeover", fields{"agentId": "a-tom"}, "Idempotency-Key", "k-1").must(t, 200).into(t, &took)
	require.Equal(t, first, took)

	w.ask(t, "POST", path+"/takeover", fields{"agentId": "a-maria"}).must(t, 200)
	require.Equal(t, "assigned", w.taken(t, session, "a-maria").Status)
	require.Equal(t, "escalated", w.say(t, session, "And now?").Action.Type, "that of the one before gives nothing back")

	back := w.ask(t, "POST", path+"/handback", nil, "Idempotency-Key", "k-2").must(t, 200).Text
	require.Equal(t, "A colleague takes over.", w.say(t, session, "Hi").Response, "it still waited for the word")
	until(t, "the transfer to end", func() bool {
		return len(w.transfers(t, session)) == 3 && w.transfers(t, session)[1].Reason == "HANDED_BACK"
	})
	require.Equal(t, back, w.ask(t, "POST", path+"/handback", nil, "Idempotency-Key", "k-2").must(t, 200).Text)
}

// Several take a session over at once. One of them has it, and stays: that the others are replaced ends their
// conversations, and nothing of the one that stands.
func TestWhoTakesASessionOverAtOnce(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	session := w.begin(t, "bot/meter")
	w.say(t, session, "Hi")
	var at sync.WaitGroup
	for n := range 4 {
		at.Go(func() {
			w.ask(t, "POST", sessionsPath+"/"+session+"/takeover", fields{"agentId": []string{"a-tom", "a-maria"}[n%2]})
		})
	}
	at.Wait()
	replaced := func(of shownTransfer) bool { return of.Reason == "REPLACED" }
	until(t, "the others to be replaced, with their conversations", func() bool {
		all := w.transfers(t, session)
		stays := slices.IndexFunc(all, func(of shownTransfer) bool { return !replaced(of) })
		over := 0
		for _, of := range all {
			if replaced(of) && (of.ConversationID == all[stays].ConversationID || w.over(t, of.ConversationID)) {
				over++
			}
		}
		return over == 3
	})
	require.Never(t, func() bool {
		return !slices.ContainsFunc(w.transfers(t, session), func(of shownTransfer) bool { return of.Status == "assigned" })
	}, 300*time.Millisecond, 20*time.Millisecond)
	require.Equal(t, "escalated", w.say(t, session, "Who is there?").Action.Type)
}

// Somebody takes a session over as soon as they hear that its agent wants people, before the agent's transfer is made. They
// have it, and not whom the queue would have given it to.
func TestWhoTakesASessionOverThatWasJustEscalated(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	for range 3 {
		session, answer := w.escalate(t)
		w.ask(t, "POST", sessionsPath+"/"+session+"/takeover", fields{"agentId": "a-tom"}).must(t, 200)
		all := w.transfers(t, session)
		require.Len(t, all, 2, "the agent's comes first, whoever makes it")
		for _, of := range all {
			require.Equal(t, of.TransferID == answer.Action.TransferID, of.Reason == "REPLACED", of)
		}
		w.ask(t, "DELETE", sessionsPath+"/"+session, nil).must(t, 200)
	}
}

// Nobody becomes free in time: the user is told, what was said meanwhile is in the conversation, and
// the transfer shows what the agent wanted.
func TestNobodyIsFreeInTime(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	w.apply(t, "Queue", "q-short", "Short", fields{"agents": []fields{}, "waitTimeoutSeconds": 3})
	w.apply(t, "Agent", "a-late", "late", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: late
ESCALATE: [{WHEN: 'turn.text == "person"', QUEUE: q-short, PRIORITY: high, REASON: Wants one, CONTEXT: {said: turn.text}}]
FLOW: {START: hear, STEPS: {hear: {SAY: I hear.}}}
`})
	var session string
	var asked chatAnswer
	until(t, "something that is said before the wait is over", func() bool { // which may take longer than three seconds
		session = w.begin(t, "bot/late")
		asked = w.say(t, session, "person")
		require.Equal(t, "escalated", asked.Action.Type)
		return w.say(t, session, "Anybody?").Action.Type == "escalated"
	})
	w.last(t, session, "assistant: Unfortunately none of my colleagues is available at the moment.")
	of := w.transfers(t, session)
	require.Len(t, of, 1)
	require.Equal(t, []string{asked.Action.TransferID, "timedOut", "QUEUE_TIMEOUT"}, []string{of[0].TransferID, of[0].Status, of[0].Reason})
	require.Equal(t, map[string]any{"agentName": "late", "priority": "high", "reason": "Wants one",
		"context": map[string]any{"said": "person"}}, of[0].Escalation)
	until(t, "what was said meanwhile", func() bool { return len(w.read(t, of[0].ConversationID)) == 1 })
	require.Equal(t, []string{"USER: Anybody?"}, w.read(t, of[0].ConversationID))
	require.Equal(t, "I hear.", w.say(t, session, "person").Response, "it holds still")
}
