//go:build !apache

package node_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// agentCaller is another agent, which talks with those of a project by one connection.
type agentCaller struct {
	talkWorld
	path    string
	id      string   // of the connection
	keyID   string   // of its key
	headers []string // its credential, and the version that it speaks
}

func newAgentCaller(t *testing.T, more ...fields) agentCaller {
	w := newTalkWorld(t)
	w.deploy(t, "production")
	return w.agentCaller(t, more...)
}

func (w talkWorld) agentCaller(t *testing.T, more ...fields) agentCaller {
	body := fields{"channelType": "a2a", "externalIdentifier": mainApp + "/" + uuid.NewString()}
	for _, m := range more {
		body = body.and(m)
	}
	made := w.connect(t, body)
	id := made["id"].(string)
	require.True(t, strings.HasSuffix(made["webhookUrl"].(string), "/api/v1/a2a/"+id), made["webhookUrl"])
	secret, keyID := w.keyOfKind(t, mainScope, access.SecretKey)
	return agentCaller{w, "/api/v1/a2a/" + id, id, keyID, []string{"x-api-key", secret}}
}

// speaking is the same in version 1.0.
func (c agentCaller) speaking(version string) agentCaller {
	c.headers = append(c.headers[:2:2], "A2A-Version", version)
	return c
}

