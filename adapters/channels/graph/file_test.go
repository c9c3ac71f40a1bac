package graph_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/domain/channels"
)

// Given what Meta says of a file by its id, then it is told why the file does not come.
func TestWhatMetaSaysOfAFile(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"no such file":           {400, `{"error":{"code":100,"error_subcode":33}}`, channels.FileGone},
		"an expired token":       {401, `{"error":{"code":190}}`, channels.FileDenied},
		"no permission":          {403, `{"error":{"code":10}}`, channels.FileDenied},
		"a door":                 {403, `{}`, channels.FileDenied},
		"too many requests":      {429, `{}`, channels.FileAway},
		"too many of an account": {400, `{"error":{"code":80007}}`, channels.FileAway},
		"a fault of Meta's":      {500, `{}`, channels.FileAway},
		"one that does not last": {400, `{"error":{"code":100,"is_transient":true}}`, channels.FileAway},
		"not Meta":               {200, `<html>`, channels.FileAway},
		"no address":             {200, `{"id":"M1"}`, channels.FileGone},
		"an address elsewhere":   {200, `{"url":"https://files.example.com/1"}`, channels.FileElsewhere},
		"an address inward":      {200, `{"url":"http://169.254.169.254/latest"}`, channels.FileElsewhere},
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			require.Equal(t, "/v25.0/M%2F1", r.URL.EscapedPath())
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		api, err := graph.New(s.URL)
		require.NoError(t, err)
		_, err = api.Fetch(t.Context(), graph.Account{Host: graph.Facebook, Token: "t"}, channels.File{ID: "M/1"})
		s.Close()
		var why *channels.Unfetched
		require.ErrorAs(t, err, &why, name)
		require.Equal(t, c.code, why.Code, name)
		require.Equal(t, c.code == channels.FileAway, why.Again, name)
		require.Equal(t, 1, asked, name)
	}
}
