package staff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Limits of a user.
const (
	MaxRolesOfUser = 100
	MaxGroups      = 50 // of one bot role
)

// DefineUser makes or changes a user (manifest kind User).
type DefineUser struct {
	TenantID     string
	ID           string // metadata.id: u-...
	Username     string // metadata.name, often an e-mail address
	OrgUserID    string
	IsDeveloper  bool
	CanCreateBot bool
	BotRoles     []BotGift // ProjectID is resolved
	AdminRoles   []string  // ids
}

// UserDefined says who the user now is.
type UserDefined struct {
	TenantID string `json:"tenantId"`
	User
}

var _ = event.Register[UserDefined](Staff, "user-defined", 1)

// Decide checks the user by itself, then against roles and other users.
func (c DefineUser) Decide(s State) ([]event.Payload, error) {
	user, err := c.user(s)
	if err != nil {
		return nil, err
	}
	if old, exists := s.Users[user.ID]; exists && reflect.DeepEqual(old, user) {
		return nil, nil
	}
	for id, other := range s.Users {
		if id != user.ID && strings.EqualFold(other.Username, user.Username) {
			return nil, fault.New(fault.Conflict, "the user name belongs to user %s", id)
		}
	}
	return []event.Payload{UserDefined{TenantID: c.TenantID, User: user}}, nil
}

func (c DefineUser) user(s State) (User, error) {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	name := access.CheckName(&f, "metadata.name", c.Username)
	if c.OrgUserID != "" {
		access.CheckID(&f, "spec.orgUserId", c.OrgUserID)
	}
	if n := len(c.BotRoles) + len(c.AdminRoles); n > MaxRolesOfUser {
		f.Add("spec.btRoles", "must be at most %d with adminRoles, are %d", MaxRolesOfUser, n)
	}
	user := User{ID: c.ID, Username: name, OrgUserID: c.OrgUserID, IsDeveloper: c.IsDeveloper, CanCreateBot: c.CanCreateBot,
		BotRoles: []BotGift{}, AdminRoles: []string{}}
	for i, gift := range c.BotRoles {
		field := fmt.Sprintf("spec.btRoles[%d]", i)
		s.checkRole(&f, field+".roleId", gift.RoleID, BotRole)
		gift.Groups = cleanGroups(&f, field+".groups", gift.Groups)
		if slices.ContainsFunc(user.BotRoles, func(g BotGift) bool { return g.RoleID == gift.RoleID && g.ProjectID == gift.ProjectID }) {
			f.Add(field, "is a role that the user has for this bot already")
		}
		user.BotRoles = append(user.BotRoles, gift)
	}
	for i, id := range c.AdminRoles {
		field := fmt.Sprintf("spec.adminRoles[%d]", i)
		s.checkRole(&f, field, id, AdminRole)
		if slices.Contains(user.AdminRoles, id) {
			f.Add(field, "is a role that the user has already")
		}
		user.AdminRoles = append(user.AdminRoles, id)
	}
	return user, f.Err()
}

func (s State) checkRole(f *fault.Fields, field, id string, want RoleType) {
	role, ok := s.Roles[id]
	switch {
	case !ok:
		f.Add(field, "%q is no role of the account: put its Role manifest into this set, or apply it before", id)
	case role.Type != want:
		f.Add(field, "%q is a role of type %s", id, role.Type)
	}
}

func cleanGroups(f *fault.Fields, field string, groups []string) []string {
	if len(groups) > MaxGroups {
		f.Add(field, "must be at most %d, are %d", MaxGroups, len(groups))
	}
	var out []string
	for i, raw := range groups {
		out = append(out, access.CheckName(f, fmt.Sprintf("%s[%d]", field, i), raw))
	}
	return out
}

// Apply folds the event.
func (e UserDefined) Apply(s *State) {
	if s.Users == nil {
		s.Users = map[string]User{}
	}
	e.BotRoles, e.AdminRoles = slices.Clone(e.BotRoles), slices.Clone(e.AdminRoles)
	s.Users[e.ID] = e.User
}