// rpcAnswer is a response.
type rpcAnswer struct {
	JSONRPC string
	ID      any
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func (c agentCaller) rpc(t *testing.T, on *server, method string, params any) (out rpcAnswer) {
	t.Helper()
	body, err := json.Marshal(fields{"jsonrpc": "2.0", "id": "r1", "method": method, "params": params})
	require.NoError(t, err)
	got := on.do(t, "POST", c.path, string(body), c.headers...).must(t, 200)
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	got.into(t, &out)
	require.Equal(t, []any{"2.0", "r1"}, []any{out.JSONRPC, out.ID}, got.Text)
	return out
}

// a2aTask is a task, in the words of either version.
type a2aTask struct {
	Kind      string
	ID        string
	ContextID string
	Status    struct {
		State     string
		Timestamp string
		Message   *a2aMessage
	}
	Artifacts []struct {
		ArtifactID string
		Name       string
		Parts      []a2aPart
	}
	History  []a2aMessage
	Metadata map[string]any
}

type a2aMessage struct {
	Kind, MessageID, Role, TaskID, ContextID string
	Parts                                    []a2aPart
}

type a2aPart struct{ Kind, Text string }

func (x a2aTask) texts() (out []string) {
	for _, a := range x.Artifacts {
		for _, p := range a.Parts {
			out = append(out, p.Text)
		}
	}
	return out
}

func (r rpcAnswer) task(t *testing.T) (out a2aTask) {
	t.Helper()
	require.Nil(t, r.Error, "%+v", r.Error)
	var whole struct{ Task json.RawMessage }
	require.NoError(t, json.Unmarshal(r.Result, &whole))
	if whole.Task == nil {
		whole.Task = r.Result
	}
	require.NoError(t, json.Unmarshal(whole.Task, &out))
	return out
}

func (r rpcAnswer) refused(t *testing.T, code int) string {
	t.Helper()
	require.NotNil(t, r.Error, string(r.Result))
	require.Equal(t, code, r.Error.Code, r.Error.Message)
	require.NotEmpty(t, r.Error.Message)
	return r.Error.Message
}

// older is a message of 0.3.
func older(text string, more ...fields) fields {
	m := fields{"kind": "message", "messageId": uuid.NewString(), "role": "user", "parts": []fields{{"kind": "text", "text": text}}}
	for _, x := range more {
		m = m.and(x)
	}
	return fields{"message": m}
}

// newer is a message of 1.0.
func newer(text string, more ...fields) fields {
	m := fields{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []fields{{"text": text}}}
	for _, x := range more {
		m = m.and(x)
	}
	return fields{"message": m}
}

// stream reads what is told of a task to its end.
func (c agentCaller) stream(t *testing.T, on *server, method string, params any) (all []map[string]any) {
	t.Helper()
	body, err := json.Marshal(fields{"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, on.URL()+c.path, strings.NewReader(string(body)))
	require.NoError(t, err)
	for i := 0; i < len(c.headers); i += 2 {
		req.Header.Set(c.headers[i], c.headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
			var event map[string]any
			require.NoError(t, json.Unmarshal([]byte(data), &event))
			require.Equal(t, []any{"2.0", 7.}, []any{event["jsonrpc"], event["id"]})
			all = append(all, event)
		}
	}
	return all
}

// Given a connection of the kind a2a, then anybody may read what its agent says of itself.
// Given somebody who sends the message of the protocol without JSON-RPC around it, as programs of one's own do, then it is a
// message as any other: it needs no id, and a repeat with the same Idempotency-Key is the same task.
func TestAMessageAloneIsAnswered(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	alone := fields{"message": fields{"kind": "message", "role": "user", "parts": []fields{{"kind": "text", "text": "Hello"}},
		"metadata": fields{"messageMetadata": fields{"ticket": "T-1"}}}}
	send := func(body fields, headers ...string) (out rpcAnswer) {
		c.b.do(t, "POST", c.path, body, append(headers, c.headers...)...).must(t, 200).into(t, &out)
		require.Nil(t, out.ID)
		return out
	}
	first := send(alone, "Idempotency-Key", "k").task(t)
	require.Equal(t, "input-required", first.Status.State)
	require.NotEmpty(t, first.texts())
	require.Equal(t, first.ID, send(alone, "Idempotency-Key", "k").task(t).ID)
	require.NotEqual(t, first.ID, send(alone).task(t).ID)
	send(fields{"message": fields{"kind": "message", "role": "user"}}).refused(t, -32602)
	lost := c.b.do(t, "POST", "/api/v1/channels/a2a/webhook/x", alone, c.headers...)
	lost.refused(t, 404, fault.NotFound)
	require.Contains(t, lost.Text, "/api/v1/a2a/{connectionId}")
}

func TestTheCardOfAnAgent(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	got := c.a.do(t, "GET", c.path+"/.well-known/agent-card.json", "").must(t, 200)
	require.Equal(t, "public, max-age=60", got.Header.Get("Cache-Control"))
	var card map[string]any
	got.into(t, &card)
	require.Equal(t, []any{"meter", "1", "0.3.0", "JSONRPC"}, []any{card["name"], card["version"], card["protocolVersion"],
		card["preferredTransport"]})
	require.True(t, strings.HasSuffix(card["url"].(string), c.path), card["url"])
	require.Equal(t, map[string]any{"streaming": true, "pushNotifications": true, "stateTransitionHistory": false, "extendedAgentCard": false},
		card["capabilities"])
	c.a.do(t, "GET", "/api/v1/a2a/cn-"+uuid.NewString()+"/.well-known/agent-card.json", "").refused(t, 404, fault.NotFound)
	closer := c.agentCaller(t, fields{"agentName": "closer"})
	c.b.do(t, "GET", closer.path+"/.well-known/agent-card.json", "").must(t, 200).into(t, &card)
	require.Equal(t, "closer", card["name"])
	off := c.agentCaller(t, fields{"isActive": false})
	c.a.do(t, "GET", off.path+"/.well-known/agent-card.json", "").refused(t, 404, fault.NotFound)
	c.a.do(t, "POST", off.path, `{}`, off.headers...).refused(t, 404, fault.NotFound)
}

// Given connections of two accounts whose manifests gave them one id, then each account's callers reach its own, and the card at the
// address that both have is that of who was there first.
func TestTwoAccountsWithOneAddress(t *testing.T) {
	t.Parallel()
	first, second := newAgentCaller(t), newAgentCaller(t)
	id := "cn-" + uuid.NewString()
	for _, c := range []*agentCaller{&first, &second} {
		c.id, c.path = id, "/api/v1/a2a/"+id
		c.apply(t, "ChannelConnection", id, "Desk", fields{"projectId": mainApp, "channelType": "a2a", "externalIdentifier": id,
			"agentName": map[bool]string{true: "closer", false: "meter"}[c == &first]})
	}
	for _, c := range []agentCaller{first, second} {
		out := c.rpc(t, c.a, "message/send", fields{"message": fields{"kind": "message", "messageId": "m-1", "role": "user",
			"parts": []fields{{"kind": "text", "text": "hello"}}}})
		require.Nil(t, out.Error)
		var card struct{ Name string }
		c.a.do(t, "GET", c.path+"/.well-known/agent-card.json", "").must(t, 200).into(t, &card)
		require.Equal(t, "closer", card.Name)
	}
}

// Given an agent that asks before it answers, when another talks with it in either version, then each
// message is once in its context, a question waits for its answer, and what has ended is not continued.
func TestAnotherAgentTalksWithAnAgent(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		version            string
		said               func(string, ...fields) fields
		send, get          string
		asks, done, broken string
	}{
		"0.3": {"", older, "message/send", "tasks/get", "input-required", "completed", "tasks/list"},
		"1.0": {"1.0", newer, "SendMessage", "GetTask", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED", "tasks/get"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newAgentCaller(t)
			if of.version != "" {
				c = c.speaking(of.version)
			}
			hello := of.said("Hello")
			first := c.rpc(t, c.a, of.send, hello).task(t)
			require.Equal(t, of.asks, first.Status.State)
			require.Equal(t, []string{"Good day.", "Which meter?\n1. Current\n2. Gas"}, first.texts())
			require.Len(t, first.Status.Message.Parts, 2)
			require.Regexp(t, isoForm, first.Status.Timestamp)
			require.Regexp(t, "^"+uuidForm+"$", first.ContextID)
			require.Len(t, first.History, 2)
			for range 2 {
				again := c.rpc(t, c.b, of.send, hello).task(t)
				require.Equal(t, []any{first.ID, first.ContextID, first.texts()}, []any{again.ID, again.ContextID, again.texts()}, "the same once more")
			}
			second := c.rpc(t, c.b, of.send, of.said("2", fields{"taskId": first.ID})).task(t)
			require.Equal(t, []string{first.ID, first.ContextID, of.asks}, []string{second.ID, second.ContextID, second.Status.State})
			require.Equal(t, "Your PIN?", second.Status.Message.Parts[0].Text)
			third := c.rpc(t, c.a, of.send, of.said("1234", fields{"taskId": first.ID, "contextId": first.ContextID})).task(t)
			require.Equal(t, of.done, third.Status.State)
			require.Equal(t, "Thank you for the gas, key:"+c.keyID+".", third.texts()[3])
			require.Len(t, third.Artifacts, 3)

			got := c.rpc(t, c.b, of.get, fields{"id": first.ID, "historyLength": 1}).task(t)
			require.Equal(t, third.texts(), got.texts())
			require.Len(t, got.History, 1)
			c.rpc(t, c.a, of.send, of.said("more", fields{"taskId": first.ID})).refused(t, -32004)
			after := c.rpc(t, c.a, of.send, of.said("Hello again", fields{"contextId": first.ContextID})).task(t)
			require.NotEqual(t, first.ID, after.ID)
			require.Equal(t, first.ContextID, after.ContextID)
			require.Equal(t, "Good day.", after.texts()[0], "what has ended is followed by another session")
			c.rpc(t, c.a, of.broken, fields{}).refused(t, -32601)
		})
	}
}

// Given an agent, when another follows what it does, then texts and states come as they are, the last one
// says that it rests, on whatever node the stream is.
func TestATaskIsToldAsItGoesOn(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	all := c.stream(t, c.b, "message/stream", older("Hello"))
	kinds := func(all []map[string]any) (out []string) {
		for _, e := range all {
			out = append(out, e["result"].(map[string]any)["kind"].(string))
		}
		return out
	}
	require.Equal(t, "task", kinds(all)[0])
	last := all[len(all)-1]["result"].(map[string]any)
	require.Equal(t, []any{"status-update", true, "input-required"}, []any{last["kind"], last["final"],
		last["status"].(map[string]any)["state"]})
	task := all[0]["result"].(map[string]any)["id"].(string)
	again := c.stream(t, c.a, "tasks/resubscribe", fields{"id": task})
	require.Equal(t, []string{"task", "status-update"}, kinds(again), "it waits for the caller")

	one := c.speaking("1.0")
	news := one.stream(t, c.a, "SendStreamingMessage", newer("Current", fields{"taskId": task}))
	first, end := news[0]["result"].(map[string]any), news[len(news)-1]["result"].(map[string]any)
	require.Equal(t, task, first["task"].(map[string]any)["id"])
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", end["statusUpdate"].(map[string]any)["status"].(map[string]any)["state"])
	texts := ""
	for _, e := range news {
		if a, is := e["result"].(map[string]any)["artifactUpdate"].(map[string]any); is {
			require.Equal(t, []any{task, false}, []any{a["taskId"], a["append"]})
			for _, p := range a["artifact"].(map[string]any)["parts"].([]any) {
				texts += p.(map[string]any)["text"].(string)
			}
		}
	}
	require.Contains(t, "Your PIN?", texts)
	c.rpc(t, c.a, "message/send", older("1234", fields{"taskId": task})).task(t)
	c.rpc(t, c.a, "tasks/resubscribe", fields{"id": task}).refused(t, -32004)
	c.rpc(t, c.a, "message/stream", older("x", fields{"taskId": task})).refused(t, -32004)
}

// Given a message that nobody waits for, then it is taken at once, and what comes of it is found later;
// a task can be cancelled until it has ended.
func TestATaskIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	sent := older("Hello").and(fields{"configuration": fields{"blocking": false, "historyLength": 0}})
	task := c.rpc(t, c.a, "message/send", sent).task(t)
	require.Contains(t, []string{"submitted", "working", "input-required"}, task.Status.State)
	require.Empty(t, task.History)
	var got a2aTask
	require.Eventually(t, func() bool {
		got = c.rpc(t, c.b, "tasks/get", fields{"id": task.ID}).task(t)
		return got.Status.State == "input-required"
	}, patience, 20*time.Millisecond)
	require.Equal(t, "Good day.", got.texts()[0])
	for range 2 {
		cancelled := c.rpc(t, c.b, "tasks/cancel", fields{"id": task.ID})
		if cancelled.Error != nil {
			cancelled.refused(t, -32002)
			continue
		}
		require.Equal(t, "canceled", cancelled.task(t).Status.State)
	}
	require.Equal(t, "canceled", c.rpc(t, c.a, "tasks/get", fields{"id": task.ID}).task(t).Status.State)
	c.rpc(t, c.a, "message/send", older("more", fields{"taskId": task.ID})).refused(t, -32004)

	one := c.speaking("1.0")
	other := one.rpc(t, c.a, "SendMessage", newer("Hello", fields{"contextId": task.ContextID})).task(t)
	var page struct {
		Tasks               []a2aTask
		NextPageToken       string
		TotalSize, PageSize int
	}
	list := func(params fields) (ids []string) {
		got := one.rpc(t, c.b, "ListTasks", params.and(fields{"contextId": task.ContextID}))
		require.Nil(t, got.Error)
		require.NoError(t, json.Unmarshal(got.Result, &page))
		for _, x := range page.Tasks {
			ids = append(ids, x.ID)
		}
		return ids
	}
	require.Equal(t, []string{other.ID, task.ID}, list(fields{}))
	require.Equal(t, []string{task.ID}, list(fields{"status": "TASK_STATE_CANCELED"}))
	require.Equal(t, []string{other.ID}, list(fields{"pageSize": 1}))
	require.Equal(t, []any{2, 1, "1"}, []any{page.TotalSize, page.PageSize, page.NextPageToken})
	require.Equal(t, []string{task.ID}, list(fields{"pageSize": 1, "pageToken": "1"}))
	require.Empty(t, list(fields{"statusTimestampAfter": "2100-01-01T00:00:00Z"}))
	one.rpc(t, c.a, "SendMessage", newer("Hm", fields{"contextId": task.ContextID}))
	more := one.rpc(t, c.a, "SendMessage", newer("Hello", fields{"contextId": task.ContextID, "taskId": other.ID}))
	require.Nil(t, more.Error)
	require.Equal(t, other.ID, list(fields{"pageSize": 1})[0], "what went on last is the first")
	one.rpc(t, c.a, "ListTasks", fields{}).refused(t, -32602)
	one.rpc(t, c.a, "ListTasks", fields{"contextId": "x", "pageToken": "no"}).refused(t, -32602)
	one.rpc(t, c.a, "ListTasks", fields{"contextId": "x", "pageSize": 101}).refused(t, -32602)
	one.rpc(t, c.a, "ListTasks", fields{"contextId": "x", "status": "done"}).refused(t, -32602)
}

