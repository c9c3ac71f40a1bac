package access

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/projections"
)

// StaffModel stores the roles and users of accounts.
var StaffModel = newStaffModel()

func newStaffModel() *projections.Model {
	m := projections.NewModel("staff", 1, []string{"roles", "users"}, staff.Staff.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e staff.RoleDefined) {
		b.Put("roles", projections.Row{"tenant": e.TenantID, "role_id": e.ID}, projections.Row{"role_type": string(e.Type), "name": e.Name,
			"description": e.Description, "permissions": e.Permissions})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e staff.RoleRemoved) {
		b.Delete("roles", projections.Row{"tenant": e.TenantID, "role_id": e.RoleID})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e staff.UserDefined) {
		b.Put("users", projections.Row{"tenant": e.TenantID, "user_id": e.ID}, projections.Row{"username": e.Username, "org_user_id": e.OrgUserID,
			"is_developer":   e.IsDeveloper,
			"can_create_bot": e.CanCreateBot, "bot_roles": e.BotRoles, "admin_roles": e.AdminRoles})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e staff.UserRemoved) {
		b.Delete("users", projections.Row{"tenant": e.TenantID, "user_id": e.UserID})
	})
	return m
}

// Staff answers who works with an account.
type Staff struct{ db *pgxpool.Pool }

// NewStaff reads through the pool.
func NewStaff(db *pgxpool.Pool) *Staff { return &Staff{db} }

// Roles lists the roles of one type by name, and how many there are.
func (x *Staff) Roles(ctx context.Context, tenant string, of staff.RoleType, limit, offset int) ([]staff.Role, int, error) {
	return projections.Page[staff.Role](ctx, x.db, "listing roles", projections.PageQuery{
		Count: `SELECT count(*) FROM roles WHERE tenant = $1 AND role_type = $2`,
		Rows: `SELECT role_id AS id, role_type AS type, name, description, permissions FROM roles WHERE tenant = $1 AND role_type = $2
			ORDER BY name, role_id LIMIT $3 OFFSET $4`,
		Args: []any{tenant, string(of)}, Limit: limit, Offset: offset})
}

// UserRoles is one user with the names of what the roles are for.
type UserRoles struct {
	staff.User
	RoleNames map[string]string // by role id
	BotNames  map[string]string // by project id
}

// Users lists the users of an account by name, and how many there are.
func (x *Staff) Users(ctx context.Context, tenant string, limit, offset int) ([]UserRoles, int, error) {
	return projections.Page[UserRoles](ctx, x.db, "listing users", projections.PageQuery{
		Count: `SELECT count(*) FROM users WHERE tenant = $1`,
		Rows: `SELECT user_id AS id, username, org_user_id, is_developer, can_create_bot, bot_roles, admin_roles,
			coalesce((SELECT jsonb_object_agg(r.role_id, r.name) FROM roles r WHERE r.tenant = u.tenant
				AND (u.admin_roles ? r.role_id OR u.bot_roles @> jsonb_build_array(jsonb_build_object('roleId', r.role_id)))), '{}') AS role_names,
			coalesce((SELECT jsonb_object_agg(p.project_id, p.name) FROM projects p WHERE p.tenant = u.tenant
				AND u.bot_roles @> jsonb_build_array(jsonb_build_object('botId', p.project_id))), '{}') AS bot_names
			FROM users u WHERE tenant = $1 ORDER BY username, user_id LIMIT $2 OFFSET $3`,
		Args: []any{tenant}, Limit: limit, Offset: offset})
}
