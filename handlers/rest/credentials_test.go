package rest_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// Where a credential may stand, and which kind each operation takes.
func TestCredentialsAndWhereTheyStand(t *testing.T) {
	w := resttest.NewWorld(t)
	token, other := w.Token(), w.Token(func(g *tokens.Grant) { g.Subject = "bob" })
	weak := w.Token(func(g *tokens.Grant) { g.Scopes, g.Permissions = nil, nil })
	unknownKey := access.NewSecret(access.SecretKey, [32]byte{9})
	const call, keys, sessions = "POST /calls/p-1", "POST /apps/p-1/keys", "GET /sessions"
	for _, c := range []struct {
		name, operation string
		headers         []string
		status          int
	}{
		{"auth, raw", call, []string{"auth", token}, 200},
		{"auth with Bearer", call, []string{"AUTH", "bearer  " + token}, 200},
		{"token header", call, []string{"token", token}, 200},
		{"Authorization", call, []string{"Authorization", "Bearer " + token}, 200},
		{"the same token twice", call, []string{"auth", token, "token", "Bearer " + token}, 200},
		{"two tokens", call, []string{"auth", token, "token", other}, 401},
		{"nothing", call, nil, 401},
		{"an empty header", call, []string{"auth", ""}, 401},
		{"Basic", call, []string{"Authorization", "Basic " + token}, 401},
		{"a key where a token is wanted", call, []string{"x-api-key", resttest.FullKey}, 401},
		{"the same as Bearer", call, []string{"Authorization", "Bearer " + resttest.FullKey}, 401},
		{"a key in the token's header", call, []string{"auth", resttest.FullKey}, 401},
		{"the fitting one of both kinds", call, []string{"auth", token, "x-api-key", resttest.FullKey}, 200},
		{"a token without the scope", call, []string{"auth", weak}, 403},

		{"a key", keys, []string{"x-api-key", resttest.FullKey}, 201},
		{"a key as Bearer", keys, []string{"Authorization", "Bearer " + resttest.FullKey}, 201},
		{"a key without the permission", keys, []string{"x-api-key", resttest.ViewKey}, 403},
		{"an unknown key", keys, []string{"x-api-key", unknownKey}, 401},
		{"half a key", keys, []string{"x-api-key", resttest.FullKey[:20]}, 401},
		{"not a key", keys, []string{"x-api-key", "letmein"}, 401},
		{"a public key", keys, []string{"x-api-key", resttest.PublicKey}, 401},
		{"a token where a key is wanted", keys, []string{"auth", token}, 401},

		{"either: token", sessions, []string{"auth", token}, 200},
		{"either: key", sessions, []string{"x-api-key", resttest.FullKey}, 200},
		{"either: both at once", sessions, []string{"auth", token, "x-api-key", resttest.FullKey}, 401},
		{"either: weak token", sessions, []string{"auth", weak}, 403},
		{"either: weak key", sessions, []string{"x-api-key", resttest.ViewKey}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			method, path, _ := strings.Cut(c.operation, " ")
			body := ""
			if c.operation == call {
				body = `{"target":"a"}`
			}
			got := w.Call(method, path, body, c.headers...)
			require.Equal(t, c.status, got.Status, got.Text)
			require.Equal(t, got.Status == 401, got.Header.Get("WWW-Authenticate") == "Bearer")
		})
	}
}

// Who has configured both is told where they stand, and nothing of what they are.
func TestTwoCredentialsAreNamedByTheirHeaders(t *testing.T) {
	w := resttest.NewWorld(t)
	token, other := w.Token(), w.Token(func(g *tokens.Grant) { g.Subject = "bob" })
	for said, headers := range map[string][]string{
		"(auth and x-api-key)":          {"auth", token, "x-api-key", resttest.FullKey},
		"(auth and token)":              {"auth", token, "token", other},
		"(Authorization and x-api-key)": {"Authorization", "Bearer " + token, "x-api-key", resttest.FullKey},
	} {
		got := w.Call("GET", "/sessions", "", headers...)
		require.Equal(t, 401, got.Status)
		require.Contains(t, got.Text, "more than one credential in the request "+said+": send one of them")
		require.NotContains(t, got.Text, resttest.FullKey)
	}
}

