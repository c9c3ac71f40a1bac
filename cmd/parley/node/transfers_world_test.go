package node_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

const assignPath = publicV1 + "/assign-conversation"

// transferDesk is a tenant with a receiver of callbacks; its agents have one chat at once.
type transferDesk struct {
	*tenant
	c    *cluster
	auth string
	hook *receiver
}

func newTransferDesk(t *testing.T, c *cluster) *transferDesk {
	t.Helper()
	w := &transferDesk{tenant: c.tenant(t, ""), c: c, hook: newReceiver(t, nil)}
	w.apply(t, "Project", mainApp, "The bot", fields{"aliases": []string{mainAlias}, "webhookSecret": callSecret})
	w.auth = w.token(t)
	return w
}

// staff makes agents who are there.
func (w *transferDesk) staff(t *testing.T, more fields, ids ...string) {
	t.Helper()
	spec := map[string]any{"canSupportChat": true, "maxDigitalChatSupport": 1}
	maps.Copy(spec, more)
	for _, id := range ids {
		w.agents(t, spec, id)
		w.presence(t, id, "AVAILABLE", "")
	}
}

// queue makes a queue of agents; the first is preferred if preferred is true.
func (w *transferDesk) queue(t *testing.T, id string, more fields, agents ...string) {
	t.Helper()
	listed := []fields{}
	for _, a := range agents {
		listed = append(listed, fields{"userId": a})
	}
	w.apply(t, "Queue", id, "Queue "+id, fields{"agents": listed}.and(more))
}

// session opens one of a project.
func (w *transferDesk) session(t *testing.T, project string) string {
	t.Helper()
	id := uuid.NewString()
	open := sessions.Open{ID: id, TenantID: w.id, ProjectID: project, Channel: "api", At: time.Now()}
	_, err := eventstore.Execute(t.Context(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(id), eventstore.Command{Tenant: w.id,
		Actor: "user:test"}, open.Decide)
	require.NoError(t, err)
	return id
}

func (w *transferDesk) endSession(t *testing.T, id string) {
	t.Helper()
	_, err := eventstore.Execute(t.Context(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(id), eventstore.Command{Tenant: w.id,
		Actor: "user:test"},
		sessions.End{Reason: "test", At: time.Now()}.Decide)
	require.NoError(t, err)
}

// to is a request for a transfer of a session to an agent, or to a queue.
func (w *transferDesk) to(session string, target fields) fields {
	return fields{"callbackUrl": w.hook.url, "orgId": w.id + "-org", "botSessionId": session}.and(target)
}

func toAgent(id string) fields { return fields{"aId": id} }

func toQueue(id string) fields { return fields{"queueId": id, "transferredType": "QUEUE"} }

func (w *transferDesk) ask(t *testing.T, on *server, body any, headers ...string) *answer {
	t.Helper()
	return on.do(t, "POST", assignPath, body, append([]string{"auth", w.auth}, headers...)...)
}

// transferred is the answer to a transfer.
type transferred struct {
	SessionID          string `json:"sessionId"`
	AgentID            string `json:"agentId"`
	QueueID            string `json:"queueId"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	RequestCompletedAt int64  `json:"requestCompletedAt"`
	TransferID         string `json:"transferId"`
	ConversationID     string `json:"conversationId"`
}

func (w *transferDesk) assign(t *testing.T, session string, target fields) (got transferred) {
	t.Helper()
	w.ask(t, w.c.a, w.to(session, target)).must(t, 200).into(t, &got)
	return got
}

// row is a transfer in the list.
func (w *transferDesk) row(t *testing.T, session string) map[string]any {
	t.Helper()
	rows := w.rows(t, session)
	require.NotEmpty(t, rows)
	return rows[0]
}

func (w *transferDesk) rows(t *testing.T, session string) []map[string]any {
	t.Helper()
	var page struct{ Transfers []map[string]any }
	w.c.b.do(t, "GET", "/api/v1/projects/"+mainApp+"/transfers?sessionId="+session, nil, "auth", w.auth).must(t, 200).into(t, &page)
	return page.Transfers
}

// becomes waits until the newest transfer of a session has the status and agent.
func (w *transferDesk) becomes(t *testing.T, session, status string, agent any) {
	t.Helper()
	until(t, session+" to be "+status, func() bool {
		row := w.row(t, session)
		return row["status"] == status && row["agentId"] == agent
	})
}

// load is how many conversations an agent has.
func (w *transferDesk) load(t *testing.T, agent string) int {
	t.Helper()
	loaded, err := eventstore.Read(t.Context(), w.on.Store(), humanagents.Desks, humanagents.DeskStream(w.id, agent))
	require.NoError(t, err)
	return len(loaded.State.Claims)
}

// told waits for so many callbacks about a session and gives them, in order.
func (w *transferDesk) told(t *testing.T, session string, n int) (out []map[string]any) {
	t.Helper()
	until(t, "the callbacks", func() bool {
		out = nil
		for _, got := range w.hook.all() {
			if m := got.members(t); m["sessionId"] == session {
				checkSignature(t, got)
				out = append(out, m)
			}
		}
		return len(out) >= n
	})
	require.Len(t, out, n)
	return out
}

func (w *transferDesk) transfer(t *testing.T, id string) transfers.State {
	t.Helper()
	loaded, err := eventstore.Read(t.Context(), w.on.Store(), transfers.Transfers, transfers.Stream(id))
	require.NoError(t, err)
	return loaded.State
}
