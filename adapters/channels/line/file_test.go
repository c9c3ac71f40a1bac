package line_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/line"
	"github.com/parley-platform/parley/domain/channels"
)

// Given a film, then LINE is asked whether it is ready before it is got, where LINE keeps what people
// send.
func TestAFilmIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		answer, code string
		again        bool
	}{
		"it is ready":     {`{"status":"succeeded"}`, "", false},
		"not yet":         {`{"status":"processing"}`, channels.FileAway, true},
		"it never will":   {`{"status":"failed"}`, channels.FileRefused, false},
		"LINE says other": {`<html>`, "", false},
	} {
		var asked []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "Bearer hush-token", r.Header.Get("Authorization"))
			asked = append(asked, strings.TrimPrefix(r.URL.Path, "/v2/bot/message/3258/"))
			if strings.HasSuffix(r.URL.Path, "/transcoding") {
				_, _ = io.WriteString(w, c.answer)
				return
			}
			_, _ = io.WriteString(w, "a film")
		}))
		defer s.Close()
		l, err := line.New("http://no.such.host.invalid " + s.URL)
		require.NoError(t, err)
		got, err := l.Fetch(t.Context(), connection, channels.File{ID: "3258", ContentType: "video/*"})
		if c.code == "" {
			require.NoError(t, err, name)
			require.NoError(t, got.Body.Close())
			require.Equal(t, []string{"content/transcoding", "content"}, asked, name)
			continue
		}
		var why *channels.Unfetched
		require.ErrorAs(t, err, &why, name)
		require.Equal(t, []any{c.code, c.again, c.again}, []any{why.Code, why.Again, why.RetryAfter == 2*time.Second}, name)
		require.Equal(t, []string{"content/transcoding"}, asked, name)
	}
}

// Given a file that cannot be one of LINE's, or an address that leads inward, then nobody is asked.
func TestFilesThatAreNone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") }))
	defer s.Close()
	l, err := line.New("")
	require.NoError(t, err)
	for code, files := range map[string][]channels.File{channels.FileGone: {{}, {ID: "../x"}, {ID: "a"}},
		channels.FileElsewhere: {{ID: "1", URL: s.URL}, {ID: "1", URL: "https://169.254.169.254/"}, {ID: "1", URL: "http://example.com/1"}}} {
		for _, f := range files {
			_, err := l.Fetch(t.Context(), connection, f)
			var why *channels.Unfetched
			require.ErrorAs(t, err, &why)
			require.Equal(t, code, why.Code, f)
		}
	}
	for _, wrong := range []string{"ftp://x", "https://api.line.me ftp://x"} {
		_, err := line.New(wrong)
		require.EqualError(t, err, "the base URL of LINE must be an absolute http or https URL without a user")
	}
}
