package rest_test

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Callers cannot tell why a token is not taken: all that differs is the request's id.
// Operators can: each reason has its number, and its line in the log.
func TestWhyATokenIsRefusedIsToldToOperatorsOnly(t *testing.T) {
	answers := http.NewServeMux()
	answers.HandleFunc("/away", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	answers.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/good", http.StatusFound) })
	answers.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	answers.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat(" ", 1<<20+1))) })
	mine, other := newRSA(t), newRSA(t)
	answers.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(rsaSet(&mine.PublicKey))) })
	publisher := httptest.NewServer(answers)
	defer publisher.Close()
	refused := errors.New("refused")
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		if strings.HasPrefix(address, "127.0.0.2") {
			return refused
		}
		return nil
	}}
	registry := prometheus.NewRegistry()
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.KeySets = &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		c.RefusedAddress = func(err error) bool { return errors.Is(err, refused) }
		c.Measure = registry
	})
	count := func(reason string) float64 {
		all, err := registry.Gather()
		require.NoError(t, err)
		for _, family := range all {
			for _, m := range family.GetMetric() {
				if family.GetName() == "parley_tokens_refused_total" && m.GetLabel()[0].GetValue() == reason {
					return m.GetCounter().GetValue()
				}
			}
		}
		t.Fatalf("no number of %s", reason)
		return 0
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())

	bodies := map[string]string{}
	for name, c := range map[string]struct {
		url, kid string
		method   jwt.SigningMethod
		key      any
		change   jwt.MapClaims
		reason   string
	}{
		"nothing listens":      {url: "http://" + gone.Addr().String(), reason: "keys_unreachable"},
		"the publisher fails":  {url: publisher.URL + "/away", reason: "keys_unreachable"},
		"the publisher moved":  {url: publisher.URL + "/moved", reason: "keys_unreachable"},
		"not to be asked":      {url: "http://127.0.0.2:1/s3cret?k=s3cret", reason: "keys_address_refused"},
		"a page":               {url: publisher.URL + "/page", reason: "keys_not_json"},
		"a large answer":       {url: publisher.URL + "/large", reason: "keys_too_large"},
		"unknown kid":          {kid: "s3cret", reason: "unknown_kid"},
		"another algorithm":    {method: jwt.SigningMethodRS512, reason: "wrong_alg"},
		"a shared secret":      {method: jwt.SigningMethodHS256, key: resttest.Secret, reason: "wrong_alg"},
		"another key":          {key: other, reason: "bad_signature"},
		"expired":              {change: jwt.MapClaims{"exp": w.Now.Add(-time.Hour).Unix()}, reason: "expired"},
		"not yet valid":        {change: jwt.MapClaims{"nbf": w.Now.Add(time.Minute).Unix()}, reason: "not_yet_valid"},
		"issued in the future": {change: jwt.MapClaims{"iat": w.Now.Add(time.Minute).Unix()}, reason: "not_yet_valid"},
		"another audience":     {change: jwt.MapClaims{"aud": "s3cret"}, reason: "wrong_audience"},
		"no audience":          {change: jwt.MapClaims{"aud": nil}, reason: "wrong_audience"},
		"no end":               {change: jwt.MapClaims{"exp": nil}, reason: "bad_claims"},
		"far ahead":            {change: jwt.MapClaims{"exp": w.Now.AddDate(2, 0, 0).Unix()}, reason: "exp_too_far"},
		"no subject":           {change: jwt.MapClaims{"sub": ""}, reason: "bad_claims"},
		"unknown client":       {change: jwt.MapClaims{"iss": "s3cret"}, reason: "unknown_client"},
		"too deep":             {change: jwt.MapClaims{"x": deepList(80)}, reason: "malformed"},
	} {
		if c.url == "" {
			c.url = publisher.URL + "/good"
		}
		if c.method == nil {
			c.method = jwt.SigningMethodRS256
		}
		if c.key == nil {
			c.key = mine
		}
		if c.kid == "" {
			c.kid = "k1"
		}
		w.Clients["acme/pub"] = tokens.ClientRecord{ID: "pub", TenantID: "acme", Alg: "RS256", JWKSURL: c.url, Audience: "parley",
			Permissions: []access.Permission{"session:*"}}
		claims := jwt.MapClaims{"iss": "pub", "sub": "ada", "accountId": "acme", "permissions": "session:read", "aud": "parley",
			"exp": w.Now.Add(time.Hour).Unix()}
		maps.Copy(claims, c.change)
		before := count(c.reason)
		got := w.Call("GET", "/sessions", "", "auth", sign(t, c.method, c.key, claims, map[string]any{"kid": c.kid}))
		require.Equal(t, 401, got.Status, name)
		require.Equal(t, before+1, count(c.reason), "%s: %s", name, w.Log)
		require.Contains(t, w.Log.String(), "reason="+c.reason, name)
		bodies[got.Text] = name
		require.Empty(t, got.Header.Get("Retry-After"), name)
	}
	require.Len(t, bodies, 1, "%v", bodies)
	require.NotContains(t, w.Log.String(), "s3cret")

	// Given as many refusals of one reason as there may be, then there is one line a minute.
	lines := func() int { return strings.Count(w.Log.String(), "reason=unknown_client") }
	had := lines()
	stranger := sign(t, jwt.SigningMethodHS256, resttest.Secret, jwt.MapClaims{"iss": "nobody", "accountId": "acme"}, nil)
	for range 3 {
		require.Equal(t, 401, w.Call("GET", "/sessions", "", "auth", stranger).Status)
	}
	require.Equal(t, had, lines())
	w.Now = w.Now.Add(time.Minute)
	require.Equal(t, 401, w.Call("GET", "/sessions", "", "auth", stranger).Status)
	require.Equal(t, had+1, lines())
}

func deepList(levels int) any {
	var v any
	for range levels {
		v = []any{v}
	}
	return v
}
