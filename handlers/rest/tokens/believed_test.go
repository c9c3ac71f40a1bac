package tokens_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

type record = tokens.ClientRecord

// That a token was good once is no reason to take it again: what its client is now, and what the time is, decides.
func TestATokenIsJudgedAnewEachTime(t *testing.T) {
	start := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	key, jwks := published(t)
	_, others := published(t)
	shared := tokens.ClientRecord{ID: "crm", TenantID: "acme", Alg: access.HS256, Secret: secret, Audience: "parley",
		Scopes: []access.ClientScope{access.ScopeCampaigns, access.ScopeRouting}}
	public := tokens.ClientRecord{ID: "crm", TenantID: "acme", Alg: "ES256", JWKS: jwks, Audience: "parley"}
	for name, c := range map[string]struct {
		client tokens.ClientRecord
		then   func(clients, *record, *time.Time)
		reason string // empty: it is still good
	}{
		"nothing happens":            {shared, func(clients, *record, *time.Time) {}, ""},
		"nothing, to a public key":   {public, func(clients, *record, *time.Time) {}, ""},
		"the client is removed":      {shared, func(d clients, _ *record, _ *time.Time) { clear(d) }, "unknown_client"},
		"another secret":             {shared, func(_ clients, r *record, _ *time.Time) { r.Secret = secret[1:] }, "bad_signature"},
		"no secret any more":         {shared, func(_ clients, r *record, _ *time.Time) { r.Secret = nil }, "unusable_client"},
		"another algorithm":          {shared, func(_ clients, r *record, _ *time.Time) { r.Alg = "RS256" }, "wrong_alg"},
		"another audience":           {shared, func(_ clients, r *record, _ *time.Time) { r.Audience = "others" }, "wrong_audience"},
		"its time is over":           {shared, func(_ clients, _ *record, now *time.Time) { *now = now.Add(61 * time.Minute) }, "expired"},
		"a clock that was set back":  {shared, func(_ clients, _ *record, now *time.Time) { *now = now.Add(-time.Hour) }, "not_yet_valid"},
		"another key of that name":   {public, func(_ clients, r *record, _ *time.Time) { r.JWKS = others }, "bad_signature"},
		"no key of that name":        {public, func(_ clients, r *record, _ *time.Time) { r.JWKS = `{"keys":[]}` }, "unknown_kid"},
		"a secret for a public key":  {public, func(_ clients, r *record, _ *time.Time) { *r = shared }, "wrong_alg"},
		"the same secret once again": {shared, func(_ clients, r *record, _ *time.Time) { r.Secret = []byte(string(secret)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			now := start
			var log strings.Builder
			directory := clients{{"acme", "crm"}: c.client}
			v := tokens.NewVerifier(tokens.VerifierConfig{Directory: directory, Now: func() time.Time { return now },
				Log: slog.New(slog.NewTextHandler(&log, nil))})
			claims := jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme", "aud": "parley", "iat": start.Unix(),
				"exp": start.Add(time.Hour).Unix()}
			method, signs := jwt.SigningMethod(jwt.SigningMethodHS256), any(secret)
			if c.client.Alg != access.HS256 {
				method, signs = jwt.SigningMethodES256, key
			}
			unsigned := jwt.NewWithClaims(method, claims)
			unsigned.Header["kid"] = "main"
			token, err := unsigned.SignedString(signs)
			require.NoError(t, err)
			first, err := v.Verify(t.Context(), token)
			require.NoError(t, err)

			changed := directory[[2]string{"acme", "crm"}]
			c.then(directory, &changed, &now)
			if len(directory) > 0 {
				directory[[2]string{"acme", "crm"}] = changed
			}
			for range 2 {
				again, err := v.Verify(t.Context(), token)
				if c.reason == "" {
					require.NoError(t, err)
					require.Equal(t, first, again)
					continue
				}
				require.True(t, fault.Is(err, fault.Unauthorized), err)
				require.Contains(t, log.String(), "reason="+c.reason+" ")
			}
			now, directory[[2]string{"acme", "crm"}] = start, c.client
			_, err = v.Verify(t.Context(), token)
			require.NoError(t, err, "as it was before")
			_, err = v.Verify(t.Context(), token[:len(token)-4]+"AAAA")
			require.Error(t, err, "the same words of somebody else")
		})
	}
}

// What a client may do is what it may do today, whatever it might when its token came first.
func TestATokenThatIsKnownHasTheScopesOfToday(t *testing.T) {
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	client := tokens.ClientRecord{ID: "crm", TenantID: "acme", Alg: access.HS256, Secret: secret,
		Scopes: []access.ClientScope{access.ScopeCampaigns, access.ScopeRouting}, Permissions: []access.Permission{"session:*"}}
	directory := clients{{"acme", "crm"}: client}
	v := tokens.NewVerifier(tokens.VerifierConfig{Directory: directory, Now: func() time.Time { return now }})
	claims := jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme", "exp": now.Add(time.Hour).Unix(),
		"scopes": client.Scopes, "permissions": client.Permissions}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
	require.NoError(t, err)
	before, err := v.Verify(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, client.Scopes, before.Scopes)
	require.Equal(t, client.Permissions, before.Permissions)

	less := maps.Clone(directory)[[2]string{"acme", "crm"}]
	less.Scopes, less.Permissions = client.Scopes[:1], nil
	directory[[2]string{"acme", "crm"}] = less
	after, err := v.Verify(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, client.Scopes[:1], after.Scopes)
	require.Empty(t, after.Permissions)
}

// published is a key and the key set that a client publishes it in, as "main".
func published(t testing.TB) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	number := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	return key, fmt.Sprintf(`{"keys":[{"kty":"EC","crv":"P-256","kid":"main","alg":"ES256","use":"sig","x":"%s","y":"%s"}]}`,
		number(point[1:33]), number(point[33:]))
}
