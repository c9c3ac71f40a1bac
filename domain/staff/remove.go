package staff

import (
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// RemoveRole takes a role away that nobody has.
type RemoveRole struct{ TenantID, ID string }

// RemoveUser takes a user away.
type RemoveUser struct{ TenantID, ID string }

// RoleRemoved says that the role is gone and its name is free.
type RoleRemoved struct {
	TenantID string `json:"tenantId"`
	RoleID   string `json:"roleId"`
}

// UserRemoved says that the user is gone.
type UserRemoved struct {
	TenantID string `json:"tenantId"`
	UserID   string `json:"userId"`
}

var (
	_ = event.Register[RoleRemoved](Staff, "role-removed", 1)
	_ = event.Register[UserRemoved](Staff, "user-removed", 1)
)

// Decide refuses a role that somebody has.
func (c RemoveRole) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Roles[c.ID]; !ok {
		return nil, nil
	}
	for _, id := range slices.Sorted(maps.Keys(s.Users)) {
		if s.Users[id].has(c.ID) {
			return nil, fault.New(fault.Conflict, "the user %s has the role", id)
		}
	}
	return []event.Payload{RoleRemoved{TenantID: c.TenantID, RoleID: c.ID}}, nil
}

// Decide does nothing for a user who is not there.
func (c RemoveUser) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Users[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{UserRemoved{TenantID: c.TenantID, UserID: c.ID}}, nil
}

// Apply folds the event.
func (e RoleRemoved) Apply(s *State) { delete(s.Roles, e.RoleID) }

// Apply folds the event.
func (e UserRemoved) Apply(s *State) { delete(s.Users, e.UserID) }
