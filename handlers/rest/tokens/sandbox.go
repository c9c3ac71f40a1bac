package tokens

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

const (
	sandboxIssuer   = "parley-sandbox"
	sandboxAudience = "memory"
	sandboxLeeway   = 5 * time.Second // between the clocks of two nodes

	// SandboxLongest is how long a sandbox token is good for at most: the longest time of a
	// tool, and five seconds.
	SandboxLongest = 65 * time.Second
)

// Sandbox takes, and gives out, the tokens with which agents' code comes back to the runtime.
// The zero value has no key, and takes none.
type Sandbox struct {
	Secret []byte           // 32 bytes; nil: the sandbox is off
	Now    func() time.Time // nil: time.Now
}

// SandboxGrant is what a sandbox token says.
type SandboxGrant struct {
	TenantID   string // accountId
	ProjectID  string // by its id
	SessionID  string // empty: nothing is opened
	ToolCallID string // sub
	Trial      bool   // of a call that nobody made: somebody tries the memory by hand
	Stores     map[string]access.Store
	Issued     time.Time
	Expires    time.Time
}

// sandboxClaims are those of docs/api-rules.md "Memory of agents".
type sandboxClaims struct {
	jwt.RegisteredClaims
	AccountID string                  `json:"accountId"`
	ProjectID string                  `json:"projectId"`
	SessionID string                  `json:"sessionId,omitempty"`
	Trial     bool                    `json:"trial,omitempty"`
	Stores    map[string]access.Store `json:"stores"`
}

// Issue signs a token.
func (s Sandbox) Issue(g SandboxGrant) (string, error) {
	c := sandboxClaims{RegisteredClaims: jwt.RegisteredClaims{Issuer: sandboxIssuer, Subject: g.ToolCallID,
		Audience: jwt.ClaimStrings{sandboxAudience}, IssuedAt: jwt.NewNumericDate(g.Issued), ExpiresAt: jwt.NewNumericDate(g.Expires)},
		AccountID: g.TenantID, ProjectID: g.ProjectID, SessionID: g.SessionID, Trial: g.Trial, Stores: g.Stores}
	switch {
	case len(s.Secret) == 0:
		return "", fmt.Errorf("there is no key to sign sandbox tokens with")
	case !c.fit():
		return "", fmt.Errorf("a sandbox token needs an account, a project, a session and a call by their ids, and at most %d stores, each "+
			"with a scope", memories.MaxStores)
	case !g.Expires.After(g.Issued) || g.Expires.Sub(g.Issued) > SandboxLongest:
		return "", fmt.Errorf("a sandbox token is good for more than nothing and at most %s", SandboxLongest)
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(s.Secret)
}

// fit reports whether the claims are such as Issue makes them.
func (c sandboxClaims) fit() bool {
	for name, store := range c.Stores {
		if !memories.ValidScope(memories.Scope(store.Scope)) || len(name) > memories.MaxName || jsontext.UnfitText(name) != "" {
			return false
		}
	}
	return access.ValidID(c.AccountID) && access.ValidID(c.ProjectID) && access.ValidID(c.Subject) &&
		(c.SessionID == "" || access.ValidID(c.SessionID)) && len(c.Stores) <= memories.MaxStores
}

// Verify finds out for which call of a tool a token was given, and what it opens. All
// refusals sound the same.
func (s Sandbox) Verify(token string) (access.Principal, error) {
	if len(s.Secret) == 0 {
		return access.Principal{}, fault.New(fault.Unavailable, "this node takes no sandbox tokens: the sandbox is off")
	}
	now := s.Now
	if now == nil {
		now = time.Now
	}
	refused := fault.New(fault.Unauthorized, "the sandbox token is not valid")
	if len(token) > maxToken || tooDeep(token) {
		return access.Principal{}, refused
	}
	var c sandboxClaims
	parsed, err := jwt.NewParser(jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(sandboxLeeway), jwt.WithTimeFunc(now),
		jwt.WithStrictDecoding(), jwt.WithIssuer(sandboxIssuer), jwt.WithAudience(sandboxAudience),
		jwt.WithValidMethods([]string{access.HS256})).ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return s.Secret, nil })
	if err != nil {
		return access.Principal{}, refused.Because(err)
	}
	if c.IssuedAt == nil || c.ExpiresAt.Sub(c.IssuedAt.Time) > SandboxLongest || parsed.Header["crit"] != nil || !c.fit() {
		return access.Principal{}, refused
	}
	return access.Principal{TenantID: c.AccountID, Kind: access.SandboxCredential, Subject: c.Subject, ProjectID: c.ProjectID,
		SessionID: c.SessionID, Trial: c.Trial, Stores: c.Stores}, nil
}
