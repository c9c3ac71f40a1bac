package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/domain/staff"
	accessmodels "github.com/parley-platform/parley/projections/access"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given tenants with projects, clients, scopes and keys, then each is found in its tenant, and in no other.
func TestAnswersAboutAccess(t *testing.T) {
	w := given.Open(t)
	w.Given(accessmodels.AccessModel, "x", given.Filled[access.TenantDefined](), given.Filled[access.ProjectDefined](),
		given.Filled[access.ClientDefined]())
	w.Given(accessmodels.AccessModel, "y", given.Filled[access.ScopeDefined](), given.Filled[access.KeyCreated]())
	a, ctx := accessmodels.NewAccess(w.DB), t.Context()
	for _, c := range []struct {
		tenant string
		there  bool
	}{{"tenantId", true}, {"other", false}} {
		name, org, ok, err := a.Tenant(ctx, c.tenant)
		require.NoError(t, err)
		require.Equal(t, c.there, ok && name == "name" && org == "orgId")

		for _, called := range []string{"projectId", "aliases"} {
			p, ok, err := a.Project(ctx, c.tenant, called)
			require.NoError(t, err)
			require.Equal(t, c.there, ok)
			require.Equal(t, c.there, p == accessmodels.ProjectInfo{ID: "projectId", Name: "name", Slug: "slug", Language: "language",
				WebhookSecret: "webhookSecret"})
		}
		client, ok, err := a.Client(ctx, c.tenant, "clientId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, access.Client{ID: "clientId", Origin: "origin", Alg: "alg", Secret: "secret", JWKS: "jwks", JWKSURL: "jwksUrl",
				Audience: "audience", Scopes: []string{"scopes"}, Permissions: []string{"permissions"}}, client)
		}
		want := accessmodels.ScopeInfo{ID: "scopeId", ProjectID: "projectId", Name: "scopeName", Description: "description", CreatedAt: second(7),
			Permissions: map[access.KeyPermission]string{"permissions": "permissions"}}
		s, ok, err := a.Scope(ctx, c.tenant, "scopeId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, want, s)
		}
		s, ok, err = a.ScopeNamed(ctx, c.tenant, "projectId", "scopeName")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		if ok {
			require.Equal(t, want, s)
		}
		scope, project, ok, err := a.KeyScope(ctx, c.tenant, "keyId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok && scope == "scopeId" && project == "projectId")
	}
	k, ok, err := a.APIKey(ctx, "hash")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, accessmodels.KeyHolder{TenantID: "tenantId", ProjectID: "projectId", ScopeID: "scopeId", KeyID: "keyId", Kind: "kind",
		AllowedOrigins: []string{"allowedOrigins"}, Permissions: map[access.KeyPermission]string{"permissions": "permissions"}}, k)
	for _, ask := range []func() (bool, error){
		func() (bool, error) { _, ok, err := a.APIKey(ctx, "another"); return ok, err },
		func() (bool, error) { _, ok, err := a.Client(ctx, "tenantId", "another"); return ok, err },
		func() (bool, error) { _, ok, err := a.Project(ctx, "tenantId", "another"); return ok, err },
		func() (bool, error) {
			_, ok, err := a.ScopeNamed(ctx, "tenantId", "another", "scopeName")
			return ok, err
		},
		func() (bool, error) { s, err := a.ScopeOfRequest(ctx, "tenantId", "nothing"); return s != "", err },
	} {
		there, err := ask()
		require.NoError(t, err)
		require.False(t, there, "absence is an answer")
	}
}

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
	w.Given(accessmodels.AccessModel, "x", given.Filled[access.ProjectDefined]())
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
	require.Equal(t, map[string]string{"r-1": "B", "r-3": "C"}, users[1].RoleNames)
	require.Equal(t, map[string]string{"projectId": "name"}, users[1].BotNames)
	require.Empty(t, users[0].RoleNames)
	require.Equal(t, []string{"r-1"}, users[1].AdminRoles)
	require.Equal(t, "orgUserId", users[1].OrgUserID)
	require.True(t, users[1].IsDeveloper && users[1].CanCreateBot)
}

// Given what a project has defined, then it is found there, and in no other place.
func TestAnswersAboutWhatAProjectHas(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(runtime.DocksModel, "x", given.Filled[deployables.ToolDefined]())
	w.Given(runtime.DocksModel, "jobId", given.Filled(func(e *deployables.JobRequested) { e.Kind, e.ID = deployables.Tool, "toolId" }),
		given.Filled[deployables.JobFailed]())
	w.Given(reporting.DashboardsModel, "x", given.Filled[dashboards.DashboardDefined]())
	w.Given(reporting.SearchIndexesModel, "x", given.Filled[searchindexes.IndexDefined](), given.Filled[searchindexes.IndexDefined]())
	w.Given(campaignmodels.ContactListsModel, "x", given.Filled[contactlists.ListDefined](), given.Filled[contactlists.ContactsPut]())
	for _, c := range []struct {
		tenant, project string
		there           bool
	}{{"tenantId", "projectId", true}, {"other", "projectId", false}, {"tenantId", "other", false}} {
		dock := runtime.NewDocks(w.DB)
		ok, err := dock.Defined(ctx, c.tenant, c.project, deployables.Tool, "toolId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		ok, err = dock.Defined(ctx, c.tenant, c.project, deployables.Workflow, "toolId")
		require.NoError(t, err)
		require.False(t, ok)
		j, ok, err := dock.Job(ctx, c.tenant, c.project, deployables.Tool, "toolId", "jobId")
		require.NoError(t, err)
		require.Equal(t, c.there, ok && j == runtime.DeploymentJob{ID: "jobId", Target: "toolId", Status: deployables.Failed, Reason: "reason"})
		_, ok, err = dock.Job(ctx, c.tenant, c.project, deployables.Tool, "another", "jobId")
		require.NoError(t, err)
		require.False(t, ok)

		widget, ok, err := reporting.NewDashboards(w.DB).Widget(ctx, c.tenant, c.project, "name", "name")
		require.NoError(t, err)
		require.Equal(t, c.there, ok)
		require.Equal(t, c.there, widget.ID == "id" && widget.DataSet == "dataSet")
		_, ok, err = reporting.NewDashboards(w.DB).Widget(ctx, c.tenant, c.project, "name", "another")
		require.NoError(t, err)
		require.False(t, ok)

		index, err := reporting.NewSearchIndexes(w.DB).Of(ctx, c.tenant, c.project)
		require.NoError(t, err)
		require.Equal(t, c.there, index == reporting.SearchIndex{ID: "indexId", Version: 2})

		counts, err := campaignmodels.NewContactLists(w.DB).Counts(ctx, c.tenant, c.project, []string{"name", "another"})
		require.NoError(t, err)
		require.Equal(t, c.there, counts["name"] == 6)
		require.NotContains(t, counts, "another")
	}
}
