package telegram_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/telegram"
	"github.com/parley-platform/parley/domain/channels"
)

func fileProblem(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path != "/file/bot77001:hush-hush/photos/file_0.jpg" && r.URL.Path != "/moved" {
		return r.Method + " " + r.URL.Path
	}
	return ""
}

// Given what Telegram says of a file, then it is told why the file does not come; a path that leads
// out of the bot's files is none.
func TestWhatTelegramSaysOfAFile(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"too big":            {400, `{"ok":false,"error_code":400,"description":"Bad Request: file is too big"}`, channels.FileTooLarge},
		"no such file":       {400, `{"ok":false,"error_code":400,"description":"Bad Request: wrong file_id"}`, channels.FileGone},
		"a wrong token":      {401, `{"ok":false,"error_code":401}`, channels.FileDenied},
		"too many requests":  {429, `{"ok":false,"error_code":429}`, channels.FileAway},
		"a fault of its":     {500, `{"ok":false,"error_code":500}`, channels.FileAway},
		"not Telegram":       {200, `<html>`, channels.FileAway},
		"out of the folder":  {200, `{"ok":true,"result":{"file_path":"../../botX/getMe"}}`, channels.FileGone},
		"an absolute path":   {200, `{"ok":true,"result":{"file_path":"/etc/passwd"}}`, channels.FileGone},
		"a query":            {200, `{"ok":true,"result":{"file_path":"photos/x?a=b"}}`, channels.FileGone},
		"a path without one": {200, `{"ok":true,"result":{}}`, channels.FileGone},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			bot, err := telegram.New(s.URL)
			require.NoError(t, err)
			_, err = bot.Fetch(t.Context(), connection, channels.File{ID: "AgAD-1"})
			var why *channels.Unfetched
			require.ErrorAs(t, err, &why)
			require.Equal(t, c.code, why.Code)
			require.Equal(t, 1, asked)
		})
	}
}
