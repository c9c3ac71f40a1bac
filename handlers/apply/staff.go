package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/staff"
)

// RoleSpec is the spec of kind Role; its metadata.name is the role's.
type RoleSpec struct {
	RoleType    string                     `json:"roleType" jsonschema:"required,enum=admin,enum=bot" jsonschema_description:"What the role is for: administration or bots."`
	RDesc       string                     `json:"rDesc,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"For people."`
	Permissions map[string]json.RawMessage `json:"permissions,omitempty" jsonschema_description:"Permission name to YES, or to a list of FULL and YES for a bot role."`
}

// JSONSchemaExtend says what a permission can be.
func (RoleSpec) JSONSchemaExtend(s *jsonschema.Schema) {
	text := &jsonschema.Schema{Type: "string", Enum: []any{"FULL", "YES"}}
	member(s, "permissions").AdditionalProperties = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, {Type: "array", Items: text}}}
}

// UserSpec is the spec of kind User; its metadata.name is the user name.
type UserSpec struct {
	OrgUserID    string        `json:"orgUserId,omitempty" jsonschema_description:"The user in the organisation."`
	IsDeveloper  bool          `json:"isDeveloper,omitempty" jsonschema_description:"Builds bots."`
	CanCreateBot bool          `json:"canCreateBot,omitempty" jsonschema_description:"May make projects."`
	BtRoles      []UserBotRole `json:"btRoles,omitempty" jsonschema:"maxItems=100" jsonschema_description:"Bot roles, each for one project."`
	AdminRoles   []string      `json:"adminRoles,omitempty" jsonschema:"maxItems=100" jsonschema_description:"Ids of admin roles."`
}

// UserBotRole is a bot role of a User.
type UserBotRole struct {
	RoleID string   `json:"roleId" jsonschema:"required,minLength=1" jsonschema_description:"Id of a bot role."`
	BotID  string   `json:"botId" jsonschema:"required,minLength=1" jsonschema_description:"The project, by id or alias."`
	Groups []string `json:"groups,omitempty" jsonschema:"maxItems=50" jsonschema_description:"Groups through which the user has it."`
}

var (
	roleKind = define(label{
		name:  roleName,
		about: "A role of the account: a named set of permissions, for administration or for bots.",
	}, roleSteps, nil).pruned(staffLeft(roleName,
		func(s *staff.State) map[string]string {
			return namesOf(s.Roles, func(r staff.Role) string { return r.Name })
		},
		func(tenant, id string) decider { return staff.RemoveRole{TenantID: tenant, ID: id}.Decide }))

	userKind = define(label{
		name:  userName,
		about: "A user of the account with their roles. Its metadata.name is the user name.",
	}, userSteps, nil).pruned(staffLeft(userName,
		func(s *staff.State) map[string]string {
			return namesOf(s.Users, func(u staff.User) string { return u.Username })
		},
		func(tenant, id string) decider { return staff.RemoveUser{TenantID: tenant, ID: id}.Decide }))
)

type decider = func(staff.State) ([]event.Payload, error)

func roleSteps(ctx context.Context, p *planner, d *draft, spec RoleSpec) ([]step, error) {
	if _, err := p.tenant(ctx, d); err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	define := staff.DefineRole{TenantID: d.meta.Tenant, ID: id, Name: d.meta.Name, Type: spec.RoleType, Description: spec.RDesc,
		Permissions: map[string][]string{}}
	for name, raw := range spec.Permissions {
		var one string
		if json.Unmarshal(raw, &one) == nil {
			define.Permissions[name] = []string{one}
			continue
		}
		var several []string
		if json.Unmarshal(raw, &several) != nil {
			continue // the schema has said so
		}
		define.Permissions[name] = several
	}
	exists := func(s staff.State) bool { _, ok := s.Roles[id]; return ok }
	return []step{on(staff.Staff, staff.Stream(d.meta.Tenant), define.Decide, exists)}, nil
}

func userSteps(ctx context.Context, p *planner, d *draft, spec UserSpec) ([]step, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	define := staff.DefineUser{TenantID: d.meta.Tenant, ID: id, Username: d.meta.Name, OrgUserID: spec.OrgUserID,
		IsDeveloper: spec.IsDeveloper, CanCreateBot: spec.CanCreateBot, AdminRoles: spec.AdminRoles}
	for i, role := range spec.BtRoles {
		project := p.within(tenant, d, fmt.Sprintf("spec.btRoles[%d].botId", i), role.BotID)
		define.BotRoles = append(define.BotRoles, staff.BotGift{RoleID: role.RoleID, ProjectID: project, Groups: role.Groups})
	}
	exists := func(s staff.State) bool { _, ok := s.Users[id]; return ok }
	return []step{on(staff.Staff, staff.Stream(d.meta.Tenant), define.Decide, exists)}, nil
}

func staffLeft(kind string, names func(*staff.State) map[string]string, remove func(tenant, id string) decider) leftovers {
	return func(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
		stream := staff.Stream(tenant)
		s, err := stateOf(ctx, p, staff.Staff, stream)
		if err != nil {
			return nil, err
		}
		all := names(s)
		var left []leftover
		for _, id := range unnamed(p, all, kind, tenant) {
			left = append(left, leftover{id: id, name: all[id], steps: []step{removing(staff.Staff, stream, remove(tenant, id))}})
		}
		return left, nil
	}
}
