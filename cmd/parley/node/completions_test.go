//go:build !apache

package node_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

func newChatWorld(t *testing.T) *chatWorld {
	w := &chatWorld{tenant: shared(t).tenant(t, "")}
	w.auth = w.token(t)
	return w
}

func chatBody(more fields) fields {
	return fields{"projectId": mainAlias, "messages": []fields{said("user", "Hello there")}}.and(more)
}

func (w *chatWorld) usage(t *testing.T, query string) (u chatUsage) {
	t.Helper()
	w.ask(t, "GET", usagePath+query, nil).must(t, 200).into(t, &u)
	require.True(t, u.Success)
	return u
}

// chatEvent is one event of a stream, with its data.
type chatEvent struct {
	name string
	data map[string]any
}

func chatEvents(t *testing.T, text string) (out []chatEvent) {
	t.Helper()
	for _, block := range strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") {
			continue
		}
		name, data, found := strings.Cut(block, "\ndata: ")
		require.True(t, found, block)
		e := chatEvent{name: strings.TrimPrefix(name, "event: ")}
		require.NoError(t, json.Unmarshal([]byte(data), &e.data), data)
		out = append(out, e)
	}
	return out
}

func namesOf(all []chatEvent) (names []string) {
	for _, e := range all {
		names = append(names, e.name)
	}
	return names
}

func TestAModelAnswers(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	var got shownCompletion
	body := chatBody(fields{"messages": []fields{said("system", "Be kind"), {"role": "user", "content": []fields{
		{"type": "text", "text": "Hello "}, {"type": "text", "text": "there"}}}}, "tier": "fast", "temperature": 0, "sessionId": "s-1"})
	res := w.ask(t, "POST", completePath, body).must(t, 200)
	res.into(t, &got)
	require.Equal(t, []any{"My goal: Be kind You said: Hello there", "local", "end_turn", []map[string]string{}},
		[]any{got.Content, got.Model, got.FinishReason, got.ToolCalls})
	require.Equal(t, []float64{4, 8, 12, 0}, []float64{*got.Usage["inputTokens"], *got.Usage["outputTokens"], *got.Usage["totalTokens"],
		*got.Usage["estimatedCost"]})
	require.NotNil(t, got.LatencyMs)

	u := w.usage(t, "&groupBy=model")
	require.Equal(t, []float64{12, 0, 1, 0}, []float64{u.Summary["totalTokens"], u.Summary["totalCost"], u.Summary["requestCount"],
		u.Summary["unpricedRequests"]}, "visible when it was answered")
	require.Equal(t, []map[string]any{{"modelId": "local", "provider": "local", "totalTokens": 12., "totalCost": 0., "requestCount": 1.,
		"unpricedRequests": 0.}}, u.ByModel)

	w.ask(t, "POST", completePath, chatBody(fields{"maxTokens": 2, "modelId": "local"})).must(t, 200).into(t, &got)
	require.Equal(t, []any{"You said: ", "max_tokens"}, []any{got.Content, got.FinishReason})
	other := w.on.do(t, "GET", usagePath, nil, "Authorization", "Bearer "+newChatWorld(t).auth).must(t, 200)
	require.Contains(t, other.Text, `"requestCount":0`, "another tenant's")
}

// inPNG is an address that holds a picture.
func inPNG(content string) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(content))
}

// picture is a message with one.
func picture(role, url string) fields {
	return fields{"role": role, "content": []fields{{"type": "text", "text": "What is it?"},
		{"type": "image_url", "image_url": fields{"url": url}}}}
}

// Given a model of which it is said that it sees, then it is shown the pictures of a question, in either form; one of which
// that is not said is told that it is shown none.
func TestAModelIsShownThePicturesOfAQuestion(t *testing.T) {
	t.Parallel()
	w, peer := newChatWorld(t), newGreeter(t, 10, 2)
	w.posted(t, nil, ownProvider(peer, "sk-one", fields{"models": []fields{{"id": "eyes", "pictures": true}, {"id": "none"}}})).must(t, 200)
	for model, want := range map[string]string{
		"eyes": `{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"` + inPNG(pngBytes) + `"}}`,
		"none": `"content":"What is it?\n\n(You are not shown pictures.)"`,
	} {
		w.ask(t, "POST", completePath, chatBody(fields{"modelId": model, "messages": []fields{picture("user", inPNG(pngBytes))}})).must(t, 200)
		_, asked, _ := peer.last()
		require.Contains(t, asked, want)
		w.ask(t, "POST", openAIPath, fields{"model": model, "messages": []fields{picture("user", inPNG(pngBytes))}}, "OpenAI-Project", mainApp).
			must(t, 200)
		_, asked, _ = peer.last()
		require.Contains(t, asked, want)
	}
}

