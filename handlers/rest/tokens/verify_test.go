package tokens_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// oneClient is a directory that knows one client, as a node has it in memory.
type oneClient struct {
	tokens.Directory
	client tokens.ClientRecord
}

func (d oneClient) Client(context.Context, string, string) (tokens.ClientRecord, error) {
	return d.client, nil
}

// What each request with a token costs before anything else is done for it: its first, and the others.
func BenchmarkVerify(b *testing.B) {
	now := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	shared := tokens.ClientRecord{ID: "console", TenantID: "acme", Alg: access.HS256, Secret: []byte("a secret of thirty-two characters"),
		Audience:    "parley",
		Scopes:      []access.ClientScope{access.ScopeAssistDialout, access.ScopeCampaigns, access.ScopeRouting},
		Permissions: []access.Permission{"session:*", "event:read"}}
	key, jwks := published(b)
	public := shared
	public.Alg, public.Secret, public.JWKS = "ES256", nil, jwks
	for _, c := range []struct {
		client tokens.ClientRecord
		method jwt.SigningMethod
		key    any
	}{{shared, jwt.SigningMethodHS256, shared.Secret}, {public, jwt.SigningMethodES256, key}} {
		claims := jwt.MapClaims{"iss": "console", "sub": "ada", "accountId": "acme", "aud": "parley", "exp": now.Add(time.Hour).Unix(),
			"iat": now.Unix(), "scopes": c.client.Scopes, "permissions": c.client.Permissions}
		unsigned := jwt.NewWithClaims(c.method, claims)
		unsigned.Header["kid"] = "main"
		token, err := unsigned.SignedString(c.key)
		require.NoError(b, err)
		verifier := func() *tokens.Verifier {
			return tokens.NewVerifier(tokens.VerifierConfig{Directory: oneClient{client: c.client}, Log: slog.New(slog.DiscardHandler),
				Now: func() time.Time { return now }})
		}
		verify := func(b *testing.B, v *tokens.Verifier) {
			p, err := v.Verify(b.Context(), token)
			if err != nil || p.Subject != "ada" || len(p.Scopes) != len(c.client.Scopes) {
				b.Fatal(p, err)
			}
		}
		b.Run(c.client.Alg+" first", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				verify(b, verifier())
			}
		})
		b.Run(c.client.Alg, func(b *testing.B) {
			v := verifier()
			b.ReportAllocs()
			for b.Loop() {
				verify(b, v)
			}
		})
	}
}
