package telegram_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/telegram"
	"github.com/parley-platform/parley/domain/channels"
)

// Given a bot, then Telegram is told where to send, with the word to show there, and that it is to send
// nothing; what it says against that is told in our words.
func TestTelegramIsToldWhereToSend(t *testing.T) {
	const url = "https://parley.example.com/api/v1/channels/telegram/webhook/77001"
	denied := channels.Outcome{Status: channels.NotTaken, Code: "HTTP_401", Reason: "Telegram does not accept the credentials", Denied: true}
	refused := channels.Outcome{Status: channels.Refused}
	for name, c := range map[string]struct {
		status int
		body   string
		want   channels.Outcome
	}{
		"it does":       {200, `{"ok":true,"result":true,"description":"Webhook was set"}`, channels.Outcome{Status: channels.Taken}},
		"a wrong token": {401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`, denied},
		"no https":      {400, `{"ok":false,"description":"Bad Request: bad webhook: HTTPS url must be provided"}`, refused},
		"another port":  {400, `{"ok":false,"description":"Bad Request: bad webhook: 77001:hush-hush"}`, refused},
		"too many": {429, `{"ok":false,"parameters":{"retry_after":7}}`,
			channels.Outcome{Status: channels.NotTaken, RetryAfter: 7 * time.Second}},
		"a fault of its": {500, `{"ok":false}`, channels.Outcome{Status: channels.NotTaken}},
		"not Telegram":   {200, `<html>`, channels.Outcome{Status: channels.NotTaken}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked = append(asked, strings.TrimPrefix(r.URL.Path, "/bot77001:hush-hush/")+" "+string(body))
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			bot, err := telegram.New(s.URL)
			require.NoError(t, err)
			for _, got := range []channels.Outcome{bot.Register(t.Context(), connection, url), bot.Unregister(t.Context(), connection)} {
				require.NotContains(t, got.Reason, "hush")
				if c.want.Code == "" {
					require.Equal(t, got.Status == channels.Taken, got.Reason == "")
					got.Code, got.Reason = "", ""
				}
				require.Equal(t, c.want, got)
			}
			require.Equal(t, []string{`setWebhook {"allowed_updates":["message","callback_query"],"secret_token":"a-word-of-these-tests","url":"` +
				url + `"}`, `deleteWebhook {}`}, asked)
		})
	}
	bot, err := telegram.New("")
	require.NoError(t, err)
	require.True(t, bot.Register(t.Context(), channels.Connection{}, url).Denied, "nobody is asked without a token")
}