func TestCredentialsAreReadOnEveryRequest(t *testing.T) {
	w := resttest.NewWorld(t)
	token := w.Token()
	require.Equal(t, 200, w.Call("GET", "/sessions", "", "auth", token).Status)
	require.Equal(t, 200, w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status)
	clear(w.Clients)
	clear(w.Keys)
	require.Equal(t, 401, w.Call("GET", "/sessions", "", "auth", token).Status)
	require.Equal(t, 401, w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status)

	w.Down = errors.New("database 10.0.0.7 is away")
	for _, h := range [][]string{{"auth", token}, {"x-api-key", resttest.FullKey}} {
		got := w.Call("GET", "/sessions", "", h...)
		require.Equal(t, 500, got.Status, "not being able to look is not a wrong credential")
		require.NotContains(t, got.Text, "10.0.0.7")
	}
}

// Tokens that must never be believed. Each is valid but for one thing.
func TestForgedAndBrokenTokens(t *testing.T) {
	w := resttest.NewWorld(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	w.Clients["acme/pub"] = tokens.ClientRecord{ID: "pub", TenantID: "acme", Alg: "RS256",
		JWKS: rsaSet(&rsaKey.PublicKey), Scopes: []access.ClientScope{access.ScopeAssistDialout}}
	w.Clients["acme/weird"] = tokens.ClientRecord{ID: "weird", TenantID: "acme", Alg: "none"}
	w.Clients["acme/empty"] = tokens.ClientRecord{ID: "empty", TenantID: "acme", Alg: access.HS256}
	w.Clients["other/crm"] = tokens.ClientRecord{ID: "crm", TenantID: "other", Alg: access.HS256,
		Secret: []byte("another secret of their own 1234")}
	der, err := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
	require.NoError(t, err)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})

	good := func(change ...func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme", "scopes": []string{"Assist Dialout"},
			"iat": w.Now.Unix(), "exp": w.Now.Add(time.Hour).Unix()}
		for _, f := range change {
			f(c)
		}
		return c
	}
	set := func(name string, v any) func(jwt.MapClaims) { return func(c jwt.MapClaims) { c[name] = v } }
	without := func(name string) func(jwt.MapClaims) { return func(c jwt.MapClaims) { delete(c, name) } }
	hs := func(key any, c jwt.MapClaims) string { return sign(t, jwt.SigningMethodHS256, key, c, nil) }
	fromPub := good(set("iss", "pub"))
	valid := hs(resttest.Secret, good())
	parts := strings.Split(valid, ".")

	for name, token := range map[string]string{
		"alg none":                            sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(), nil),
		"alg none for a client pinned to it":  sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(set("iss", "weird")), nil),
		"HS256 with the public key (PEM)":     hs(publicPEM, fromPub),
		"HS256 with the public key (DER)":     hs(der, fromPub),
		"HS256 with the public key (modulus)": hs(rsaKey.N.Bytes(), fromPub),
		"RS256 for a client pinned to HS256":  sign(t, jwt.SigningMethodRS256, rsaKey, good(), nil),
		"RS512 for a client pinned to RS256":  sign(t, jwt.SigningMethodRS512, rsaKey, fromPub, nil),
		"HS512 for a client pinned to HS256":  sign(t, jwt.SigningMethodHS512, resttest.Secret, good(), nil),
		"wrong secret":                        hs([]byte("guess"), good()),
		"a client without a secret":           hs([]byte{}, good(set("iss", "empty"))),
		"another key, with its own in the head": sign(t, jwt.SigningMethodRS256, newRSA(t), fromPub,
			map[string]any{"jwk": map[string]any{"kty": "RSA"}}),
		"unknown client":             hs(resttest.Secret, good(set("iss", "nobody"))),
		"another account":            hs(resttest.Secret, good(set("accountId", "other"))),
		"unknown account":            hs(resttest.Secret, good(set("accountId", "nowhere"))),
		"account that is not a text": hs(resttest.Secret, good(set("accountId", 7))),
		"account with a trick":       hs(resttest.Secret, good(set("accountId", "acme/../other"))),
		"no account":                 hs(resttest.Secret, good(without("accountId"))),
		"no issuer":                  hs(resttest.Secret, good(without("iss"))),
		"no subject":                 hs(resttest.Secret, good(without("sub"))),
		"endless subject":            hs(resttest.Secret, good(set("sub", strings.Repeat("a", 300)))),
		"no exp":                     hs(resttest.Secret, good(without("exp"))),
		"exp that is a text":         hs(resttest.Secret, good(set("exp", "tomorrow"))),
		"expired":                    hs(resttest.Secret, good(set("exp", w.Now.Add(-31*time.Second).Unix()))),
		"not yet valid":              hs(resttest.Secret, good(set("nbf", w.Now.Add(time.Minute).Unix()))),
		"issued in the future":       hs(resttest.Secret, good(set("iat", w.Now.Add(time.Minute).Unix()))),
		"an extension nobody knows":  sign(t, jwt.SigningMethodHS256, resttest.Secret, good(), map[string]any{"crit": []string{"b64"}}),
		"huge":                       hs(resttest.Secret, good(set("pad", strings.Repeat("a", 100_000)))),
		"other claims under the signature": parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(mustJSON(t, good(set("sub", "eve"))))) +
			"." + parts[2],
		"no signature": parts[0] + "." + parts[1] + ".",
		"two parts":    parts[0] + "." + parts[1],
		"not a token":  "abc",
		"only dots":    "..",
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", token)
			require.Equal(t, 401, got.Status, got.Text)
			require.Equal(t, fault.Unauthorized, got.Code())
			require.Less(t, len(got.Text), 300)
			require.NotContains(t, got.Text, "HMAC")
		})
	}
	require.Equal(t, 200, w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", valid).Status)
	require.Equal(t, 200, w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth",
		hs(resttest.Secret, good(set("exp", w.Now.Add(-29*time.Second).Unix())))).Status, "clocks differ a little")
	require.Equal(t, 200, w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", sign(t, jwt.SigningMethodRS256, rsaKey, fromPub, nil)).Status)
}

