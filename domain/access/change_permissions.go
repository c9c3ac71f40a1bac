package access

import (
	"maps"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// ChangePermissions merges permissions into a scope's map (update-scope).
type ChangePermissions struct {
	Permissions map[string]string // name to YES or NO; names left out keep their value
	At          time.Time
}

// PermissionsChanged carries the whole map as it now is, and what was changed.
type PermissionsChanged struct {
	TenantID    string                   `json:"tenantId"`
	ProjectID   string                   `json:"projectId"`
	ScopeID     string                   `json:"scopeId"`
	ScopeName   string                   `json:"scopeName"`
	Permissions map[KeyPermission]string `json:"permissions"`
	Changed     map[KeyPermission]string `json:"changed"`
	ChangedAt   time.Time                `json:"changedAt"`
}

var _ = event.Register[PermissionsChanged](Scopes, "permissions-changed", 1)

// Decide applies all or nothing; values that are already so are no change.
func (c ChangePermissions) Decide(s ScopeState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	var f fault.Fields
	changed := checkPermissions(&f, "permissions", c.Permissions)
	if err := f.Err(); err != nil {
		return nil, err
	}
	maps.DeleteFunc(changed, func(name KeyPermission, value string) bool { return s.Permissions[name] == value })
	if len(changed) == 0 {
		return nil, nil
	}
	now := maps.Clone(s.Permissions)
	maps.Copy(now, changed)
	return []event.Payload{PermissionsChanged{TenantID: s.TenantID, ProjectID: s.ProjectID, ScopeID: s.ID, ScopeName: s.Name,
		Permissions: now, Changed: changed, ChangedAt: c.At.UTC()}}, nil
}

// Apply folds the event.
func (e PermissionsChanged) Apply(s *ScopeState) { s.Permissions = maps.Clone(e.Permissions) }
