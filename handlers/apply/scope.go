package apply

import (
	"context"

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
