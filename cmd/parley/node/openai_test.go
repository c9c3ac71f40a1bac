//go:build !apache

package node_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// openAICompletion is a whole answer, or a chunk.
type openAICompletion struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index   int
		Message struct {
			Role      string
			Content   *string
			ToolCalls []openAICall `json:"tool_calls"`
		}
		Delta struct {
			Role      string
			Content   *string
			ToolCalls []openAICall `json:"tool_calls"`
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage    *map[string]int64
	Metadata map[string]string
}

type openAICall struct {
	Index    int
	ID, Type string
	Function struct{ Name, Arguments string }
}

func (w *chatWorld) openAI(t *testing.T, body fields, headers ...string) *answer {
	t.Helper()
	return w.ask(t, "POST", openAIPath, fields{"model": "local", "messages": []fields{said("user", "Hello there")}}.and(body),
		append([]string{"OpenAI-Project", mainAlias}, headers...)...)
}

func completion(t *testing.T, a *answer) (c openAICompletion) {
	t.Helper()
	a.must(t, 200).into(t, &c)
	require.Equal(t, "chat.completion", c.Object)
	require.Len(t, c.Choices, 1)
	return c
}

// chunksOf reads a stream that ended well, and puts together what its chunks say.
func chunksOf(t *testing.T, a *answer) (all []openAICompletion, text string) {
	t.Helper()
	a.must(t, 200)
	require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
	events := strings.Split(strings.TrimSuffix(a.Text, "\n\n"), "\n\n")
	require.Equal(t, "data: [DONE]", events[len(events)-1])
	for _, e := range events[:len(events)-1] {
		if strings.HasPrefix(e, ":") {
			continue
		}
		var c openAICompletion
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(e, "data: ")), &c), e)
		require.Equal(t, "chat.completion.chunk", c.Object)
		if len(all) > 0 {
			require.Equal(t, all[0].ID, c.ID)
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content != nil {
				text += *choice.Delta.Content
			}
		}
		all = append(all, c)
	}
	return all, text
}

func TestAModelAnswersInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	c := completion(t, w.openAI(t, fields{"messages": []fields{said("developer", "Be kind"), {"role": "user", "content": []fields{
		{"type": "text", "text": "Hello "}, {"type": "text", "text": "there"}}}}, "user": "u-1", "seed": 7, "max_completion_tokens": 100,
		"max_tokens": 1, "n": 1, "temperature": 0, "tool_choice": "auto"}))
	choice := c.Choices[0]
	require.Equal(t, []any{"My goal: Be kind You said: Hello there", "assistant", "stop", "local"},
		[]any{*choice.Message.Content, choice.Message.Role, *choice.FinishReason, c.Model})
	require.Equal(t, map[string]int64{"prompt_tokens": 4, "completion_tokens": 8, "total_tokens": 12}, *c.Usage)
	require.True(t, strings.HasPrefix(c.ID, "chatcmpl-"))
	require.NotZero(t, c.Created)
	require.EqualValues(t, 12, w.usage(t, "").Summary["totalTokens"], "counted like any completion, when it is answered")

	short := completion(t, w.openAI(t, fields{"max_tokens": 2})).Choices[0]
	require.Equal(t, []string{"You said: ", "length"}, []string{*short.Message.Content, *short.FinishReason})
	for _, stop := range []any{"there", []string{"nowhere", "there"}} {
		short = completion(t, w.openAI(t, fields{"stop": stop})).Choices[0]
		require.Equal(t, []string{"You said: Hello", "stop"}, []string{*short.Message.Content, *short.FinishReason})
	}
}

func TestAModelCallsToolsInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	tools := []fields{{"type": "function", "function": fields{"name": "find", "parameters": fields{"type": "object"}, "strict": true}}}
	named := fields{"type": "function", "function": fields{"name": "find"}}
	for _, body := range []fields{{"messages": []fields{said("user", `find {"id": 7}`)}},
		{"messages": []fields{said("user", `It is {"id": 7}`)}, "tool_choice": "required"},
		{"messages": []fields{said("user", `It is {"id": 7}`)}, "tool_choice": named}} {
		body["tools"] = tools
		choice := completion(t, w.openAI(t, body)).Choices[0]
		require.Nil(t, choice.Message.Content)
		call := choice.Message.ToolCalls[0]
		require.Equal(t, []string{"tool_calls", "function", "find", `{"id": 7}`}, []string{*choice.FinishReason, call.Type, call.Function.Name,
			call.Function.Arguments})

		all, text := chunksOf(t, w.openAI(t, body.and(fields{"stream": true})))
		var id, name, arguments string
		for _, c := range all {
			for _, part := range c.Choices[0].Delta.ToolCalls {
				require.Zero(t, part.Index)
				id, name, arguments = id+part.ID, name+part.Function.Name, arguments+part.Function.Arguments
			}
		}
		require.Equal(t, []string{call.ID, "find", `{"id": 7}`, ""}, []string{id, name, arguments, text})
		require.Equal(t, "tool_calls", *all[len(all)-1].Choices[0].FinishReason)

		next := completion(t, w.openAI(t, fields{"tools": tools, "messages": []any{said("user", "find"), fields{"role": "assistant",
			"content": nil, "tool_calls": []fields{{"id": call.ID, "type": "function", "function": fields{"name": "find", "arguments": "{}"}}}},
			fields{"role": "tool", "tool_call_id": call.ID, "content": "Ann"}}}))
		require.Equal(t, "The tool answered: Ann", *next.Choices[0].Message.Content)
	}
	none := completion(t, w.openAI(t, fields{"tools": tools, "tool_choice": "none", "messages": []fields{said("user", "find it")}}))
	require.Equal(t, "You said: find it", *none.Choices[0].Message.Content)
}

func TestAModelStreamsInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	all, text := chunksOf(t, w.openAI(t, fields{"stream": true, "stream_options": fields{"include_usage": true}}))
	require.Equal(t, "You said: Hello there", text)
	require.Equal(t, "assistant", all[0].Choices[0].Delta.Role)
	last := all[len(all)-1]
	require.Empty(t, last.Choices)
	require.Equal(t, map[string]int64{"prompt_tokens": 2, "completion_tokens": 4, "total_tokens": 6}, *last.Usage)
	require.Equal(t, "stop", *all[len(all)-2].Choices[0].FinishReason)
	require.Nil(t, all[0].Usage)
	require.EqualValues(t, 6, w.usage(t, "").Summary["totalTokens"])

	all, _ = chunksOf(t, w.openAI(t, fields{"stream": true}))
	require.Nil(t, all[len(all)-1].Usage, "not asked for")
	require.Len(t, all[len(all)-1].Choices, 1)
}

func TestACompletionOfOpenAIsFormIsRepeated(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	first := completion(t, w.openAI(t, nil, "Idempotency-Key", "once"))
	res := w.openAI(t, nil, "Idempotency-Key", "once")
	require.Equal(t, "true", res.Header.Get("Idempotency-Replayed"))
	again := completion(t, res)
	require.Equal(t, []any{first.ID, first.Choices, first.Usage}, []any{again.ID, again.Choices, again.Usage})
	w.openAI(t, fields{"temperature": 1}, "Idempotency-Key", "once").refusedAsOpenAI(t, 409, fault.Conflict)
	require.EqualValues(t, 1, w.usage(t, "").Summary["requestCount"])
}

func TestWhatIsRefusedInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	tool := func(name string) []fields { return []fields{{"type": "function", "function": fields{"name": name}}} }
	for _, c := range []struct {
		more  fields
		param string
	}{
		{fields{"messages": []fields{}}, "messages"}, {fields{"messages": nil}, "messages"}, {fields{"model": nil}, "model"},
		{fields{"messages": []fields{said("system", "Be kind")}}, "messages"}, {fields{"messages": []fields{said("robot", "Hi")}},
			"messages[0].role"},
		{fields{"messages": []fields{{"role": "user", "content": []fields{{"type": "image_url"}}}}}, "messages[0].content"},
		{fields{"n": 2}, "n"}, {fields{"temperature": 3}, "temperature"}, {fields{"max_tokens": -1}, "max_tokens"},
		{fields{"response_format": fields{"type": "json_object"}}, "response_format.type"}, {fields{"logprobs": true}, "logprobs"},
		{fields{"modalities": []string{"text", "audio"}}, "modalities[1]"}, {fields{"parallel_tool_calls": "no"}, "parallel_tool_calls"},
		{fields{"functions": []fields{{"name": "f"}}}, "functions"}, {fields{"tools": tool("no name")}, "tools[0].name"},
		{fields{"tool_choice": "required"}, "tool_choice"}, {fields{"tool_choice": "perhaps", "tools": tool("f")}, "tool_choice"},
		{fields{"tool_choice": fields{"type": "function", "function": fields{"name": "g"}}, "tools": tool("f")}, "tool_choice"},
		{fields{"stop": []string{"1", "2", "3", "4", "5"}}, "stop"}, {fields{"stop": ""}, "stop"}, {fields{"stop": 1}, "stop"},
		{fields{"metadata": fields{"sessionId": "no id!"}}, "metadata.sessionId"},
	} {
		got := w.openAI(t, c.more).refusedAsOpenAI(t, 400, fault.Validation)
		require.NotNil(t, got.Param, c.param)
		require.Equal(t, c.param, *got.Param)
		c.more["stream"] = true
		w.openAI(t, c.more).refusedAsOpenAI(t, 400, fault.Validation)
	}
	require.Equal(t, "model", *w.openAI(t, fields{"model": "gpt-4o"}).refusedAsOpenAI(t, 404, fault.NotFound).Param)
	w.openAI(t, nil, "OpenAI-Project", "nobodys").refusedAsOpenAI(t, 404, fault.NotFound)
	none := w.ask(t, "POST", openAIPath, fields{"model": "local", "messages": []fields{said("user", "Hi")}})
	require.Equal(t, "OpenAI-Project", *none.refusedAsOpenAI(t, 400, fault.Validation).Param)
	w.openAI(t, fields{"metadata": fields{"sessionId": "s-1"}}, "X-Session-Id", "s-2").refusedAsOpenAI(t, 400, fault.Validation)
	w.on.do(t, "GET", modelsPath, nil).refusedAsOpenAI(t, 401, fault.Unauthorized)
	w.on.do(t, "GET", modelsPath, nil, "Authorization", "Bearer sk_no").refusedAsOpenAI(t, 401, fault.Unauthorized)
	require.Zero(t, w.usage(t, "").Summary["requestCount"], "nothing was asked")
	w.openAI(t, nil, "X-Session-Id", "busy").must(t, 200)
	var limited *answer
	until(t, "one message too many", func() bool { // of sixty a minute: one after the other may be slower than that
		all := make([]*answer, 20)
		together(len(all), func(i int) { all[i] = w.openAI(t, nil, "X-Session-Id", "busy") })
		at := slices.IndexFunc(all, func(a *answer) bool { return a.Status != 200 })
		if at >= 0 {
			limited = all[at]
		}
		return at >= 0
	})
	limited.refusedAsOpenAI(t, 429, fault.RateLimit)
	require.NotEmpty(t, limited.Header.Get("Retry-After"))
}

// deployTalk deploys the two agents that talk, and gives the deployment's endpointSlug and id.
func (w talkWorld) deployTalk(t *testing.T) (endpoint, id string) {
	t.Helper()
	var made struct {
		Deployment struct{ EndpointSlug, ID string }
	}
	w.ask(t, "POST", "/api/projects/"+mainApp+"/deployments", fields{"environment": "production", "label": "r", "entryAgentName": "meter",
		"agentVersionManifest": fields{"meter": "auto", "closer": "auto"}}).must(t, http.StatusCreated).into(t, &made)
	return made.Deployment.EndpointSlug, made.Deployment.ID
}

func TestADeploymentTalksInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	endpoint, id := w.deployTalk(t)
	body := func(text string, more fields) fields {
		return fields{"model": endpoint, "messages": []fields{said("system", "Be rude"), said("user", "old"), said("assistant", "old"),
			said("user", text)}}.and(more)
	}
	pictured := w.ask(t, "POST", openAIPath, fields{"model": endpoint, "messages": []fields{picture("user", inPNG(pngBytes))}})
	require.Equal(t, "messages", *pictured.refusedAsOpenAI(t, 400, fault.Validation).Param, "its session takes files in another way")
	for member, value := range map[string]any{"logprobs": true, "functions": []fields{{"name": "f"}}} {
		refused := w.ask(t, "POST", openAIPath, body("Hi", fields{member: value})).refusedAsOpenAI(t, 400, fault.Validation)
		require.Equal(t, member, *refused.Param)
	}
	res := w.ask(t, "POST", openAIPath, body("Hi", nil))
	hello := completion(t, res)
	session := hello.Metadata["sessionId"]
	require.Equal(t, []any{"Good day.\nWhich meter?", "stop", endpoint}, []any{*hello.Choices[0].Message.Content,
		*hello.Choices[0].FinishReason, hello.Model})
	require.Equal(t, session, res.Header.Get("X-Session-Id"))
	require.Zero(t, (*hello.Usage)["total_tokens"])

	for _, headers := range [][]string{nil, {"X-Session-Id", session}} {
		more := fields{"stream": true, "stream_options": fields{"include_usage": true}}
		if headers == nil {
			more["metadata"] = fields{"sessionId": session, "other": "ignored"}
		}
		all, text := chunksOf(t, w.ask(t, "POST", openAIPath, body("the electricity", more), headers...))
		require.NotEmpty(t, text)
		require.Equal(t, session, all[0].Metadata["sessionId"], "it goes on")
		require.Zero(t, (*all[len(all)-1].Usage)["total_tokens"])
	}

	// The same request again is the same turn.
	for range 2 {
		again := completion(t, w.ask(t, "POST", openAIPath, body("Hi", nil), "Idempotency-Key", "once"))
		require.NotEqual(t, session, again.Metadata["sessionId"])
		require.Equal(t, "Good day.\nWhich meter?", *again.Choices[0].Message.Content)
	}
	second, _ := w.deployTalk(t)
	got := w.ask(t, "POST", openAIPath, body("Hi", fields{"model": second, "metadata": fields{"sessionId": session}}))
	require.Equal(t, "model", *got.refusedAsOpenAI(t, 400, fault.Validation).Param)
	w.ask(t, "POST", openAIPath, body("Hi", fields{"metadata": fields{"sessionId": "nobodys"}})).refusedAsOpenAI(t, 404, fault.NotFound)
	w.ask(t, "POST", openAIPath, body("", nil)).refusedAsOpenAI(t, 400, fault.Validation)
	blank := w.ask(t, "POST", openAIPath, body(" \n", nil)).refusedAsOpenAI(t, 400, fault.Validation)
	require.Equal(t, "messages", *blank.Param)
	w.ask(t, "POST", openAIPath, body(strings.Repeat("a", 20_001), nil)).refusedAsOpenAI(t, 400, fault.Validation)

	other := newTalkWorld(t)
	other.ask(t, "POST", openAIPath, body("Hi", nil)).refusedAsOpenAI(t, 404, fault.NotFound)
	w.ask(t, "POST", "/api/projects/"+mainApp+"/deployments/"+id+"/retire", fields{}).must(t, 200)
	w.ask(t, "POST", openAIPath, body("Hi", nil)).refusedAsOpenAI(t, http.StatusGone, fault.Gone)
}

func TestModelsAreListedInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	list := func(headers ...string) (ids []string) {
		var out struct {
			Object string
			Data   []struct {
				ID, Object string
				Created    int64
				OwnedBy    string `json:"owned_by"`
			}
		}
		w.cluster.a.do(t, "GET", modelsPath, nil, headers...).must(t, 200).into(t, &out)
		require.Equal(t, "list", out.Object)
		for _, m := range out.Data {
			require.Equal(t, "model", m.Object)
			require.NotEmpty(t, m.OwnedBy)
			require.Equal(t, m.ID == "local", m.Created == 0)
			var one any
			w.cluster.a.do(t, "GET", modelsPath+"/"+m.ID, nil, headers...).must(t, 200).into(t, &one)
			require.Equal(t, map[string]any{"id": m.ID, "object": "model", "created": float64(m.Created), "owned_by": m.OwnedBy}, one)
			ids = append(ids, m.ID)
		}
		return ids
	}
	require.Equal(t, []string{"local"}, list("Authorization", "Bearer "+w.auth))
	endpoint, id := w.deployTalk(t)
	key := w.key(t, mainScope)
	for _, headers := range [][]string{{"Authorization", "Bearer " + w.auth}, {"Authorization", "Bearer " + key}, {"x-api-key", key},
		{"Authorization", "Bearer " + w.auth, "OpenAI-Project", mainAlias}} {
		require.Equal(t, []string{"local", endpoint}, list(headers...))
	}
	// A key speaks for its project by itself.
	c := completion(t, w.cluster.a.do(t, "POST", openAIPath, fields{"model": "local", "messages": []fields{said("user", "Hi")}},
		"Authorization", "Bearer "+key))
	require.Equal(t, "You said: Hi", *c.Choices[0].Message.Content)
	c = completion(t, w.cluster.a.do(t, "POST", openAIPath, fields{"model": endpoint, "messages": []fields{said("user", "Hi")}},
		"Authorization", "Bearer "+key))
	require.Equal(t, "Good day.\nWhich meter?", *c.Choices[0].Message.Content)
	w.ask(t, "POST", "/api/projects/"+mainApp+"/deployments/"+id+"/retire", fields{}).must(t, 200)
	require.Equal(t, []string{"local"}, list("Authorization", "Bearer "+w.auth))
	for _, gone := range []string{endpoint, "gpt-4o", "a%2Fb"} {
		require.Equal(t, "model", *w.ask(t, "GET", modelsPath+"/"+gone, nil).refusedAsOpenAI(t, 404, fault.NotFound).Param)
	}
}

