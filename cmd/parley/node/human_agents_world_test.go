package node_test

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

const publicV1 = "/agentassist/api/v1/public/" + mainApp

func agentPath(id string) string { return publicV1 + "/agents/" + id }

// agentBody is the required members of an agent, and what is added to them.
func (w *tenant) agentBody(id string, more map[string]any) map[string]any {
	body := map[string]any{"userId": "u-" + id, "roleId": "r-1", "iId": mainApp, "agentGroupId": "g-1", "firstName": "Maria",
		"lastName": "Keller",
		"emailId":  id + "@acme.example", "id": id, "accountId": w.id, "orgId": w.id + "-org"}
	maps.Copy(body, more)
	return body
}

// agents makes human agents of these ids.
func (w *tenant) agents(t testing.TB, more map[string]any, ids ...string) {
	t.Helper()
	for _, id := range ids {
		spec := w.agentBody(id, more)
		for _, m := range []string{"id", "accountId", "orgId"} {
			delete(spec, m)
		}
		w.apply(t, "HumanAgent", id, "Maria Keller", spec)
	}
}

// asAgentDesk are the headers of the operations on human agents.
func (w *tenant) asAgentDesk(t testing.TB) []string {
	return []string{"auth", w.token(t), "accountId", w.id}
}

func (w *tenant) call(t testing.TB, method, path string, body any) *answer {
	t.Helper()
	return w.on.do(t, method, path, body, w.asAgentDesk(t)...)
}

func object(t testing.TB, a *answer) (out map[string]any) {
	t.Helper()
	a.must(t, 200).into(t, &out)
	return out
}

func (w *tenant) presence(t testing.TB, id, typ, name string) map[string]any {
	t.Helper()
	body := map[string]any{"onlineStatusType": typ}
	if name != "" {
		body["onlineStatus"] = name
	}
	return object(t, w.call(t, "PUT", agentPath(id)+"/presence", body))
}

func list(items ...any) []any { return items }

// listAgents gives the ids in order, and the agents by id.
func (w *tenant) listAgents(t testing.TB, query string) (ids []string, byID map[string]map[string]any) {
	t.Helper()
	var out struct {
		Results []map[string]any `json:"results"`
	}
	w.call(t, "GET", publicV1+"/organizations/"+w.id+"-org/agents"+query, nil).must(t, 200).into(t, &out)
	require.NotNil(t, out.Results)
	byID = map[string]map[string]any{}
	for _, a := range out.Results {
		ids = append(ids, a["id"].(string))
		byID[a["id"].(string)] = a
	}
	return ids, byID
}

func run[S any](t testing.TB, w *tenant, agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) {
	t.Helper()
	_, err := eventstore.Execute(context.Background(), w.on.Store(), agg, stream, eventstore.Command{Tenant: w.id, Actor: "user:test"}, decide)
	require.NoError(t, err)
}
