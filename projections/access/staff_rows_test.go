package access_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/staff"
	accessmodels "github.com/parley-platform/parley/projections/access"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of roles and users, then these are the rows after each.
func TestRowsOfStaff(t *testing.T) {
	model := given.Open(t).Follow(accessmodels.StaffModel)
	model.After("tenantId", given.Filled[staff.RoleDefined](),
		"+ roles tenant=tenantId role_id=roleId role_type=roleType name=name description=description "+
			`permissions={"permissions":["permissions"]}`,
	)
	model.After("tenantId", given.Filled[staff.UserDefined](),
		"+ users tenant=tenantId user_id=userId username=username org_user_id=orgUserId is_developer=true can_create_bot=true "+
			`bot_roles=[{"botId":"botId","groups":["groups"],"roleId":"roleId"}] admin_roles=["adminRoles"]`,
	)
	model.After("tenantId", given.Filled[staff.RoleRemoved](),
		"- roles tenant=tenantId role_id=roleId",
	)
	model.After("tenantId", given.Filled[staff.UserRemoved](),
		"- users tenant=tenantId user_id=userId",
	)
}
