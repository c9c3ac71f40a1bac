package tokens

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	sdkIssuer    = "parley-sdk"
	sdkOfSession = "session" // opens one session
	sdkOfChannel = "channel" // begins sessions of a channel, in place of its public key
	sdkLeeway    = 5 * time.Second

	// SDKSession is how long the token of a session is good, SDKShared one that begins them.
	SDKSession = 30 * time.Minute
	SDKShared  = 24 * time.Hour
)

// SDK takes, and gives out, the tokens of widgets and apps. The zero value has no key, and takes
// none.
type SDK struct {
	Secret []byte           // 32 bytes
	Now    func() time.Time // nil: time.Now
	// Channel knows the channels of tenants as they are at the moment: what is deleted, or whose
	// key was revoked, is not found, and its tokens are taken no more.
	Channel func(ctx context.Context, tenant, channelID string) (SDKChannel, bool, error)
}

// SDKChannel is a channel as its tokens are judged by.
type SDKChannel struct {
	ProjectID      string
	KeyID          string // of its public key
	ScopeID        string // of that key
	Page           bool   // only pages use it: a request without an Origin comes from none
	AllowedOrigins []string
	Chats, Speaks  bool // what its config offers
}

// SDKGrant is what a token says. Without a session it begins sessions.
type SDKGrant struct {
	TenantID  string
	ProjectID string
	ChannelID string
	SessionID string
	Origin    string // of the page that it was given to; empty: of none, or any of the key's
	Issued    time.Time
	Expires   time.Time
}

type sdkClaims struct {
	jwt.RegisteredClaims
	AccountID string `json:"accountId"`
	ProjectID string `json:"projectId"`
	SessionID string `json:"sessionId,omitempty"`
	Origin    string `json:"origin,omitempty"`
}

func (c sdkClaims) longest() time.Duration {
	if c.SessionID == "" {
		return SDKShared
	}
	return SDKSession
}

func audienceOf(session bool) string {
	if session {
		return sdkOfSession
	}
	return sdkOfChannel
}

// Issue signs a token.
func (s SDK) Issue(g SDKGrant) (string, error) {
	c := sdkClaims{RegisteredClaims: jwt.RegisteredClaims{Issuer: sdkIssuer, Subject: g.ChannelID,
		Audience: jwt.ClaimStrings{audienceOf(g.SessionID != "")}, IssuedAt: jwt.NewNumericDate(g.Issued),
		ExpiresAt: jwt.NewNumericDate(g.Expires)}, AccountID: g.TenantID, ProjectID: g.ProjectID, SessionID: g.SessionID, Origin: g.Origin}
	if len(s.Secret) == 0 {
		return "", fmt.Errorf("there is no key to sign SDK tokens with")
	}
	if d := g.Expires.Sub(g.Issued); d <= 0 || d > c.longest() {
		return "", fmt.Errorf("an SDK token is good for more than nothing and at most %s", c.longest())
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(s.Secret)
}

// Verify finds out for which session, or channel, a token was given. It is for the pages of the
// channel's key; page is the Origin of the request, nil where it names none. All refusals but
// that of a page sound the same.
func (s SDK) Verify(ctx context.Context, token string, page *string, session bool) (access.Principal, error) {
	refused := fault.New(fault.Unauthorized, "the SDK token is not valid")
	now := s.Now
	if now == nil {
		now = time.Now
	}
	if len(s.Secret) == 0 || s.Channel == nil || len(token) > maxToken || tooDeep(token) {
		return access.Principal{}, refused
	}
	var c sdkClaims
	parsed, err := jwt.NewParser(jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(sdkLeeway), jwt.WithTimeFunc(now),
		jwt.WithStrictDecoding(), jwt.WithIssuer(sdkIssuer), jwt.WithAudience(audienceOf(session)),
		jwt.WithValidMethods([]string{access.HS256})).ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return s.Secret, nil })
	if err != nil {
		return access.Principal{}, refused.Because(err)
	}
	if c.IssuedAt == nil || c.ExpiresAt.Sub(c.IssuedAt.Time) > c.longest() || parsed.Header["crit"] != nil ||
		!access.ValidID(c.AccountID) || !access.ValidID(c.Subject) || session != (c.SessionID != "") {
		return access.Principal{}, refused
	}
	of, ok, err := s.Channel(ctx, c.AccountID, c.Subject)
	if err != nil {
		return access.Principal{}, err
	}
	if !ok || of.ProjectID != c.ProjectID {
		return access.Principal{}, refused
	}
	p := access.Principal{TenantID: c.AccountID, Kind: access.EmbedCredential, Subject: of.KeyID, KeyID: of.KeyID, ScopeID: of.ScopeID,
		ProjectID: c.ProjectID, SessionID: c.SessionID, ChannelID: c.Subject, Chats: of.Chats, Speaks: of.Speaks}
	if session {
		p.Kind = access.SDKCredential
	}
	switch {
	case page == nil && (of.Page || c.Origin != ""), page != nil && !slices.Contains(of.AllowedOrigins, *page),
		page != nil && c.Origin != "" && *page != c.Origin:
		return access.Principal{}, OtherPage()
	case page != nil:
		p.Page = *page
	}
	return p, nil
}

// OtherPage is the refusal of a page that a public key is not for.
func OtherPage() error {
	return fault.New(fault.Forbidden, "the public key is not for pages of this Origin")
}
