package origins_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/origins"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestCheck(t *testing.T) {
	require.NoError(t, origins.Check(nil))
	require.NoError(t, origins.Check([]string{"https://app.example.com", "http://localhost:5173", "https://*.example.com",
		"http://[::1]:80", "*"}))
	for wrong, says := range map[string]string{
		"app.example.com":                   `"app.example.com" is not an origin`,
		"":                                  `"" is not an origin`,
		"ftp://app.example.com":             "is not an origin",
		"https://":                          "is not an origin",
		"https://*":                         "is not an origin",
		"https://app.*.com":                 "is not an origin",
		"https://app.example.com/":          "is more than an origin",
		"https://app.example.com/console":   "is more than an origin",
		"https://app.example.com?x=1":       "is more than an origin",
		"https://user:pass@app.example.com": "is more than an origin",
	} {
		require.ErrorContains(t, origins.Check([]string{"https://app.example.com", wrong}), says, wrong)
	}
}

// A page of a named origin may ask, send its token, and read what the answer says of itself.
func TestPagesOfNamedOriginsCallTheAPI(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) { c.Origins = []string{"https://app.example.com", "https://*.shop.example"} })
	preflight := func(origin, method, headers string) *resttest.Reply {
		return w.Call(http.MethodOptions, "/sessions", "", "Origin", origin, "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", headers)
	}
	for _, origin := range []string{"https://app.example.com", "https://eu.shop.example"} {
		got := preflight(origin, "POST", "authorization,content-type,idempotency-key")
		require.Equal(t, 204, got.Status)
		require.Equal(t, origin, got.Header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "POST", got.Header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, "authorization,content-type,idempotency-key", got.Header.Get("Access-Control-Allow-Headers"))
		require.Equal(t, "600", got.Header.Get("Access-Control-Max-Age"))
		require.Empty(t, got.Header.Get("Access-Control-Allow-Credentials"), "cookies let nobody in")

		refused := w.Call(http.MethodGet, "/sessions", "", "Origin", origin)
		require.Equal(t, 401, refused.Status)
		require.Equal(t, origin, refused.Header.Get("Access-Control-Allow-Origin"), "the page can read why")
		require.Contains(t, refused.Header.Get("Access-Control-Expose-Headers"), "X-Request-Id")
		require.Contains(t, refused.Header.Values("Vary"), "Origin", "a cache keeps them apart")
	}
	for _, origin := range []string{"https://evil.example", "https://app.example.com.evil.example", "http://app.example.com",
		"https://shop.example", "null"} {
		require.Empty(t, preflight(origin, "POST", "authorization").Header.Get("Access-Control-Allow-Origin"), origin)
		require.Empty(t, w.Call(http.MethodGet, "/sessions", "", "Origin", origin).Header.Get("Access-Control-Allow-Origin"), origin)
	}
	require.Empty(t, preflight("https://app.example.com", "POST", "cookie").Header.Get("Access-Control-Allow-Origin"))
}

func TestWithoutOriginsNoPageIsLetIn(t *testing.T) {
	w := resttest.NewWorld(t)
	got := w.Call(http.MethodOptions, "/sessions", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST")
	require.Equal(t, 405, got.Status)
	require.Equal(t, fault.MethodNotAllowed, got.Code())
	require.Empty(t, got.Header.Get("Access-Control-Allow-Origin"))
}

// Who asks in another order, or with large letters, is understood.
func TestTheOrderOfHeadersIsOfNoAccount(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) { c.Origins = []string{"https://app.example.com"} })
	got := w.Call(http.MethodOptions, "/sessions", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "X-SDK-Token, Content-Type,x-sdk-token")
	require.Equal(t, "content-type,x-sdk-token", got.Header.Get("Access-Control-Allow-Headers"))
	require.Equal(t, "https://app.example.com", got.Header.Get("Access-Control-Allow-Origin"))
}

// Whatever header an operation takes, a page may send.
func TestPagesMaySendEveryHeaderThatOperationsTake(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "openapi.json"))
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	headers := map[string]bool{"auth": true, "token": true, "authorization": true, "x-api-key": true, "content-type": true}
	for _, methods := range document.Paths {
		for _, operation := range methods {
			for _, p := range operation.Parameters {
				if p.In == "header" {
					headers[strings.ToLower(p.Name)] = true
				}
			}
		}
	}
	require.Contains(t, headers, "iid")
	api := origins.Allow([]string{"https://app.example.com"}, http.NotFoundHandler())
	for header := range headers {
		r, w := httptest.NewRequest(http.MethodOptions, "/", http.NoBody), httptest.NewRecorder()
		r.Header.Set("Origin", "https://app.example.com")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", header)
		api.ServeHTTP(w, r)
		require.Equal(t, header, w.Header().Get("Access-Control-Allow-Headers"))
	}
}
