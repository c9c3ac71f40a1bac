package node_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
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
	c := shared(t)
	w := c.tenant(t, "")
	spec := map[string]any{"alg": "HS256", "secret": tokenSecret, "permissions": []access.Permission{access.PermSessionRead}}
	w.apply(t, "Client", "shop", "Shop", spec)
	try := func(node *server, change jwt.MapClaims) *answer {
		return node.do(t, http.MethodGet, "/api/v1/projects/"+mainApp+"/interactions", nil, "auth", w.signed(t, change))
	}
	year := time.Now().Add(rest.LongestToken)
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
