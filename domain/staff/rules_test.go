package staff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/staff"
)

type decides interface {
	Decide(staff.State) ([]event.Payload, error)
}

// wrong names the fields that a refusal is about.
func wrong(t *testing.T, c decides, past ...event.Payload) (names []string) {
	t.Helper()
	_, err := c.Decide(staff.Staff.State(past...))
	return faulttest.Fields(t, err)
}

// Given what is defined already, when it is defined again with a change, then the event says all that it now is.
func TestAChangeSaysAllThatItNowIs(t *testing.T) {
	changedAda := ada
	changedAda.IsDeveloper, changedAda.CanCreateBot, changedAda.OrgUserID = false, true, ""
	described := author
	described.Description = "Writes"
	for name, c := range map[string]struct {
		when decides
		then event.Payload
	}{
		"a user": {defineAda(func(c *staff.DefineUser) { c.IsDeveloper, c.CanCreateBot, c.OrgUserID = false, true, "" }), changedAda},
		"a role": {defineAuthor(func(c *staff.DefineRole) { c.Description = " Writes " }), described},
		"a user without roles": {staff.DefineUser{TenantID: "acct", ID: "u-bo", Username: "bo"},
			staff.UserDefined{TenantID: "acct", User: staff.User{ID: "u-bo", Username: "bo", BotRoles: []staff.BotGift{}, AdminRoles: []string{}}}},
		"gone": {staff.RemoveUser{TenantID: "acct", ID: "u-ada"}, staff.UserRemoved{TenantID: "acct", UserID: "u-ada"}},
	} {
		got, err := c.when.Decide(staff.Staff.State(owner, author, ada))
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{c.then}, got, name)
	}
	got, err := staff.RemoveRole{TenantID: "acct", ID: "role-owner"}.Decide(staff.Staff.State(owner))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{staff.RoleRemoved{TenantID: "acct", RoleID: "role-owner"}}, got)
}

// Given names that others have, when a role or a user takes one, then it is refused, unless it is another kind of name.
func TestNamesThatOthersHave(t *testing.T) {
	second := author
	second.ID, second.Name = "role-second", "Second"
	past := []event.Payload{owner, author, second, ada}
	_, err := defineAuthor(func(c *staff.DefineRole) { c.ID = "role-third" }).Decide(staff.Staff.State(past...))
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "role-author")
	_, err = defineAuthor(func(c *staff.DefineRole) { c.Name = "Second" }).Decide(staff.Staff.State(past...))
	require.ErrorContains(t, err, "role-second")
	_, err = defineAuthor(func(c *staff.DefineRole) { c.Name = "Renamed" }).Decide(staff.Staff.State(past...))
	require.NoError(t, err)
	require.Equal(t, []string{"spec.roleType"}, wrong(t, defineAuthor(func(c *staff.DefineRole) {
		c.Type, c.Permissions = "admin", map[string][]string{"BILLING": {"YES"}}
	}), past...))
	_, err = defineAda(func(c *staff.DefineUser) { c.ID, c.Username = "u-2", "ADA@example.com" }).Decide(staff.Staff.State(past...))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = defineAda(func(c *staff.DefineUser) { c.ID, c.Username = "u-2", "bo@example.com" }).Decide(staff.Staff.State(past...))
	require.NoError(t, err)
}

// Given a user or a role with as much as it may have, then it is taken, and with one more it is refused.
func TestLimitsOfStaff(t *testing.T) {
	past := []event.Payload{owner, author}
	gifts := func(n int) (all []staff.BotGift) {
		for i := range n {
			all = append(all, staff.BotGift{RoleID: "role-author", ProjectID: fmt.Sprintf("p-%d", i)})
		}
		return all
	}
	for field, c := range map[string]struct {
		most int
		with func(int) decides
	}{
		"spec.btRoles": {staff.MaxRolesOfUser, func(n int) decides { // the role for administration counts
			return defineAda(func(c *staff.DefineUser) { c.BotRoles = gifts(n - 1) })
		}},
		"spec.btRoles[0].groups": {staff.MaxGroups, func(n int) decides {
			return defineAda(func(c *staff.DefineUser) { c.BotRoles[0].Groups = strings.Fields(strings.Repeat("g ", n)) })
		}},
		"spec.rDesc": {access.MaxDescriptionLength, func(n int) decides {
			return defineAuthor(func(c *staff.DefineRole) { c.Description = " " + strings.Repeat("ü", n) })
		}},
	} {
		_, err := c.with(c.most).Decide(staff.Staff.State(past...))
		require.NoError(t, err, field)
		require.Equal(t, []string{field}, wrong(t, c.with(c.most+1), past...))
	}
	require.Equal(t, []string{"spec.rDesc"}, wrong(t, defineAuthor(func(c *staff.DefineRole) { c.Description = "\xff" })))
	require.Equal(t, []string{"spec.btRoles[1]"}, wrong(t, defineAda(func(c *staff.DefineUser) {
		c.BotRoles = append(c.BotRoles,
			c.BotRoles[0])
	}), past...))
	_, err := defineAda(func(c *staff.DefineUser) { c.BotRoles = gifts(2) }).Decide(staff.Staff.State(past...))
	require.NoError(t, err, "the same role for two bots")
}
