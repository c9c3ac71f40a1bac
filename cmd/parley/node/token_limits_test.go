//go:build !apache

package node_test

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// signed is a token of the tenant's shop, as an issuer that knows nothing of Parley's
// limits signs it.
func (w *tenant) signed(t testing.TB, change jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "shop", "sub": "ada", "accountId": w.id, "permissions": "session:read",
		"exp": time.Now().Add(time.Hour).Unix()}
	for name, v := range change {
		claims[name] = v
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(tokenSecret))
	require.NoError(t, err)
	return token
}

// The audience that a manifest names is wanted from the reply on, on every node, and no
// longer when the manifest leaves it out. No token is good for more than a year.
func TestAudienceAndLifeOfTokens(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	spec := map[string]any{"alg": "HS256", "secret": tokenSecret, "permissions": []access.Permission{access.PermSessionRead}}
	w.apply(t, "Client", "shop", "Shop", spec)
	try := func(node *server, change jwt.MapClaims) *answer {
		return node.do(t, http.MethodGet, "/api/v1/projects/"+mainApp+"/interactions", nil, "auth", w.signed(t, change))
	}
	year := time.Now().Add(tokens.Longest)
	for name, node := range c.both() {
		t.Run(name, func(t *testing.T) {
			try(node, jwt.MapClaims{"aud": "of somebody else"}).must(t, 200)
			try(node, jwt.MapClaims{"exp": year.Unix()}).must(t, 200)
			try(node, jwt.MapClaims{"exp": year.Add(time.Hour).Unix()}).refused(t, 401, fault.Unauthorized)
		})
	}
	spec["audience"] = "https://parley.example/"
	w.apply(t, "Client", "shop", "Shop", spec)
	for name, node := range c.both() {
		t.Run(name+" with an audience", func(t *testing.T) {
			try(node, jwt.MapClaims{"aud": "https://parley.example/"}).must(t, 200)
			try(node, jwt.MapClaims{"aud": []string{"x", "https://parley.example/"}}).must(t, 200)
			try(node, jwt.MapClaims{"aud": "of somebody else"}).refused(t, 401, fault.Unauthorized)
			try(node, nil).refused(t, 401, fault.Unauthorized)
		})
	}
	delete(spec, "audience")
	w.apply(t, "Client", "shop", "Shop", spec)
	try(c.a, nil).must(t, 200)
	try(c.b, nil).must(t, 200)
}

// A key set is not fetched from where a caller's URL may not lead: a manifest that names
// such an address is refused with its field, and one that stands on the log since before
// gets the 401 of every bad token.
func TestKeySetsAtPrivateAddressesAreNotAsked(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	spec := func(address string) map[string]any { return map[string]any{"alg": "RS256", "jwksUrl": address} }
	for _, address := range []string{"https://10.0.0.1/keys", "https://169.254.169.254/", "https://[fd00::1]/keys", "https://2130706433/"} {
		body := map[string]any{"manifests": []any{map[string]any{"kind": "Client", "metadata": map[string]string{"id": "idp", "name": "idp"},
			"spec": spec(address)}}}
		c.a.do(t, http.MethodPost, "/api/v1/admin/apply", body, "auth", w.operator(t)).refused(t, 400, fault.Validation,
			"manifests[0] spec.jwksUrl")
	}
	w.apply(t, "Client", "idp", "IdP", spec("https://10.0.0.1/keys"))
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"iss": "idp", "sub": "ada", "accountId": w.id,
		"exp": time.Now().Add(time.Hour).Unix()}).SignedString(newRSAKey(t))
	require.NoError(t, err)
	c.a.do(t, http.MethodGet, "/api/v1/projects/"+mainApp+"/interactions", nil, "auth", token).refused(t, 401, fault.Unauthorized)
	metrics := c.a.do(t, http.MethodGet, "/metrics", nil).Text
	require.Regexp(t, `parley_tokens_refused_total\{reason="keys_address_refused"\} [1-9]`, metrics)
}

func newRSAKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return key
}
