package access

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
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
	var total int
	var roles []staff.Role
	err := x.page(ctx, &total, `SELECT count(*) FROM roles WHERE tenant = $1 AND role_type = $2`,
		`SELECT role_id, role_type, name, description, permissions FROM roles WHERE tenant = $1 AND role_type = $2 ORDER BY name, role_id LIMIT $3 OFFSET $4`, limit, offset,
		func(r pgx.Rows) error {
			var role staff.Role
			err := r.Scan(&role.ID, &role.Type, &role.Name, &role.Description, &role.Permissions)
			roles = append(roles, role)
			return err
		}, tenant, string(of))
	if err != nil {
		return nil, 0, fmt.Errorf("listing roles: %w", err)
	}
	return roles, total, nil
}

// UserRoles is one user with the names of what the roles are for.
type UserRoles struct {
	staff.User
	RoleNames map[string]string // by role id
	BotNames  map[string]string // by project id
}

// Users lists the users of an account by name, and how many there are.
func (x *Staff) Users(ctx context.Context, tenant string, limit, offset int) ([]UserRoles, int, error) {
	var total int
	var users []UserRoles
	err := x.page(ctx, &total, `SELECT count(*) FROM users WHERE tenant = $1`,
		`SELECT user_id, username, org_user_id, is_developer, can_create_bot, bot_roles, admin_roles,
			coalesce((SELECT jsonb_object_agg(r.role_id, r.name) FROM roles r WHERE r.tenant = u.tenant
				AND (u.admin_roles ? r.role_id OR u.bot_roles @> jsonb_build_array(jsonb_build_object('roleId', r.role_id)))), '{}'),
			coalesce((SELECT jsonb_object_agg(p.project_id, p.name) FROM projects p WHERE p.tenant = u.tenant
				AND u.bot_roles @> jsonb_build_array(jsonb_build_object('botId', p.project_id))), '{}')
		FROM users u WHERE tenant = $1 ORDER BY username, user_id LIMIT $2 OFFSET $3`, limit, offset,
		func(r pgx.Rows) error {
			var u UserRoles
			var gifts, admin, names, bots json.RawMessage
			if err := r.Scan(&u.ID, &u.Username, &u.OrgUserID, &u.IsDeveloper, &u.CanCreateBot, &gifts, &admin, &names, &bots); err != nil {
				return err
			}
			for _, part := range []struct {
				data json.RawMessage
				into any
			}{{gifts, &u.BotRoles}, {admin, &u.AdminRoles}, {names, &u.RoleNames}, {bots, &u.BotNames}} {
				if err := json.Unmarshal(part.data, part.into); err != nil {
					return err
				}
			}
			users = append(users, u)
			return nil
		}, tenant)
	if err != nil {
		return nil, 0, fmt.Errorf("listing users: %w", err)
	}
	return users, total, nil
}

// page counts all that match and reads a page of it; the arguments of the page come
// after those of the count.
func (x *Staff) page(ctx context.Context, total *int, count, page string, limit, offset int, scan func(pgx.Rows) error, args ...any) error {
	if err := x.db.QueryRow(ctx, count, args...).Scan(total); err != nil {
		return err
	}
	rows, err := x.db.Query(ctx, page, append(args, limit, offset)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
