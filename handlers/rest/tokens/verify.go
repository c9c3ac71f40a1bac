package tokens

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

const (
	maxToken = 16 << 10         // characters; a larger one is not even parsed
	leeway   = 30 * time.Second // between our clock and the issuer's

	// Longest is how far ahead the exp of a token may be: one that is good for ever
	// could not be ended but with its client.
	Longest = 366 * 24 * time.Hour
)

// Verifier turns a JWT into a principal. The algorithm and the key come from
// what is known of the client, never from the token.
type Verifier struct {
	directory Directory
	keys      *keySets
	refusals  *tokenRefusals
	parser    *jwt.Parser
	times     *jwt.Validator // of claims that need no reading; by the parser's rules
	believed  *believed
	now       func() time.Time
}

// VerifierConfig is what tokens are verified with. All of it but KeySets, RefusedAddress
// and Measure is required.
type VerifierConfig struct {
	Directory      Directory
	KeySets        *http.Client          // fetches the key sets of clients that publish them; nil: nobody does
	RefusedAddress func(error) bool      // whether an error of it is about an address that is not asked
	Measure        prometheus.Registerer // where refusals are counted; nil: nowhere
	Log            *slog.Logger
	Now            func() time.Time
}

// NewVerifier keeps the key sets that it fetches, for all requests of this node.
func NewVerifier(cfg VerifierConfig) *Verifier {
	rules := []jwt.ParserOption{jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(cfg.Now),
		jwt.WithStrictDecoding()}
	return &Verifier{directory: cfg.Directory, keys: newKeySets(cfg.KeySets, cfg.RefusedAddress, cfg.Now),
		refusals: newTokenRefusals(cfg.Measure, cfg.Log, cfg.Now), parser: jwt.NewParser(rules...), times: jwt.NewValidator(rules...),
		believed: newBelieved(), now: cfg.Now}
}

// claims are those of docs/api-rules.md "JWT".
type claims struct {
	jwt.RegisteredClaims
	AccountID   string `json:"accountId"`
	Scopes      names  `json:"scopes"`
	Permissions names  `json:"permissions"`
}

// UnmarshalJSON refuses times that are texts, which the parser would take for numbers (RFC 7519, 2).
func (c *claims) UnmarshalJSON(b []byte) error {
	type plain claims
	var times struct{ Exp, Nbf, Iat json.RawMessage }
	if err := json.Unmarshal(b, &times); err != nil {
		return err
	}
	for _, t := range []json.RawMessage{times.Exp, times.Nbf, times.Iat} {
		if bytes.HasPrefix(t, []byte(`"`)) {
			return errors.New("a time is a text")
		}
	}
	return json.Unmarshal(b, (*plain)(c))
}

// Verify finds out whose token it is and what it may do. Why one is refused is counted and
// logged.
func (v *Verifier) Verify(ctx context.Context, token string) (access.Principal, error) {
	client, p, err := v.judge(ctx, token)
	if err != nil {
		v.refusals.note(err, client)
	}
	return p, err
}

// judge believes a token, or does not.
func (v *Verifier) judge(ctx context.Context, token string) (ClientRecord, access.Principal, error) {
	client, t, known := v.again(ctx, token)
	if !known {
		var err error
		if client, t, err = v.read(ctx, token); err != nil {
			return client, access.Principal{}, err
		}
	}
	c := t.claims
	switch {
	case client.Audience != "" && !slices.Contains(c.Audience, client.Audience):
		return client, access.Principal{}, badToken(wrongAudience, nil)
	case c.ExpiresAt.Sub(v.now()) > Longest+leeway:
		return client, access.Principal{}, badToken(tooLongLived, nil)
	case t.parsed.Header["crit"] != nil,
		c.Subject == "" || len(c.Subject) > access.MaxIDLength*2 || jsontext.UnfitText(c.Subject) != "":
		return client, access.Principal{}, badToken(badClaims, nil)
	}
	if !known {
		v.believed.put(token, t)
	}
	return client, access.Principal{
		TenantID: client.TenantID, Kind: access.TokenCredential, Subject: c.Subject,
		ClientID: client.ID, Operator: client.Operator, Origin: client.Origin,
		Scopes:      access.CutScopes(client.Scopes, scopesIn(c.Scopes, client.Scopes)),
		Permissions: access.CutPermissions(client.Permissions, permissionsIn(c.Permissions)),
	}, nil
}

