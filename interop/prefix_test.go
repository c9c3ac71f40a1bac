//go:build interop

package interop

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a node behind a proxy that takes a prefix off, when its document is fetched and a
// client takes the address that this names, then all that clients do works, signed
// addresses and the stream of events included.
func TestClientsWorkBehindAPrefix(t *testing.T) {
	t.Parallel()
	node := &url.URL{Scheme: "http", Host: "127.0.0.1:" + free()} // dev.env tells the public address, so we have to choose the other
	proxy := httptest.NewServer(http.StripPrefix("/telephony", &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(node) }, FlushInterval: -1,
	}))
	t.Cleanup(proxy.Close)
	s, err := start("prefixed", "--listen", node.Host, "--public-url", proxy.URL+"/telephony")
	require.NoError(t, err)

	document := fetched(t, proxy.URL+"/telephony/openapi.json")
	var told struct {
		Servers []struct{ URL string }
		Info    struct{ Version string }
	}
	require.NoError(t, json.Unmarshal(document, &told))
	require.Equal(t, proxy.URL+"/telephony", told.Servers[0].URL)
	for _, r := range regexp.MustCompile(`"\$ref": ?"([^"]*)"`).FindAllSubmatch(document, -1) {
		require.True(t, strings.HasPrefix(string(r[1]), "#/"), "%s is not in the document", r[1])
	}
	s.Env["PARLEY_URL"] = told.Servers[0].URL

	t.Run("TypeScript", func(t *testing.T) { testTypeScript(t, s, typeScriptClient(t)) })
	t.Run("Python", func(t *testing.T) {
		j := job{dir: filepath.Join(writtenClients(t), "python"), env: s.environ("PYTHONDONTWRITEBYTECODE=1")}
		j.run(t, filepath.Join(toolsOfClients(t), "venv", "bin", "python"), "-m", "unittest", "tests.test_calls", "tests.test_events")
	})
}

func fetched(t *testing.T, from string) []byte {
	t.Helper()
	res, err := http.Get(from)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(text))
	return text
}
