package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

var client = access.ClientDefined{TenantID: "acct", ClientID: "cli", Name: "CLI", Origin: access.OriginApp, Alg: "HS256",
	Secret: "sealed-1", SecretFingerprint: "f1", Scopes: []string{"Assist Dialout", "Routing"}, Permissions: []string{"agent:*",
		"session:read"}}

func defineCLI(edit func(*access.DefineClient)) access.DefineClient {
	c := access.DefineClient{ID: "cli", Name: "CLI", Alg: "HS256", Secret: "sealed-1", SecretFingerprint: "f1",
		Scopes: []string{"Routing", "Assist Dialout", "Routing"}, Permissions: []string{"session:read", "agent:*"}}
	if edit != nil {
		edit(&c)
	}
	return c
}

// keyOfLength is a base64url member of so many bytes.
func keyOfLength(n int) string { return base64.RawURLEncoding.EncodeToString([]byte(long(n))) }

func rsaJWK(extra string) string {
	return fmt.Sprintf(`{"keys":[{"kty":"RSA","n":%q,"e":"AQAB"%s}]}`, keyOfLength(256), extra)
}

func TestAClientIsDefinedOnce(t *testing.T) {
	got, err := decide(access.Tenants, withTenant, defineCLI(nil))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{client}, got)

	for name, edit := range map[string]func(*access.DefineClient){
		"the same":              nil,
		"the origin named":      func(c *access.DefineClient) { c.Origin = "app" },
		"the secret resealed":   func(c *access.DefineClient) { c.Secret = "sealed-again" },
		"no secret named":       func(c *access.DefineClient) { c.Secret, c.SecretFingerprint = "", "" },
		"a secret only offered": func(c *access.DefineClient) { c.SecretFingerprint, c.SecretGenerated = "f2", true },
	} {
		got, err := decide(access.Tenants, after(withTenant, client), defineCLI(edit))
		require.NoError(t, err, name)
		require.Empty(t, got, name)
	}
}

func TestAChangedClient(t *testing.T) {
	got, err := decide(access.Tenants, after(withTenant, client), defineCLI(func(c *access.DefineClient) {
		c.Origin, c.Secret, c.SecretFingerprint, c.Scopes = "admin", "sealed-2", "f2", nil
	}))
	require.NoError(t, err)
	want := client
	want.Origin, want.Secret, want.SecretFingerprint, want.Scopes = access.OriginAdmin, "sealed-2", "f2", nil
	require.Equal(t, []event.Payload{want}, got)
}

// Given a client of a history that knew no audiences, then naming one is a change, naming
// it again is none, and leaving it out takes it away.
func TestTheAudienceOfAClient(t *testing.T) {
	named := defineCLI(func(c *access.DefineClient) { c.Audience = "https://parley.example/" })
	want := client
	want.Audience = "https://parley.example/"
	got, err := decide(access.Tenants, after(withTenant, client), named)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{want}, got)
	got, err = decide(access.Tenants, after(withTenant, client, want), named)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = decide(access.Tenants, after(withTenant, client, want), defineCLI(nil))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{client}, got)
}

func TestAPublishedKeyReplacesTheSharedSecret(t *testing.T) {
	got, err := decide(access.Tenants, after(withTenant, client), defineCLI(func(c *access.DefineClient) {
		c.Alg, c.Secret, c.SecretFingerprint, c.JWKSURL = "RS256", "", "", "https://idp.example/keys"
	}))
	require.NoError(t, err)
	want := client
	want.Alg, want.Secret, want.SecretFingerprint, want.JWKSURL = "RS256", "", "", "https://idp.example/keys"
	require.Equal(t, []event.Payload{want}, got)
	_, err = decide(access.Tenants, after(withTenant, want), defineCLI(func(c *access.DefineClient) {
		c.Secret, c.SecretFingerprint = "",
			""
	}))
	refused(t, err, fault.Validation, "spec.secret")
}