func TestAModelCallsAToolAndGetsItsAnswer(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	tools := []fields{{"name": "find", "description": "Finds", "parameters": fields{"type": "object"}}}
	var got shownCompletion
	w.ask(t, "POST", completePath, chatBody(fields{"tools": tools, "messages": []fields{said("user", `find {"id": 7}`)}})).must(t,
		200).into(t, &got)
	require.Equal(t, "tool_use", got.FinishReason)
	require.Equal(t, []any{"find", `{"id": 7}`}, []any{got.ToolCalls[0]["name"], got.ToolCalls[0]["arguments"]})
	for _, call := range []fields{{"id": "1", "name": "find", "arguments": "{}"},
		{"id": "1", "type": "function", "function": fields{"name": "find", "arguments": "{}"}}} {
		w.ask(t, "POST", completePath, chatBody(fields{"tools": tools, "messages": []fields{said("user", "find"),
			{"role": "assistant", "content": nil, "tool_calls": []fields{call}},
			{"role": "tool", "tool_call_id": "1", "content": "Ann"}}})).must(t, 200).into(t, &got)
		require.Equal(t, "The tool answered: Ann", got.Content)
	}
	nothing := func(more fields) *answer {
		return w.ask(t, "POST", completePath, chatBody(fields{"tools": tools, "messages": []fields{said("user", "find"),
			{"role": "assistant", "content": "", "tool_calls": []fields{{"id": "1", "name": "find", "arguments": "{}"}}},
			fields{"role": "tool", "tool_call_id": "1"}.and(more)}}))
	}
	nothing(fields{"content": ""}).must(t, 200) // a tool may have nothing to say
	for _, none := range []fields{{}, {"content": nil}} {
		nothing(none).refused(t, 400, fault.Validation, "messages[2].content")
	}
}

func TestAModelAnswersAsAStream(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	res := w.ask(t, "POST", streamPath, chatBody(nil)).must(t, 200)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	events := chatEvents(t, res.Text)
	require.Equal(t, []string{"metadata", "text_delta", "text_delta", "text_delta", "text_delta", "usage", "complete"}, namesOf(events))
	require.Equal(t, map[string]any{"modelId": "local", "provider": "local", "source": "default"}, events[0].data)
	text := ""
	for _, e := range events[1:5] {
		text += e.data["delta"].(string)
	}
	require.Equal(t, "You said: Hello there", text)
	require.Equal(t, map[string]any{"inputTokens": 2., "outputTokens": 4.}, events[5].data)
	done := events[6].data
	require.ElementsMatch(t, []string{"inputTokens", "outputTokens", "totalTokens", "estimatedCost", "latencyMs"}, keysOf(done))
	require.Equal(t, []any{2., 4., 6., 0.}, []any{done["inputTokens"], done["outputTokens"], done["totalTokens"], done["estimatedCost"]})
	require.EqualValues(t, 6, w.usage(t, "").Summary["totalTokens"])

	events = chatEvents(t, w.ask(t, "POST", streamPath, chatBody(fields{"tools": []fields{{"name": "there"}}})).must(t, 200).Text)
	require.Equal(t, []string{"metadata", "tool_call_start", "tool_call_delta", "tool_call_end", "usage", "complete"}, namesOf(events))
	id := events[1].data["id"]
	require.Equal(t, map[string]any{"id": id, "name": "there"}, events[1].data)
	require.Equal(t, map[string]any{"id": id, "arguments": "{}"}, events[2].data)
	require.Equal(t, map[string]any{"id": id, "name": "there", "arguments": "{}"}, events[3].data)
}

