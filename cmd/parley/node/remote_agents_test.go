//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// remotePeer is an agent of others, which answers as it is told.
type remotePeer struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []peerRequest
	answer func(n int, r peerRequest) any
}

type peerRequest struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ID      string
		Message struct {
			MessageID, ContextID, TaskID string
			Parts                        []struct {
				Kind, Text string
				Data       map[string]any
			}
			Metadata map[string]any
		}
	}
	header http.Header
}

func newRemotePeer(t *testing.T, answer func(n int, r peerRequest) any) *remotePeer {
	p := &remotePeer{answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in peerRequest
		_ = json.Unmarshal(body, &in)
		in.header = r.Header.Clone()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, in)
		said := p.answer(len(p.asked), in)
		switch said := said.(type) {
		case int:
			w.WriteHeader(said)
		case string:
			_, _ = io.WriteString(w, strings.Replace(said, `"id":"x"`, `"id":`+string(in.ID), 1))
		default:
			_ = json.NewEncoder(w).Encode(fields{"jsonrpc": "2.0", "id": in.ID, "result": said})
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *remotePeer) requests() []peerRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]peerRequest(nil), p.asked...)
}

// peerTask is a task of 0.3 with what came of it.
func peerTask(state string, texts ...string) fields {
	parts := []fields{}
	for _, text := range texts {
		parts = append(parts, fields{"kind": "text", "text": text})
	}
	out := fields{"kind": "task", "id": "t-1", "contextId": "c-1", "status": fields{"state": state}}
	if state == "completed" {
		out["artifacts"] = []fields{{"artifactId": "a-1", "parts": parts}}
	} else if len(parts) > 0 {
		out["status"] = fields{"state": state, "message": fields{"messageId": "m", "role": "agent", "parts": parts}}
	}
	return out
}

const (
	remotePlanner = `DSL: 1
AGENT: planner
DELEGATE: [{ID: desk, AGENT: desk, PURPOSE: "Find {{ turn.text }}", INPUT: {to: "'Oslo'"}, RETURNS: {text: session.offer}, TIMEOUT: 20s%s}]
FLOW:
  START: find
  STEPS:
    find: {DELEGATE: desk, ON_ERROR: {SAY: "Nobody at the desk.", END: true}, NEXT: say}
    say: {SAY: "Offer: {{ session.offer }}", END: true}
`
	remoteDesk = `DSL: 1
AGENT: desk
DESCRIPTION: Elsewhere
REMOTE: {URL: "%s", HEADERS: {X-API-Key: "${secret:KEY}"}%s}
`
	remoteTriage = `DSL: 1
AGENT: triage
ON_START: {SAY: "Welcome."}
HANDOFF: [{TO: desk, WHEN: turn.text == "desk", REASON: Asked, RETURN: true, ON_RETURN: {SET: {session.how: result.state}, NEXT: back}}]
FLOW: {START: ask, STEPS: {ask: {SAY: "What is it?", GATHER: [topic], NEXT: ask}, back: {SAY: "Back, {{ session.how }}.", END: true}}}
GATHER: {topic: {TYPE: string, PROMPT: "Topic?"}}
`
)

// remoteWorld is a project whose agents give work to one that is elsewhere.
func remoteWorld(t *testing.T, entry, source, url, more string) talkWorld {
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-"+entry, entry, fields{"projectId": mainApp, "dslContent": source})
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(remoteDesk, url, more)})
	w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": "agent_desk", "secretKey": "KEY", "value": "hush-key",
		"environment": "production"}).must(t, 201)
	w.deploy(t, "production", fields{"entryAgentName": entry, "agentVersionManifest": fields{entry: "auto", "desk": "auto"}})
	return w
}

