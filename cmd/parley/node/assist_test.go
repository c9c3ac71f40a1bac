//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const helperAgent = `DSL: 1
AGENT: helper
GATHER: {what: {TYPE: string, PROMPT: "Ask what it is about."}}
FLOW:
  START: hello
  STEPS:
    hello: {SAY: "Say hello.", NEXT: ask}
    ask: {GATHER: [what], NEXT: tell}
    tell:
      BRANCH: [{IF: 'gather.what == "angry"', GOTO: desk}]
      SAY: "Look up {{ gather.what }} of {{ caller.conversationId }} in {{ caller.channel }}."
    desk: {SAY: A colleague takes over., ESCALATE: Support}
`

// assisted is a contact center with agents that assist its people.
type assisted struct {
	*tooled
	*desk
}

func newAssisted(t *testing.T) assisted {
	w := newTooled(t, "1h")
	w.apply(t, "Agent", "a-helper", "helper", fields{"projectId": mainApp, "dslContent": helperAgent})
	return assisted{w, &desk{tenant: w.agentsWorld.tenant, c: w.cluster, token: w.auth}}
}

func (w assisted) named(t *testing.T, agent string) {
	t.Helper()
	w.posted(t, nil, settingsOf(fields{"assistingAgent": agent})).must(t, http.StatusOK)
}

// asks tells of a message of the user, on one node or the other.
func (w assisted) asks(t *testing.T, on *server, conversation, text string) {
	t.Helper()
	w.hook(t, on, conversation, says("USER", text)).ok(t)
}

// told waits until no message of a conversation waits, and has what was suggested to each.
func (w assisted) told(t *testing.T, conversation string) (lines []string, last map[string]any) {
	t.Helper()
	until(t, "suggestions in "+conversation, func() bool {
		lines = nil
		for _, m := range w.shown(t, conversation, "?limit=100").Messages {
			if last = m; m["assist"] == "pending" {
				return false
			}
			line := fmt.Sprint(m["query"], ": ", m["assist"])
			if s, is := m["suggestion"].(map[string]any); is {
				line += fmt.Sprint(" ", s["text"])
			}
			if f, is := m["assistFailure"].(map[string]any); is {
				line += fmt.Sprint(" ", f["code"])
			}
			lines = append(lines, line)
		}
		return true
	})
	return lines, last
}

// Given messages that ask the assisting agent, then it suggests what to say, in one session of the
// conversation, in their order, whichever node they come to.
func TestTheAssistingAgentSuggestsWhatToSay(t *testing.T) {
	t.Parallel()
	w := newAssisted(t)
	w.events(t, "as-1", enters("NA", "a1")).ok(t)
	w.asks(t, w.a, "as-1", "Hi")
	lines, last := w.told(t, "as-1")
	require.Equal(t, []string{"Hi: failed NO_AGENT"}, lines)
	require.Contains(t, last["assistFailure"].(map[string]any)["message"], "assistingAgent")

	w.named(t, "helper")
	w.hook(t, w.a, "as-1", says("USER", "Hello"), "Idempotency-Key", "once").ok(t)
	w.hook(t, w.b, "as-1", says("USER", "Hello"), "Idempotency-Key", "once").ok(t)
	w.asks(t, w.b, "as-1", "a bill")
	w.asks(t, w.a, "as-1", "more")
	lines, last = w.told(t, "as-1")
	require.Equal(t, []string{"Hi: failed NO_AGENT", "Hello: answered Say hello.\nAsk what it is about.",
		"a bill: answered Look up a bill of as-1 in assist.", "more: answered Look up a bill of as-1 in assist."}, lines)
	said := last["suggestion"].(map[string]any)
	require.ElementsMatch(t, []string{"text", "agentName", "sessionId", "at"}, keysOf(said))
	require.Equal(t, "helper", said["agentName"])
	session := said["sessionId"].(string)
	require.Regexp(t, isoForm, said["at"])

	var transcript struct{ Messages []map[string]any }
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &transcript)
	require.Len(t, transcript.Messages, 7, "all of it is one session")
	var listed struct{ Sessions []map[string]any }
	w.ask(t, "GET", sessionsPath+"?channel=assist", nil).must(t, 200).into(t, &listed)
	require.Len(t, listed.Sessions, 1)

	w.talkWorld.deploy(t, "dev", fields{"entryAgentName": "meter"})
	w.named(t, "") // the entry agent of what is deployed
	w.events(t, "as-2", enters("NA", "a1")).ok(t)
	w.asks(t, w.a, "as-2", "Hi")
	_, last = w.told(t, "as-2")
	require.Equal(t, "meter", last["suggestion"].(map[string]any)["agentName"])

	t.Run("the session is nobody else's, and no conversation of its own", func(t *testing.T) {
		w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": session, "message": "And?"}).
			refused(t, http.StatusConflict, fault.Conflict)
		w.ask(t, "POST", sessionsPath+"/"+session+"/takeover", fields{"agentId": "a-1"}).must(t, http.StatusNotFound)
		w.ask(t, "PATCH", conversationPath("as-1"), fields{"sessionId": session}).refused(t, http.StatusBadRequest, fault.Validation, "sessionId")
		w.events(t, "as-1", leaves("NA", "a1"), finishes()).ok(t)
		until(t, "the end of the session", func() bool {
			var out struct{ Session map[string]any }
			w.ask(t, "GET", sessionsPath+"/"+session, nil).must(t, 200).into(t, &out)
			return out.Session["status"] == "ended"
		})
	})
	t.Run("with a person", func(t *testing.T) {
		w.named(t, "helper")
		w.events(t, "as-3", enters("NA", "a1")).ok(t)
		for _, text := range []string{"Hi", "angry"} {
			w.asks(t, w.a, "as-3", text)
		}
		lines, _ := w.told(t, "as-3")
		require.Equal(t, "angry: answered ", lines[1], "people have it already")
	})
}

// Given a tool whose answer comes later, then the suggestion waits for it, and so do those behind;
// with the end of the conversation nothing waits any more.
func TestASuggestionWaitsForACallback(t *testing.T) {
	t.Parallel()
	w := newAssisted(t)
	w.named(t, "shop")
	callback := func(id string) (sent string) {
		w.events(t, id, enters("NA", "a1")).ok(t)
		w.asks(t, w.a, id, "Hello")
		w.asks(t, w.b, id, "payer")
		w.asks(t, w.a, id, "And?")
		until(t, "the call of the tool", func() bool {
			_, bodies := w.seen()
			for _, b := range bodies {
				if of, is := b["id"].(string); is {
					sent = of
				}
			}
			return sent != "" && w.shown(t, id, "").Messages[0]["assist"] == "answered"
		})
		return sent
	}
	sent := callback("as-4")
	require.Equal(t, []any{"pending", "pending"}, []any{w.shown(t, "as-4", "").Messages[1]["assist"],
		w.shown(t, "as-4", "").Messages[2]["assist"]})
	w.callback(t, w.b, sent, paid, "sign-with-this").must(t, http.StatusOK)
	lines, _ := w.told(t, "as-4")
	require.Equal(t, []string{"Hello: answered Who are you?", "payer: answered It is paid.", "And?: answered It is paid."}, lines)

	w.events(t, "as-5", enters("NA", "a1")).ok(t)
	for _, text := range []string{"Hello", "payer"} {
		w.asks(t, w.a, "as-5", text)
	}
	until(t, "the first suggestion", func() bool { return w.shown(t, "as-5", "").Messages[0]["assist"] == "answered" })
	w.events(t, "as-5", leaves("NA", "a1"), finishes()).ok(t)
	lines, _ = w.told(t, "as-5")
	require.Equal(t, "payer: failed CONVERSATION_ENDED", lines[1])
}

// Given an agent whose turn fails, or that cannot be run, then the message says so, and a session
// that has ended is followed by another one.
func TestWhyThereIsNoSuggestion(t *testing.T) {
	t.Parallel()
	w := newAssisted(t)
	w.apply(t, "Agent", "a-loops", "loops", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: loops\n" +
		"FLOW: {START: a, STEPS: {a: {SAY: A., NEXT: b}, b: {SAY: B., NEXT: a}}}\n"})
	w.apply(t, "Agent", "a-bye", "bye", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: bye\n" +
		"FLOW: {START: a, STEPS: {a: {SAY: Bye., END: true}}}\n"})
	w.apply(t, "Agent", "a-broken", "broken", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: broken\nFLOW: {START: x}\n"})
	for i, c := range []struct{ agent, want string }{
		{"loops", "failed STEP_LIMIT"}, {"broken", "failed AGENT_NOT_RUN"}, {"bye", "answered Bye."},
	} {
		id := fmt.Sprint("as-why-", i)
		w.named(t, c.agent)
		w.events(t, id, enters("NA", "a1")).ok(t)
		for range 2 {
			w.asks(t, w.a, id, "Hi")
		}
		lines, _ := w.told(t, id)
		require.Equal(t, []string{"Hi: " + c.want, "Hi: " + c.want}, lines, c.agent)
	}
	w.posted(t, nil, settingsOf(fields{"assistingAgent": "nobody"})).refused(t, http.StatusBadRequest, fault.Validation,
		"manifests[0] spec.assistingAgent")
	w.posted(t, nil, settingsOf(fields{"assistingAgent": strings.Repeat("x", 65)})).must(t, http.StatusBadRequest)
}
