package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// session opens one of the main bot.
func (d *desk) session(t *testing.T) string {
	t.Helper()
	id := uuid.NewString()
	open := sessions.Open{ID: id, TenantID: d.id, ProjectID: mainApp, Channel: "web", At: time.Now()}
	executed(t, d.on, d.id, sessions.Sessions, sessions.Sessions.Stream(id), open.Decide)
	return id
}

func (d *desk) patch(t *testing.T, id string, body any, headers ...string) *answer {
	t.Helper()
	return d.c.a.do(t, "PATCH", conversationPath(id), body, append([]string{"auth", d.token}, headers...)...)
}

func TestNotesOfAConversation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	session := d.session(t)
	d.events(t, "n1", enters("NA", "a1"), leaves("NA", "a1"), finishes()).ok(t)
	fresh := d.c.b.do(t, "GET", conversationPath("n1"), nil, "auth", d.token).must(t, 200)
	for _, name := range []string{"dispositions", "dispositionRemarks", "agentNotes", "userLevelTags", "sessionLevelTags", "afterCallWork"} {
		require.Contains(t, fresh.Text, `"`+name+`":[]`)
	}
	all := map[string]any{"dispositions": []string{"sold"}, "dispositionRemarks": []string{"wants two"}, "agentNotes": []string{"kind"},
		"userLevelTags":    []string{"vip"},
		"sessionLevelTags": []any{map[string]string{"name": "topic", "value": "orders"}}, "metaInfo": map[string]any{
			"caller": map[string]any{"n": 12345678901234567}},
		"afterCallWork": map[string]any{"agentId": "a1", "startedAt": "2026-11-22T12:00:00Z", "endedAt": "2026-11-22T13:01:30+01:00"},
		"sessionId":     session}
	got := d.patch(t, "n1", all, "Idempotency-Key", "n-1").must(t, 200)
	require.JSONEq(t, `{"success":true,"conversationId":"n1","sessionId":"`+session+`","dispositions":["sold"],
		"dispositionRemarks":["wants two"],"agentNotes":["kind"],"userLevelTags":["vip"],
		"sessionLevelTags":[{"name":"topic","value":"orders"}],"metaInfo":{"caller":{"n":12345678901234567}},
		"afterCallWork":[{"agentId":"a1","startedAt":"2026-11-22T12:00:00.000Z","endedAt":"2026-11-22T12:01:30.000Z",
		"durationMs":90000}]}`, got.Text)
	require.Contains(t, got.Text, "12345678901234567", "numbers keep their digits")

	d.patch(t, "n1", map[string]any{"notes": []string{}, "afterCallWork": map[string]any{"durationMs": 0}}).must(t, 200)
	replayed := d.patch(t, "n1", all, "Idempotency-Key", "n-1").must(t, 200)
	require.Equal(t, got.Text, replayed.Text, "a repeat is answered as the first time")
	require.Equal(t, "true", replayed.Header.Get("Idempotency-Replayed"))
	d.patch(t, "n1", map[string]any{"dispositions": []string{}}, "Idempotency-Key", "n-1").refused(t, 409, fault.Conflict)

	shown := d.shown(t, "n1", "").Conversation
	require.Equal(t, []string{"sold"}, shown.Dispositions)
	require.Empty(t, shown.AgentNotes)
	require.Equal(t, session, shown.SessionID)
	require.Len(t, shown.AfterCallWork, 2)
	require.EqualValues(t, 0, shown.AfterCallWork[0]["durationMs"])
	require.Contains(t, d.c.b.do(t, "GET", conversationPath("n1"), nil, "auth", d.token).Text, "12345678901234567")
	d.patch(t, "n1", map[string]any{"sessionId": d.session(t)}).refused(t, 409, fault.Conflict)
	d.patch(t, "n1", map[string]any{}).must(t, 200)
	d.patch(t, "n1", map[string]any{"sessionId": session}).must(t, 200)
}

func TestNotesThatAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.events(t, "n2", enters("NA", "a1")).ok(t)
	deep := `{"metaInfo":{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}`
	d.patch(t, "n2", deep).refused(t, 400, fault.Validation, "metaInfo")
	d.patch(t, "n2", map[string]any{"metaInfo": map[string]any{"a": strings.Repeat("x", 16<<10)}}).refused(t, 400, fault.Validation,
		"metaInfo")
	for field, body := range map[string]any{
		"dispositions":             map[string]any{"dispositions": make([]string, 51)},
		"dispositionRemarks[0]":    map[string]any{"dispositionRemarks": []string{""}},
		"agentNotes[0]":            map[string]any{"agentNotes": []string{strings.Repeat("x", 2001)}},
		"notes":                    map[string]any{"agentNotes": []string{"a"}, "notes": []string{"b"}},
		"userLevelTags[0]":         map[string]any{"userLevelTags": []any{1}},
		"sessionLevelTags[0].name": map[string]any{"sessionLevelTags": []any{map[string]any{"value": "x"}}},
		"metaInfo":                 map[string]any{"metaInfo": []any{}},
		"sessionId":                map[string]any{"sessionId": uuid.NewString()},
		"afterCallWork":            map[string]any{"afterCallWork": map[string]any{}},
		"afterCallWork.endedAt": map[string]any{"afterCallWork": map[string]any{"startedAt": "2026-11-22T12:00:00Z",
			"endedAt": "2026-11-22T11:00:00Z"}},
		"afterCallWork.startedAt":  map[string]any{"afterCallWork": map[string]any{"startedAt": "noon", "endedAt": "2026-11-22T11:00:00Z"}},
		"afterCallWork.durationMs": map[string]any{"afterCallWork": map[string]any{"durationMs": -1}},
	} {
		d.patch(t, "n2", body).refused(t, 400, fault.Validation, field)
	}
	zero := d.patch(t, "n2", `{"agentNotes":["a\u0000b"]}`)
	zero.refused(t, 400, fault.Validation, "agentNotes[0]")
	for _, id := range []string{"nobody", "not.an.id", "a%2Fb"} {
		d.patch(t, id, map[string]any{"dispositions": 1}).refused(t, 404, fault.NotFound)
		d.c.a.do(t, "GET", conversationPath(id), nil, "auth", d.token).refused(t, 404, fault.NotFound)
	}
}

func TestWhoMayReadAndNoteConversations(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.events(t, "w1", enters("NA", "a1")).ok(t)
	other := newDesk(t)
	for _, call := range []struct {
		method string
		can    access.KeyPermission
	}{{"GET", access.SessionsList}, {"PATCH", access.SessionCreation}} {
		var body any
		if call.method == "PATCH" {
			body = map[string]any{}
		}
		ask := func(headers ...string) *answer {
			return d.c.a.do(t, call.method, conversationPath("w1"), body, headers...)
		}
		ask().refused(t, 401, fault.Unauthorized)
		ask("auth", other.token).refused(t, 404, fault.NotFound)
		ask("x-api-key", d.key(t, otherScope)).refused(t, 404, fault.NotFound)
		ask("auth", d.tenant.token(t, func(g *tokens.Grant) { g.Permissions = nil })).refused(t, 403, fault.Forbidden)
		d.scope(t, "as-one-"+strings.ToLower(call.method), "one "+call.method, mainApp, call.can)
		ask("x-api-key", d.key(t, "as-one-"+strings.ToLower(call.method))).must(t, 200)
	}
}

func TestListOfConversations(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := "/api/v1/projects/" + mainApp + "/conversations"
	require.JSONEq(t, `{"success":true,"conversations":[],"pagination":{"total":0,"limit":50,"offset":0}}`, d.c.a.do(t, "GET", path, nil,
		"auth", d.token).must(t, 200).Text)
	for _, id := range []string{"one", "two", "three"} {
		d.events(t, id, enters("NA", "a1")).ok(t)
	}
	d.events(t, "two", leaves("NA", "a1")).ok(t)
	list := func(query string) (ids []string, total int) {
		var page struct {
			Conversations []struct{ ConversationID string }
			Pagination    map[string]int
		}
		d.c.b.do(t, "GET", path+query, nil, "auth", d.token).must(t, 200).into(t, &page)
		for _, c := range page.Conversations {
			ids = append(ids, c.ConversationID)
		}
		return ids, page.Pagination["total"]
	}
	ids, total := list("")
	require.Equal(t, []string{"three", "two", "one"}, ids)
	require.Equal(t, 3, total)
	ids, total = list("?limit=1&offset=1")
	require.Equal(t, []string{"two"}, ids)
	require.Equal(t, 3, total)
	ids, _ = list("?status=closing")
	require.Equal(t, []string{"two"}, ids)
	d.c.a.do(t, "GET", path+"?status=gone", nil, "auth", d.token).refused(t, 400, fault.Validation, "status")
	d.c.a.do(t, "GET", path+"?limit=201", nil, "auth", d.token).refused(t, 400, fault.Validation, "limit")
}

// A transfer opens a conversation; hooks then tell of it under its id.
func TestAConversationThatATransferOpened(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	session := d.session(t)
	open := conversations.Open{TenantID: d.id, ProjectID: mainApp, ConversationID: "c-" + uuid.NewString(), SessionID: session,
		Experience: conversations.Chat, At: time.Now()}
	stream := conversations.Stream(d.id, mainApp, open.ConversationID)
	_, err := eventstore.Execute(t.Context(), d.on.Store(), conversations.Conversations, stream, eventstore.Command{Tenant: d.id,
		Actor: "reactor:test"}, open.Decide)
	require.NoError(t, err)
	shown := d.shown(t, open.ConversationID, "").Conversation
	require.Equal(t, []string{"transfer", "waiting", session}, []string{shown.Origin, shown.Status, shown.SessionID})
	d.patch(t, open.ConversationID, map[string]any{"dispositions": []string{"early"}}).must(t, 200)
	d.events(t, open.ConversationID, enters("NA", "a1")).ok(t)
	require.Equal(t, "active", d.shown(t, open.ConversationID, "").Conversation.Status)
}
