package runtime

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// DrainTimer is the name of the timer of a project's deployments: then one that is retired
// serves nothing more.
const DrainTimer = "drain"

// DeploymentsModel stores the deployments of projects, and keeps their timer.
var DeploymentsModel = newDeploymentsModel()

func newDeploymentsModel() *projections.Model {
	m := projections.NewModel("deployments", 2, []string{"deployments", "timers"}, deployments.Deployments.Category)
	key := func(id string) projections.Row { return projections.Row{"deployment_id": id} }
	timer := func(b *projections.Batch, at projections.At, next *time.Time) {
		if next == nil {
			b.ClearTimer(at, DrainTimer)
			return
		}
		b.SetTimer(at, DrainTimer, *next)
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e deployments.Created) {
		b.Put("deployments", key(e.DeploymentID), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"environment": e.Environment, "status": string(deployments.Active), "label": e.Label, "description": e.Description,
			"endpoint_slug": e.EndpointSlug, "entry_agent": e.EntryAgent, "manifest": orEmptyObject(e.Manifest),
			"overrides": orEmptyObject(e.Overrides), "workflows": orEmptyObject(e.Workflows),
			"workflow_ids": orEmptyObject(e.WorkflowIDs), "settings_version": e.SettingsVersionID,
			"promoted_from": e.PromotedFrom,
			"created_by":    e.CreatedBy, "created_at": e.At, "activation": at.Version})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployments.WasRetired) {
		b.Set("deployments", key(e.DeploymentID), projections.Row{"status": string(deployments.Retired), "retired_at": e.At,
			"drain_at": e.DrainAt})
		timer(b, at, e.NextDrainAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployments.Drained) { timer(b, at, e.NextDrainAt) })
	projections.On(m, func(b *projections.Batch, at projections.At, e deployments.RolledBack) {
		b.Set("deployments", key(e.DeploymentID), projections.Row{"status": string(deployments.Active), "retired_at": nil, "drain_at": nil,
			"activation": at.Version})
		timer(b, at, e.NextDrainAt)
	})
	return m
}