func TestTheLayoutOfAJWKSIsNoChange(t *testing.T) {
	asRSA := func(jwks string) access.DefineClient {
		return defineCLI(func(c *access.DefineClient) { c.Alg, c.Secret, c.SecretFingerprint, c.JWKS = "RS256", "", "", jwks })
	}
	got, err := decide(access.Tenants, withTenant, asRSA(rsaJWK(`,"kid":"1"`)))
	require.NoError(t, err)
	require.Len(t, got, 1)
	got, err = decide(access.Tenants, after(withTenant, got...), asRSA(strings.ReplaceAll(rsaJWK(`, "kid" :  "1"`), "{", "\n{ ")))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestWrongFieldsOfAClient(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		edit  func(*access.DefineClient)
	}{
		"id":                  {"metadata.id", func(c *access.DefineClient) { c.ID = "" }},
		"name":                {"metadata.name", func(c *access.DefineClient) { c.Name = "" }},
		"origin":              {"spec.origin", func(c *access.DefineClient) { c.Origin = "root" }},
		"no algorithm":        {"spec.alg", func(c *access.DefineClient) { c.Alg = "" }},
		"none":                {"spec.alg", func(c *access.DefineClient) { c.Alg = "none" }},
		"HS512":               {"spec.alg", func(c *access.DefineClient) { c.Alg = "HS512" }},
		"scope":               {"spec.scopes[1]", func(c *access.DefineClient) { c.Scopes = []string{"Routing", "routing"} }},
		"permission":          {"spec.permissions[0]", func(c *access.DefineClient) { c.Permissions = []string{"agent:fly"} }},
		"long audience":       {"spec.audience", func(c *access.DefineClient) { c.Audience = long(access.MaxAudience + 1) }},
		"audience with space": {"spec.audience", func(c *access.DefineClient) { c.Audience = "parley " }},
		"blank audience":      {"spec.audience", func(c *access.DefineClient) { c.Audience = " " }},
		"audience not NFC":    {"spec.audience", func(c *access.DefineClient) { c.Audience = "cafe\u0301" }},
		"audience not seen":   {"spec.audience", func(c *access.DefineClient) { c.Audience = "par\u202eley" }},
		"no secret":           {"spec.secret", func(c *access.DefineClient) { c.Secret, c.SecretFingerprint = "", "" }},
		"no fingerprint":      {"spec.secret", func(c *access.DefineClient) { c.SecretFingerprint = "" }},
		"secret and JWKS":     {"spec.jwks", func(c *access.DefineClient) { c.JWKS = rsaJWK("") }},
		"secret and URL":      {"spec.jwksUrl", func(c *access.DefineClient) { c.JWKSURL = "https://idp.example" }},
		"secret with RS256":   {"spec.secret", func(c *access.DefineClient) { c.Alg, c.JWKS = "RS256", rsaJWK("") }},
		"RS256 without a key": {"spec.jwks", func(c *access.DefineClient) { c.Alg, c.Secret = "RS256", "" }},
		"document and address": {"spec.jwksUrl", func(c *access.DefineClient) {
			c.Alg, c.Secret, c.JWKS, c.JWKSURL = "RS256", "", rsaJWK(""), "https://x"
		}},
	} {
		_, err := decide(access.Tenants, withTenant, defineCLI(c.edit))
		require.True(t, isFault(err), name)
		refused(t, err, fault.Validation, c.field)
	}
}

func TestAddressesOfKeys(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://idp.example/keys?v=1": true, "http://localhost:8080/keys": true, "http://127.0.0.1/keys": true, "http://[::1]/k": true,
		"http://idp.example/keys": false, "https://": false, "ftp://idp.example": false, "idp.example": false,
		"https://user@idp.example": false, "https://idp.example/#f": false, "https://idp example": false,
		"http://localhost.evil.example/keys": false,
	} {
		_, err := decide(access.Tenants, withTenant, defineCLI(func(c *access.DefineClient) {
			c.Alg, c.Secret, c.JWKSURL = "EdDSA", "",
				address
		}))
		if ok {
			require.NoError(t, err, address)
			continue
		}
		refused(t, err, fault.Validation, "spec.jwksUrl")
	}
}

