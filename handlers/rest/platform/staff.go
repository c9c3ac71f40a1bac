package platform

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/handlers/rest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// StaffAPI is what the lists of roles and users need.
type StaffAPI struct{ Staff staffReads }

// staffReads knows the roles and users of accounts.
type staffReads interface {
	Roles(ctx context.Context, tenant string, of staff.RoleType, limit, offset int) ([]staff.Role, int, error)
	Users(ctx context.Context, tenant string, limit, offset int) ([]accessmodels.UserRoles, int, error)
}

type rolesIn struct {
	RoleType string `query:"roleType" required:"true" enum:"admin,bot" doc:"Which roles."`
	StaffPage
}

// usersIn has the limit that the caller wants: the list is that of all users, and only
// that of the roles ends at 50.
type usersIn struct {
	Limit  int `query:"limit" default:"1000" minimum:"1" maximum:"1000" doc:"Records to return; without it all of them, up to 1,000."`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"1000000" doc:"Records to skip; an extension."`
}

// StaffPage is the paging of the list of roles (docs/api-rules.md "Paging").
type StaffPage struct {
	Limit  int `query:"limit" default:"50" minimum:"1" maximum:"50" doc:"Records to return."`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"1000000" doc:"Records to skip; an extension."`
}

// staffRole is a role as list-roles shows it: what a bot role adds is absent from an
// admin role. The value of a permission is YES there, a list here.
type staffRole struct {
	ID          string         `json:"_id,omitempty" doc:"Of a bot role."`
	RoleType    string         `json:"roleType" required:"true" enum:"admin,bot"`
	Role        string         `json:"role" required:"true" example:"Supervisor"`
	Description string         `json:"rDesc" required:"true"`
	Permissions map[string]any `json:"permissions" required:"true" doc:"Permission name to YES for an admin role, to a list of FULL and YES for a bot role."`
}

type listRolesOut struct {
	Body struct {
		Total         int         `json:"total" required:"true" doc:"All roles of the type."`
		AvailableMore bool        `json:"availableMore" required:"true" doc:"There are more behind this page."`
		Roles         []staffRole `json:"roles" required:"true"`
	}
}

type staffUser struct {
	Username     string          `json:"username" required:"true"`
	OrgUserID    string          `json:"orgUserId" required:"true"`
	AccountID    string          `json:"accountId" required:"true"`
	IsDeveloper  bool            `json:"isDeveloper" required:"true"`
	CanCreateBot bool            `json:"canCreateBot" required:"true"`
	UserID       string          `json:"userId" required:"true"`
	BotRoles     []botRoleOfUser `json:"btRoles" required:"true"`
	AdminRoles   []roleOfUser    `json:"adminRoles" required:"true"`
}

type roleOfUser struct {
	RoleID   string `json:"roleId" required:"true"`
	RoleName string `json:"roleName" required:"true"`
}

type botRoleOfUser struct {
	RoleID   string   `json:"roleId" required:"true"`
	RoleName string   `json:"roleName" required:"true"`
	Groups   []string `json:"groups" required:"true"`
	BotID    string   `json:"botId" required:"true"`
	BotName  string   `json:"botName" required:"true"`
}

type listUserRolesOut struct {
	Body struct {
		Total         int         `json:"total" required:"true" doc:"All users of the account."`
		AvailableMore bool        `json:"availableMore" required:"true" doc:"There are more behind this page."`
		Users         []staffUser `json:"users" required:"true"`
	}
}

// DeclareStaff adds the two lists of who works with the account. Both want a token of a
// client that was made in the Admin Console.
func DeclareStaff(api *rest.API, s StaffAPI) {
	needs := access.TokenOnly(access.ScopeRoleManagement).From(access.OriginAdmin)
	rest.Declare(api, rest.Operation{ID: "list-roles", Method: http.MethodGet, Path: "/api/public/roles", Summary: "Roles of the account",
		Description: "Roles of one type, admin or bot.",
		Tags:        []string{"Roles and users"}, Requirement: needs}, s.roles)
	rest.Declare(api, rest.Operation{ID: "list-user-roles", Method: http.MethodGet, Path: "/api/public/alluserroles",
		Summary:     "All users of the account, with their roles",
		Description: "A user has roles of the account and roles of single bots.", Tags: []string{"Roles and users"}, Requirement: needs}, s.users)
}

func (s StaffAPI) roles(ctx context.Context, in *rolesIn) (*listRolesOut, error) {
	found, total, err := s.Staff.Roles(ctx, rest.PrincipalOf(ctx).TenantID, staff.RoleType(in.RoleType), in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listRolesOut{}
	out.Body.Total, out.Body.AvailableMore, out.Body.Roles = total, in.Offset+len(found) < total, rest.Shown(found, roleShown)
	return out, nil
}

func roleShown(r staff.Role) staffRole {
	shown := staffRole{RoleType: string(r.Type), Role: r.Name, Description: r.Description, Permissions: map[string]any{}}
	for name, values := range r.Permissions {
		if r.Type == staff.AdminRole {
			shown.Permissions[name] = access.Yes
		} else {
			shown.Permissions[name] = values
		}
	}
	if r.Type == staff.BotRole {
		shown.ID = r.ID
	}
	return shown
}

func (s StaffAPI) users(ctx context.Context, in *usersIn) (*listUserRolesOut, error) {
	account := rest.PrincipalOf(ctx).TenantID
	found, total, err := s.Staff.Users(ctx, account, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listUserRolesOut{}
	out.Body.Total, out.Body.AvailableMore, out.Body.Users = total, in.Offset+len(found) < total, []staffUser{}
	for _, u := range found {
		shown := staffUser{Username: u.Username, OrgUserID: u.OrgUserID, AccountID: account, IsDeveloper: u.IsDeveloper,
			CanCreateBot: u.CanCreateBot, UserID: u.ID,
			BotRoles: []botRoleOfUser{}, AdminRoles: []roleOfUser{}}
		for _, gift := range u.BotRoles {
			shown.BotRoles = append(shown.BotRoles, botRoleOfUser{RoleID: gift.RoleID, RoleName: u.RoleNames[gift.RoleID],
				Groups: rest.OrNone(gift.Groups), BotID: gift.ProjectID, BotName: u.BotNames[gift.ProjectID]})
		}
		for _, id := range u.AdminRoles {
			shown.AdminRoles = append(shown.AdminRoles, roleOfUser{RoleID: id, RoleName: u.RoleNames[id]})
		}
		out.Body.Users = append(out.Body.Users, shown)
	}
	return out, nil
}
