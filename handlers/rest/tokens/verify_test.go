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

// What each request with a token costs before anything else is done for it.
func BenchmarkVerify(b *testing.B) {
	now := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	client := tokens.ClientRecord{ID: "console", TenantID: "acme", Alg: access.HS256, Secret: []byte("a secret of thirty-two characters"),
		Audience:    "parley",
		Scopes:      []access.ClientScope{access.ScopeAssistDialout, access.ScopeCampaigns, access.ScopeRouting},
		Permissions: []access.Permission{"session:*", "event:read"}}
	claims := jwt.MapClaims{"iss": "console", "sub": "ada", "accountId": "acme", "aud": "parley", "exp": now.Add(time.Hour).Unix(),
		"iat": now.Unix(), "scopes": client.Scopes, "permissions": client.Permissions}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(client.Secret)
	require.NoError(b, err)
	v := tokens.NewVerifier(tokens.VerifierConfig{Directory: oneClient{client: client}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return now }})
	b.ReportAllocs()
	for b.Loop() {
		p, err := v.Verify(b.Context(), token)
		if err != nil || p.Subject != "ada" || len(p.Scopes) != len(client.Scopes) {
			b.Fatal(p, err)
		}
	}
}
