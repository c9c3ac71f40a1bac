package platforms_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Teams wants a token of its login, and shows what can be chosen in a card; who plays a person is
// signed for.
func TestTeamsIsPlayed(t *testing.T) {
	w := newWorld(t)
	const to = "/msteams/amer/v3/conversations/19:x@thread.v2/activities"
	post := func(body, token string) answer { return w.must("POST", to, body, "Authorization", "Bearer "+token) }
	login := w.must("POST", "/msteams/botframework.com/oauth2/v2.0/token", "client_id=app&client_secret=hush")
	token := login.body["access_token"].(string)
	card := `,"attachments":[{"content":{"actions":[{"title":"Yes","data":{"choice":"1.0"}}],"body":[{"type":"Input.ChoiceSet",` +
		`"choices":[{"title":"S","value":"1.1"}]},{"type":"ActionSet"}]}}]`
	require.Equal(t, "1", post(`{"type":"message","text":"Hi"`+card+`}`, token).body["id"])
	require.Equal(t, 201, post(`{"type":"typing"}`, token).status)
	took := w.Sent("msteams", "19:x@thread.v2")
	require.Len(t, took, 1)
	require.Equal(t, []string{"Yes", "1.0", "S", "1.1"}, []string{took[0].Choices[0].Label, took[0].Choices[0].Token, took[0].Choices[1].Label,
		took[0].Choices[1].Token})

	require.Equal(t, 401, w.must("POST", "/msteams/botframework.com/oauth2/v2.0/token", "client_id=app").status)
	for body, status := range map[string]int{`{"type":"message"}`: 400, "{": 400,
		`{"type":"message","text":"` + strings.Repeat("x", 51<<10) + `"}`: 413} {
		require.Equal(t, status, post(body, token).status)
	}
	require.Equal(t, 401, post(`{"type":"message","text":"Hi"}`, "another").status)
	require.Equal(t, 404, w.must("GET", to, "").status)

	keys := w.must("GET", "/msteams/v1/.well-known/openidconfiguration", "").body["jwks_uri"].(string)
	set := w.must("GET", strings.TrimPrefix(keys, w.url), "").body["keys"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"RSA", []any{"msteams"}}, []any{set["kty"], set["endorsements"]})
	require.Len(t, strings.Split(w.must("GET", "/msteams/tokens?app=a&serviceUrl=b", "").body["token"].(string), "."), 3)
}

// Zendesk takes messages of conversations, and comments of tickets.
func TestZendeskIsPlayed(t *testing.T) {
	w := newWorld(t)
	const conversation, ticket = "/zendesk/sc/v2/apps/A/conversations/C/messages", "/zendesk/api/v2/tickets/7.json"
	ask := func(method, path, body string) answer { return w.must(method, path, body, "Authorization", "Basic x") }
	require.Equal(t, 201, ask("POST", conversation, `{"content":{"text":"Hi","actions":[{"text":"Yes","payload":"1.0"}]}}`).status)
	require.Equal(t, 200, ask("PUT", ticket, `{"ticket":{"comment":{"body":"Hi"}}}`).status)
	require.Equal(t, 200, ask("POST", strings.Replace(conversation, "messages", "activity", 1), `{}`).status)
	require.Len(t, w.Sent("zendesk", "conversation A C"), 1)
	require.Len(t, w.Sent("zendesk", "ticket 7"), 1)
	require.Equal(t, 401, w.must("PUT", ticket, `{}`).status)
	for path, status := range map[string]int{ticket: 404, conversation: 400, "/zendesk/x": 404} {
		require.Equal(t, status, ask("POST", path, `{}`).status, path)
	}
	require.Equal(t, 422, ask("PUT", ticket, `{}`).status)
	require.Equal(t, 400, ask("POST", conversation, `{"content":{"text":"`+strings.Repeat("x", 4_097)+`"}}`).status)
}