// Given a project that was removed, then what was said in it and its deployments, which stand on
// the log as before, are no more there for those who name none, either.
func TestWhatARemovedProjectLeavesBehindIsNotThere(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	endpoint, _ := w.deployTalk(t)
	hello := completion(t, w.ask(t, "POST", openAIPath, fields{"model": endpoint, "messages": []fields{said("user", "Hi")}}))
	session := hello.Metadata["sessionId"]
	var told struct{ Messages []struct{ ID, Role string } }
	transcript := "/api/v1/sessions/" + session + "/transcripts"
	w.ask(t, "GET", transcript, nil).must(t, 200).into(t, &told)
	message := told.Messages[len(told.Messages)-1].ID
	ann := w.ask(t, "POST", contactsPath, fields{"identity": "C-1", "identityType": "external"}).must(t, 201).contact(t)["id"].(string)

	w.posted(t, fields{"prune": true}, ofKind("Tenant", w.id, fields{"orgId": w.id + "-org"}),
		ofKind("Client", testClient, fields{"origin": "admin", "alg": "HS256", "secret": tokenSecret, "scopes": access.ClientScopes(),
			"permissions": access.Permissions()})).must(t, 200)
	w.ask(t, "GET", sessionsPath+"/"+session, nil).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", transcript, nil).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": session, "messageId": message, "rating": "up"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", contactsPath+"/"+ann+"/link-session", fields{"sessionId": session}).refused(t, 404, fault.NotFound)
	require.NotContains(t, w.ask(t, "GET", modelsPath, nil).must(t, 200).Text, endpoint)
	require.Equal(t, "model", *w.ask(t, "GET", modelsPath+"/"+endpoint, nil).refusedAsOpenAI(t, 404, fault.NotFound).Param)
	again := w.ask(t, "POST", openAIPath, fields{"model": endpoint, "messages": []fields{said("user", "Hi")}})
	require.Equal(t, "model", *again.refusedAsOpenAI(t, 404, fault.NotFound).Param)
}

// Given OpenAI's clients, which read refusals in their form alone, then they have it also of what is not there.
func TestWhatIsNotThereIsRefusedInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	w.ask(t, "POST", "/v1/embeddings", fields{}).refusedAsOpenAI(t, 404, fault.NotFound)
	w.ask(t, "DELETE", modelsPath+"/local", nil).refusedAsOpenAI(t, 405, fault.MethodNotAllowed)
	w.ask(t, "GET", openAIPath, nil).refusedAsOpenAI(t, 405, fault.MethodNotAllowed)
	w.ask(t, "GET", "/api/v1/nothing", nil).refused(t, 404, fault.NotFound)
}

// What a deployment's turn takes is what the models took that it asked, as chat-usage counts them.
func TestATurnThatAsksModelsSaysWhatTheyTookInOpenAIsForm(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-led", "led", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: led\nGOAL: Help.\n"})
	var made struct{ Deployment struct{ EndpointSlug string } }
	w.ask(t, "POST", "/api/projects/"+mainApp+"/deployments", fields{"environment": "production", "entryAgentName": "led",
		"agentVersionManifest": fields{"led": "auto"}}).must(t, http.StatusCreated).into(t, &made)
	body := fields{"model": made.Deployment.EndpointSlug, "messages": []fields{said("user", "Hello there")}}
	whole := *completion(t, w.ask(t, "POST", openAIPath, body)).Usage
	all, _ := chunksOf(t, w.ask(t, "POST", openAIPath, body.and(fields{"stream": true, "stream_options": fields{"include_usage": true}})))
	streamed := *all[len(all)-1].Usage
	require.Positive(t, whole["prompt_tokens"])
	require.Positive(t, whole["completion_tokens"])
	require.Equal(t, whole, streamed)
	var counted struct{ Summary struct{ TotalTokens int64 } }
	w.ask(t, "GET", "/api/v1/chat/usage?projectId="+mainApp, nil).must(t, 200).into(t, &counted)
	require.Equal(t, whole["total_tokens"]+streamed["total_tokens"], counted.Summary.TotalTokens)
}
