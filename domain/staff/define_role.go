package staff

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxPermissions is how many permissions a role may have.
const MaxPermissions = 200

// DefineRole makes or changes a role (manifest kind Role).
type DefineRole struct {
	TenantID    string
	ID          string              // metadata.id
	Name        string              // metadata.name
	Type        string              // spec.roleType
	Description string              // spec.rDesc
	Permissions map[string][]string // spec.permissions
}

// RoleDefined says what the role now is.
type RoleDefined struct {
	TenantID string `json:"tenantId"`
	Role
}

var _ = event.Register[RoleDefined](Staff, "role-defined", 1)

// Decide checks the role by itself, then against the others.
func (c DefineRole) Decide(s State) ([]event.Payload, error) {
	role, err := c.role()
	if err != nil {
		return nil, err
	}
	old, exists := s.Roles[role.ID]
	if exists && reflect.DeepEqual(old, role) {
		return nil, nil
	}
	if exists && old.Type != role.Type {
		return nil, fault.Field("spec.roleType", "was %s and stays so: make another role", old.Type)
	}
	for id, other := range s.Roles {
		if id != role.ID && other.Type == role.Type && other.Name == role.Name {
			return nil, fault.New(fault.Conflict, "the %s role name %q belongs to role %s", role.Type, role.Name, id)
		}
	}
	return []event.Payload{RoleDefined{TenantID: c.TenantID, Role: role}}, nil
}

var permissionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _.:&>/-]{0,99}$`)

func (c DefineRole) role() (Role, error) {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	name := access.CheckName(&f, "metadata.name", c.Name)
	if c.Type != string(AdminRole) && c.Type != string(BotRole) {
		f.Add("spec.roleType", "must be admin or bot")
	}
	description := access.CheckDescription(&f, "spec.rDesc", c.Description)
	if len(c.Permissions) > MaxPermissions {
		f.Add("spec.permissions", "must be at most %d, are %d", MaxPermissions, len(c.Permissions))
	}
	permissions := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Permissions)) {
		values := slices.Compact(slices.Sorted(slices.Values(c.Permissions[name])))
		if problem := checkPermission(RoleType(c.Type), name, values); problem != "" {
			f.Add("spec.permissions."+name, "%s", problem)
		}
		permissions[name] = values
	}
	return Role{ID: c.ID, Type: RoleType(c.Type), Name: name, Description: description, Permissions: permissions}, f.Err()
}

// checkPermission: administration knows YES, bots know FULL and YES.
func checkPermission(of RoleType, name string, values []string) (problem string) {
	if !permissionName.MatchString(name) {
		return "has a name that is none: 1 to 100 letters, digits, spaces or _ . : & > / -"
	}
	allowed := []string{"YES"}
	if of == BotRole {
		allowed = []string{"FULL", "YES"}
	}
	if len(values) == 0 {
		return "needs a value: " + strings.Join(allowed, " or ")
	}
	for _, v := range values {
		if !slices.Contains(allowed, v) {
			return "must be " + strings.Join(allowed, " or ")
		}
	}
	return ""
}

// Apply folds the event.
func (e RoleDefined) Apply(s *State) {
	if s.Roles == nil {
		s.Roles = map[string]Role{}
	}
	e.Permissions = maps.Clone(e.Permissions)
	s.Roles[e.ID] = e.Role
}