func TestDocumentsOfKeys(t *testing.T) {
	ec := func(curve string, n int) string {
		return fmt.Sprintf(`{"keys":[{"kty":"EC","crv":%q,"x":%q,"y":%q}]}`, curve, keyOfLength(n), keyOfLength(n))
	}
	okp := fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":%q}]}`, keyOfLength(32))
	mixed := `{"keys":[` + strings.TrimSuffix(strings.TrimPrefix(okp, `{"keys":[`), `]}`) + "," + strings.TrimPrefix(rsaJWK(""), `{"keys":[`)
	for name, c := range map[string]struct{ alg, jwks, problem string }{
		"RS256":             {"RS256", rsaJWK(""), ""},
		"RS512":             {"RS512", rsaJWK(`,"alg":"RS512","use":"sig"`), ""},
		"ES256":             {"ES256", ec("P-256", 32), ""},
		"ES384":             {"ES384", ec("P-384", 48), ""},
		"ES512":             {"ES512", ec("P-521", 66), ""},
		"EdDSA":             {"EdDSA", okp, ""},
		"several kinds":     {"RS256", mixed, ""},
		"not JSON":          {"RS256", `keys`, "must be a JSON object"},
		"a list":            {"RS256", `[]`, "must be a JSON object"},
		"no keys":           {"RS256", `{"keys":[]}`, "at least one key"},
		"not keys":          {"RS256", `{"keys":["a"]}`, "must have kty RSA"},
		"another kind":      {"ES256", rsaJWK(""), "keys[0] must have kty EC"},
		"another curve":     {"ES256", ec("P-384", 48), "keys[0] must have crv P-256"},
		"another algorithm": {"RS256", rsaJWK(`,"alg":"RS384"`), "keys[0] is for another algorithm"},
		"for encryption":    {"RS256", rsaJWK(`,"use":"enc"`), "keys[0] is not for signatures"},
		"1024 bits": {"RS256", fmt.Sprintf(`{"keys":[{"kty":"RSA","n":%q,"e":"AQAB"}]}`, keyOfLength(128)),
			"must have n of at least 256 bytes"},
		"8192 bits": {"RS256", fmt.Sprintf(`{"keys":[{"kty":"RSA","n":%q,"e":"AQAB"}]}`, keyOfLength(1024)), ""},
		"8200 bits": {"RS256", fmt.Sprintf(`{"keys":[{"kty":"RSA","n":%q,"e":"AQAB"}]}`, keyOfLength(1025)),
			"must have n of at most 1024 bytes"},
		"short point":           {"ES256", ec("P-256", 31), "must have x of at least 32 bytes"},
		"a private key":         {"RS256", rsaJWK(`,"d":"TOPSECRET"`), "keys[0] holds private key material"},
		"a private one as well": {"RS256", strings.Replace(mixed, `"OKP"`, `"OKP","d":"TOPSECRET"`, 1), "keys[0] holds private key material"},
		"a shared secret":       {"RS256", `{"keys":[{"kty":"oct","k":"TOPSECRET"}]}`, "keys[0] holds private key material"},
		"too long":              {"RS256", rsaJWK(`,"x5c":["` + long(64<<10) + `"]`), "at most 65536 bytes"},
	} {
		_, err := decide(access.Tenants, withTenant, defineCLI(func(d *access.DefineClient) { d.Alg, d.Secret, d.JWKS = c.alg, "", c.jwks }))
		if c.problem == "" {
			require.NoError(t, err, name)
			continue
		}
		refused(t, err, fault.Validation, "spec.jwks")
		require.ErrorContains(t, err, c.problem, name)
		require.NotContains(t, err.Error(), "TOPSECRET", name)
	}
}

func TestARealKeyIsTaken(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	jwks := fmt.Sprintf(`{"keys":[{"kty":"EC","crv":"P-256","x":%q,"y":%q,"kid":"a"}]}`, b64(point[1:33]), b64(point[33:]))
	_, err = decide(access.Tenants, withTenant, defineCLI(func(c *access.DefineClient) { c.Alg, c.Secret, c.JWKS = "ES256", "", jwks }))
	require.NoError(t, err)
}

func TestARemovedClientIsGone(t *testing.T) {
	got, err := decide(access.Tenants, after(withTenant, client), access.RemoveClient{ID: "cli"})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.ClientRemoved{TenantID: "acct", ClientID: "cli"}}, got)
	got, err = decide(access.Tenants, after(withTenant, client, got[0]), access.RemoveClient{ID: "cli"})
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestAlgorithms(t *testing.T) {
	require.Equal(t, []string{"HS256", "ES256", "ES384", "ES512", "EdDSA", "RS256", "RS384", "RS512"}, access.Algorithms())
	for _, alg := range access.Algorithms() {
		require.True(t, access.IsAlgorithm(alg), alg)
	}
	for _, alg := range []string{"", "none", "HS512", "hs256", "PS256"} {
		require.False(t, access.IsAlgorithm(alg), alg)
	}
}
