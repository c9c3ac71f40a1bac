//go:build !apache

package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// registered are what the platform was told of webhooks, in its order.
func (p *platforms) registered() (all []map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.took {
		if strings.HasSuffix(m["path"].(string), "Webhook") {
			all = append(all, m)
		}
	}
	return all
}

// webhooks waits until the platform was told so much of webhooks.
func (p *platforms) webhooks(t *testing.T, want int) (all []map[string]any) {
	t.Helper()
	until(t, "what the platform is told of webhooks", func() bool { all = p.registered(); return len(all) >= want })
	require.Len(t, all, want)
	return all
}

// lastError is what a connection shows to be wrong with it, once it shows so.
func (w threadWorld) lastError(t *testing.T, id string, wanted func(map[string]any) bool) map[string]any {
	t.Helper()
	var shown map[string]any
	until(t, "what is wrong with a connection", func() bool {
		var page struct{ Connections []map[string]any }
		w.ask(t, "GET", connectionsPath, nil).must(t, 200).into(t, &page)
		shown = nil
		for _, c := range page.Connections {
			if c["id"] == id {
				shown, _ = c["lastError"].(map[string]any)
			}
		}
		return wanted(shown)
	})
	return shown
}

func none(e map[string]any) bool { return e == nil }

// Given a bot, when it is connected, changed, put to rest and deleted, then its platform is told so; a
// connection without a word has one that only the platform knows.
func TestABotsWebhookGoesWithItsConnection(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	bot := "77" + digits()
	c := w.connect(t, fields{"channelType": "telegram", "externalIdentifier": bot, "credentials": fields{"botToken": bot + ":hush-token"}})
	require.Equal(t, []any{"botToken"}, c["credentialNames"])
	require.Nil(t, c["lastError"])
	id := c["id"].(string)
	first := w.webhooks(t, 1)[0]
	require.Equal(t, []any{"/bot" + bot + ":hush-token/setWebhook", []any{"message", "callback_query"}},
		[]any{first["path"], first["allowed_updates"]})
	path := "/api/v1/channels/telegram/webhook/" + bot
	require.Contains(t, []string{w.a.URL() + path, w.b.URL() + path}, first["url"],
		"of the node that told it: here each has an address of its own")
	word := first["secret_token"].(string)
	require.Regexp(t, "^[0-9a-f]{64}$", word)
	says := func(word string) *answer {
		return w.b.do(t, "POST", "/api/v1/channels/telegram/webhook/"+bot, fields{"update_id": 1, "message": fields{"message_id": 1,
			"chat": fields{"id": 9, "type": "private"}, "from": fields{"id": 9}, "text": "Hi"}}, "X-Telegram-Bot-Api-Secret-Token", word)
	}
	require.Equal(t, 401, says("").Status)
	says(word).must(t, 200)
	w.answers(t, "chat_id", "9", 2)

	w.ask(t, "PATCH", connectionsPath+"/"+id, fields{"credentials": fields{"botToken": bot + ":another-token"}}).must(t, 200)
	require.Equal(t, "/bot"+bot+":another-token/setWebhook", w.webhooks(t, 2)[1]["path"])
	w.ask(t, "PATCH", connectionsPath+"/"+id, fields{"isActive": false}).must(t, 200)
	require.Equal(t, "/bot"+bot+":another-token/deleteWebhook", w.webhooks(t, 3)[2]["path"])
	w.ask(t, "PATCH", connectionsPath+"/"+id, fields{"isActive": true}).must(t, 200)
	require.Equal(t, word, w.webhooks(t, 4)[3]["secret_token"])
	w.ask(t, "DELETE", connectionsPath+"/"+id, nil).must(t, 204)
	require.Equal(t, "/bot"+bot+":another-token/deleteWebhook", w.webhooks(t, 5)[4]["path"])
}

// Given a platform that does not take a credential, then the connection shows it, until it does.
func TestAConnectionShowsWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	bot := "77" + digits()
	w.says(func(path string, _ map[string]any) (int, string) {
		if strings.Contains(path, ":wrong/") {
			return 401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`
		}
		return 0, ""
	})
	id := w.connect(t, fields{"channelType": "telegram", "externalIdentifier": bot,
		"credentials": fields{"botToken": bot + ":wrong", "secretToken": "hush-word"}})["id"].(string)
	got := w.lastError(t, id, func(e map[string]any) bool { return e != nil })
	require.NotEmpty(t, got["at"])
	require.Equal(t, []any{"webhook", "HTTP_401", "Telegram does not accept the credentials"},
		[]any{got["about"], got["code"], got["message"]})
	w.ask(t, "PATCH", connectionsPath+"/"+id, fields{"credentials": fields{"botToken": bot + ":right"}}).must(t, 200)
	w.lastError(t, id, none)
	require.Equal(t, "hush-word", w.webhooks(t, 1)[0]["secret_token"])

	s := w.slack(t)
	w.says(func(path string, _ map[string]any) (int, string) {
		if strings.HasPrefix(path, "/api/") {
			return 200, `{"ok":false,"error":"token_revoked"}`
		}
		return 0, ""
	})
	s.post(t, w.a, s.event("D1", "1700000000.000100", "Hi")).must(t, 200)
	got = w.lastError(t, s.id, func(e map[string]any) bool { return e != nil })
	require.Equal(t, []any{"sending", "token_revoked", "Slack does not accept the credentials"},
		[]any{got["about"], got["code"], got["message"]})
	w.says(nil)
	w.answers(t, "channel", "D1", 2)
	w.lastError(t, s.id, none)
}

// Given a server that nobody told how it is reached, then nothing is registered, and the connection says
// what to do; when it is told, it does so by itself.
func TestAServerThatDoesNotKnowHowItIsReached(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t, func(c *node.Config) { c.Dev = false })
	bot := "77" + digits()
	id := w.connect(t, fields{"channelType": "telegram", "externalIdentifier": bot,
		"credentials": fields{"botToken": bot + ":hush"}})["id"].(string)
	got := w.lastError(t, id, func(e map[string]any) bool { return e != nil })
	require.Equal(t, "NO_PUBLIC_URL", got["code"])
	require.Contains(t, got["message"], "--public-url")
	require.Empty(t, w.registered())
}
