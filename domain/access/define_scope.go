package access

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineScope makes or changes a scope (manifest kind Scope). Its name must be
// registered in the tenant before (RegisterScope), which also resolves the project.
type DefineScope struct {
	TenantID    string
	ProjectID   string            // spec.projectId, resolved
	ID          string            // metadata.id: as-...
	Name        string            // metadata.name
	Description string            // spec.description
	Permissions map[string]string // spec.permissions: name to YES or NO; a missing name is NO
	At          time.Time         // becomes created_at the first time
}

// ScopeDefined says what the scope now is, and what its definition says.
type ScopeDefined struct {
	TenantID    string                   `json:"tenantId"`
	ProjectID   string                   `json:"projectId"`
	ScopeID     string                   `json:"scopeId"`
	ScopeName   string                   `json:"scopeName"`
	Description string                   `json:"description"`
	CreatedAt   time.Time                `json:"createdAt"`
	Permissions map[KeyPermission]string `json:"permissions"` // as they now are
	Declared    map[KeyPermission]string `json:"declared"`    // as the definition says
}

var _ = event.Register[ScopeDefined](Scopes, "defined", 1)

// Decide changes what differs from the last definition and nothing else: a
// permission that was changed by other means stays until its definition changes.
func (c DefineScope) Decide(s ScopeState) ([]event.Payload, error) {
	declared, err := c.declaration(s)
	if err != nil {
		return nil, err
	}
	e := ScopeDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, ScopeID: c.ID,
		ScopeName: declared.Name, Description: declared.Description, Declared: declared.Permissions}
	if s.ID == "" {
		e.CreatedAt, e.Permissions = c.At.UTC(), maps.Clone(declared.Permissions)
		return []event.Payload{e}, nil
	}
	if c.TenantID != s.TenantID || c.ProjectID != s.ProjectID {
		return nil, fault.New(fault.Conflict, "scope %s belongs to project %s and cannot move", s.ID, s.ProjectID)
	}
	if declared.same(s.Declared) {
		return nil, nil
	}
	e.CreatedAt, e.Permissions = s.CreatedAt, maps.Clone(s.Permissions)
	for name, value := range declared.Permissions {
		if s.Declared.Permissions[name] != value {
			e.Permissions[name] = value
		}
	}
	return []event.Payload{e}, nil
}

func (c DefineScope) declaration(s ScopeState) (ScopeDeclaration, error) {
	var f fault.Fields
	CheckPrefixedID(&f, "metadata.id", c.ID, ScopeIDPrefix)
	if ValidScopeID(c.ID) && s.ID != "" && s.ID != c.ID {
		f.Add("metadata.id", "is not the scope of this stream")
	}
	CheckID(&f, "spec.projectId", c.ProjectID)
	d := ScopeDeclaration{Name: CheckName(&f, "metadata.name", c.Name), Description: CheckDescription(&f, "spec.description", c.Description)}
	d.Permissions = checkPermissions(&f, "spec.permissions", c.Permissions)
	for _, name := range keyPermissions {
		if d.Permissions[name] == "" {
			d.Permissions[name] = No
		}
	}
	return d, f.Err()
}

func (d ScopeDeclaration) same(other ScopeDeclaration) bool {
	return d.Name == other.Name && d.Description == other.Description && maps.Equal(d.Permissions, other.Permissions)
}

// checkPermissions names every unknown permission and every value that is neither
// YES nor NO, in the order of their names.
func checkPermissions(f *fault.Fields, field string, given map[string]string) map[KeyPermission]string {
	out := map[KeyPermission]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		switch {
		case !ValidKeyPermission(name):
			f.Add(field+"."+name, "is not a permission")
		case value != Yes && value != No:
			f.Add(field+"."+name, "must be %s or %s", Yes, No)
		default:
			out[KeyPermission(name)] = value
		}
	}
	return out
}

// Apply folds the event.
func (e ScopeDefined) Apply(s *ScopeState) {
	s.ID, s.TenantID, s.ProjectID = e.ScopeID, e.TenantID, e.ProjectID
	s.Name, s.Description, s.CreatedAt = e.ScopeName, e.Description, e.CreatedAt
	s.Permissions = maps.Clone(e.Permissions)
	s.Declared = ScopeDeclaration{Name: e.ScopeName, Description: e.Description, Permissions: maps.Clone(e.Declared)}
}