// The grant is the client's cut by the token's, in both forms of the claim.
func TestGrants(t *testing.T) {
	for _, c := range []struct {
		name   string
		scopes any
		status int
	}{
		{"a list", []string{"Assist Dialout"}, 200},
		{"a text", "Assist Dialout", 200},
		{"a text of several", "Assist Voicemail Assist Dialout Custom Reports > Custom Reports", 200},
		{"a longer name is not its beginning", "Assist Dialout2", 403},
		{"parts of names", "Dialout Assist", 403},
		{"none", nil, 403},
		{"one that the client has not", []string{"Campaign Management"}, 403},
		{"another type", 7, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := resttest.NewWorld(t)
			token := sign(t, jwt.SigningMethodHS256, resttest.Secret, jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme",
				"scopes": c.scopes, "exp": w.Now.Add(time.Hour).Unix()}, nil)
			require.Equal(t, c.status, w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", token).Status)
		})
	}
}

// How far ahead exp may be, what aud must name, and how deep claims may be nested.
func TestLimitsOfTokens(t *testing.T) {
	w := resttest.NewWorld(t)
	bound := w.Clients["acme/crm"]
	bound.ID, bound.Audience = "bound", "https://parley.example/"
	w.Clients["acme/bound"] = bound
	year := w.Now.Add(tokens.Longest)
	exp := func(v any) jwt.MapClaims { return jwt.MapClaims{"exp": v} }
	aud := func(v any) jwt.MapClaims { return jwt.MapClaims{"iss": "bound", "aud": v} }
	for name, c := range map[string]struct {
		change jwt.MapClaims
		status int
	}{
		"a year":                     {exp(year.Unix()), 200},
		"a year by a clock before":   {exp(year.Add(30 * time.Second).Unix()), 200},
		"more than a year":           {exp(year.Add(31 * time.Second).Unix()), 401},
		"a century":                  {exp(w.Now.AddDate(100, 0, 0).Unix()), 401},
		"milliseconds":               {exp(year.UnixMilli()), 401},
		"the end of time":            {exp(int64(9e18)), 401},
		"beyond it":                  {exp(1e300), 401},
		"before the beginning":       {exp(-1e300), 401},
		"the audience":               {aud("https://parley.example/"), 200},
		"one of several":             {aud([]string{"https://other.example", "https://parley.example/"}), 200},
		"another audience":           {aud("https://other.example"), 401},
		"several others":             {aud([]string{"a", "b"}), 401},
		"the beginning of it":        {aud("https://parley.example"), 401},
		"in capitals":                {aud("HTTPS://PARLEY.EXAMPLE/"), 401},
		"no audience":                {jwt.MapClaims{"iss": "bound"}, 401},
		"an empty one":               {aud(""), 401},
		"a list of none":             {aud([]string{}), 401},
		"null":                       {aud(nil), 401},
		"a number":                   {aud(7), 401},
		"a list with a number":       {aud([]any{"https://parley.example/", 7}), 401},
		"any, where none is wanted":  {jwt.MapClaims{"aud": "https://other.example"}, 200},
		"claims as deep as a body":   {jwt.MapClaims{"x": json.RawMessage(nested(jsontext.MaxDepth))}, 200},
		"claims that are deeper":     {jwt.MapClaims{"x": json.RawMessage(nested(jsontext.MaxDepth + 1))}, 401},
		"claims that are far deeper": {jwt.MapClaims{"x": json.RawMessage(nested(5_500))}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			token := jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme", "scopes": "Assist Dialout", "exp": w.Now.Add(time.Hour).Unix()}
			maps.Copy(token, c.change)
			got := w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", sign(t, jwt.SigningMethodHS256, resttest.Secret, token, nil))
			require.Equal(t, c.status, got.Status, got.Text)
		})
	}
	deep := sign(t, jwt.SigningMethodHS256, resttest.Secret, jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme",
		"scopes": "Assist Dialout",
		"exp":    w.Now.Add(time.Hour).Unix()}, map[string]any{"x": json.RawMessage(nested(jsontext.MaxDepth + 1))})
	require.Equal(t, 401, w.Call("POST", "/calls/p-1", `{"target":"a"}`, "auth", deep).Status, "a header too")
}

