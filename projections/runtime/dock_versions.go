package runtime

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/projections"
)

// DockVersionsModel stores what each version of the workflows and tools of projects does. What
// is live of them is known to DocksModel.
var DockVersionsModel = newDockVersionsModel()

func newDockVersionsModel() *projections.Model {
	m := projections.NewModel("dock_versions", 1, []string{"dock_versions"}, deployables.Docks.Category)
	version := func(row projections.Row, n int) projections.Row {
		row["version"] = n
		return row
	}
	projections.On(m, func(b *projections.Batch, _ projections.At, e deployables.WorkflowDefined) {
		b.Put("dock_versions", version(dock(e.TenantID, e.ProjectID, deployables.Workflow, e.WorkflowID), e.Version),
			projections.Row{"name": e.Name, "content": e.Steps})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e deployables.ToolDefined) {
		b.Put("dock_versions", version(dock(e.TenantID, e.ProjectID, deployables.Tool, e.ToolID), e.Version),
			projections.Row{"name": e.Name, "tool_type": string(e.Type), "content": e.Settings})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e deployables.Removed) {
		b.DeleteWhere("dock_versions", dock(e.TenantID, e.ProjectID, e.Kind, e.ID))
	})
	projections.Ignore[deployables.Deployed](m)
	return m
}

// DockVersions answers what workflows and tools do.
type DockVersions struct{ db *pgxpool.Pool }

// NewDockVersions reads through the pool.
func NewDockVersions(db *pgxpool.Pool) *DockVersions { return &DockVersions{db} }

// DockVersion is one version of a workflow or tool.
type DockVersion struct {
	Name     string
	Version  int
	ToolType string          // of a tool
	Content  json.RawMessage // steps of a workflow, settings of a tool
}

// Live is the deployed version; ok is false where none is.
func (x *DockVersions) Live(ctx context.Context, tenant, project string, kind deployables.Kind, id string) (v DockVersion, ok bool,
	err error) {
	return projections.One[DockVersion](ctx, x.db, "reading what is deployed",
		`SELECT v.name, v.version, v.tool_type, v.content FROM docks d JOIN dock_versions v
		ON (v.tenant, v.project_id, v.kind, v.id, v.version) = (d.tenant, d.project_id, d.kind, d.id, d.live)
		WHERE d.tenant = $1 AND d.project_id = $2 AND d.kind = $3 AND d.id = $4`, tenant, project, string(kind), id)
}

// WorkflowVersions are those that a workflow has had, of which each may be deployed.
type WorkflowVersions struct {
	ID      string
	Numbers []int32
}

// Workflows are the workflows of a project by their names.
func (x *DockVersions) Workflows(ctx context.Context, tenant, project string) (map[string]WorkflowVersions, error) {
	found, err := projections.All[struct {
		Name string
		WorkflowVersions
	}](ctx, x.db, "reading the versions of workflows", `SELECT d.name, d.id, array_agg(v.version ORDER BY v.version) AS numbers
		FROM docks d JOIN dock_versions v ON (v.tenant, v.project_id, v.kind, v.id) = (d.tenant, d.project_id, d.kind, d.id)
		WHERE d.tenant = $1 AND d.project_id = $2 AND d.kind = 'workflow' GROUP BY d.name, d.id`, tenant, project)
	out := make(map[string]WorkflowVersions, len(found))
	for _, f := range found {
		out[f.Name] = f.WorkflowVersions
	}
	return out, err
}

// Served is the version of a workflow that a deployment of agents names, else the live one. A
// workflow that was renamed since is still the one that was named.
func (x *DockVersions) Served(ctx context.Context, tenant, project, deployment, workflow string) (v DockVersion, ok bool, err error) {
	return projections.One[DockVersion](ctx, x.db, "reading which workflow a deployment serves",
		`SELECT v.name, v.version, v.tool_type, v.content FROM docks d 
		LEFT JOIN deployments p ON p.tenant = d.tenant AND p.project_id = d.project_id AND p.deployment_id = $4
		LEFT JOIN LATERAL (SELECT w.value::integer AS version FROM jsonb_each_text(p.workflows) w
			WHERE coalesce(p.workflow_ids ->> w.key = d.id, w.key = d.name)) pinned ON true
		JOIN dock_versions v ON (v.tenant, v.project_id, v.kind, v.id) = (d.tenant, d.project_id, d.kind, d.id)
			AND v.version = coalesce(pinned.version, d.live)
		WHERE d.tenant = $1 AND d.project_id = $2 AND d.kind = 'workflow' AND d.id = $3`, tenant, project, workflow, deployment)
}
