package access_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/access"
	accessmodels "github.com/parley-platform/parley/projections/access"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of tenants, projects, clients, scopes and keys, then these are the rows after each.
func TestRowsOfAccess(t *testing.T) {
	model := given.Open(t).Follow(accessmodels.Model)
	model.After("x", given.Filled[access.TenantDefined](),
		"+ tenants tenant=tenantId name=name org_id=orgId",
	)
	model.After("x", given.Filled[access.ProjectDefined](),
		"+ project_names tenant=tenantId name=aliases project_id=projectId",
		"+ project_names tenant=tenantId name=projectId project_id=projectId",
		"+ projects tenant=tenantId project_id=projectId name=name slug=slug webhook_secret=webhookSecret language=language",
	)
	model.After("x", given.Filled(func(e *access.ProjectDefined) { e.Aliases = []string{"other"} }),
		"+ project_names tenant=tenantId name=other project_id=projectId",
		"- project_names tenant=tenantId name=aliases",
	)
	model.After("x", given.Filled[access.ProjectRemoved](),
		"- project_names tenant=tenantId name=other",
		"- project_names tenant=tenantId name=projectId",
		"- projects tenant=tenantId project_id=projectId",
	)
	model.After("x", given.Filled(func(e *access.ClientDefined) { e.Permissions = nil }),
		"+ clients tenant=tenantId client_id=clientId origin=origin alg=alg secret=secret jwks=jwks jwks_url=jwksUrl "+
			`scopes=["scopes"] permissions=[] audience=audience`,
	)
	model.After("x", given.Filled[access.ClientRemoved](),
		"- clients tenant=tenantId client_id=clientId",
	)
	model.After("x", given.Filled[access.ScopeDefined](),
		"+ scopes tenant=tenantId scope_id=scopeId project_id=projectId name=scopeName description=description "+
			`created_at=12:00:07 permissions={"permissions":"permissions"}`,
	)
	model.After("x", given.Filled(func(e *access.PermissionsChanged) { e.Permissions["more"] = "full" }),
		`~ scopes tenant=tenantId scope_id=scopeId: permissions={"more":"full","permissions":"permissions"}`,
	)
	model.After("x", given.Filled[access.KeyCreated](),
		"+ api_keys tenant=tenantId key_id=keyId project_id=projectId scope_id=scopeId name=name kind=kind hash=hash "+
			`allowed_origins=["allowedOrigins"] created_at=12:00:13`,
	)
	model.After("x", given.Filled[access.KeyRevoked](),
		"- api_keys tenant=tenantId key_id=keyId",
	)
	model.After("x", given.Filled[access.KeyCreated](),
		"+ api_keys tenant=tenantId key_id=keyId project_id=projectId scope_id=scopeId name=name kind=kind hash=hash "+
			`allowed_origins=["allowedOrigins"] created_at=12:00:13`,
	)
	model.After("x", given.Filled[access.ScopeRemoved](),
		"- api_keys tenant=tenantId key_id=keyId",
		"- scopes tenant=tenantId scope_id=scopeId",
	)
}