func TestACompletionIsRepeated(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	for _, path := range []string{completePath, streamPath} {
		before := w.usage(t, "").Summary["requestCount"]
		first := w.ask(t, "POST", path, chatBody(nil), "Idempotency-Key", "once").must(t, 200)
		again := w.ask(t, "POST", path, chatBody(nil), "Idempotency-Key", "once").must(t, 200)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		if path == completePath {
			require.Equal(t, first.Text, again.Text)
		} else {
			a, b := chatEvents(t, first.Text), chatEvents(t, again.Text)
			require.Equal(t, a[len(a)-1], b[len(b)-1])
			require.Equal(t, "You said: Hello there", b[1].data["delta"])
		}
		w.ask(t, "POST", path, chatBody(fields{"tier": "fast"}), "Idempotency-Key", "once").refused(t, 409, fault.Conflict)
		require.Equal(t, before+1, w.usage(t, "").Summary["requestCount"], "a model was asked once")
	}
}

// Given a store of files that is away, when a request with a key is answered, then it is told that it may come again; what was taken
// is counted, and the next try has its answer kept.
func TestAnAnswerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	kept := filepath.Join(shared(t).blobs, "completions", w.id) // of this tenant
	require.NoError(t, os.MkdirAll(filepath.Dir(kept), 0o700))
	require.NoError(t, os.WriteFile(kept, []byte("not a folder"), 0o600))
	w.ask(t, "POST", completePath, chatBody(nil), "Idempotency-Key", "kept").refused(t, 503, fault.Unavailable)
	require.EqualValues(t, 1, w.usage(t, "").Summary["requestCount"])
	require.NoError(t, os.Remove(kept))
	first := w.ask(t, "POST", completePath, chatBody(nil), "Idempotency-Key", "kept").must(t, 200)
	require.Equal(t, first.Text, w.ask(t, "POST", completePath, chatBody(nil), "Idempotency-Key", "kept").must(t, 200).Text)
	require.EqualValues(t, 2, w.usage(t, "").Summary["requestCount"])
}

// Given the same request twice at one moment, then a model is asked twice and one answer is that of both; what the other one took was
// paid as well, and is counted.
func TestWhatIsAskedTwiceAtOnceIsCountedTwice(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	var asked atomic.Int32
	both := make(chan struct{})
	peer := &modelPeer{Server: httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		n := asked.Add(1)
		if n == 2 {
			close(both)
		}
		<-both
		out.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(out, `data: {"choices":[{"index":0,"delta":{"content":"Hello %d"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":10,"completion_tokens":1}}`+"\n\ndata: [DONE]\n\n", n)
	}))}
	t.Cleanup(peer.Close)
	w.posted(t, nil, ownProvider(peer, "sk", nil)).must(t, 200)
	answers := make(chan *answer, 2)
	for range 2 {
		go func() {
			answers <- w.ask(t, "POST", completePath, chatBody(fields{"tier": "fast"}), "Idempotency-Key", "at once")
		}()
	}
	require.Equal(t, (<-answers).must(t, 200).Text, (<-answers).must(t, 200).Text)
	took := w.usage(t, "").Summary
	require.EqualValues(t, 2, took["requestCount"])
	require.EqualValues(t, 22, took["totalTokens"])
}