// Given an agent that delegates to one that is elsewhere, then that is asked once, waited for, and its answer
// is the result; what goes wrong there is the delegate's.
func TestAnAgentDelegatesToOneThatIsElsewhere(t *testing.T) {
	t.Parallel()
	const nobody = "Nobody at the desk."
	once := []string{"message/send"}
	for name, of := range map[string]struct {
		more   string
		answer func(n int, r peerRequest) any
		want   string
		asked  []string
	}{
		"it answers": {"", func(int, peerRequest) any { return peerTask("completed", "KL 123", "80 euro") }, "Offer: KL 123\n80 euro",
			once},
		"with a message": {"", func(int, peerRequest) any {
			return fields{"kind": "message", "messageId": "m", "role": "agent", "parts": []fields{{"kind": "text", "text": "KL 1"}}}
		}, "Offer: KL 1", once},
		"later": {"", func(n int, _ peerRequest) any {
			return peerTask([]string{"submitted", "working", "completed"}[min(n, 3)-1], "KL 9")
		},
			"Offer: KL 9", []string{"message/send", "tasks/get", "tasks/get"}},
		"in 1.0": {`, VERSION: "1.0"`, func(int, peerRequest) any {
			return fields{"task": fields{"id": "t", "contextId": "c", "status": fields{"state": "TASK_STATE_COMPLETED"},
				"artifacts": []fields{{"artifactId": "a", "parts": []fields{{"text": "KL 2"}}}}}}
		}, "Offer: KL 2", []string{"SendMessage"}},
		"it fails":       {"", func(int, peerRequest) any { return peerTask("failed", "no seats") }, nobody, once},
		"it asks back":   {"", func(int, peerRequest) any { return peerTask("input-required", "When?") }, nobody, once},
		"it is no agent": {"", func(int, peerRequest) any { return "<html>" }, nobody, once},
		"it answers another request": {"", func(int, peerRequest) any {
			return `{"jsonrpc":"2.0","id":"y","result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"KL 7"}]}}`
		}, nobody, once},
		"it tells of another task": {"", func(n int, _ peerRequest) any {
			if n == 1 {
				return peerTask("working")
			}
			other := peerTask("completed", "KL 8")
			other["id"] = "t-9"
			return other
		}, nobody, []string{"message/send", "tasks/get", "tasks/cancel"}},
		"it refuses": {"", func(int, peerRequest) any { return 401 }, nobody, once},
		"not for now": {", IDEMPOTENT: true, RETRY: {MAX: 2, BACKOFF: 10ms}", afterTrouble, "Offer: KL 3",
			[]string{"message/send", "message/send"}},
		"perhaps, once":   {", RETRY: {MAX: 2, BACKOFF: 10ms}", afterTrouble, nobody, once},
		"it is too slow":  {", TIMEOUT: 300ms", func(int, peerRequest) any { return peerTask("working") }, nobody, nil},
		"an odd location": {"", func(int, peerRequest) any { return 302 }, nobody, once},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRemotePeer(t, of.answer)
			w := remoteWorld(t, "planner", fmt.Sprintf(remotePlanner, ""), p.URL+"/a2a", of.more)
			var out chatAnswer
			w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "a flight"}).must(t, 200).into(t, &out)
			require.Equal(t, of.want, out.Response, "%v", out.TraceEvents)
			all := p.requests()
			var methods []string
			for _, r := range all {
				methods = append(methods, r.Method)
			}
			if of.asked == nil {
				// Not the last: a look that was given up may reach the other side behind it.
				require.Contains(t, methods, "tasks/cancel", "nobody waits any more")
			} else {
				require.Equal(t, of.asked, methods)
			}
			first := all[0]
			require.Equal(t, "hush-key", first.header.Get("X-API-Key"))
			m := first.Params.Message
			require.Equal(t, []any{"Find a flight", map[string]any{"to": "Oslo"}}, []any{m.Parts[0].Text, m.Parts[1].Data})
			require.NotEmpty(t, m.MessageID)
			require.Empty(t, m.Metadata["history"], "a delegate is told its work alone")
			if len(of.asked) == 2 {
				require.Equal(t, m.MessageID, all[1].Params.Message.MessageID, "a repeat has the same id")
			}
		})
	}
}

func afterTrouble(n int, _ peerRequest) any {
	if n == 1 {
		return 503
	}
	return peerTask("completed", "KL 3")
}