const metaAgent = `DSL: 1
AGENT: meta
FLOW:
  START: say
  STEPS:
    say:
      SAY: "{{ has(session.messageMetadata.order) ? session.messageMetadata.order : 'none' }} of {{ session.messageMetadata.channel }}\
        {{ has(session.messageMetadata.data) ? ', ' + string(session.messageMetadata.data[0].order) : '' }}"
      GATHER: [x]
      NEXT: say
GATHER: {x: {TYPE: string, PROMPT: "x?"}}
`

// Given what goes with a message, then it is of this turn alone, what it says is judged, and what was said
// elsewhere before is known to a model.
func TestWhatGoesWithTheMessageOfAnotherAgent(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-meta", "meta", fields{"projectId": mainApp, "dslContent": metaAgent})
	w.deploy(t, "production", fields{"entryAgentName": "meta", "agentVersionManifest": fields{"meta": "auto"}})
	c := w.agentCaller(t)
	with := func(metadata any) fields { return fields{"metadata": metadata} }
	beside := with(fields{"messageMetadata": fields{"order": "A7", "channel": "mine"}, "else": 1})
	first := c.rpc(t, c.a, "message/send", older("Hello", beside)).task(t)
	require.Equal(t, "A7 of a2a", first.texts()[0])
	next := c.rpc(t, c.a, "message/send", older("y", fields{"contextId": first.ContextID})).task(t)
	require.Equal(t, "none of a2a", next.texts()[0], "what goes with a message is of its turn alone")
	for name, metadata := range map[string]any{
		"no object":   fields{"messageMetadata": "x"},
		"too large":   fields{"messageMetadata": fields{"x": strings.Repeat("x", 16<<10)}},
		"too deep":    fields{"messageMetadata": fields{"a": fields{"b": fields{"c": fields{"d": fields{"e": fields{}}}}}}},
		"a bad name":  fields{"messageMetadata": fields{"a b": 1}},
		"history":     fields{"history": "x"},
		"a role":      fields{"history": []fields{{"role": "judge", "content": "x"}}},
		"no metadata": "x",
	} {
		require.Contains(t, c.rpc(t, c.a, "message/send", older("Hello", with(metadata))).refused(t, -32602), "message.metadata", name)
	}
	passed := func(hops int) rpcAnswer {
		return c.rpc(t, c.a, "message/send", older("Hello", with(fields{"agentHops": hops})))
	}
	require.Contains(t, passed(9).refused(t, -32004), "they ask each other")
	require.Equal(t, "none of a2a", passed(8).task(t).texts()[0])
	beside = fields{"parts": []fields{{"kind": "text", "text": "Hello"}, {"kind": "data", "data": fields{"order": 7}}}}
	sent := c.rpc(t, c.a, "message/send", older("", beside))
	require.Equal(t, "none of a2a, 7", sent.task(t).texts()[0])
	require.Contains(t, string(sent.Result), `"parts":[{"kind":"text","text":"Hello"},{"data":{"order":7},"kind":"data"}]`, "in history")
	data := older("", fields{"parts": []fields{{"kind": "data", "data": fields{"order": 7}}}})
	require.Equal(t, "none of a2a, 7", c.rpc(t, c.a, "message/send", data).task(t).texts()[0])
}