func TestWhatACompletionRefuses(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	one := func(message fields) fields { return fields{"messages": []fields{message}} }
	var ten []fields
	for range completions.MostPictures {
		ten = append(ten, picture("user", inPNG(pngBytes)))
	}
	call := func(c fields) fields { return one(fields{"role": "assistant", "tool_calls": []fields{c}}) }
	for _, path := range []string{completePath, streamPath} {
		for _, c := range []struct {
			more  fields
			field string
		}{
			{fields{"messages": []fields{}}, "messages"}, {fields{"messages": []fields{said("system", "x")}}, "messages"},
			{one(said("robot", "x")), "messages[0].role"}, {one(said("user", "")), "messages[0].content"},
			{one(fields{"role": "user", "content": 7}), "messages[0].content"},
			{one(fields{"role": "user", "content": []fields{{"type": "image_url"}}}), "messages[0].content"},
			{one(picture("user", "https://example.com/cat.png")), "messages[0].content"},
			{one(picture("user", "data:image/png;base64,?")), "messages[0].content"},
			{one(picture("user", inPNG("no picture"))), "messages[0].content"},
			{one(picture("user", inPNG("\x7fELF"))), "messages[0].content"},
			{one(picture("user", inPNG(pngBytes+strings.Repeat("0", completions.LargestPicture)))), "messages[0].content"},
			{fields{"messages": []fields{picture("system", inPNG(pngBytes)), said("user", "x")}}, "messages[0].content"},
			{fields{"messages": append(ten, ten...)}, "messages"},
			{one(said("tool", "x")), "messages[0].tool_call_id"},
			{one(fields{"role": "user", "content": "x", "tool_calls": []fields{{"id": "1", "name": "a"}}}), "messages[0].tool_calls"},
			{call(fields{"id": "1", "name": "a b"}), "messages[0].tool_calls[0].name"},
			{call(fields{"id": "1", "name": "a", "arguments": "[]"}), "messages[0].tool_calls[0].arguments"},
			{fields{"tools": []fields{{"name": "a b"}}}, "tools[0].name"},
			{fields{"tools": []fields{{"name": "a"}, {"name": "a"}}}, "tools[1].name"},
			{fields{"temperature": 2.1}, "temperature"}, {fields{"temperature": -0.1}, "temperature"}, {fields{"maxTokens": 0},
				"maxTokens"},
			{fields{"maxTokens": 200_001}, "maxTokens"}, {fields{"tier": "huge"}, "tier"}, {fields{"modelId": "gpt-9"}, "modelId"},
			{fields{"sessionId": "a b"}, "sessionId"},
		} {
			w.ask(t, "POST", path, chatBody(c.more)).refused(t, 400, fault.Validation, c.field)
		}
		w.ask(t, "POST", path, chatBody(fields{"maxTokens": 200_000, "temperature": 2})).must(t, 200)
		w.ask(t, "POST", path, chatBody(fields{"projectId": "nothing"})).refused(t, 404, fault.NotFound)
		w.on.do(t, "POST", path, chatBody(nil)).refused(t, 401, fault.Unauthorized)
		w.scope(t, "as-weak", "weak", mainApp, access.AppView)
		w.on.do(t, "POST", path, chatBody(nil), "X-API-Key", w.key(t, "as-weak")).refused(t, 403, fault.Forbidden)
		w.scope(t, "as-runs", "runs", mainApp, access.RunAPI)
		runs := w.key(t, "as-runs")
		w.on.do(t, "POST", path, chatBody(nil), "X-API-Key", runs).must(t, 200)
		w.on.do(t, "POST", path, chatBody(fields{"projectId": otherApp}), "X-API-Key", runs).refused(t, 404, fault.NotFound)
		w.ask(t, "POST", path, strings.Repeat(" ", runtime.LargestQuestion)+"{}").refused(t, 413, fault.TooLarge)
	}
	for query, field := range map[string]string{"&startDate=x": "startDate", "&endDate=x": "endDate", "&groupBy=day": "groupBy",
		"&startDate=2026-01-02&endDate=2026-01-01T00:00:00Z": "startDate", "&startDate=2025-01-01&endDate=2026-01-02": "startDate",
		"&startDate=2026-01-02&endDate=2026-01-01": "startDate"} {
		w.ask(t, "GET", usagePath+query, nil).refused(t, 400, fault.Validation, field)
	}
	w.ask(t, "GET", usagePath+"&startDate=2025-01-01&endDate=2026-01-01", nil).must(t, 200)
	w.ask(t, "GET", usagePath+"&startDate=2025-01-01T00:00:00&endDate=2026-01-01T12:00", nil).must(t, 200) // UTC
	nothing := w.ask(t, "GET", usagePath+"&startDate=2026-01-01&endDate=2026-01-01&groupBy=model", nil).must(t, 200)
	require.Contains(t, nothing.Text, `"byModel":[]`)
	today := time.Now().UTC().Format(time.DateOnly)
	require.NotZero(t, w.usage(t, "&startDate="+today+"&endDate="+today).Summary["requestCount"], "the day of the end is included")
}

func TestTheRateOfASession(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	refused := beyond(t, func() *answer { return w.ask(t, "POST", completePath, chatBody(fields{"sessionId": "busy"})) })
	refused.refused(t, 429, fault.RateLimit)
	require.Contains(t, refused.Text, "retryAfterMs")
	w.ask(t, "POST", completePath, chatBody(fields{"sessionId": "calm"})).must(t, 200)
}

