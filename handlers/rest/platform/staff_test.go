package platform_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// employed is the roles and users of an account.
type employed struct {
	roles []staff.Role
	users []accessmodels.UserRoles
	total int
	asked []string
	down  error
}

func (e *employed) Roles(_ context.Context, tenant string, of staff.RoleType, limit, offset int) ([]staff.Role, int, error) {
	e.asked = append(e.asked, fmt.Sprint(tenant, " ", of, " ", limit, " ", offset))
	return e.roles, e.total, e.down
}

func (e *employed) Users(_ context.Context, tenant string, limit, offset int) ([]accessmodels.UserRoles, int, error) {
	e.asked = append(e.asked, fmt.Sprint(tenant, " ", limit, " ", offset))
	return e.users, e.total, e.down
}

// newStaff has the token of a client that was made in the Admin Console.
func newStaff(t *testing.T) (*resttest.Stored, *employed) {
	t.Helper()
	w, e := resttest.NewStored(t, []access.ClientScope{access.ScopeRoleManagement}), &employed{}
	from(w, access.OriginAdmin)
	platform.DeclareStaff(w.Api, platform.StaffAPI{Staff: e})
	return w, e
}

func from(w *resttest.Stored, origin access.Origin) {
	c := w.Clients["acme/crm"]
	c.Origin = origin
	w.Clients["acme/crm"] = c
}

func TestRolesAreListed(t *testing.T) {
	w, e := newStaff(t)
	e.total = 3
	e.roles = []staff.Role{
		{ID: "r-1", Type: staff.AdminRole, Name: "Owner", Description: "All", Permissions: map[string][]string{"Billing": {"FULL", "YES"}}},
		{ID: "r-2", Type: staff.BotRole, Name: "Builder", Permissions: map[string][]string{"Flows": {"FULL", "YES"}}}}
	require.JSONEq(t, `{"total":3,"availableMore":true,"roles":[
		{"roleType":"admin","role":"Owner","rDesc":"All","permissions":{"Billing":"YES"}},
		{"_id":"r-2","roleType":"bot","role":"Builder","rDesc":"","permissions":{"Flows":["FULL","YES"]}}]}`,
		w.Ask("GET", "/api/public/roles?roleType=admin", "").Text)
	require.Contains(t, w.Ask("GET", "/api/public/roles?roleType=bot&limit=2&offset=1", "").Text, `"availableMore":false`)
	e.roles = nil
	require.Contains(t, w.Ask("GET", "/api/public/roles?roleType=bot&offset=3", "").Text, `"availableMore":false,"roles":[]`)
	require.Equal(t, []string{"acme admin 50 0", "acme bot 2 1", "acme bot 50 3"}, e.asked)
}

func TestUsersAreListed(t *testing.T) {
	w, e := newStaff(t)
	e.total = 2
	e.users = []accessmodels.UserRoles{{User: staff.User{ID: "u-1", Username: "ada", OrgUserID: "o-1", IsDeveloper: true, CanCreateBot: true,
		BotRoles:   []staff.BotGift{{RoleID: "r-2", ProjectID: "p-1", Groups: []string{"g-1"}}, {RoleID: "r-2", ProjectID: "p-9"}},
		AdminRoles: []string{"r-1"}}, RoleNames: map[string]string{"r-1": "Owner", "r-2": "Builder"}, BotNames: map[string]string{"p-1": "Shop"}}}
	require.JSONEq(t, `{"total":2,"availableMore":true,"users":[{"username":"ada","orgUserId":"o-1","accountId":"acme","isDeveloper":true,
		"canCreateBot":true,"userId":"u-1","btRoles":[{"roleId":"r-2","roleName":"Builder","groups":["g-1"],"botId":"p-1","botName":"Shop"},
		{"roleId":"r-2","roleName":"Builder","groups":[],"botId":"p-9","botName":""}],"adminRoles":[{"roleId":"r-1","roleName":"Owner"}]}]}`,
		w.Ask("GET", "/api/public/alluserroles", "").Text)
	e.users[0] = accessmodels.UserRoles{User: staff.User{ID: "u-2"}}
	got := w.Ask("GET", "/api/public/alluserroles?limit=1&offset=1", "").Text
	require.Contains(t, got, `"availableMore":false`)
	require.Contains(t, got, `"btRoles":[],"adminRoles":[]`)
	require.Equal(t, []string{"acme 1000 0", "acme 1 1"}, e.asked)
}

func TestWhoMaySeeTheStaff(t *testing.T) {
	w, e := newStaff(t)
	for query, fields := range map[string][]string{"roles": {"roleType"}, "roles?roleType=all": {"roleType"}, "roles?roleType=bot&limit=51": {
		"limit"},
		"roles?roleType=bot&limit=0": {"limit"}, "roles?roleType=bot&offset=-1": {"offset"}, "roles?roleType=bot&offset=1000001": {"offset"},
		"alluserroles?limit=1001": {"limit"}, "alluserroles?limit=0": {"limit"}, "alluserroles?offset=1000001": {"offset"},
		"alluserroles?offset=-1": {"offset"}} {
		w.Refused(w.Ask("GET", "/api/public/"+query, ""), 400, fields...)
	}
	require.Empty(t, e.asked)
	for _, path := range []string{"/api/public/roles?roleType=bot", "/api/public/alluserroles"} {
		e.down = errors.New("relation does not exist")
		w.Refused(w.Ask("GET", path, ""), 500)
		e.down = nil
		w.Refused(w.Call("GET", path, ""), 401)
		w.Refused(w.Call("GET", path, "", "x-api-key", resttest.FullKey), 401)
		from(w, access.OriginApp)
		w.Refused(w.Ask("GET", path, ""), 403)
		from(w, access.OriginAdmin)
	}
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeCampaigns})
	from(w, access.OriginAdmin)
	w.Refused(w.Ask("GET", "/api/public/alluserroles", ""), 403)
}
