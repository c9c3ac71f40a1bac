//go:build !apache

package node_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

func newModelPeer(t *testing.T, recorded string) *modelPeer {
	answer, err := os.ReadFile("../../../adapters/llm/testdata/" + recorded)
	require.NoError(t, err)
	return newPeer(t, answer)
}

// newGreeter is one that says Hello and calls nothing, and tells how many tokens that took.
func newGreeter(t *testing.T, in, out int) *modelPeer {
	return newPeer(t, fmt.Appendf(nil, `data: {"model":"m","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}

data: {"model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}

data: [DONE]

`, in, out))
}

func newPeer(t *testing.T, answer []byte) *modelPeer {
	p := &modelPeer{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.keys = append(p.keys, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		p.asked = append(p.asked, r.URL.Path+" "+string(body))
		if p.no != 0 {
			w.WriteHeader(p.no)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *modelPeer) refuse(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.no = status
}

func ownProvider(p *modelPeer, key string, more fields) fields {
	return ofKind("ModelProvider", "own", fields{"projectId": mainAlias, "kind": "openai", "baseUrl": p.URL + "/v1", "apiKey": key,
		"models": []fields{{"id": "own-small", "model": "llama-8b", "tier": "fast",
			"prices": fields{"version": "2026-11", "input": 0.15, "output": 0.6}}, {"id": "own-large", "tier": "balanced"}}}.and(more))
}

func TestAProjectAsksModelsOfItsOwn(t *testing.T) {
	t.Parallel()
	w, peer := newChatWorld(t), newModelPeer(t, "openai.sse")
	applied := w.posted(t, nil, ownProvider(peer, "sk-one", nil)).must(t, 200)
	require.NotContains(t, applied.Text, "sk-one")
	planned := w.posted(t, fields{"dryRun": true}, ownProvider(peer, "sk-two", nil)).must(t, 200)
	require.NotContains(t, planned.Text, "sk-two")
	require.Contains(t, planned.Text, `"apiKey":"(sealed)"`)
	require.NotContains(t, planned.Text, "apiKeyFingerprint")

	require.Equal(t, []string{"local", "own-large", "own-small"}, w.models(t, mainAlias))
	require.Equal(t, []string{"local"}, w.models(t, otherApp), "another project's")

	var got shownCompletion
	w.ask(t, "POST", completePath, chatBody(fields{"tier": "fast"})).must(t, 200).into(t, &got)
	require.Equal(t, []any{"Hello", "own-small"}, []any{got.Content, got.Model})
	require.InDelta(t, (19*0.15+10*0.6)/1e6, *got.Usage["estimatedCost"], 1e-12)
	key, asked, _ := peer.last()
	require.Equal(t, "Bearer sk-one", key)
	require.Contains(t, asked, `/v1/chat/completions {"model":"llama-8b"`)
	w.ask(t, "POST", completePath, chatBody(nil)).must(t, 200).into(t, &got)
	require.Equal(t, "own-large", got.Model, "of the tier balanced")
	require.Nil(t, got.Usage["estimatedCost"], "nobody knows what it costs")
	w.ask(t, "POST", completePath, chatBody(fields{"tier": "powerful"})).must(t, 200).into(t, &got)
	require.Equal(t, "local", got.Model, "the project has none of this tier")

	events := chatEvents(t, w.ask(t, "POST", streamPath, chatBody(fields{"modelId": "own-small"})).must(t, 200).Text)
	require.Equal(t, map[string]any{"modelId": "own-small", "provider": "own", "source": "request"}, events[0].data)
	require.Equal(t, "complete", events[len(events)-1].name)
	c := completion(t, w.openAI(t, fields{"model": "own-small"}))
	require.Equal(t, "Hello", *c.Choices[0].Message.Content)
	byModel := map[string]any{}
	for _, m := range w.usage(t, "&groupBy=model").ByModel {
		byModel[m["modelId"].(string)+" of "+m["provider"].(string)] = m["requestCount"]
	}
	require.Equal(t, map[string]any{"own-small of own": 3., "own-large of own": 1., "local of local": 1.}, byModel)

	other := fields{"projectId": otherApp, "modelId": "own-small"}
	w.ask(t, "POST", completePath, chatBody(other)).refused(t, 400, fault.Validation, "modelId")
	stranger := newChatWorld(t)
	stranger.ask(t, "POST", completePath, chatBody(fields{"modelId": "own-small"})).refused(t, 400, fault.Validation, "modelId")
}

// Given a provider, then its key is another one, and the provider is gone, with the manifest.
func TestTheKeyOfAProviderRotatesAndTheProviderGoes(t *testing.T) {
	t.Parallel()
	w, peer := newChatWorld(t), newModelPeer(t, "anthropic.sse")
	all := func(more ...fields) []fields {
		set := []fields{ofKind("Tenant", w.id, fields{"orgId": w.id + "-org"}),
			ofKind("Project", mainApp, fields{"aliases": []string{mainAlias}}),
			ofKind("Client", testClient, fields{"origin": "admin", "alg": "HS256", "secret": tokenSecret,
				"scopes": access.ClientScopes(), "permissions": access.Permissions()})}
		return append(set, more...)
	}
	claude := func(key string) fields {
		return ofKind("ModelProvider", "claude", fields{"kind": "anthropic", "baseUrl": peer.URL, "apiKey": key,
			"models": []fields{{"id": "sonnet", "tier": "balanced"}}})
	}
	ask := func() *answer { return w.ask(t, "POST", completePath, chatBody(nil)) }
	for _, key := range []string{"sk-one", "sk-two"} {
		w.posted(t, nil, claude(key)).must(t, 200)
		ask().must(t, 200)
		sent, asked, _ := peer.last()
		require.Equal(t, key, sent)
		require.Contains(t, asked, "/v1/messages ")
	}
	require.Contains(t, w.posted(t, nil, claude("sk-two")).must(t, 200).Text, `"outcome":"unchanged"`)

	_, _, before := peer.last()
	peer.refuse(401)
	refused := ask().refused(t, 503, fault.Unavailable)
	require.Contains(t, refused.Text, "the provider claude does not accept the key")
	require.NotContains(t, refused.Text, "sk-two")
	_, _, after := peer.last()
	require.Equal(t, before+1, after, "a key that is refused is not tried again, and no model of the server is asked in its place")

	pruned := w.posted(t, fields{"prune": true}, all()...).must(t, 200)
	require.Contains(t, pruned.Text, `"kind":"ModelProvider","id":"claude"`)
	var got shownCompletion
	ask().must(t, 200).into(t, &got)
	require.Equal(t, "local", got.Model)
	w.ask(t, "POST", completePath, chatBody(fields{"modelId": "sonnet"})).refused(t, 400, fault.Validation, "modelId")
}

func TestWhatAProviderMayNotBe(t *testing.T) {
	t.Parallel()
	w, peer := newChatWorld(t), newModelPeer(t, "openai.sse")
	model := func(more fields) fields { return fields{"models": []fields{fields{"id": "m"}.and(more)}} }
	prices := func(more fields) fields {
		return model(fields{"prices": fields{"version": "1", "input": 1, "output": 1}.and(more)})
	}
	for _, c := range []struct {
		more  fields
		field string
	}{
		{fields{"baseUrl": "https://10.0.0.7/v1"}, "spec.baseUrl"}, {fields{"baseUrl": "https://169.254.169.254/"}, "spec.baseUrl"},
		{fields{"baseUrl": "ftp://example.com"}, "spec.baseUrl"}, {fields{"baseUrl": "https://a:b@example.com"}, "spec.baseUrl"},
		{fields{"kind": "local"}, "spec.kind"}, {fields{"apiKey": ""}, "spec.apiKey"}, {fields{"apiKey": "a\nb"}, "spec.apiKey"},
		{fields{"projectId": "nowhere"}, "spec.projectId"}, {fields{"models": []fields{}}, "spec.models"},
		{model(fields{"id": "a b"}), "spec.models[0].id"}, {model(fields{"tier": "huge"}), "spec.models[0].tier"},
		{prices(fields{"input": 0.0000001}), "spec.models[0].prices.input"}, {prices(fields{"output": -1}), "spec.models[0].prices.output"},
		{prices(fields{"version": ""}), "spec.models[0].prices.version"},
	} {
		w.posted(t, nil, ownProvider(peer, "sk", c.more)).refused(t, 400, fault.Validation, "manifests[0] "+c.field)
	}
	w.posted(t, nil, ownProvider(peer, "sk", nil)).must(t, 200)
	second := ownProvider(peer, "sk", nil)
	second["metadata"] = fields{"name": "second"}
	w.posted(t, nil, second).refused(t, 400, fault.Validation, "manifests[0] spec.models[0].id", "manifests[0] spec.models[1].id")
}