// Given a provider that a test plays, then what it does badly is said in the last event, who
// leaves cancels it, and both are counted.
func TestAProviderThatFailsAndACallerWhoLeaves(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("../../../adapters/llm/testdata/openai.sse")
	require.NoError(t, err)
	cancelled := make(chan struct{}, 1)
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.Contains(string(asked), "refuse"):
			http.Error(w, `{"error":{"message":"said by Ann"}}`, 400)
		case strings.Contains(string(asked), "break off"):
			_, _ = w.Write(recorded[:len(recorded)/2])
		case strings.Contains(string(asked), "wait"):
			_, _ = w.Write(recorded[:len(recorded)/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			cancelled <- struct{}{}
		default:
			_, _ = w.Write(recorded)
		}
	}))
	defer peer.Close()
	by, err := llm.NewOpenAIChat(openai.Config{APIKey: "sk-test", BaseURL: peer.URL + "/v1"})
	require.NoError(t, err)
	models := llm.OneModel(llm.Model{ID: "small", Provider: "own", By: by, Named: "m", Pricing: completions.Pricing{Version: "1",
		In:  150_000,
		Out: 600_000}})
	c := newCluster(t)
	c.a = c.start(t, func(c *node.Config) { c.Providers = slices.Providers{Models: models} })
	w := &chatWorld{tenant: newTenant(t, c.a, "one")}
	w.auth = w.token(t)

	var got shownCompletion
	w.ask(t, "POST", completePath, chatBody(nil)).must(t, 200).into(t, &got)
	require.Equal(t, "Hello", got.Content)
	require.InDelta(t, (19*0.15+10*0.6)/1e6, *got.Usage["estimatedCost"], 1e-12)

	asks := func(text string) fields { return chatBody(fields{"messages": []fields{said("user", text)}}) }
	w.ask(t, "POST", completePath, asks("refuse")).refused(t, 400, fault.Validation)
	broken := w.ask(t, "POST", completePath, asks("break off"), "Idempotency-Key", "k")
	require.NotContains(t, broken.refused(t, 503, fault.Unavailable).Text, "Ann")
	events := chatEvents(t, w.ask(t, "POST", streamPath, asks("break off")).must(t, 200).Text)
	require.Equal(t, "error", events[len(events)-1].name)
	require.NotContains(t, namesOf(events), "complete")
	used, named := w.usage(t, "&groupBy=model"), map[any]any{}
	require.EqualValues(t, 4, used.Summary["requestCount"])
	for _, m := range used.ByModel {
		named[m["modelId"]] = m["requestCount"]
	}
	require.Equal(t, map[any]any{"small": 3., "": 1.}, named, "of the one that was refused no model began to answer")

	openAI := fields{"model": "small", "messages": []fields{said("user", "break off")}}
	w.openAI(t, openAI).refusedAsOpenAI(t, 503, fault.Unavailable)
	text := w.openAI(t, openAI.and(fields{"stream": true})).must(t, 200).Text
	require.Regexp(t, `\n\ndata: \{"error":\{"message":"the model small .*","type":"server_error","param":null,`+
		`"code":"[A-Z_]+"\}\}\n\n$`, text)
	require.NotContains(t, text, "[DONE]")
	require.EqualValues(t, 6, w.usage(t, "").Summary["requestCount"])

	ctx, leave := context.WithCancel(t.Context())
	body, err := json.Marshal(asks("wait"))
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(ctx, "POST", c.a.URL()+streamPath, strings.NewReader(string(body)))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.auth)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && lines.Text() != "event: text_delta" {
		continue
	}
	before := w.usage(t, "").Summary
	leave()
	_ = res.Body.Close()
	<-cancelled
	until(t, "what was produced is counted", func() bool { return w.usage(t, "").Summary["requestCount"] == before["requestCount"]+1 })
	require.Greater(t, w.usage(t, "").Summary["totalTokens"], before["totalTokens"])
}

func TestAServerWithoutModels(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, func(c *node.Config) { c.Providers = slices.Providers{LLM: "none"} })
	w := &chatWorld{tenant: newTenant(t, c.a, "one")}
	w.auth = w.token(t)
	for _, path := range []string{completePath, streamPath} {
		w.ask(t, "POST", path, chatBody(nil)).refused(t, 503, fault.Unavailable)
	}
	w.openAI(t, nil).refusedAsOpenAI(t, 404, fault.NotFound)
}
