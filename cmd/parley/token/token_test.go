package token

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

// file makes a file with the text.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// claimsOf verifies what the command printed, which must be the token and nothing else.
func claimsOf(t *testing.T, printed string, secret []byte, now time.Time) jwt.MapClaims {
	t.Helper()
	token := strings.TrimSuffix(printed, "\n")
	require.NotContains(t, token, "\n")
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return secret, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithTimeFunc(func() time.Time { return now }))
	require.NoError(t, err)
	return claims
}

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestATokenForTheOperator(t *testing.T) {
	keyset := filepath.Join(t.TempDir(), "keyset.json")
	cmd := Command{Operator: true, Keyset: keyset, Subject: "ada", Expires: time.Hour}
	var out bytes.Buffer
	require.ErrorContains(t, cmd.run(&out, at), "keyset", "a keyset is never made: its tokens would open nothing")
	require.NoFileExists(t, keyset)

	v, err := vault.Create(keyset)
	require.NoError(t, err)
	require.NoError(t, cmd.run(&out, at))
	claims := claimsOf(t, out.String(), v.MAC("operator-token", "parley-operator"), at)
	require.Equal(t, jwt.MapClaims{"iss": "parley-operator", "sub": "ada", "accountId": "operator", "scopes": []any{},
		"permissions": []any{"admin:apply"},
		"iat":         float64(at.Unix()), "exp": float64(at.Add(time.Hour).Unix())}, claims)
}

func TestATokenForAClient(t *testing.T) {
	const secret = "a-secret-of-a-client-with-32-bytes-or-more"
	file := file(t, secret+"\n")
	cmd := Command{Client: "crm", SecretFile: file, Account: "acme", Subject: "cli", Scopes: []string{"Assist Dialout", " Routing"},
		Permissions: []string{"none"}, Expires: time.Minute}
	var out bytes.Buffer
	require.NoError(t, cmd.run(&out, at))
	claims := claimsOf(t, out.String(), []byte(secret), at)
	require.Equal(t, []any{"Assist Dialout", "Routing"}, claims["scopes"])
	require.Equal(t, []any{}, claims["permissions"])
	require.Equal(t, "crm", claims["iss"])
	require.Equal(t, "acme", claims["accountId"])
	require.NotContains(t, claims, "aud")

	t.Setenv(clientSecretVariable, secret)
	cmd = Command{Client: "crm", Account: "acme", Subject: "cli", Scopes: []string{"all"}, Permissions: []string{"all"},
		Audience: "parley", Expires: 366 * 24 * time.Hour}
	out.Reset()
	require.NoError(t, cmd.run(&out, at))
	claims = claimsOf(t, out.String(), []byte(secret), at)
	require.Contains(t, claims["scopes"], "Campaign Management")
	require.Contains(t, claims["permissions"], "channel:create")
	require.Equal(t, "parley", claims["aud"])
}

func TestATokenThatCannotBe(t *testing.T) {
	short := file(t, "short")
	for want, cmd := range map[string]Command{
		"who issues the token?": {Expires: time.Hour},
		"--account":             {Client: "crm", Expires: time.Hour},
		"--keyset":              {Operator: true, Subject: "x", Expires: time.Hour},
		"--secret-file FILE":    {Client: "crm", Account: "acme", Expires: time.Hour},
		"at least 32":           {Client: "crm", Account: "acme", SecretFile: short, Expires: time.Hour},
		"--expires":             {Client: "crm", Account: "acme", Expires: -time.Hour},
		"--expires: 8785h0m0s is more than a year": {Client: "crm", Account: "acme", Expires: 366*24*time.Hour + time.Hour},
		"--audience":                 {Operator: true, Subject: "x", Audience: "parley", Expires: time.Hour},
		"different issuers":          {Client: "crm", Operator: true, Expires: time.Hour},
		`--scopes: "Dialout" is not`: {Client: "crm", Account: "acme", Scopes: []string{"Dialout"}, Expires: time.Hour},
		`--permissions: "fly" is`:    {Client: "crm", Account: "acme", Permissions: []string{"fly"}, Expires: time.Hour},
	} {
		var out bytes.Buffer
		require.ErrorContains(t, cmd.run(&out, at), want)
		require.Empty(t, out.String())
	}
}
