package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/staff"
	accessmodels "github.com/parley-platform/parley/projections/access"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given roles and users, then lists are of one tenant and by name, and users show what their roles are called.
func TestAnswersAboutStaff(t *testing.T) {
	w := given.Open(t)
	role := func(id, name, kind string) staff.RoleDefined {
		return given.Filled(func(e *staff.RoleDefined) { e.ID, e.Name, e.Type = id, name, staff.RoleType(kind) })
	}
	w.Given(accessmodels.StaffModel, "tenantId", role("r-1", "B", "admin"), role("r-2", "A", "admin"), role("r-3", "C", "bot"),
		given.Filled(func(e *staff.UserDefined) {
			e.Username, e.AdminRoles, e.BotRoles[0].RoleID, e.BotRoles[0].ProjectID = "z", []string{"r-1"}, "r-3", "projectId"
		}),
		given.Filled(func(e *staff.UserDefined) { e.ID, e.Username, e.AdminRoles, e.BotRoles = "u-2", "a", []string{}, nil }))
	w.Given(accessmodels.StaffModel, "other", given.Filled(func(e *staff.UserDefined) { e.TenantID = "other" }))
	w.Given(accessmodels.Model, "x", given.Filled[access.ProjectDefined]())
	x := accessmodels.NewStaff(w.DB)

	roles, total, err := x.Roles(t.Context(), "tenantId", "admin", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"r-2", "r-1"}, []string{roles[0].ID, roles[1].ID})
	require.Equal(t, given.Filled(func(e *staff.RoleDefined) { e.ID, e.Name, e.Type = "r-2", "A", "admin" }).Role, roles[0])
	roles, total, err = x.Roles(t.Context(), "tenantId", "admin", 1, 1)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, "r-1", roles[0].ID)
	require.Len(t, roles, 1)

	users, total, err := x.Users(t.Context(), "tenantId", 10, 0)
	require.NoError(t, err)
	require.Equal(t, 2, total)
	require.Equal(t, []string{"u-2", "userId"}, []string{users[0].ID, users[1].ID})
	require.Equal(t, "ID=userId Username=z OrgUserID=orgUserId IsDeveloper=true CanCreateBot=true "+
		`BotRoles=[{"roleId":"r-3","botId":"projectId","groups":["groups"]}] AdminRoles=["r-1"] `+
		`RoleNames={"r-1":"B","r-3":"C"} BotNames={"projectId":"name"}`, given.Shown(users[1]))
	require.Empty(t, users[0].RoleNames)
}