// Given a conversation that is handed to an agent elsewhere, then what is said goes there with what was said
// before, in one context, until the work is done there.
func TestAConversationIsHandedToAnAgentElsewhere(t *testing.T) {
	t.Parallel()
	p := newRemotePeer(t, func(n int, _ peerRequest) any {
		if n == 1 {
			return peerTask("input-required", "Which seat?")
		}
		return peerTask("completed", "Booked.")
	})
	w := remoteWorld(t, "triage", remoteTriage, p.URL, "")
	first := w.say(t, "", "Hello")
	require.Equal(t, "Welcome.\nWhat is it?\nTopic?", first.Response)
	second := w.say(t, first.SessionID, "desk")
	require.Equal(t, "Which seat?", second.Response)
	third := w.say(t, first.SessionID, "12A")
	require.Equal(t, "Booked.\nBack, completed.", third.Response)
	all := p.requests()
	require.Len(t, all, 2)
	m := all[0].Params.Message
	require.Equal(t, []any{map[string]any{"role": "user", "content": "Hello"}, map[string]any{"role": "agent", "name": "triage",
		"content": "Welcome."}}, m.Metadata["history"].([]any)[:2])
	require.Equal(t, []string{"desk", "", ""}, []string{m.Parts[0].Text, m.ContextID, m.TaskID})
	next := all[1].Params.Message
	require.Equal(t, []string{"12A", "c-1", "t-1"}, []string{next.Parts[0].Text, next.ContextID, next.TaskID})
	require.Nil(t, next.Metadata["history"])
}

// Given a task that waited for an answer and is no more when it comes, as the other side has forgotten or ended
// it, then what is said begins another one in the same context. A task that still waits is kept.
func TestATaskElsewhereIsNoMore(t *testing.T) {
	t.Parallel()
	fault := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"x","error":{"code":%d,"message":"no"}}`, code)
	}
	for name, of := range map[string]struct {
		refusal int
		looked  any // at; nil: it is not
		last    string
		asked   []string
	}{
		"forgotten":           {-32001, nil, "Booked.", []string{"send t-1", "send "}},
		"ended there":         {-32602, peerTask("canceled"), "Booked.", []string{"send t-1", "get", "send "}},
		"gone when looked at": {-32004, fault(-32001), "Booked.", []string{"send t-1", "get", "send "}},
		"refused, and waits":  {-32602, peerTask("input-required"), "", []string{"send t-1", "get"}},
		"perhaps taken":       {-32603, nil, "", []string{"send t-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newRemotePeer(t, func(_ int, r peerRequest) any {
				switch m := r.Params.Message; {
				case r.Method == "tasks/get":
					return of.looked
				case m.TaskID != "":
					return fault(of.refusal)
				case m.ContextID == "":
					return peerTask("input-required", "Which seat?")
				}
				done := peerTask("completed", "Booked.")
				done["id"] = "t-2"
				return done
			})
			w := remoteWorld(t, "triage", remoteTriage, p.URL, ", STAYS: true")
			first := w.say(t, "", "Hello")
			require.Equal(t, "Which seat?", w.say(t, first.SessionID, "desk").Response)
			require.Equal(t, of.last, w.say(t, first.SessionID, "12A").Response)
			var asked []string
			for _, r := range p.requests()[1:] {
				if _, method, _ := strings.Cut(r.Method, "/"); method == "send" {
					require.Equal(t, []string{"12A", "c-1"}, []string{r.Params.Message.Parts[0].Text, r.Params.Message.ContextID})
					asked = append(asked, "send "+r.Params.Message.TaskID)
				} else {
					asked = append(asked, method)
				}
			}
			require.Equal(t, of.asked, asked)
		})
	}
}

// Given two projects' agents, when one hands the conversation to the other by the protocol, then people talk
// with the other as if it were here.
func TestOurAgentsTalkWithEachOther(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	for _, version := range []string{"0.3", "1.0"} {
		w := newTalkWorld(t)
		w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp,
			"dslContent": fmt.Sprintf(remoteDesk, c.b.URL()+c.path, `, VERSION: "`+version+`"`)})
		w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": "agent_desk", "secretKey": "KEY", "value": c.headers[1],
			"environment": "production"}).must(t, 201)
		w.deploy(t, "production", fields{"entryAgentName": "desk", "agentVersionManifest": fields{"desk": "auto"}})
		first := w.say(t, "", "Hello")
		require.Equal(t, "Good day.\nWhich meter?\n1. Current\n2. Gas", first.Response)
		require.Equal(t, "Your PIN?", w.say(t, first.SessionID, "2").Response)
		last := w.say(t, first.SessionID, "1234")
		require.True(t, strings.HasPrefix(last.Response, "Thank you for the gas"), last.Response)
		require.Equal(t, "end", last.Action.Type)
	}
}
