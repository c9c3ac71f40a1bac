package access

import (
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Tenants holds one stream per account: tenant-<accountId>. Its rules:
//
//   - nothing is defined in a tenant that is not defined itself
//   - a project id or alias names one project of the tenant, and a slug as well
//   - a client's algorithm decides what it is verified with, and nothing else is kept
//   - a scope name belongs to one scope id per project
//   - a project is removed only when no scope is registered for it
var Tenants = event.NewAggregate[TenantState]("tenants", "tenant", event.Quiet)

// TenantState is the state of one tenant's stream; an empty ID means that the
// tenant is not defined.
type TenantState struct {
	ID       string // the account id
	Name     string
	OrgID    string // the organisation of the tenant's human agents
	Projects map[string]Project
	Clients  map[string]Client
	Scopes   map[string]RegisteredScope // by scope id
}

// Project is an app of the tenant, also called bot, stream or IID (docs/glossary.md).
type Project struct {
	ID                string
	Name              string
	Slug              string   // lower case, unique in the tenant
	Aliases           []string // other ids that mean this project, sorted
	WebhookSecret     string   // sealed; signs notifications
	SecretFingerprint string   // keyed fingerprint of WebhookSecret's plain text
	Defaults          ProjectDefaults
}

// ProjectDefaults is what a project's operations use when a request leaves it out.
type ProjectDefaults struct {
	Language string `json:"language,omitempty"` // language tag
}

// RegisteredScope is a scope name taken in a project.
type RegisteredScope struct {
	ProjectID string
	Name      string
}

// Resolve finds the project that an id or alias means.
func (s TenantState) Resolve(name string) (Project, bool) {
	if p, ok := s.Projects[name]; ok {
		return p, true
	}
	for _, p := range s.Projects {
		if slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Project{}, false
}

// ScopeNamed finds the id of the scope with that name in a project (by id or alias).
func (s TenantState) ScopeNamed(project, name string) (scopeID string, ok bool) {
	p, known := s.Resolve(project)
	if !known {
		return "", false
	}
	for id, scope := range s.Scopes {
		if scope.ProjectID == p.ID && SameName(scope.Name, name) {
			return id, true
		}
	}
	return "", false
}

func (s TenantState) mustExist() error {
	if s.ID == "" {
		return fault.New(fault.NotFound, "the tenant is not defined")
	}
	return nil
}
