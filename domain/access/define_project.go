package access

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxAliases is how many alternative ids one project can have.
const MaxAliases = 20

// DefineProject makes or changes a project (manifest kind Project).
type DefineProject struct {
	ID      string   // metadata.id
	Name    string   // metadata.name
	Slug    string   // spec.slug; empty: made from the id
	Aliases []string // spec.aliases: stream ids, app ids, IIDs that mean this project

	// The sealed webhook secret and the keyed fingerprint of its plain text. When
	// the manifest names none, both may be empty (an existing secret stays), or a
	// fresh one is offered with SecretGenerated, used only where there is none yet.
	WebhookSecret     string
	SecretFingerprint string
	SecretGenerated   bool

	Defaults ProjectDefaults // spec.defaults
}

// ProjectDefined says what the project now is.
type ProjectDefined struct {
	TenantID          string          `json:"tenantId"`
	ProjectID         string          `json:"projectId"`
	Name              string          `json:"name"`
	Slug              string          `json:"slug"`
	Aliases           []string        `json:"aliases,omitempty"`
	WebhookSecret     string          `json:"webhookSecret"` // sealed
	SecretFingerprint string          `json:"secretFingerprint"`
	Defaults          ProjectDefaults `json:"defaults"`
}

var _ = event.Register[ProjectDefined](Tenants, "project-defined", 1)

// Decide checks the definition by itself, then against the tenant's other projects.
func (c DefineProject) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	old, exists := s.Projects[c.ID]
	e, err := c.event(s.ID, old)
	if err != nil {
		return nil, err
	}
	if exists && e.same(old) {
		return nil, nil
	}
	if err := s.checkTaken(e); err != nil {
		return nil, err
	}
	return []event.Payload{e}, nil
}

func (c DefineProject) event(tenantID string, old Project) (ProjectDefined, error) {
	var f fault.Fields
	CheckID(&f, "metadata.id", c.ID)
	e := ProjectDefined{TenantID: tenantID, ProjectID: c.ID, Name: CheckName(&f, "metadata.name", c.Name),
		Slug: c.slug(&f), Aliases: c.aliases(&f), Defaults: c.Defaults}
	e.WebhookSecret, e.SecretFingerprint = c.secret(&f, old)
	if l := c.Defaults.Language; l != "" && !ValidLanguage(l) {
		f.Add("spec.defaults.language", "must be a language tag such as en or de-AT")
	}
	return e, f.Err()
}

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,127}$`)

func (c DefineProject) slug(f *fault.Fields) string {
	if c.Slug == "" {
		return strings.Trim(strings.ReplaceAll(strings.ToLower(c.ID), "_", "-"), "-")
	}
	if !slugForm.MatchString(c.Slug) {
		f.Add("spec.slug", "must be 1 to 128 lower-case letters, digits or -, and not begin with -")
	}
	return c.Slug
}

// aliases come sorted and once each, so that their order in a manifest is no change.
func (c DefineProject) aliases(f *fault.Fields) []string {
	if len(c.Aliases) > MaxAliases {
		f.Add("spec.aliases", "must be at most %d, are %d", MaxAliases, len(c.Aliases))
		return nil
	}
	var out []string
	for i, alias := range c.Aliases {
		CheckID(f, fmt.Sprintf("spec.aliases[%d]", i), alias)
		if alias != c.ID {
			out = append(out, alias)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c DefineProject) secret(f *fault.Fields, old Project) (sealed, fingerprint string) {
	if c.WebhookSecret == "" || (c.SecretGenerated && old.WebhookSecret != "") {
		if old.WebhookSecret == "" {
			f.Add("spec.webhookSecret", "is required")
		}
		return old.WebhookSecret, old.SecretFingerprint
	}
	if c.SecretFingerprint == "" {
		f.Add("spec.webhookSecret", "has no fingerprint")
	}
	if c.SecretFingerprint == old.SecretFingerprint {
		return old.WebhookSecret, old.SecretFingerprint
	}
	return c.WebhookSecret, c.SecretFingerprint
}

func (e ProjectDefined) same(p Project) bool {
	return e.Name == p.Name && e.Slug == p.Slug && slices.Equal(e.Aliases, p.Aliases) &&
		e.SecretFingerprint == p.SecretFingerprint && e.Defaults == p.Defaults
}

// checkTaken looks for another project under any of the names.
func (s TenantState) checkTaken(e ProjectDefined) error {
	for _, id := range append([]string{e.ProjectID}, e.Aliases...) {
		if other, ok := s.Resolve(id); ok && other.ID != e.ProjectID {
			return fault.New(fault.Conflict, "the id %s already means project %s", id, other.ID)
		}
	}
	for _, p := range s.Projects { // at most one can have it
		if p.ID != e.ProjectID && p.Slug == e.Slug {
			return fault.New(fault.Conflict, "the slug %s already belongs to project %s", e.Slug, p.ID)
		}
	}
	return nil
}

// Apply folds the event.
func (e ProjectDefined) Apply(s *TenantState) {
	if s.Projects == nil {
		s.Projects = map[string]Project{}
	}
	s.Projects[e.ProjectID] = Project{ID: e.ProjectID, Name: e.Name, Slug: e.Slug, Aliases: slices.Clone(e.Aliases),
		WebhookSecret: e.WebhookSecret, SecretFingerprint: e.SecretFingerprint, Defaults: e.Defaults}
}
