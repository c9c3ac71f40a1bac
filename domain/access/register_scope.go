package access

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// RegisterScope claims a scope name in a project of the tenant, before the scope is
// defined in its own stream. A new name for a registered id frees the old one.
type RegisterScope struct {
	ScopeID   string // metadata.id
	ProjectID string // spec.projectId; an alias is resolved
	Name      string // metadata.name
}

// ScopeRegistered says that the name now means that scope in that project.
type ScopeRegistered struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	ScopeID   string `json:"scopeId"`
	Name      string `json:"name"`
}

var _ = event.Register[ScopeRegistered](Tenants, "scope-registered", 1)

// Decide refuses a name that another scope of the project has, and another project
// for a registered scope: its keys open the first one.
func (c RegisterScope) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	var f fault.Fields
	CheckPrefixedID(&f, "metadata.id", c.ScopeID, ScopeIDPrefix)
	name := CheckName(&f, "metadata.name", c.Name)
	project, known := s.Resolve(c.ProjectID)
	if !known {
		f.Add("spec.projectId", "is not a project of the tenant")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	now := RegisteredScope{ProjectID: project.ID, Name: name}
	old, exists := s.Scopes[c.ScopeID]
	if old == now {
		return nil, nil
	}
	if exists && old.ProjectID != project.ID {
		return nil, fault.New(fault.Conflict, "scope %s belongs to project %s and cannot move", c.ScopeID, old.ProjectID)
	}
	if other, taken := s.ScopeNamed(project.ID, name); taken {
		return nil, fault.New(fault.Conflict, "the scope name %q of project %s belongs to scope %s", name, project.ID, other)
	}
	return []event.Payload{ScopeRegistered{TenantID: s.ID, ProjectID: project.ID, ScopeID: c.ScopeID, Name: name}}, nil
}

// Apply folds the event.
func (e ScopeRegistered) Apply(s *TenantState) {
	if s.Scopes == nil {
		s.Scopes = map[string]RegisteredScope{}
	}
	s.Scopes[e.ScopeID] = RegisteredScope{ProjectID: e.ProjectID, Name: e.Name}
}

// UnregisterScope frees the name of a scope, after the scope itself was removed
// (RemoveScope).
type UnregisterScope struct {
	ScopeID string
}

// ScopeUnregistered says that the scope's name is free again in its project.
type ScopeUnregistered struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	ScopeID   string `json:"scopeId"`
	Name      string `json:"name"`
}

var _ = event.Register[ScopeUnregistered](Tenants, "scope-unregistered", 1)

// Decide does nothing for a scope that is not registered.
func (c UnregisterScope) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	old, ok := s.Scopes[c.ScopeID]
	if !ok {
		return nil, nil
	}
	return []event.Payload{ScopeUnregistered{TenantID: s.ID, ProjectID: old.ProjectID, ScopeID: c.ScopeID, Name: old.Name}}, nil
}

// Apply folds the event.
func (e ScopeUnregistered) Apply(s *TenantState) { delete(s.Scopes, e.ScopeID) }
