package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const hookPath = "/agentassist/api/v1/hooks/"

// desk is a tenant whose contact center tells of its conversations.
type desk struct {
	*tenant
	c     *cluster
	token string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	c := shared(t)
	w := c.tenant(t, "")
	return &desk{tenant: w, c: c, token: w.token(t)}
}

// hook sends one body to a node; conversationId and botId are added.
func (d *desk) hook(t *testing.T, on *server, id string, body map[string]any, headers ...string) *answer {
	t.Helper()
	full := map[string]any{"conversationId": id, "botId": mainApp}
	for name, value := range body {
		full[name] = value
	}
	return on.do(t, "POST", hookPath+mainApp, full, append([]string{"auth", d.token}, headers...)...)
}

func (d *desk) events(t *testing.T, id string, events ...map[string]any) *answer {
	t.Helper()
	return d.hook(t, d.c.a, id, map[string]any{"events": events})
}

func hookAgent(identity string) map[string]any {
	return map[string]any{"identity": identity, "name": "Agent " + identity, "type": "agent"}
}

func moved(kind, transition, identity string) map[string]any {
	return map[string]any{"name": "INTERNAL_TRANSFER_EVENT", "transfertype": kind, "transition": transition, "isExtAD": "false",
		"language": "en", "experience": "chat",
		"reason": "agent_initiated", "participant": hookAgent(identity)}
}

func enters(kind, identity string) map[string]any { return moved(kind, "entry", identity) }

func leaves(kind, identity string) map[string]any { return moved(kind, "exit", identity) }

func triggers() map[string]any {
	return map[string]any{"name": "TRIGGER_SUMMARY_EVENT", "data": map[string]any{"language": "English", "locale": "en", "type": "post"}}
}

func finishes() map[string]any {
	return map[string]any{"name": "END_OF_CONVERSATION", "reason": "resolved", "language": "en", "experience": "chat",
		"participant": hookAgent("a1")}
}

func says(author, text string) map[string]any {
	return map[string]any{"query": text, "agentId": "a1", "experience": "chat", "author": map[string]any{"type": author}, "source": "genesys",
		"sendUserMessage": true, "sendAgentMessage": true, "language": "en"}
}

// ok is the answer of success.
func (a *answer) ok(t *testing.T) {
	t.Helper()
	require.JSONEq(t, `{"STATUS":"OK"}`, a.must(t, 200).Text)
}

// talkShown is a conversation as it is read.
type talkShown struct {
	Conversation struct {
		ConversationID, SessionID, Origin, Status, Experience, EndReason string
		OpenedAt, EnteredAt, EndedAt                                     string
		Segments                                                         int
		Participants                                                     []map[string]any
		Summary                                                          map[string]any
		Dispositions, DispositionRemarks, AgentNotes, UserLevelTags      []string
		SessionLevelTags, AfterCallWork                                  []map[string]any
		MetaInfo                                                         map[string]any
	}
	Messages   []map[string]any
	Pagination map[string]int
}

func conversationPath(id string) string {
	return "/api/v1/projects/" + mainApp + "/conversations/" + id
}

// shown reads a conversation on the other node than the one that was told.
func (d *desk) shown(t *testing.T, id, query string) talkShown {
	t.Helper()
	var out talkShown
	d.c.b.do(t, "GET", conversationPath(id)+query, nil, "auth", d.token).must(t, 200).into(t, &out)
	return out
}