// Given files that another agent sends, in its message or where they lie, then they are attachments of the session,
// in both versions and also when the message comes again; of the others ours knows why not.
func TestFilesOfAnotherAgentBecomeAttachments(t *testing.T) {
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-looker", "looker", fields{"projectId": mainApp, "dslContent": lookingAgent})
	w.deploy(t, "production", fields{"entryAgentName": "looker", "agentVersionManifest": fields{"looker": "auto"}})
	c := w.agentCaller(t)
	dot, page := base64.StdEncoding.EncodeToString([]byte(pngBytes)), base64.StdEncoding.EncodeToString([]byte("<html><script>"))
	file := func(f fields) fields { return fields{"kind": "file", "file": f} }
	message := older("", fields{"parts": []fields{{"kind": "text", "text": "Look"},
		file(fields{"name": "dot.png", "mimeType": "image/png", "bytes": dot}),
		file(fields{"name": "page.png", "mimeType": "image/png", "bytes": page}),
		file(fields{"name": "inside.txt", "uri": "https://169.254.169.254/latest"}),
		file(fields{"name": "clear.txt", "uri": w.a.URL() + "/healthz"})}})
	task := c.rpc(t, c.a, "message/send", message).task(t)
	told := toldOf(t, task.texts()[0])
	require.Len(t, told, 4)
	require.Equal(t, []any{"dot.png", "image/png"}, []any{told[0]["name"], told[0]["type"]})
	require.NotEmpty(t, told[0]["attachmentId"])
	require.Contains(t, told[1]["problem"], "claims to be image/png")
	for _, f := range told[2:] {
		require.Equal(t, "the file is not where the provider keeps files", f["problem"], f["name"])
	}
	require.Equal(t, task, c.rpc(t, c.b, "message/send", message).task(t), "the same message again")

	newer := c.speaking("1.0")
	var sent struct{ Task a2aTask }
	again := newer.rpc(t, c.a, "SendMessage", fields{"message": fields{"messageId": uuid.NewString(), "role": "ROLE_USER",
		"parts": []fields{{"raw": dot, "filename": "dot.png", "mediaType": "image/png"}}}})
	require.NoError(t, json.Unmarshal(again.Result, &sent))
	require.NotEmpty(t, toldOf(t, sent.Task.texts()[0])[0]["attachmentId"])
	var said struct {
		History []struct{ Parts []map[string]any }
	}
	require.NoError(t, json.Unmarshal(newer.rpc(t, c.b, "GetTask", fields{"id": sent.Task.ID}).Result, &said))
	require.Len(t, said.History[0].Parts, 1, "nothing was said beside it")
	part := said.History[0].Parts[0]
	require.Equal(t, []any{"dot.png", "image/png"}, []any{part["filename"], part["mediaType"]})
	at, is := strings.CutPrefix(part["url"].(string), w.b.URL())
	require.True(t, is, part["url"])
	require.Equal(t, pngBytes, w.a.do(t, "GET", at, "").must(t, 200).Text)
	require.NoError(t, json.Unmarshal(c.rpc(t, c.b, "tasks/get", fields{"id": task.ID}).Result, &said))
	require.Equal(t, []any{"text", "file", "text", "file", "file"}, []any{said.History[0].Parts[0]["kind"], said.History[0].Parts[1]["kind"],
		said.History[0].Parts[2]["kind"], said.History[0].Parts[3]["kind"], said.History[0].Parts[4]["kind"]})
	var page1 struct{ Sessions []map[string]any }
	w.ask(t, "GET", sessionsPath, nil).must(t, 200).into(t, &page1)
	require.Len(t, page1.Sessions, 2)
	for _, s := range page1.Sessions {
		require.Len(t, w.attachments(t, s["id"].(string)), 1)
	}
}

