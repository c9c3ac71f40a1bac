package tokens

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/access"
)

// Grant is what a new token says (docs/api-rules.md "JWT").
type Grant struct {
	TenantID    string // accountId
	ClientID    string // iss
	Subject     string // sub, the user
	Audience    string // aud, if the client wants one
	Scopes      []access.ClientScope
	Permissions []access.Permission
	Issued      time.Time // iat
	Expires     time.Time // exp, required
}

// Issue signs a token with the secret of an HS256 client. It is what `parley
// token` and the tests use; clients sign their own tokens.
func Issue(g Grant, secret []byte) (string, error) {
	switch {
	case len(secret) == 0:
		return "", fmt.Errorf("the client has no secret to sign with")
	case !access.ValidID(g.TenantID) || !access.ValidID(g.ClientID) || g.Subject == "":
		return "", fmt.Errorf("a token needs an account, a client and a subject")
	case g.Expires.Sub(g.Issued) > Longest:
		return "", fmt.Errorf("a token is good for at most %s", Longest)
	case !g.Expires.After(g.Issued):
		return "", fmt.Errorf("a token must expire after it is issued")
	}
	claims := jwt.MapClaims{
		"iss": g.ClientID, "sub": g.Subject, "accountId": g.TenantID,
		"scopes": append([]access.ClientScope{}, g.Scopes...), "permissions": append([]access.Permission{}, g.Permissions...),
		"iat": g.Issued.Unix(), "exp": g.Expires.Unix(),
	}
	if g.Audience != "" {
		claims["aud"] = g.Audience
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
}
