package node

import (
	"context"
	"encoding/hex"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// OperatorPermissions is all that an operator may do.
func OperatorPermissions() []access.Permission {
	return []access.Permission{access.PermAdminApply}
}

// directory answers the API's questions about credentials and projects from the
// read models; it implements rest.Directory and rest.Projects.
type directory struct {
	access *accessmodels.Access
	vault  *vault.Vault
}

// HashKey is how the node stores the secret of an API key.
func (n *Node) HashKey(secret string) []byte { return slices.KeyHash(n.vault)(secret) }

// KnowsKey reports whether the secret is that of an existing API key.
func (n *Node) KnowsKey(ctx context.Context, secret string) (bool, error) {
	_, err := directory{accessmodels.NewAccess(n.db.Queries), n.vault}.APIKey(ctx, n.HashKey(secret))
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Client implements rest.Directory.
func (d directory) Client(ctx context.Context, tenant, id string) (tokens.ClientRecord, error) {
	if id == apply.OperatorClient {
		return tokens.ClientRecord{ID: id, TenantID: tenant, Origin: access.OriginAdmin, Operator: true, Alg: access.HS256,
			Secret: d.vault.OperatorSecret(id), Permissions: OperatorPermissions()}, nil
	}
	c, ok, err := d.access.Client(ctx, tenant, id)
	if err != nil {
		return tokens.ClientRecord{}, err
	}
	if !ok {
		return tokens.ClientRecord{}, fault.New(fault.NotFound, "no such client")
	}
	r := tokens.ClientRecord{ID: c.ID, TenantID: tenant, Origin: c.Origin, Alg: c.Alg, JWKS: c.JWKS, JWKSURL: c.JWKSURL, Audience: c.Audience}
	for _, s := range c.Scopes {
		r.Scopes = append(r.Scopes, access.ClientScope(s))
	}
	for _, p := range c.Permissions {
		r.Permissions = append(r.Permissions, access.Permission(p))
	}
	if c.Alg == access.HS256 {
		if r.Secret, err = d.vault.Unseal(c.Secret, vault.ClientSecretContext(tenant, c.ID)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// APIKey implements rest.Directory.
func (d directory) APIKey(ctx context.Context, hash []byte) (tokens.KeyRecord, error) {
	k, ok, err := d.access.APIKey(ctx, hex.EncodeToString(hash))
	if err != nil {
		return tokens.KeyRecord{}, err
	}
	if !ok {
		return tokens.KeyRecord{}, fault.New(fault.NotFound, "no such key")
	}
	r := tokens.KeyRecord{ID: k.KeyID, TenantID: k.TenantID, ProjectID: k.ProjectID, ScopeID: k.ScopeID, Public: k.Kind == access.PublicKey,
		AllowedOrigins: k.AllowedOrigins}
	for name, value := range k.Permissions {
		if value == access.Yes {
			r.Permissions = append(r.Permissions, name)
		}
	}
	return r, nil
}

// Resolve implements rest.Projects.
func (d directory) Resolve(ctx context.Context, tenant, name string) (rest.ProjectRecord, error) {
	p, ok, err := d.access.Project(ctx, tenant, name)
	if err != nil {
		return rest.ProjectRecord{}, err
	}
	if !ok {
		return rest.ProjectRecord{}, fault.New(fault.NotFound, "no such project")
	}
	return rest.ProjectRecord{ID: p.ID, TenantID: tenant, Name: p.Name, Slug: p.Slug}, nil
}
