package apply

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/retention"
)

// TenantSpec is the spec of kind Tenant; metadata.id is the account id.
type TenantSpec struct {
	OrgID string `json:"orgId" jsonschema:"required,minLength=1,example=acme-org" jsonschema_description:"The organisation of the tenant's human agents. It cannot change."`
}

var tenantKind = define(label{
	name: tenantName,
	about: "One account: everything else belongs to one. Its metadata.id is the accountId of tokens and paths. Only the operator can create " +
		"it.",
}, tenantSteps, pretendTenant)

func tenantSteps(_ context.Context, p *planner, d *draft, spec TenantSpec) ([]step, error) {
	id := d.meta.ID
	p.claim(d, "metadata.id", id)
	if id == OperatorAccount {
		d.fault("metadata.id", "is the account of operators' tokens")
	}
	define := access.DefineTenant{ID: id, Name: d.meta.Name, OrgID: spec.OrgID}
	decide := func(s access.TenantState) ([]event.Payload, error) {
		if s.ID == "" && !p.by.Operator {
			return nil, fault.Field("metadata.id", "can be created by the operator only")
		}
		return define.Decide(s)
	}
	exists := func(s access.TenantState) bool { return s.ID != "" }
	return []step{on(access.Tenants, access.TenantStream(id), decide, exists)}, nil
}

func pretendTenant(ctx context.Context, p *planner, d *draft, spec TenantSpec) error {
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(d.meta.ID))
	if err == nil && s.ID == "" {
		s.ID, s.Name, s.OrgID = d.meta.ID, d.meta.Name, spec.OrgID
	}
	return err
}

// ProjectSpec is the spec of kind Project.
type ProjectSpec struct {
	Slug          string           `json:"slug,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=128" jsonschema_description:"Name for addresses, unique in the tenant. Without one it is made from the id."`
	Aliases       []string         `json:"aliases,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Other ids that mean this project: bot, stream and app ids and IIDs. Each means one project of the tenant."`
	WebhookSecret string           `json:"webhookSecret,omitempty" jsonschema:"minLength=1" jsonschema_description:"What notifications are signed with (SAVG-Signature). Without one it is made the first time, told once in the result, and kept."`
	Defaults      *ProjectDefaults `json:"defaults,omitempty" jsonschema_description:"What the project's operations use when a request leaves it out."`
	Retention     *KeptDays        `json:"retention,omitempty" jsonschema_description:"For how many days the project keeps what is personal, by kind; a kind that is left out is kept for ever. Left out as a whole, it stays as it is. It begins to hold an hour after it was changed."`
}

// KeptDays is spec.retention of kind Project.
type KeptDays struct {
	Calls         int `json:"calls,omitempty" jsonschema:"minimum=1,maximum=36500" jsonschema_description:"Calls with their sessions, transfers and notifications, and conversations of channels with the last of their sessions, from their end."`
	Conversations int `json:"conversations,omitempty" jsonschema:"minimum=1,maximum=36500" jsonschema_description:"What was said and noted in conversations, from their end, or from the last event of one that nobody ends."`
	Recordings    int `json:"recordings,omitempty" jsonschema:"minimum=1,maximum=36500" jsonschema_description:"Voicemails with their transcripts, from when they were recorded."`
	Messages      int `json:"messages,omitempty" jsonschema:"minimum=1,maximum=36500" jsonschema_description:"Text messages, from when they were sent or given up."`
}

func (k KeptDays) rules() retention.Days {
	return retention.Kept(k.Calls, k.Conversations, k.Recordings, k.Messages)
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
	var steps []step
	if spec.Retention != nil {
		keep := retention.Set{TenantID: d.meta.Tenant, ProjectID: id, Days: spec.Retention.rules(), At: p.now()}
		steps = append(steps, on(retention.Rules, retention.Stream(d.meta.Tenant, id), keptInManifest(keep.Decide),
			retention.State.Exists))
	}
	return append(steps, on(access.Tenants, access.TenantStream(d.meta.Tenant), define.Decide, exists)), nil
}

// keptInManifest names the fields of a refusal as the manifest has them.
func keptInManifest(decide func(retention.State) ([]event.Payload, error)) func(retention.State) ([]event.Payload, error) {
	return func(s retention.State) ([]event.Payload, error) {
		payloads, err := decide(s)
		var f *fault.Error
		if !errors.As(err, &f) {
			return payloads, err
		}
		var fields fault.Fields
		for _, detail := range f.Details {
			fields.Add(strings.Replace(detail.Field, "days.", "spec.retention.", 1), "%s", detail.Problem)
		}
		return nil, fields.Err()
	}
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