const noTask = "0123456789abcdef0123456789abcdef-1"

// Given requests that are none, or not for the caller, then each has its own fault, and nothing is done.
func TestRequestsOfOtherAgentsThatAreNone(t *testing.T) {
	t.Parallel()
	c := newAgentCaller(t)
	for name, of := range map[string]struct {
		body string
		code int
	}{
		"no JSON": {"{", -32700}, "nothing": {"", -32700}, "two members of a name": {`{"jsonrpc":"2.0","jsonrpc":"2.0"}`, -32700},
		"a batch": {`[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]`, -32600}, "an empty batch": {`[]`, -32600}, "a text": {`"x"`, -32600},
		"no version": {`{"id":1,"method":"tasks/get"}`, -32600}, "another version": {`{"jsonrpc":"1.0","id":1,"method":"tasks/get"}`, -32600},
		"an id that is none": {`{"jsonrpc":"2.0","id":{},"method":"tasks/get"}`, -32600}, "no method": {`{"jsonrpc":"2.0","id":1}`, -32600},
		"a method that is none":     {`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
		"a method that nobody has":  {`{"jsonrpc":"2.0","id":1,"method":"agents/delete"}`, -32601},
		"a method of 1.0":           {`{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, -32601},
		"parameters that are none":  {`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":[]}`, -32602},
		"no parameters":             {`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, -32602},
		"a task that is none":       {`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}`, -32001},
		"a task that was never":     {`{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"id":"` + noTask + `"}}`, -32001},
		"the other card":            {`{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}`, -32007},
		"a history that is no list": {`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x","historyLength":-1}}`, -32602},
	} {
		var got rpcAnswer
		c.a.do(t, "POST", c.path, of.body, c.headers...).must(t, 200).into(t, &got)
		require.NotNil(t, got.Error, name)
		got.refused(t, of.code)
	}
	for name, message := range map[string]fields{
		"no id": {"messageId": nil}, "a long id": {"messageId": strings.Repeat("x", 129)}, "no parts": {"parts": nil},
		"empty parts":  {"parts": []fields{}},
		"another kind": {"kind": "task"}, "of an agent": {"role": "agent"}, "of nobody": {"role": "x"}, "parts that are none": {"parts": "x"},
		"a part that is none": {"parts": []any{7}}, "a part of no kind": {"parts": []fields{{"text": "x"}}},
		"a file of nothing": {"parts": []fields{{"kind": "file", "file": fields{}}}},
		"a file twice":      {"parts": []fields{{"kind": "file", "file": fields{"uri": "https://x.example/a", "bytes": "eA=="}}}},
		"no base64":         {"parts": []fields{{"kind": "file", "file": fields{"bytes": "?"}}}},
		"no data":           {"parts": []fields{{"kind": "data"}}}, "nothing said": {"parts": []fields{{"kind": "text", "text": " "}}},
		"too much said": {"parts": []fields{{"kind": "text", "text": strings.Repeat("x", 20_001)}}},
	} {
		got := c.rpc(t, c.a, "message/send", older("x", message))
		require.Contains(t, got.refused(t, -32602), "message", name)
	}
	c.rpc(t, c.a, "message/send", older("x", fields{"taskId": noTask})).refused(t, -32001)
	pictures := fields{"configuration": fields{"acceptedOutputModes": []string{"image/png"}}}
	c.rpc(t, c.a, "message/send", older("x").and(pictures)).refused(t, -32005)
	c.a.do(t, "POST", c.path, strings.Repeat("x", 1<<20+1), c.headers...).refused(t, 413, fault.TooLarge)
	c.a.do(t, "POST", c.path, `{}`).refused(t, 401, fault.Unauthorized)
	c.a.do(t, "POST", c.path, `{}`, "x-api-key", "sk_no").refused(t, 401, fault.Unauthorized)
	c.scope(t, "as-lists", "lists", mainApp, access.SessionsList)
	c.a.do(t, "POST", c.path, `{}`, "x-api-key", c.key(t, "as-lists")).refused(t, 403, fault.Forbidden)

	old := c.speaking("0.2")
	got := old.rpc(t, c.a, "message/send", older("x"))
	got.refused(t, -32009)
	got = c.speaking("2.0").rpc(t, c.a, "SendMessage", newer("x"))
	got.refused(t, -32009)
	require.JSONEq(t, `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]`,
		string(got.Error.Data))
	one := c.speaking("1.0")
	got = one.rpc(t, c.a, "GetTask", fields{"id": ""})
	got.refused(t, -32602)
	require.Contains(t, string(got.Error.Data), `"field":"id"`)
	for name, part := range map[string]any{"none": fields{}, "two": fields{"text": "x", "url": "https://x.example"}, "no object": 7} {
		require.Contains(t, one.rpc(t, c.a, "SendMessage", newer("x", fields{"parts": []any{part}})).refused(t, -32602), "message.parts[0]", name)
	}

	mine := c.rpc(t, c.a, "message/send", older("Hello")).task(t)
	elsewhere := older("x", fields{"taskId": mine.ID, "contextId": "other"})
	require.Contains(t, c.rpc(t, c.a, "message/send", elsewhere).refused(t, -32602), "contextId")
	beside := c.agentCaller(t) // the same account, by another door
	beside.rpc(t, c.a, "tasks/get", fields{"id": mine.ID}).refused(t, -32001)
	foreign := newAgentCaller(t)
	foreign.rpc(t, c.b, "tasks/get", fields{"id": mine.ID}).refused(t, -32001)
	foreign.rpc(t, c.b, "message/send", older("x", fields{"taskId": mine.ID})).refused(t, -32001)
	c.a.do(t, "POST", foreign.path, `{}`, c.headers...).refused(t, 404, fault.NotFound)
}
