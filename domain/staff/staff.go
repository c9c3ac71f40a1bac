// Package staff owns who works with an account: its roles, for administration and for
// bots, and its users with the roles that they have.
//
// It grants nothing by itself: what a request may do is said by tokens and keys, in
// domain/access. It knows nothing of human agents, who take conversations.
package staff

import (
	"slices"

	"github.com/parley-platform/parley/domain/event"
)

// Staff holds one stream per tenant, staff-<tenant>. Its rules:
//
//   - a role is for administration or for bots, and stays so
//   - role names are unique among their type, user names in the account
//   - a user has only roles that are there, each of the right type
//   - a role that a user has cannot be removed
var Staff = event.NewAggregate[State]("staff", "staff", event.Quiet)

// Stream names the stream of a tenant's staff.
func Stream(tenantID string) string { return Staff.Stream(tenantID) }

// RoleType says what a role is for.
type RoleType string

// The types.
const (
	AdminRole RoleType = "admin"
	BotRole   RoleType = "bot"
)

// State is the state of one tenant's stream.
type State struct {
	Roles map[string]Role // by id
	Users map[string]User // by id
}

// Role is a named set of permissions.
type Role struct {
	ID          string              `json:"roleId"`
	Type        RoleType            `json:"roleType"`
	Name        string              `json:"name"`
	Description string              `json:"description,omitempty"`
	Permissions map[string][]string `json:"permissions"` // name to its values: [YES] for administration, FULL or YES for bots
}

// User is one person with an account.
type User struct {
	ID           string    `json:"userId"`
	Username     string    `json:"username" personal:"user" key:"own"` // unique, without regard to case
	OrgUserID    string    `json:"orgUserId,omitempty"`
	IsDeveloper  bool      `json:"isDeveloper"`
	CanCreateBot bool      `json:"canCreateBot"`
	BotRoles     []BotGift `json:"btRoles"`
	AdminRoles   []string  `json:"adminRoles"` // ids
}

// BotGift is a bot role that a user has for one project.
type BotGift struct {
	RoleID    string   `json:"roleId"`
	ProjectID string   `json:"botId"`
	Groups    []string `json:"groups,omitempty"`
}

// has reports whether the user has the role in any way.
func (u User) has(roleID string) bool {
	return slices.Contains(u.AdminRoles, roleID) || slices.ContainsFunc(u.BotRoles, func(g BotGift) bool { return g.RoleID == roleID })
}
