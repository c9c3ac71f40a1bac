package slack_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/slack"
	"github.com/parley-platform/parley/domain/channels"
)

func fileProblem(r *http.Request) string {
	if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer xoxb-hush" {
		return "the request of a file"
	}
	return ""
}

// Given a file of a channel that is shared with others, of which Slack shows the id alone, when it is
// fetched, then Slack is asked for its address; what Slack says against that is told.
func TestAFileThatSlackShowsTheIDOf(t *testing.T) {
	for name, c := range map[string]struct {
		info string
		code string // empty: it comes
	}{
		"it is there":         {`{"ok":true,"file":{"id":"F1","mimetype":"image/png","url_private_download":"%s/f"}}`, ""},
		"it was deleted":      {`{"ok":false,"error":"file_deleted"}`, channels.FileGone},
		"a link to elsewhere": {`{"ok":true,"file":{"id":"F1","url_private":"https://drive.example.com/x"}}`, channels.FileGone},
		"a host of nobody":    {`{"ok":true,"file":{"url_private_download":"https://files.slack.com.example.com/x"}}`, channels.FileElsewhere},
		"no scope":            {`{"ok":false,"error":"missing_scope"}`, channels.FileDenied},
		"too many requests":   {`{"ok":false,"error":"ratelimited"}`, channels.FileAway},
		"a fault of Slack's":  {`{"ok":false,"error":"internal_error"}`, channels.FileAway},
		"not Slack":           {`<html>`, channels.FileAway},
	} {
		t.Run(name, func(t *testing.T) {
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case fileProblem(r) != "":
					w.WriteHeader(http.StatusUnauthorized)
				case r.URL.Path == "/f":
					w.Header().Set("Content-Type", "image/png")
					_, _ = io.WriteString(w, "a picture")
				case r.URL.RequestURI() == "/api/files.info?file=F1":
					_, _ = io.WriteString(w, strings.ReplaceAll(c.info, "%s", s.URL))
				}
			}))
			defer s.Close()
			chat, err := slack.New(s.URL)
			require.NoError(t, err)
			got, err := chat.Fetch(t.Context(), connection, channels.File{ID: "F1"})
			if c.code == "" {
				require.NoError(t, err)
				data, err := io.ReadAll(got.Body)
				require.NoError(t, err)
				require.Equal(t, "a picture", string(data))
				return
			}
			var why *channels.Unfetched
			require.ErrorAs(t, err, &why)
			require.Equal(t, c.code, why.Code)
		})
	}
}
