//go:build !apache

package node_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const rolesPath, usersPath = "/api/public/roles", "/api/public/alluserroles"

// staffTenant has two admin roles, one bot role, and two users.
func staffTenant(t *testing.T) *tenant {
	t.Helper()
	w := shared(t).tenant(t, "")
	w.apply(t, "Role", "role-owner", "Owner", map[string]any{"roleType": "admin", "rDesc": "May do everything", "permissions": map[string]any{
		"BILLING": "YES", "USERS": "YES"}})
	w.apply(t, "Role", "role-auditor", "Auditor", map[string]any{"roleType": "admin"})
	w.apply(t, "Role", "role-author", "Author", map[string]any{"roleType": "bot", "rDesc": "Writes", "permissions": map[string]any{
		"DIALOGS": []string{"FULL"}, "TESTS": "YES"}})
	w.apply(t, "User", "u-ada", "ada@example.com", map[string]any{"orgUserId": "o-ada", "isDeveloper": true, "canCreateBot": true,
		"btRoles":    []any{map[string]any{"roleId": "role-author", "botId": mainAlias, "groups": []string{"Night"}}},
		"adminRoles": []string{"role-owner"}})
	w.apply(t, "User", "u-bob", "bob@example.com", nil)
	return w
}

func (w *tenant) list(t *testing.T, path string) (page map[string]any) {
	t.Helper()
	w.on.do(t, "GET", path, nil, "auth", w.token(t)).must(t, 200).into(t, &page)
	return page
}

func TestAdminRolesOfAnAccount(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	require.Equal(t, map[string]any{"total": 2.0, "availableMore": false, "roles": []any{
		map[string]any{"roleType": "admin", "role": "Auditor", "rDesc": "", "permissions": map[string]any{}},
		map[string]any{"roleType": "admin", "role": "Owner", "rDesc": "May do everything", "permissions": map[string]any{"BILLING": "YES",
			"USERS": "YES"}},
	}}, w.list(t, rolesPath+"?roleType=admin"))
}

func TestBotRolesOfAnAccount(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	require.Equal(t, map[string]any{"total": 1.0, "availableMore": false, "roles": []any{
		map[string]any{"_id": "role-author", "roleType": "bot", "role": "Author", "rDesc": "Writes", "permissions": map[string]any{
			"DIALOGS": []any{"FULL"}, "TESTS": []any{"YES"}}},
	}}, w.list(t, rolesPath+"?roleType=bot"))
}

func TestAllUsersWithTheirRoles(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	require.Equal(t, map[string]any{"total": 2.0, "availableMore": false, "users": []any{
		map[string]any{"username": "ada@example.com", "orgUserId": "o-ada", "accountId": w.id, "isDeveloper": true, "canCreateBot": true,
			"userId": "u-ada",
			"btRoles": []any{map[string]any{"roleId": "role-author", "roleName": "Author", "groups": []any{"Night"}, "botId": mainApp,
				"botName": "The bot"}},
			"adminRoles": []any{map[string]any{"roleId": "role-owner", "roleName": "Owner"}}},
		map[string]any{"username": "bob@example.com", "orgUserId": "", "accountId": w.id, "isDeveloper": false, "canCreateBot": false,
			"userId":  "u-bob",
			"btRoles": []any{}, "adminRoles": []any{}},
	}}, w.list(t, usersPath))
	require.Empty(t, shared(t).tenant(t, "").list(t, usersPath)["users"], "another account has none of them")
}

func TestListsOfStaffArePaged(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	for i := range 51 {
		w.apply(t, "Role", fmt.Sprintf("role-%02d", i), fmt.Sprintf("Role %02d", i), map[string]any{"roleType": "bot"})
	}
	page := w.list(t, rolesPath+"?roleType=bot")
	require.Len(t, page["roles"], 50, "unless the caller says less")
	require.Equal(t, 52.0, page["total"])
	require.Equal(t, true, page["availableMore"])
	require.Equal(t, false, w.list(t, rolesPath+"?roleType=bot&limit=50&offset=2")["availableMore"])
	for i := range 59 {
		w.apply(t, "User", fmt.Sprintf("u-%02d", i), fmt.Sprintf("user%02d@example.com", i), nil)
	}
	for _, query := range []string{"", "?limit=61", "?limit=1000", "?limit=60&offset=1"} {
		page = w.list(t, usersPath+query)
		require.Len(t, page["users"], map[bool]int{true: 60, false: 61}[query == "?limit=60&offset=1"],
			"only the roles' limit is bounded by 50 %s", query)
		require.Equal(t, 61.0, page["total"])
		require.Equal(t, false, page["availableMore"])
	}
	page = w.list(t, usersPath+"?limit=1")
	require.Len(t, page["users"], 1)
	require.Equal(t, true, page["availableMore"])
}

func TestScopeOfRolesAndUsers(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	token := w.token(t, func(g *tokens.Grant) {
		g.Scopes, g.Permissions = []access.ClientScope{"Profile Management > Role Management"}, nil
	})
	for _, path := range []string{rolesPath + "?roleType=bot", usersPath} {
		w.on.do(t, "GET", path, nil, "auth", token).must(t, 200)
	}
}

func TestStaffIsRefused(t *testing.T) {
	t.Parallel()
	w := staffTenant(t)
	w.apply(t, "Client", "builder", "Builder", map[string]any{"origin": "app", "alg": "HS256", "secret": tokenSecret,
		"scopes": access.ClientScopes()})
	without := w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeRouting} })
	builder := w.token(t, func(g *tokens.Grant) { g.ClientID = "builder" })
	for name, c := range map[string]struct {
		path   string
		header []string
		status int
		code   fault.Code
	}{
		"nobody":                    {usersPath, nil, 401, fault.Unauthorized},
		"an API key":                {usersPath, []string{"x-api-key", w.key(t, mainScope)}, 401, fault.Unauthorized},
		"without the scope":         {usersPath, []string{"auth", without}, 403, fault.Forbidden},
		"made in App Builder":       {rolesPath + "?roleType=bot", []string{"auth", builder}, 403, fault.Forbidden},
		"no roleType":               {rolesPath, []string{"auth", w.token(t)}, 400, fault.Validation},
		"unknown roleType":          {rolesPath + "?roleType=root", []string{"auth", w.token(t)}, 400, fault.Validation},
		"limit past 50":             {rolesPath + "?roleType=bot&limit=51", []string{"auth", w.token(t)}, 400, fault.Validation},
		"limit of users past 1,000": {usersPath + "?limit=1001", []string{"auth", w.token(t)}, 400, fault.Validation},
		"limit that is none":        {usersPath + "?limit=0", []string{"auth", w.token(t)}, 400, fault.Validation},
	} {
		got := w.on.do(t, "GET", c.path, nil, c.header...)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Text)
		require.Contains(t, got.Text, string(c.code), name)
	}
}
