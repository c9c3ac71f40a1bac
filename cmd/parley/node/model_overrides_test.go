//go:build !apache

package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given an agent whose source names a tier, when a deployment says otherwise, then its sessions ask another model, with its bounds;
// those of working copies and of other deployments go by the source. What is promoted goes on with it.
func TestADeploymentOverridesTheModelsOfItsAgents(t *testing.T) {
	t.Parallel()
	w, peer := newTalkWorld(t), newGreeter(t, 10, 5)
	w.posted(t, nil, ownProvider(peer, "sk", nil)).must(t, 200)
	w.apply(t, "Agent", "a-host", "host", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: host
GOAL: Welcome guests.
MODEL: {TIER: fast, MAX_TOKENS: 50}
`})
	deploy := func(environment string, override fields) map[string]any {
		return w.deploy(t, environment, fields{"entryAgentName": "host", "modelOverrides": fields{"host": override}})
	}
	asked := func(more fields) string {
		var said chatAnswer
		w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi"}.and(more)).must(t, 200).into(t, &said)
		require.Equal(t, "Hello", said.Response)
		_, body, _ := peer.last()
		require.Equal(t, said.TraceEvents[1].Type, "llm_call")
		return said.TraceEvents[1].Data["model"].(string) + " " + body
	}
	d := deploy("dev", fields{"modelId": "own-large", "maxTokens": 7, "note": "cheaper"})
	got := asked(nil)
	require.Contains(t, got, "own-large ")
	require.Contains(t, got, `"max_completion_tokens":7`)
	require.Equal(t, map[string]any{"host": map[string]any{"modelId": "own-large", "maxTokens": 7., "note": "cheaper"}}, d["modelOverrides"])

	w.deploy(t, "staging", fields{"entryAgentName": "host"})
	require.Contains(t, asked(fields{"environment": "staging"}), "own-small ")
	w.ask(t, "POST", path(d)+"/promote", fields{"targetEnvironment": "production"}).must(t, 201)
	require.Contains(t, asked(fields{"environment": "production"}), "own-large ")

	_, _, before := peer.last()
	id := w.begin(t, "host")
	require.Equal(t, "Hello", w.say(t, id, "Hi").Response)
	_, body, after := peer.last()
	require.Equal(t, before+1, after)
	require.Contains(t, body, `"max_completion_tokens":50`, "working copies go by their source")

	deploy("dev", fields{"modelId": "nobody-has-it"})
	refused := w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi", "environment": "dev"})
	require.Contains(t, refused.refused(t, 503, fault.Unavailable).Text, "the agent host needs the model nobody-has-it")
	w.posted(t, nil, settingsOf(fields{"models": fields{"tiers": fields{"powerful": []string{"nothing"}}}})).must(t, 200)
	deploy("dev", fields{"tier": "powerful"})
	refused = w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi", "environment": "dev"})
	require.Contains(t, refused.refused(t, 503, fault.Unavailable).Text, "the agent host needs a model of the tier powerful")
}