func TestPublishedKeys(t *testing.T) {
	w := resttest.NewWorld(t)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	point, err := ec.PublicKey.Bytes()
	require.NoError(t, err)
	w.Clients["acme/ec"] = tokens.ClientRecord{ID: "ec", TenantID: "acme", Alg: "ES256", Permissions: []access.Permission{"session:*"},
		JWKS: fmt.Sprintf(`{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","x":%q,"y":%q}]}`, b64(point[1:33]), b64(point[33:]))}
	w.Clients["acme/ed"] = tokens.ClientRecord{ID: "ed", TenantID: "acme", Alg: "EdDSA", Permissions: []access.Permission{"session:*"},
		JWKS: fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":%q}]}`, b64(edPublic))}
	claims := func(client string) jwt.MapClaims {
		return jwt.MapClaims{"iss": client, "sub": "ada", "accountId": "acme", "permissions": "session:read", "exp": w.Now.Add(time.Hour).Unix()}
	}
	kid := map[string]any{"kid": "k1"}
	for name, c := range map[string]struct {
		token  string
		status int
	}{
		"ES256":                  {sign(t, jwt.SigningMethodES256, ec, claims("ec"), kid), 200},
		"ES256 without kid":      {sign(t, jwt.SigningMethodES256, ec, claims("ec"), nil), 200},
		"ES256, unknown kid":     {sign(t, jwt.SigningMethodES256, ec, claims("ec"), map[string]any{"kid": "k2"}), 401},
		"EdDSA":                  {sign(t, jwt.SigningMethodEdDSA, ed, claims("ed"), kid), 200},
		"EdDSA key, ES256 owner": {sign(t, jwt.SigningMethodEdDSA, ed, claims("ec"), kid), 401},
	} {
		require.Equal(t, c.status, w.Call("GET", "/sessions", "", "auth", c.token).Status, name)
	}
}

// A published key set is fetched once for many tokens, again when a key is new, and
// made-up key ids do not make us hammer the publisher.
func TestKeySetsAreFetchedSparingly(t *testing.T) {
	var fetches atomic.Int32
	var document atomic.Value
	var broken atomic.Bool
	publisher := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		if broken.Load() {
			rw.WriteHeader(500)
			return
		}
		_, _ = rw.Write([]byte(document.Load().(string)))
	}))
	defer publisher.Close()
	w := resttest.NewWorld(t, func(c *rest.Config) { c.KeySets = publisher.Client() })
	w.Clients["acme/pub"] = tokens.ClientRecord{ID: "pub", TenantID: "acme", Alg: "RS256", JWKSURL: publisher.URL,
		Permissions: []access.Permission{"session:*"}}
	first, second := newRSA(t), newRSA(t)
	try := func(key *rsa.PrivateKey, kid string) int {
		token := sign(t, jwt.SigningMethodRS256, key, jwt.MapClaims{"iss": "pub", "sub": "ada", "accountId": "acme",
			"permissions": []string{"session:read"}, "exp": w.Now.Add(time.Hour).Unix()}, map[string]any{"kid": kid})
		return w.Call("GET", "/sessions", "", "auth", token).Status
	}

	broken.Store(true)
	require.Equal(t, 401, try(first, "k1"), "nobody can say whether the token is good")
	require.Equal(t, 401, try(first, "k1"))
	require.EqualValues(t, 1, fetches.Load(), "and it is not asked again at once")

	broken.Store(false)
	document.Store(rsaSetNamed("k1", &first.PublicKey))
	w.Now = w.Now.Add(30 * time.Second)
	for range 5 {
		require.Equal(t, 200, try(first, "k1"))
	}
	require.EqualValues(t, 2, fetches.Load())

	document.Store(rsaSetNamed("k2", &second.PublicKey)) // the client changes its key
	require.Equal(t, 401, try(second, "k2"), "too soon after the last fetch")
	w.Now = w.Now.Add(30 * time.Second)
	require.Equal(t, 200, try(second, "k2"))
	for range 5 {
		require.Equal(t, 401, try(first, "made-up"))
	}
	require.EqualValues(t, 3, fetches.Load())

	broken.Store(true) // the publisher fails: what we have is good for a while
	w.Now = w.Now.Add(30 * time.Minute)
	require.Equal(t, 200, try(second, "k2"))
	w.Now = w.Now.Add(31 * time.Minute)
	require.Equal(t, 401, try(second, "k2"))
}

