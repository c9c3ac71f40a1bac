package apply

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/access"
)

// ScopeSpec is the spec of kind Scope; metadata.id begins with as-.
type ScopeSpec struct {
	ProjectID   string            `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The app it belongs to: a project's id or alias."`
	Description string            `json:"description,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"For people."`
	Permissions map[string]string `json:"permissions,omitempty" jsonschema_description:"What the keys of the scope may do. A permission that is left out is NO."`
}

// JSONSchemaExtend names what the domain knows.
func (ScopeSpec) JSONSchemaExtend(s *jsonschema.Schema) {
	permissions := member(s, "permissions")
	permissions.Properties = jsonschema.NewProperties()
	for _, name := range access.KeyPermissions() {
		permissions.Properties.Set(string(name), &jsonschema.Schema{Type: "string", Enum: []any{access.Yes, access.No}})
	}
	permissions.AdditionalProperties = jsonschema.FalseSchema
}

var scopeKind = define(label{
	name:  scopeName,
	about: "A scope of API keys: what its keys may do. Its metadata.id begins with as-, its metadata.name is unique in the project.",
}, scopeSteps, nil).pruned(scopesLeft)

// scopeSteps takes the name in the tenant first, then defines the scope in its own
// stream; repeating both heals what a crash left between them.
func scopeSteps(ctx context.Context, p *planner, d *draft, spec ScopeSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	register := access.RegisterScope{ScopeID: id, ProjectID: project, Name: d.meta.Name}
	define := access.DefineScope{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name,
		Description: spec.Description, Permissions: spec.Permissions, At: p.now()}
	return []step{
		on(access.Tenants, access.TenantStream(d.meta.Tenant), register.Decide,
			func(s access.TenantState) bool { _, ok := s.Scopes[id]; return ok }),
		on(access.Scopes, access.ScopeStream(d.meta.Tenant, id), p.by.rights().OnScopes(define.Decide),
			func(s access.ScopeState) bool { return s.ID != "" }),
	}, nil
}

// scopesLeft ends a scope with its keys in its own stream first and frees its name
// then. The tenant's stream has it until both are done, so a crash between them is
// healed by pruning again.
func scopesLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(tenant))
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, id := range unnamed(p, s.Scopes, scopeName, tenant) {
		remove, unregister := access.RemoveScope{At: p.now()}, access.UnregisterScope{ScopeID: id}
		left = append(left, leftover{id: id, name: s.Scopes[id].Name, steps: []step{
			removing(access.Scopes, access.ScopeStream(tenant, id), p.by.rights().OnScopes(remove.Decide)),
			removing(access.Tenants, access.TenantStream(tenant), unregister.Decide),
		}})
	}
	return left, nil
}

// PublicKeySpec is the spec of kind PublicKey; metadata.id begins with ak-.
type PublicKeySpec struct {
	ScopeID        string   `json:"scopeId" jsonschema:"required,minLength=1,example=as-acme-main" jsonschema_description:"The scope of a project that it belongs to. What the scope permits is for secret keys: a public one opens the project's SDK channels alone."`
	AllowedOrigins []string `json:"allowedOrigins" jsonschema:"required,minItems=1,maxItems=50,example=https://shop.example" jsonschema_description:"The pages that may use it, as browsers write an origin."`
	Key            string   `json:"key,omitempty" jsonschema:"pattern=^pk_[0-9A-Za-z]{43}$" jsonschema_description:"The key itself, which pages carry; it is of one key on the server. Without one it is made, and told once."`
}

var publicKeyKind = define(label{
	name: publicKeyName,
	about: "A public key of a project, for pages and apps: it begins sessions of the SDK channels that name it. Its metadata.id begins with " +
		"ak-. It is not removed by prune: revoke-api-key does.",
}, publicKeySteps, nil)

func publicKeySteps(ctx context.Context, p *planner, d *draft, spec PublicKeySpec) ([]step, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	if _, ok := tenant.Scopes[spec.ScopeID]; !ok && spec.ScopeID != "" {
		d.fault("spec.scopeId", "%q is not a scope of tenant %s: put its Scope manifest into this set, or apply it before", spec.ScopeID,
			d.meta.Tenant)
	}
	p.needs(d, "spec.scopeId", scopeName, d.meta.Tenant, spec.ScopeID)
	secret := spec.Key
	if secret == "" {
		var random [access.SecretBytes]byte
		_, _ = rand.Read(random[:]) // never fails: the runtime ends the process instead
		secret = access.NewSecret(access.PublicKey, random)
	}
	hash := hex.EncodeToString(p.vault.MAC("api-key", secret))
	if spec.Key == "" {
		d.generated = append(d.generated, generated{"spec.key", secret, hash})
	} else if err := p.ownKey(ctx, d, hash); err != nil {
		return nil, err
	}
	define := access.DefineKey{Given: spec.Key != "", CreateKey: access.CreateKey{KeyID: id, Name: d.meta.Name, Kind: access.PublicKey,
		Hash: hash, DisplayPrefix: access.DisplayPrefix(secret), AllowedOrigins: spec.AllowedOrigins, At: p.now()}}
	exists := func(s access.ScopeState) bool { _, ok := s.Keys[id]; return ok }
	return []step{on(access.Scopes, access.ScopeStream(d.meta.Tenant, spec.ScopeID), p.by.rights().OnScopes(inSpec(define.Decide)),
		exists)}, nil
}

// ownKey notes that a key's text is that of another one. Pages show theirs to everybody, so anybody could name it; of two keys
// with one text, whose page is whose could not be told.
func (p *planner) ownKey(ctx context.Context, d *draft, hash string) error {
	p.claim(d, "spec.key", hash)
	if p.keys == nil {
		return nil
	}
	tenant, id, found, err := p.keys.KeyWith(ctx, hash)
	if err == nil && found && (tenant != d.meta.Tenant || id != d.meta.ID) {
		d.fault("spec.key", "is that of another key: leave it out, and one is made")
	}
	return err
}

// publicKey finds the scope of an existing public key of a project, or of one of the set.
func (p *planner) publicKey(ctx context.Context, d *draft, project, id string) (bool, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return false, err
	}
	for _, scope := range slices.Sorted(maps.Keys(tenant.Scopes)) {
		s, err := stateOf(ctx, p, access.Scopes, access.ScopeStream(d.meta.Tenant, scope))
		if err != nil {
			return false, err
		}
		if key, ok := s.Keys[id]; ok && s.ProjectID == project {
			return key.Kind == access.PublicKey, nil
		}
	}
	return false, nil
}
