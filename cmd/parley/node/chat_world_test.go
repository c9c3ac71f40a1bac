package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sessionsPath = "/api/projects/" + mainApp + "/sessions"

	readingAgent = `DSL: 1
AGENT: meter
GATHER:
  kind: {TYPE: enum, OPTIONS: [electricity, gas]}
  pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$", PROMPT: "Your PIN?", SENSITIVE: true}
ON_START: {SAY: {en: Good day., de: Guten Tag.}}
HANDOFF: [{TO: closer, WHEN: has(gather.pin), REASON: Read, CONTEXT: {PASS: [gather.kind]}}]
FLOW:
  START: which
  STEPS:
    which:
      SAY: "Which meter?"
      RICH: [{KIND: select, ID: kind, LABEL: Meter, OPTIONS: [{ID: electricity, LABEL: Current}, {ID: gas, LABEL: Gas}]}]
      GATHER: [kind, pin]
`
	closingAgent = `DSL: 1
AGENT: closer
GATHER: {kind: {TYPE: string}}
FLOW: {START: bye, STEPS: {bye: {SAY: "Thank you for the {{ gather.kind }}, {{ caller.userId }}.", END: true}}}
`
)

// talkWorld is a tenant with two agents, asked at the node that it was not made on.
type talkWorld struct{ *agentsWorld }

func newTalkWorld(t *testing.T) talkWorld { return shared(t).talks(t) }

// talks is a tenant of the cluster with the agents of these tests.
func (c *cluster) talks(t *testing.T) talkWorld {
	t.Helper()
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.auth = w.token(t)
	return talkWorld{w}
}

// begin begins a session with the working copy of an agent.
func (w talkWorld) begin(t *testing.T, agent string) string {
	t.Helper()
	var out struct {
		Success bool
		Session map[string]string
	}
	w.ask(t, "POST", sessionsPath, fields{"agentId": agent}).must(t, http.StatusCreated).into(t, &out)
	require.True(t, out.Success)
	require.ElementsMatch(t, []string{"id", "agentId", "agentName", "createdAt"}, []string{"id", "agentId", "agentName",
		"createdAt"}[:len(out.Session)])
	return out.Session["id"]
}

// chatAnswer is what chat-agent answers.
type chatAnswer struct {
	SessionID string
	Response  string
	Action    struct{ Type, Error, CallbackID, TransferID, ConversationID string }
	State     struct {
		Status, AgentName, Step string
		Gathered, Variables     map[string]any
	}
	TraceEvents []struct {
		Type string
		Data map[string]any
	}
	VoiceConfig  any
	RichContent  []map[string]any
	Actions      []map[string]any
	MessageID    string
	DeploymentID string
	Messages     []map[string]any
}

func (w talkWorld) say(t *testing.T, session, message string, more ...fields) (out chatAnswer) {
	t.Helper()
	body := fields{"projectId": mainAlias, "sessionId": session, "message": message}
	for _, m := range more {
		body = body.and(m)
	}
	w.ask(t, "POST", "/api/v1/chat/agent", body).must(t, 200).into(t, &out)
	return out
}

func (a chatAnswer) traces() (types []string) {
	for _, e := range a.TraceEvents {
		types = append(types, e.Type)
	}
	return types
}
