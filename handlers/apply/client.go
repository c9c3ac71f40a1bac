package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// MinClientSecret is the least length of the secret of an HS256 client, in bytes: a
// shorter one can be found by trying (RFC 7518 section 3.2).
const MinClientSecret = 32

// ClientSpec is the spec of kind Client; metadata.id is the iss of its tokens.
type ClientSpec struct {
	Origin      string         `json:"origin,omitempty" jsonschema:"enum=app,enum=admin,default=app" jsonschema_description:"Where the client was made: app (App Builder) or admin (Admin Console). Operations on roles take tokens of admin clients only."`
	Alg         string         `json:"alg" jsonschema:"required" jsonschema_description:"The one algorithm that its tokens are signed with."`
	Secret      string         `json:"secret,omitempty" jsonschema:"minLength=1" jsonschema_description:"Of HS256: the shared secret, at least 32 bytes. Without one it is made the first time, told once in the result, and kept."`
	JWKS        map[string]any `json:"jwks,omitempty" jsonschema_description:"Of all other algorithms: the public keys as a JSON Web Key Set, or jwksUrl."`
	JWKSURL     string         `json:"jwksUrl,omitempty" jsonschema:"format=uri" jsonschema_description:"Where the key set is published: https."`
	Audience    string         `json:"audience,omitempty" jsonschema:"maxLength=256" jsonschema_description:"What aud must name, if set."`
	Scopes      []string       `json:"scopes,omitempty" jsonschema_description:"API scopes that its tokens may carry. A token has those that it names and the client has."`
	Permissions []string       `json:"permissions,omitempty" jsonschema_description:"Permissions of the agent runtime that its tokens may carry; resource:* is all of a resource."`
}

// JSONSchemaExtend names what the domain knows.
func (ClientSpec) JSONSchemaExtend(s *jsonschema.Schema) {
	enum(member(s, "alg"), access.Algorithms())
	enum(member(s, "scopes").Items, access.ClientScopes())
	member(s, "permissions").Items.Pattern = `^[a-z]+:([a-z]+|\*)$`
	for _, p := range access.Permissions() {
		member(s, "permissions").Items.Examples = append(member(s, "permissions").Items.Examples, p)
	}
}

var clientKind = define(label{
	name:  clientName,
	about: "An issuer of JWTs. Its tokens carry its metadata.id as iss, the tenant as accountId, and are signed with its secret or keys.",
}, clientSteps, nil).pruned(clientsLeft)

func clientSteps(ctx context.Context, p *planner, d *draft, spec ClientSpec) ([]step, error) {
	if _, err := p.tenant(ctx, d); err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	if id == OperatorClient {
		d.fault("metadata.id", "is the name of the built-in issuer of operators' tokens")
	}
	define := access.DefineClient{ID: id, Name: d.meta.Name, Origin: spec.Origin, Alg: spec.Alg, JWKSURL: spec.JWKSURL,
		Audience: spec.Audience, Scopes: spec.Scopes, Permissions: spec.Permissions}
	if p.guard != nil && spec.JWKSURL != "" && access.ValidKeyAddress(spec.JWKSURL) {
		if err := p.guard(spec.JWKSURL); err != nil {
			d.fault("spec.jwksUrl", "%v", err)
		}
	}
	if spec.JWKS != nil {
		keys, err := json.Marshal(spec.JWKS)
		if err != nil {
			return nil, fmt.Errorf("encoding spec.jwks: %w", err)
		}
		define.JWKS = string(keys)
	}
	if spec.Alg == access.HS256 || spec.Secret != "" {
		if n := len(spec.Secret); spec.Alg == access.HS256 && n > 0 && n < MinClientSecret {
			d.fault("spec.secret", "must be at least %d bytes, has %d: a shorter one can be guessed", MinClientSecret, n)
		}
		shared, err := d.sealSecret("spec.secret", spec.Secret, p.vault.SealClientSecret, id)
		if err != nil {
			return nil, err
		}
		define.Secret, define.SecretFingerprint, define.SecretGenerated = shared.sealed, shared.fingerprint, shared.generated
	}
	exists := func(s access.TenantState) bool { _, ok := s.Clients[id]; return ok }
	return []step{on(access.Tenants, access.TenantStream(d.meta.Tenant), p.by.rights().OnTenant(define.Decide), exists)}, nil
}

// clientsLeft refuses that a client removes itself: whoever holds it could not undo
// that, nor apply anything else.
func clientsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	stream := access.TenantStream(tenant)
	s, err := stateOf(ctx, p, access.Tenants, stream)
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, id := range unnamed(p, s.Clients, clientName, tenant) {
		if !p.by.Operator && id == p.by.ClientID {
			return nil, fault.New(fault.Conflict, "prune would remove Client %s, whose token this request came with; nothing was applied: put its "+
				"Client manifest into the set, or prune with an operator's token", id)
		}
		remove := access.RemoveClient{ID: id}
		left = append(left, leftover{id: id, name: s.Clients[id].Name, steps: []step{removing(access.Tenants, stream,
			p.by.rights().OnTenant(remove.Decide))}})
	}
	return left, nil
}