func TestIssuingTokensRefusesNonsense(t *testing.T) {
	now := time.Now()
	good := tokens.Grant{TenantID: "acme", ClientID: "crm", Subject: "ada", Issued: now, Expires: now.Add(time.Hour)}
	_, err := tokens.Issue(good, nil)
	require.ErrorContains(t, err, "secret")
	late := good
	late.Expires = now
	_, err = tokens.Issue(late, resttest.Secret)
	require.ErrorContains(t, err, "expire")
	endless := good
	endless.Expires = now.Add(tokens.Longest + time.Second)
	_, err = tokens.Issue(endless, resttest.Secret)
	require.ErrorContains(t, err, "at most")
	nobody := good
	nobody.Subject = ""
	_, err = tokens.Issue(nobody, resttest.Secret)
	require.ErrorContains(t, err, "subject")
}

func sign(t *testing.T, m jwt.SigningMethod, key any, c jwt.MapClaims, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(m, c)
	for name, v := range header {
		token.Header[name] = v
	}
	s, err := token.SignedString(key)
	require.NoError(t, err)
	return s
}

func newRSA(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return k
}

func rsaSet(k *rsa.PublicKey) string { return rsaSetNamed("k1", k) }

func rsaSetNamed(kid string, k *rsa.PublicKey) string {
	return fmt.Sprintf(`{"keys":[{"kty":"RSA","kid":%q,"n":%q,"e":"AQAB"}]}`, kid, base64.RawURLEncoding.EncodeToString(k.N.Bytes()))
}
