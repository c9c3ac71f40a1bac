package reference_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/reference"
)

func open(p reference.Page, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// The credentials of --dev are for a browser on this machine, that shows the page.
func TestWhoSeesTheCredentials(t *testing.T) {
	dev := reference.Page{Title: "Parley", Developer: func() *reference.Developer {
		return &reference.Developer{Token: "the-token", APIKey: "the-key"}
	}}
	for _, c := range []struct {
		target  string
		headers []string
		shown   bool
	}{
		{"http://127.0.0.1:8080/docs", nil, true},
		{"http://localhost:8080/docs/", []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"}, true},
		{"http://[::1]:8080/docs", nil, true},
		{"http://rebound.example.com:8080/docs", nil, false},
		{"http://192.0.2.7:8080/docs", nil, false},
		{"http://127.0.0.1.example.com/docs", nil, false},
		{"http://127.0.0.1:8080/docs", []string{"Origin", "https://evil.example.com"}, false},
		{"http://127.0.0.1:8080/docs", []string{"Sec-Fetch-Dest", "iframe"}, false},
		{"http://127.0.0.1:8080/docs", []string{"Sec-Fetch-Dest", "script"}, false},
		{"http://127.0.0.1:8080/docs", []string{"Sec-Fetch-Dest", "empty"}, false},
		{"http://127.0.0.1:8080/docs", []string{"X-Forwarded-For", "192.0.2.7"}, false},
		{"http://127.0.0.1:8080/docs", []string{"Forwarded", "for=192.0.2.7"}, false},
	} {
		got := open(dev, c.target, c.headers...)
		require.Equal(t, 200, got.Code)
		require.Equal(t, "no-store", got.Header().Get("Cache-Control"))
		for _, secret := range []string{"the-token", "the-key"} {
			if c.shown {
				require.Contains(t, got.Body.String(), secret, "%s %v", c.target, c.headers)
			} else {
				require.NotContains(t, got.Body.String(), secret, "%s %v", c.target, c.headers)
			}
		}
	}
	for _, nobody := range []reference.Page{{Title: "Parley"}, {Title: "Parley", Developer: func() *reference.Developer { return nil }}} {
		require.NotContains(t, open(nobody, "http://127.0.0.1:8080/docs").Body.String(), "token")
	}
}

// A title or a credential is text, whatever is in it.
func TestNothingOnThePageIsMarkup(t *testing.T) {
	got := open(reference.Page{Title: "<b>", Developer: func() *reference.Developer {
		return &reference.Developer{Token: "</script><script>alert(1)</script>"}
	}}, "http://localhost/docs").Body.String()
	require.NotContains(t, got, "<b>")
	require.NotContains(t, got, "alert(1)</script>")
}

// Links are relative to the page, which may be below a prefix and end with a slash.
func TestThePageWorksBelowAPrefix(t *testing.T) {
	require.Contains(t, open(reference.Page{}, "http://localhost/docs").Body.String(), `src="./docs/scalar.js"`)
	require.Contains(t, open(reference.Page{}, "http://localhost/docs/").Body.String(), `src="../docs/scalar.js"`)
}

// The page may load and ask what is its own service's.
func TestThePolicyOfThePage(t *testing.T) {
	got := open(reference.Page{}, "http://localhost/docs").Header().Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
		require.Contains(t, got, rule)
	}
	require.NotContains(t, got, "http")
}
