package staff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/staff"
)

var (
	owner = staff.RoleDefined{TenantID: "acct", Role: staff.Role{ID: "role-owner", Type: staff.AdminRole, Name: "Owner",
		Description: "May do everything", Permissions: map[string][]string{"BILLING": {"YES"}}}}
	author = staff.RoleDefined{TenantID: "acct", Role: staff.Role{ID: "role-author", Type: staff.BotRole, Name: "Author",
		Permissions: map[string][]string{"DIALOGS": {"FULL", "YES"}}}}
	ada = staff.UserDefined{TenantID: "acct", User: staff.User{ID: "u-ada", Username: "ada@example.com", OrgUserID: "o-1", IsDeveloper: true,
		BotRoles:   []staff.BotGift{{RoleID: "role-author", ProjectID: "shop", Groups: []string{"Night shift"}}},
		AdminRoles: []string{"role-owner"}}}
)

func defineAuthor(edit func(*staff.DefineRole)) staff.DefineRole {
	c := staff.DefineRole{TenantID: "acct", ID: "role-author", Name: " Author ", Type: "bot", Permissions: map[string][]string{
		"DIALOGS": {"YES", "FULL", "YES"}}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func defineAda(edit func(*staff.DefineUser)) staff.DefineUser {
	c := staff.DefineUser{TenantID: "acct", ID: "u-ada", Username: " ada@example.com ", OrgUserID: "o-1", IsDeveloper: true,
		BotRoles:   []staff.BotGift{{RoleID: "role-author", ProjectID: "shop", Groups: []string{" Night shift "}}},
		AdminRoles: []string{"role-owner"}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, staff.Staff.Category, "testdata/events", author, ada,
		staff.RoleRemoved{TenantID: "acct", RoleID: "role-author"}, staff.UserRemoved{TenantID: "acct", UserID: "u-ada"})
}

func TestADefinitionIsTheSameHoweverItIsWritten(t *testing.T) {
	got, err := defineAuthor(nil).Decide(staff.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{author}, got)
	got, err = defineAuthor(nil).Decide(staff.Staff.State(author))
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = defineAda(nil).Decide(staff.Staff.State(owner, author))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{ada}, got)
	got, err = defineAda(nil).Decide(staff.Staff.State(owner, author, ada))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestNamesAreUnique(t *testing.T) {
	given := staff.Staff.State(owner, author, ada)
	_, err := defineAuthor(func(c *staff.DefineRole) { c.ID = "role-2" }).Decide(given)
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = defineAuthor(func(c *staff.DefineRole) {
		c.ID, c.Type, c.Permissions = "role-2", "admin", map[string][]string{"A": {"YES"}}
	}).Decide(given)
	require.NoError(t, err, "of another type")
	_, err = defineAda(func(c *staff.DefineUser) { c.ID, c.Username = "u-2", "ADA@example.com" }).Decide(given)
	require.True(t, fault.Is(err, fault.Conflict), "case does not make another name")
}

func TestWrongFieldsOfARole(t *testing.T) {
	many := func(n int) map[string][]string {
		all := map[string][]string{}
		for i := range n {
			all[fmt.Sprint("P", i)] = []string{"YES"}
		}
		return all
	}
	for field, edit := range map[string]func(*staff.DefineRole){
		"metadata.id":                  func(c *staff.DefineRole) { c.ID = "a b" },
		"metadata.name":                func(c *staff.DefineRole) { c.Name = strings.Repeat("x", 101) },
		"spec.roleType":                func(c *staff.DefineRole) { c.Type, c.Permissions = "root", nil },
		"spec.rDesc":                   func(c *staff.DefineRole) { c.Description = strings.Repeat("x", access.MaxDescriptionLength+1) },
		"spec.permissions":             func(c *staff.DefineRole) { c.Permissions = many(staff.MaxPermissions + 1) },
		"spec.permissions.DIALOGS":     func(c *staff.DefineRole) { c.Permissions = map[string][]string{"DIALOGS": {"NO"}} },
		"spec.permissions.EMPTY":       func(c *staff.DefineRole) { c.Permissions = map[string][]string{"EMPTY": nil} },
		"spec.permissions.a\x00b":      func(c *staff.DefineRole) { c.Permissions = map[string][]string{"a\x00b": {"YES"}} },
		"spec.permissions.ADMIN":       func(c *staff.DefineRole) { c.Type, c.Permissions = "admin", map[string][]string{"ADMIN": {"FULL"}} },
		"spec.permissions." + " space": func(c *staff.DefineRole) { c.Permissions = map[string][]string{" space": {"YES"}} },
	} {
		_, err := defineAuthor(edit).Decide(staff.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err), field)
	}
	_, err := defineAuthor(func(c *staff.DefineRole) { c.Permissions = many(staff.MaxPermissions) }).Decide(staff.State{})
	require.NoError(t, err)
	_, err = defineAuthor(func(c *staff.DefineRole) { c.Type, c.Permissions = "admin", nil }).Decide(staff.Staff.State(author))
	require.Equal(t, []string{"spec.roleType"}, faulttest.Fields(t, err), "the type stays")
}

func TestWrongFieldsOfAUser(t *testing.T) {
	given := staff.Staff.State(owner, author)
	for field, edit := range map[string]func(*staff.DefineUser){
		"metadata.id":            func(c *staff.DefineUser) { c.ID = "" },
		"metadata.name":          func(c *staff.DefineUser) { c.Username = " " },
		"spec.orgUserId":         func(c *staff.DefineUser) { c.OrgUserID = "a b" },
		"spec.btRoles[0].roleId": func(c *staff.DefineUser) { c.BotRoles[0].RoleID = "role-owner" },
		"spec.btRoles[1]":        func(c *staff.DefineUser) { c.BotRoles = append(c.BotRoles, c.BotRoles[0]) },
		"spec.btRoles[0].groups": func(c *staff.DefineUser) {
			c.BotRoles[0].Groups = strings.Split(strings.Repeat("g", staff.MaxGroups+1), "")
		},
		"spec.btRoles[0].groups[0]": func(c *staff.DefineUser) { c.BotRoles[0].Groups = []string{""} },
		"spec.adminRoles[0]":        func(c *staff.DefineUser) { c.AdminRoles = []string{"role-none"} },
		"spec.adminRoles[1]":        func(c *staff.DefineUser) { c.AdminRoles = append(c.AdminRoles, "role-owner") },
	} {
		_, err := defineAda(edit).Decide(given)
		require.Equal(t, []string{field}, faulttest.Fields(t, err), field)
	}
}

func TestARoleThatSomebodyHasStays(t *testing.T) {
	given := []event.Payload{owner, author, ada}
	for _, id := range []string{"role-owner", "role-author"} {
		_, err := staff.RemoveRole{TenantID: "acct", ID: id}.Decide(staff.Staff.State(given...))
		require.True(t, fault.Is(err, fault.Conflict), id)
	}
	gone, err := staff.RemoveUser{TenantID: "acct", ID: "u-ada"}.Decide(staff.Staff.State(given...))
	require.NoError(t, err)
	given = append(given, gone...)
	again, err := staff.RemoveUser{TenantID: "acct", ID: "u-ada"}.Decide(staff.Staff.State(given...))
	require.NoError(t, err)
	require.Empty(t, again)
	got, err := staff.RemoveRole{TenantID: "acct", ID: "role-owner"}.Decide(staff.Staff.State(given...))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{staff.RoleRemoved{TenantID: "acct", RoleID: "role-owner"}}, got)
	again, err = staff.RemoveRole{TenantID: "acct", ID: "role-owner"}.Decide(staff.Staff.State(append(given, got...)...))
	require.NoError(t, err)
	require.Empty(t, again)
}
