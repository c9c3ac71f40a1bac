package apply

import (
	"context"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/access"
)

// ProjectSpec is the spec of kind Project.
type ProjectSpec struct {
	Slug          string           `json:"slug,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=128" jsonschema_description:"Name for addresses, unique in the tenant. Without one it is made from the id."`
	Aliases       []string         `json:"aliases,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Other ids that mean this project: bot, stream and app ids and IIDs. Each means one project of the tenant."`
	WebhookSecret string           `json:"webhookSecret,omitempty" jsonschema:"minLength=1" jsonschema_description:"What notifications are signed with (SAVG-Signature). Without one it is made the first time, told once in the result, and kept."`
	Defaults      *ProjectDefaults `json:"defaults,omitempty" jsonschema_description:"What the project's operations use when a request leaves it out."`
}

// ProjectDefaults is spec.defaults of kind Project.
type ProjectDefaults struct {
	Language string `json:"language,omitempty" jsonschema:"example=en,example=de-AT" jsonschema_description:"Language tag."`
}

var projectKind = define(label{
	name:  projectName,
	about: "An app of the tenant: what paths also call bot, stream, app or instance.",
}, projectSteps, pretendProject).pruned(projectsLeft)

func projectSteps(ctx context.Context, p *planner, d *draft, spec ProjectSpec) ([]step, error) {
	if _, err := p.tenant(ctx, d); err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	webhook, err := d.sealSecret("spec.webhookSecret", spec.WebhookSecret, p.vault.SealWebhookSecret, id)
	if err != nil {
		return nil, err
	}
	define := access.DefineProject{ID: id, Name: d.meta.Name, Slug: spec.Slug, Aliases: spec.Aliases,
		WebhookSecret: webhook.sealed, SecretFingerprint: webhook.fingerprint, SecretGenerated: webhook.generated}
	if spec.Defaults != nil {
		define.Defaults.Language = spec.Defaults.Language
	}
	exists := func(s access.TenantState) bool { _, ok := s.Projects[id]; return ok }
	return []step{on(access.Tenants, access.TenantStream(d.meta.Tenant), define.Decide, exists)}, nil
}

func pretendProject(ctx context.Context, p *planner, d *draft, spec ProjectSpec) error {
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(d.meta.Tenant))
	if err != nil || d.meta.ID == "" {
		return err
	}
	if _, known := s.Projects[d.meta.ID]; known {
		return nil
	}
	if s.Projects == nil {
		s.Projects = map[string]access.Project{}
	}
	var free []string // an alias that is taken already keeps its meaning
	for _, alias := range spec.Aliases {
		if _, taken := s.Resolve(alias); !taken {
			free = append(free, alias)
		}
	}
	s.Projects[d.meta.ID] = access.Project{ID: d.meta.ID, Name: d.meta.Name, Aliases: free}
	return nil
}

// projectsLeft keeps a project that something of the set belongs to.
func projectsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	stream := access.TenantStream(tenant)
	s, err := stateOf(ctx, p, access.Tenants, stream)
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, id := range unnamed(p, s.Projects, projectName, tenant) {
		remove := access.RemoveProject{ID: id}
		l := leftover{id: id, name: s.Projects[id].Name, steps: []step{removing(access.Tenants, stream, remove.Decide)}}
		if d := p.occupied[[2]string{tenant, id}]; d != nil {
			l.refused = d.title() + " belongs to it: put its Project manifest into the set"
		}
		left = append(left, l)
	}
	return left, nil
}

// inProjects gathers what is left over in each project of a tenant.
func inProjects(ctx context.Context, p *planner, tenant string, in func(project string) ([]leftover, error)) ([]leftover, error) {
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(tenant))
	if err != nil {
		return nil, err
	}
	var all []leftover
	for _, project := range slices.Sorted(maps.Keys(s.Projects)) {
		left, err := in(project)
		if err != nil {
			return nil, err
		}
		all = append(all, left...)
	}
	return all, nil
}
