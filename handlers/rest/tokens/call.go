package tokens

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	callIssuer   = "parley-call"
	callAudience = "page"
	callLeeway   = 5 * time.Second // between the clocks of two nodes

	// CallToken is how long a page has to call.
	CallToken = 15 * time.Minute
)

// Call takes, and gives out, the tokens with which pages call. The zero value has no key, and takes none.
type Call struct {
	Secret []byte           // 32 bytes
	Now    func() time.Time // nil: time.Now
}

// CallGrant is what such a token says: one call, who makes it, and who is to take it.
type CallGrant struct {
	ID           string // of the grant: a call has one, and a grant has one call
	TenantID     string
	ProjectID    string
	SessionID    string // as whoever asked calls it, in whose name the page calls
	AgentName    string // empty: the entry agent of what is deployed
	DeploymentID string // empty: the newest active one
	Issued       time.Time
	Expires      time.Time
}

type callClaims struct {
	jwt.RegisteredClaims
	AccountID    string `json:"accountId"`
	ProjectID    string `json:"projectId"`
	AgentName    string `json:"agentName,omitempty"`
	DeploymentID string `json:"deploymentId,omitempty"`
}

// fit reports whether the claims are such as Issue makes them.
func (c callClaims) fit() bool {
	return access.ValidID(c.AccountID) && access.ValidID(c.ProjectID) && access.ValidID(c.Subject) && access.ValidID(c.ID)
}

// Issue signs a token.
func (x Call) Issue(g CallGrant) (string, error) {
	c := callClaims{RegisteredClaims: jwt.RegisteredClaims{Issuer: callIssuer, Subject: g.SessionID, ID: g.ID,
		Audience: jwt.ClaimStrings{callAudience}, IssuedAt: jwt.NewNumericDate(g.Issued), ExpiresAt: jwt.NewNumericDate(g.Expires)},
		AccountID: g.TenantID, ProjectID: g.ProjectID, AgentName: g.AgentName, DeploymentID: g.DeploymentID}
	switch {
	case len(x.Secret) == 0:
		return "", fmt.Errorf("there is no key to sign tokens of calls with")
	case !c.fit():
		return "", fmt.Errorf("the token of a call needs an account, a project, a session and an id")
	case !g.Expires.After(g.Issued) || g.Expires.Sub(g.Issued) > CallToken:
		return "", fmt.Errorf("the token of a call is good for more than nothing and at most %s", CallToken)
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(x.Secret)
}

// Verify finds out which call a token is for. One that has had its time ends its call still, where ends is
// said. All refusals sound the same.
func (x Call) Verify(token string, ends bool) (CallGrant, error) {
	refused := fault.New(fault.Unauthorized, "the token of the call is missing, wrong, or too old")
	if len(x.Secret) == 0 || len(token) > maxToken || tooDeep(token) {
		return CallGrant{}, refused
	}
	now := x.Now
	if now == nil {
		now = time.Now
	}
	options := []jwt.ParserOption{jwt.WithStrictDecoding(), jwt.WithValidMethods([]string{access.HS256})}
	if ends {
		options = append(options, jwt.WithoutClaimsValidation())
	} else {
		options = append(options, jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(callLeeway), jwt.WithTimeFunc(now))
	}
	var c callClaims
	parsed, err := jwt.NewParser(options...).ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return x.Secret, nil })
	if err != nil {
		return CallGrant{}, refused.Because(err)
	}
	if c.Issuer != callIssuer || len(c.Audience) != 1 || c.Audience[0] != callAudience || c.IssuedAt == nil || c.ExpiresAt == nil ||
		c.ExpiresAt.Sub(c.IssuedAt.Time) > CallToken || parsed.Header["crit"] != nil || !c.fit() {
		return CallGrant{}, refused
	}
	return CallGrant{ID: c.ID, TenantID: c.AccountID, ProjectID: c.ProjectID, SessionID: c.Subject, AgentName: c.AgentName,
		DeploymentID: c.DeploymentID, Issued: c.IssuedAt.Time, Expires: c.ExpiresAt.Time}, nil
}