func orEmptyObject[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// Deployments answers what is deployed.
type Deployments struct {
	db  *pgxpool.Pool
	one projections.Lookup[ofTenant, Deployment]
}

// NewDeployments reads through the pool.
func NewDeployments(db *pgxpool.Pool) *Deployments {
	x := &Deployments{db: db}
	x.one.Ask = x.ask
	return x
}

// Deployment is one of them.
type Deployment struct {
	DeploymentID string
	ProjectID    string
	Environment  string
	Status       deployments.Status
	Label        string
	Description  string
	EndpointSlug string
	EntryAgent   string
	Pins
	Workflows       map[string]int
	SettingsVersion string // its id; empty: the newest at each moment
	PromotedFrom    string
	CreatedBy       string
	CreatedAt       time.Time
	RetiredAt       *time.Time
	DrainAt         *time.Time
}

// Pins are the versions of agents that a deployment has, and what of each model is said in its place.
type Pins struct {
	Manifest  map[string]deployments.Pin
	Overrides map[string]json.RawMessage
}

// Pinned are the sources of its agents as sessions keep them. An override that says what no model
// takes was made before it took effect, and has none.
func (x Pins) Pinned() map[string]sessions.Pinned {
	out := make(map[string]sessions.Pinned, len(x.Manifest))
	for name, pin := range x.Manifest {
		p := sessions.Pinned{Version: pin.Version, Hash: pin.Hash}
		if raw := x.Overrides[name]; len(raw) > 0 {
			p.Override, _ = deployments.ReadOverride(name, raw)
		}
		out[name] = p
	}
	return out
}

const (
	deploymentColumns = `deployment_id, project_id, environment, status, label, description, endpoint_slug, entry_agent, manifest,
		overrides, workflows, settings_version, promoted_from, created_by, created_at, retired_at, drain_at FROM deployments `
	selectDeployments = `SELECT ` + deploymentColumns
)

// Get finds a deployment of a project. What many ask at once is one query.
func (x *Deployments) Get(ctx context.Context, tenant, project, id string) (Deployment, bool, error) {
	d, ok, err := x.one.Get(ctx, ofTenant{tenant, id})
	if !ok || d.ProjectID != project {
		return Deployment{}, false, err
	}
	return d, true, err
}

func (x *Deployments) ask(ctx context.Context, keys []ofTenant) (map[ofTenant]Deployment, error) {
	found, err := projections.All[struct {
		Tenant string
		Deployment
	}](ctx, x.db, "reading deployments", `SELECT d.* FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) q(of, id)
		CROSS JOIN LATERAL (SELECT tenant, `+deploymentColumns+`WHERE deployment_id = q.id AND tenant = q.of LIMIT 1) d`,
		projections.Column(keys, func(k ofTenant) string { return k.tenant }), projections.Column(keys, func(k ofTenant) string { return k.id }))
	out := make(map[ofTenant]Deployment, len(found))
	for _, f := range found {
		out[ofTenant{f.Tenant, f.DeploymentID}] = f.Deployment
	}
	return out, err
}

// List returns the deployments of a project, the newest first, of an environment and with a
// status if they are named, and how many there are in all.
func (x *Deployments) List(ctx context.Context, tenant, project, environment, status string, limit, offset int) ([]Deployment, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR environment = $3) AND ($4 = '' OR status = $4) `
	return projections.Page[Deployment](ctx, x.db, "listing deployments", projections.PageQuery{
		Count: `SELECT count(*) FROM deployments ` + where,
		Rows:  selectDeployments + where + `ORDER BY created_at DESC, deployment_id DESC LIMIT $5 OFFSET $6`,
		Args:  []any{tenant, project, environment, status}, Limit: limit, Offset: offset})
}

// Serving is the deployment that new sessions of an environment begin with: the active one
// that became so last. Without an environment it is that of the last environment that has one.
func (x *Deployments) Serving(ctx context.Context, tenant, project, environment string) (Deployment, bool, error) {
	return projections.One[Deployment](ctx, x.db, "looking for what is deployed", selectDeployments+
		`WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR environment = $3) AND status = 'active'
		`+projections.ServingFirst+`LIMIT 1`, tenant, project, environment)
}

// Called is the deployment that is called so from outside, in a project or in any of the
// account's.
func (x *Deployments) Called(ctx context.Context, tenant, project, endpoint string) (Deployment, bool, error) {
	return projections.One[Deployment](ctx, x.db, "looking for what an endpoint is", selectDeployments+
		`WHERE tenant = $1 AND ($2 = '' OR project_id = $2) AND endpoint_slug = $3
		ORDER BY created_at DESC, deployment_id DESC LIMIT 1`, tenant, project, endpoint)
}

// Active are deployments that new sessions may begin with, in a project or in all of the
// account's, by how they are called from outside.
func (x *Deployments) Active(ctx context.Context, tenant, project string, most int) ([]Deployment, error) {
	return projections.All[Deployment](ctx, x.db, "listing what is served", selectDeployments+
		`WHERE tenant = $1 AND ($2 = '' OR project_id = $2) AND status = 'active' ORDER BY endpoint_slug, deployment_id LIMIT $3`,
		tenant, project, most)
}

// Before is the deployment that was made before another in its environment.
func (x *Deployments) Before(ctx context.Context, tenant, project string, d Deployment) (Deployment, bool, error) {
	return projections.One[Deployment](ctx, x.db, "looking for the deployment before", selectDeployments+
		`WHERE tenant = $1 AND project_id = $2 AND environment = $3 AND (created_at, deployment_id) < ($4, $5)
		ORDER BY created_at DESC, deployment_id DESC LIMIT 1`, tenant, project, d.Environment, d.CreatedAt, d.DeploymentID)
}

// Versions are the versions of agents that the environments of a project serve, by the
// agents' names and the environments.
func (x *Deployments) Versions(ctx context.Context, tenant, project string) (map[string]map[string]int, error) {
	serving, err := projections.All[Deployment](ctx, x.db, "looking for what is deployed", `SELECT DISTINCT ON (environment) `+
		deploymentColumns+`WHERE tenant = $1 AND project_id = $2 AND status = 'active'
		ORDER BY environment, activation DESC`, tenant, project)
	out := map[string]map[string]int{}
	for _, d := range serving {
		for _, agent := range slices.Sorted(maps.Keys(d.Manifest)) {
			if out[agent] == nil {
				out[agent] = map[string]int{}
			}
			out[agent][d.Environment] = d.Manifest[agent].Version
		}
	}
	return out, err
}
