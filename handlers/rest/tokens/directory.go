package tokens

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
)

// Directory knows the credentials of all tenants. It is asked on every request and
// its answers are never kept, so what is revoked is gone at once. An unknown client
// or key is a fault with code NOT_FOUND; any other error is a failure of ours.
type Directory interface {
	// Client is the issuer of tokens with that id in that account.
	Client(ctx context.Context, tenantID, clientID string) (ClientRecord, error)
	// APIKey is the key whose secret has that hash.
	APIKey(ctx context.Context, hash []byte) (KeyRecord, error)
}

// ClientRecord is what is needed to verify the tokens of a client.
type ClientRecord struct {
	ID          string
	TenantID    string
	Origin      access.Origin
	Operator    bool   // the built-in issuer of operators' tokens
	Alg         string // the only algorithm its tokens may name: HS256, RS256, ES256, EdDSA ...
	Secret      []byte // of HS256, opened
	JWKS        string // of all others: the key set as JSON, or
	JWKSURL     string // where it is published
	Audience    string // what its tokens must name as aud, if anything
	Scopes      []access.ClientScope
	Permissions []access.Permission
}

// KeyRecord is an API key that has not been revoked, with the permissions that are
// YES in its scope.
type KeyRecord struct {
	ID          string
	TenantID    string
	ProjectID   string
	ScopeID     string
	Public      bool // pk_
	Permissions []access.KeyPermission

	// AllowedOrigins are where a public key may be used, as browsers write an origin.
	AllowedOrigins []string
}

// KeyHasher is the keyed hash under which the secret of an API key is stored.
type KeyHasher func(secret string) []byte
