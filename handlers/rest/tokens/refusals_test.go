package tokens_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

var secret = []byte("0123456789abcdef0123456789abcdef")

// clients is a directory by tenant and client.
type clients map[[2]string]tokens.ClientRecord

func (c clients) Client(_ context.Context, tenantID, clientID string) (tokens.ClientRecord, error) {
	if r, ok := c[[2]string{tenantID, clientID}]; ok {
		return r, nil
	}
	return tokens.ClientRecord{}, fault.New(fault.NotFound, "no such client")
}

func (clients) APIKey(context.Context, []byte) (tokens.KeyRecord, error) {
	return tokens.KeyRecord{}, fault.New(fault.NotFound, "no such key")
}

// A token with more than one fault gets the refusal of the first, in one order: its form,
// its client, the algorithm, the key, the signature, the claims.
func TestTheFirstFaultOfATokenIsTold(t *testing.T) {
	now := time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC)
	broken := errors.New("the database is away")
	directory := clients{
		{"acme", "crm"}:   {ID: "crm", TenantID: "acme", Alg: access.HS256, Secret: secret, Audience: "parley"},
		{"acme", "bare"}:  {ID: "bare", TenantID: "acme", Alg: access.HS256},
		{"acme", "odd"}:   {ID: "odd", TenantID: "acme", Alg: "HS512", Secret: secret},
		{"acme", "idle"}:  {ID: "idle", TenantID: "acme", Alg: "RS256", JWKS: `{"keys":[]}`},
		{"acme", "long"}:  {ID: "long", TenantID: "acme", Alg: "RS256", JWKS: longKey(t)},
		{"acme", "other"}: {ID: "crm", TenantID: "acme", Alg: access.HS256, Secret: secret},
	}
	signed := func(method jwt.SigningMethod, change jwt.MapClaims) string {
		claims := jwt.MapClaims{"iss": "crm", "sub": "ada", "accountId": "acme", "aud": "parley", "exp": now.Add(time.Hour).Unix()}
		maps.Copy(claims, change)
		token, err := jwt.NewWithClaims(method, claims).SignedString(secret)
		require.NoError(t, err)
		return token
	}
	hs := func(change jwt.MapClaims) string { return signed(jwt.SigningMethodHS256, change) }
	rs := func(change jwt.MapClaims) string {
		head, _, _ := strings.Cut(hs(nil), ".")
		return strings.Replace(hs(change), head, base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"1"}`)), 1)
	}
	good := hs(nil)
	last := func(r string) string { return good[:len(good)-1] + r }
	head, _, _ := strings.Cut(good, ".")
	sig := good[strings.LastIndexByte(good, '.')+1:]
	past := now.Add(-time.Hour).Unix()
	for name, c := range map[string]struct{ token, reason string }{
		"good":                           {good, ""},
		"longer than may be":             {good + strings.Repeat("A", 16<<10), "malformed"},
		"three dots, of nobody":          {hs(jwt.MapClaims{"iss": "nobody"}) + ".", "malformed"},
		"bits behind the signature":      {last(looseTwin(good)), "malformed"},
		"a signature that is no base64":  {last("!"), "malformed"},
		"scopes of no kind, of nobody":   {hs(jwt.MapClaims{"iss": "nobody", "scopes": 7}), "malformed"},
		"an end that is a text":          {hs(jwt.MapClaims{"exp": strconv.FormatInt(now.Add(time.Hour).Unix(), 10)}), "malformed"},
		"a beginning that is a text":     {hs(jwt.MapClaims{"NBF": "1"}), "malformed"},
		"of nobody, expired":             {hs(jwt.MapClaims{"iss": "nobody", "exp": past}), "unknown_client"},
		"of another's record":            {hs(jwt.MapClaims{"iss": "other"}), "unknown_client"},
		"no secret, expired":             {hs(jwt.MapClaims{"iss": "bare", "exp": past}), "unusable_client"},
		"an algorithm that is none":      {hs(jwt.MapClaims{"iss": "odd"}), "unusable_client"},
		"another algorithm, expired":     {signed(jwt.SigningMethodHS512, jwt.MapClaims{"exp": past}), "wrong_alg"},
		"another algorithm, no such key": {hs(jwt.MapClaims{"iss": "idle"}), "wrong_alg"},
		"a key set of none":              {strings.Replace(hs(jwt.MapClaims{"iss": "idle"}), head, "eyJhbGciOiJSUzI1NiJ9", 1), "unknown_kid"},
		"a key that makes much work":     {rs(jwt.MapClaims{"iss": "long"}), "keys_too_large"},
		"a forged one, expired":          {hs(jwt.MapClaims{"exp": past})[:len(good)-len(sig)] + sig, "bad_signature"},
		"expired, for somebody else":     {hs(jwt.MapClaims{"exp": past, "aud": "x"}), "expired"},
		"for somebody else, endless":     {hs(jwt.MapClaims{"exp": nil, "aud": "x"}), "bad_claims"},
		"for nobody, endless":            {hs(jwt.MapClaims{"exp": nil, "aud": nil}), "bad_claims"},
		"for nobody, of nobody":          {hs(jwt.MapClaims{"aud": nil, "sub": ""}), "wrong_audience"},
		"too long, of nobody":            {hs(jwt.MapClaims{"exp": now.AddDate(2, 0, 0).Unix(), "sub": ""}), "exp_too_far"},
		"of nobody":                      {hs(jwt.MapClaims{"sub": ""}), "bad_claims"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			v := tokens.NewVerifier(tokens.VerifierConfig{Directory: directory, Now: func() time.Time { return now },
				Log: slog.New(slog.NewTextHandler(&log, nil))})
			p, err := v.Verify(t.Context(), c.token)
			if c.reason == "" {
				require.NoError(t, err)
				require.Equal(t, "ada", p.Subject)
				return
			}
			require.True(t, fault.Is(err, fault.Unauthorized), err)
			require.Contains(t, log.String(), "reason="+c.reason+" ")
		})
	}

	// What fails on our side is not the caller's fault.
	v := tokens.NewVerifier(tokens.VerifierConfig{Directory: away{broken}, Now: func() time.Time { return now }})
	_, err := v.Verify(t.Context(), good)
	require.Equal(t, broken, err)
}

// looseTwin is a letter that decodes to the same last byte as that of the token, with
// bits set that nobody reads.
func looseTwin(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[strings.IndexByte(letters, token[len(token)-1])|1])
}

// away is a directory that cannot be asked.
type away struct{ err error }

func (a away) Client(context.Context, string, string) (tokens.ClientRecord, error) {
	return tokens.ClientRecord{}, a.err
}

func (a away) APIKey(context.Context, []byte) (tokens.KeyRecord, error) {
	return tokens.KeyRecord{}, a.err
}

// longKey is a key set of one RSA key of 8,200 bits.
func longKey(t *testing.T) string {
	t.Helper()
	n := bytes.Repeat([]byte{0xff}, 1025)
	return fmt.Sprintf(`{"keys":[{"kty":"RSA","kid":"1","n":%q,"e":"AQAB"}]}`, base64.RawURLEncoding.EncodeToString(n))
}
