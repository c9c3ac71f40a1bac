package access_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// permit is the whole permission map with YES for the given names.
func permit(yes ...access.KeyPermission) map[access.KeyPermission]string {
	out := map[access.KeyPermission]string{}
	for _, p := range access.KeyPermissions() {
		out[p] = access.No
	}
	for _, p := range yes {
		out[p] = access.Yes
	}
	return out
}

var (
	ops = access.ScopeDefined{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops", Description: "day and night",
		CreatedAt: noon, Permissions: permit(access.RunAPI), Declared: permit(access.RunAPI)}
	withScope = []event.Payload{ops}
)

func defineOps(edit func(*access.DefineScope)) access.DefineScope {
	c := access.DefineScope{TenantID: "acct", ProjectID: "shop", ID: "as-1", Name: "Ops", Description: " day and night ",
		Permissions: map[string]string{"RUN_API": "YES", "APP_FULL": "NO"}, At: noon.In(time.FixedZone("", 3600))}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAScopeIsDefinedOnce(t *testing.T) {
	got, err := decide(access.Scopes, nil, defineOps(nil))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{ops}, got, "every permission name is there, a missing one is NO")

	for name, edit := range map[string]func(*access.DefineScope){
		"the same":         nil,
		"at another time":  func(c *access.DefineScope) { c.At = noon.Add(time.Hour) },
		"NO for a missing": func(c *access.DefineScope) { c.Permissions["APP_VIEW"] = "NO" },
	} {
		got, err := decide(access.Scopes, withScope, defineOps(edit))
		require.NoError(t, err, name)
		require.Empty(t, got, name)
	}
}

func TestAChangedScopeKeepsItsAgeAndWhatItsDefinitionDidNotTouch(t *testing.T) {
	// given a definition, and a permission changed by other means since
	changed, err := decide(access.Scopes, withScope, access.ChangePermissions{Permissions: map[string]string{"APP_VIEW": "YES",
		"RUN_API": "NO"}, At: noon})
	require.NoError(t, err)
	history := after(withScope, changed...)
	// when the same definition comes again, then nothing is undone
	got, err := decide(access.Scopes, history, defineOps(nil))
	require.NoError(t, err)
	require.Empty(t, got)
	// when another one comes, then its differences are applied
	got, err = decide(access.Scopes, history, defineOps(func(c *access.DefineScope) {
		c.Name, c.At = "Ops 2", noon.Add(time.Hour)
		c.Permissions["SESSIONS_LIST"] = "YES"
	}))
	require.NoError(t, err)
	want := ops
	want.ScopeName = "Ops 2"
	want.Permissions = permit(access.AppView, access.SessionsList)
	want.Declared = permit(access.RunAPI, access.SessionsList)
	require.Equal(t, []event.Payload{want}, got)
}

func TestAScopeStaysWhereItIs(t *testing.T) {
	for _, edit := range []func(*access.DefineScope){
		func(c *access.DefineScope) { c.ProjectID = "bank" },
		func(c *access.DefineScope) { c.TenantID = "other" },
	} {
		_, err := decide(access.Scopes, withScope, defineOps(edit))
		refused(t, err, fault.Conflict)
	}
}

func TestWrongFieldsOfAScope(t *testing.T) {
	for field, edit := range map[string]func(*access.DefineScope){
		"metadata.id":               func(c *access.DefineScope) { c.ID = "as-" },
		"metadata.name":             func(c *access.DefineScope) { c.Name = "a\nb" },
		"spec.projectId":            func(c *access.DefineScope) { c.ProjectID = "" },
		"spec.description":          func(c *access.DefineScope) { c.Description = long(1001) },
		"spec.permissions.RUN":      func(c *access.DefineScope) { c.Permissions["RUN"] = "YES" },
		"spec.permissions.APP_VIEW": func(c *access.DefineScope) { c.Permissions["APP_VIEW"] = "yes" },
	} {
		_, err := decide(access.Scopes, nil, defineOps(edit))
		refused(t, err, fault.Validation, field)
	}
	_, err := decide(access.Scopes, withScope, defineOps(func(c *access.DefineScope) { c.ID = "as-2" }))
	refused(t, err, fault.Validation, "metadata.id")
	_, err = decide(access.Scopes, nil, defineOps(func(c *access.DefineScope) { c.Description = long(1000) }))
	require.NoError(t, err)
}

func TestPermissionsMerge(t *testing.T) {
	got, err := decide(access.Scopes, withScope, access.ChangePermissions{At: noon,
		Permissions: map[string]string{"RUN_API": "YES", "APP_EDIT": "YES"}})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.PermissionsChanged{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops",
		Permissions: permit(access.RunAPI, access.AppEdit), Changed: map[access.KeyPermission]string{"APP_EDIT": "YES"}, ChangedAt: noon}}, got)

	s := access.Scopes.State(after(withScope, got...)...)
	require.Equal(t, permit(access.RunAPI, access.AppEdit), s.Permissions)
	require.Len(t, s.Permissions, 14)
}

func TestPermissionsThatAreAlreadySoAreNoChange(t *testing.T) {
	for _, given := range []map[string]string{nil, {}, {"RUN_API": "YES"}, {"APP_VIEW": "NO", "RUN_API": "YES"}} {
		got, err := decide(access.Scopes, withScope, access.ChangePermissions{Permissions: given, At: noon})
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestWrongPermissionsChangeNothing(t *testing.T) {
	got, err := decide(access.Scopes, withScope, access.ChangePermissions{At: noon,
		Permissions: map[string]string{"RUN_API": "NO", "UNKNOWN": "YES", "APP_VIEW": "MAYBE", "APP_EDIT": ""}})
	refused(t, err, fault.Validation, "permissions.APP_EDIT", "permissions.APP_VIEW", "permissions.UNKNOWN")
	require.Empty(t, got)
	_, err = decide(access.Scopes, nil, access.ChangePermissions{})
	refused(t, err, fault.NotFound)
}

func TestARemovedScopeTakesItsKeysAlong(t *testing.T) {
	got, err := decide(access.Scopes, after(withScope, ciKey), access.RemoveScope{At: noon})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{access.ScopeRemoved{TenantID: "acct", ProjectID: "shop", ScopeID: "as-1", ScopeName: "Ops",
		KeyIDs: []string{"ak-1"}, RemovedAt: noon}}, got)

	history := after(withScope, ciKey, got[0])
	got, err = decide(access.Scopes, history, access.RemoveScope{At: noon})
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = decide(access.Scopes, history, access.RevokeKey{KeyID: "ak-1"})
	refused(t, err, fault.NotFound)
	got, err = decide(access.Scopes, history, defineOps(nil))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{ops}, got, "it can be defined again")
}

func TestEventsDoNotShareMapsWithTheState(t *testing.T) {
	e := ops
	e.Permissions, e.Declared = maps.Clone(ops.Permissions), maps.Clone(ops.Declared)
	s := access.Scopes.State(e)
	e.Permissions[access.AppFull], e.Declared[access.AppFull] = access.Yes, access.Yes
	require.Equal(t, permit(access.RunAPI), s.Permissions)
	require.Equal(t, permit(access.RunAPI), s.Declared.Permissions)
}

func TestScopesOfTwoTenantsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, access.ScopeStream("a", "as-b-as-c"), access.ScopeStream("a-as-b", "as-c"))
	require.True(t, strings.HasPrefix(access.ScopeStream("acct", "as-1"), "scope-acct"))
	require.Equal(t, "tenant-acct", access.TenantStream("acct"))
}