// read takes a token apart. The client that it names is known as soon as its claims are
// read, so that it is found, and its key, in the middle of the one parse.
func (v *Verifier) read(ctx context.Context, token string) (client ClientRecord, t believedToken, err error) {
	if len(token) > maxToken || tooDeep(token) {
		return client, t, badToken(malformedToken, nil)
	}
	var found error // what looking for the client said, or for its keys
	t.parsed, err = v.parser.ParseWithClaims(token, &t.claims, func(parsed *jwt.Token) (any, error) {
		if client, found = v.clientOf(ctx, t.claims); found != nil {
			return nil, found
		}
		key, err := v.keyOf(ctx, client, parsed)
		t.key = named(key)
		var keyless *fault.Error
		if errors.As(err, &keyless) {
			found = keyless
		}
		return key, err
	})
	switch {
	case found != nil:
		return client, t, found
	case err != nil:
		return client, t, badToken(tokenFaultIn(err, client), nil)
	}
	return client, t, nil
}

// clientOf looks up whom the claims say the token is from, before they are believed.
func (v *Verifier) clientOf(ctx context.Context, c claims) (ClientRecord, error) {
	if !access.ValidID(c.Issuer) || !access.ValidID(c.AccountID) {
		return ClientRecord{}, badToken(unknownClient, nil)
	}
	client, err := v.directory.Client(ctx, c.AccountID, c.Issuer)
	if fault.Is(err, fault.NotFound) {
		return ClientRecord{}, badToken(unknownClient, nil)
	}
	if err != nil {
		return ClientRecord{}, err
	}
	if client.ID != c.Issuer || client.TenantID != c.AccountID {
		return ClientRecord{}, badToken(unknownClient, nil)
	}
	return client, nil
}

// tooDeep reports whether the header or the claims are nested deeper than a body may be.
// It is cheaper than decoding, which is what strangers are not to make us do in vain.
func tooDeep(token string) bool {
	head, rest, _ := strings.Cut(token, ".")
	payload, _, _ := strings.Cut(rest, ".")
	for _, part := range []string{head, payload} {
		if raw, err := base64.RawURLEncoding.DecodeString(part); err == nil && jsontext.DepthOf(raw) > jsontext.MaxDepth+1 {
			return true
		}
	}
	return false
}

// keyOf is the only key source for the client's one algorithm: a shared secret is
// never used for a public-key algorithm nor the other way round, and none for a token that
// names another algorithm.
func (v *Verifier) keyOf(ctx context.Context, client ClientRecord, t *jwt.Token) (any, error) {
	switch {
	case !access.IsAlgorithm(client.Alg), client.Alg == access.HS256 && len(client.Secret) == 0:
		return nil, badToken(unusableClient, nil)
	case t.Method.Alg() != client.Alg:
		return nil, badToken(wrongAlg, nil)
	case client.Alg == access.HS256:
		return client.Secret, nil
	}
	key, err := v.keys.of(ctx, client)(t)
	if public, is := key.(*rsa.PublicKey); is && public.N.BitLen() > access.LongestRSA {
		return nil, badToken(keysTooLarge, errors.New("the key is longer than any that is in use"))
	}
	return key, err
}

// names is a claim that is a list of names, or one string of names with spaces
// between them.
type names struct {
	list []string
	text string
}

// UnmarshalJSON takes both forms.
func (n *names) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &n.text)
	}
	return json.Unmarshal(b, &n.list)
}

func permissionsIn(n names) []access.Permission {
	var out []access.Permission
	for _, p := range append(strings.Fields(n.text), n.list...) {
		out = append(out, access.Permission(p))
	}
	return out
}

// scopesIn reads the names of scopes. They have spaces themselves, so in a string
// the longest name of the client that fits is taken at each word.
func scopesIn(n names, client []access.ClientScope) []access.ClientScope {
	var out []access.ClientScope
	for _, s := range n.list {
		out = append(out, access.ClientScope(s))
	}
	longest := slices.Clone(client)
	slices.SortFunc(longest, func(a, b access.ClientScope) int { return len(b) - len(a) })
	words := strings.Fields(n.text)
	for len(words) > 0 {
		s, used := firstScope(words, longest)
		if used > 0 {
			out = append(out, s)
		}
		words = words[max(used, 1):]
	}
	return out
}

func firstScope(words []string, known []access.ClientScope) (access.ClientScope, int) {
	for _, s := range known {
		parts := strings.Fields(string(s))
		if len(parts) > 0 && len(parts) <= len(words) && slices.Equal(parts, words[:len(parts)]) {
			return s, len(parts)
		}
	}
	return "", 0
}
