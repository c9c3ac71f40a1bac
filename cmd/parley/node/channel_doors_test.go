//go:build !apache

package node_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given doors of the account's own for programs that wait, when one says something, then the answer is
// that of chat-agent, by whom the connection leads to.
func TestAProgramWaitsForItsAnswer(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "staging")
	for _, kind := range []string{"http", "api"} {
		path, door := "/api/v1/channels/"+kind+"/messages", "shop-"+uuid.NewString()
		said := func(body fields) fields { return fields{"projectId": mainApp, "message": "Hi"}.and(body) }
		w.ask(t, "POST", path, said(nil)).refused(t, 404, fault.NotFound)
		made := w.connect(t, fields{"channelType": kind, "externalIdentifier": door, "environment": "staging"})
		w.connect(t, fields{"channelType": kind, "externalIdentifier": door + "-closer", "environment": "staging", "agentName": "closer"})

		var first, again, next, chat map[string]any
		key := uuid.NewString()
		w.ask(t, "POST", path, said(fields{"connection": door}), "Idempotency-Key", key).must(t, 200).into(t, &first)
		w.ask(t, "POST", path, said(fields{"connection": door}), "Idempotency-Key", key).must(t, 200).into(t, &again)
		require.Equal(t, first, again)
		w.ask(t, "POST", path, said(fields{"connection": door, "message": "Ho"}), "Idempotency-Key", key).refused(t, 409, fault.Conflict)
		w.ask(t, "POST", "/api/v1/chat/agent", said(fields{"environment": "staging"})).must(t, 200).into(t, &chat)
		require.ElementsMatch(t, keysOf(chat), keysOf(first))
		require.Equal(t, chat["response"], first["response"])
		w.ask(t, "POST", path, said(fields{"connection": door, "sessionId": first["sessionId"]})).must(t, 200).into(t, &next)
		require.Equal(t, first["sessionId"], next["sessionId"])
		var shown struct{ Session map[string]any }
		w.ask(t, "GET", sessionsPath+"/"+first["sessionId"].(string), nil).must(t, 200).into(t, &shown)
		require.Equal(t, kind, shown.Session["channel"])
		w.ask(t, "POST", path, said(fields{"connection": door + "-closer"})).must(t, 200).into(t, &next)
		require.NotEqual(t, first["response"], next["response"], "another agent begins")

		if kind == "http" {
			w.ask(t, "POST", path, said(fields{"connection": door, "sessionId": chat["sessionId"]})).refused(t, 404, fault.NotFound)
		}
		w.ask(t, "POST", path, said(fields{"connection": door, "sessionId": uuid.NewString()})).refused(t, 404, fault.NotFound)
		w.ask(t, "POST", path, said(fields{"connection": "nobody's"})).refused(t, 404, fault.NotFound)
		w.ask(t, "POST", path, fields{"projectId": mainApp}).refused(t, 400, fault.Validation, "message")
		w.ask(t, "POST", path, fields{"projectId": mainApp, "message": " \n"}).refused(t, 400, fault.Validation, "message")
		w.ask(t, "PATCH", connectionsPath+"/"+made["id"].(string), fields{"isActive": false}).must(t, 200)
		w.ask(t, "POST", path, said(fields{"connection": door})).refused(t, 409, fault.Conflict)
		got := w.a.do(t, "POST", "/api/v1/channels/"+kind+"/webhook/"+door, fields{}).refused(t, 404, fault.NotFound)
		require.Contains(t, got.Text, path, "it says where messages go")
	}
}
