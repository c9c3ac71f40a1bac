package runtime

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/projections"
)

// DocksModel stores which workflows and tools there are, which version of each is
// live, and one row per deployment job.
var DocksModel = newDocksModel()

func newDocksModel() *projections.Model {
	m := projections.NewModel("docks", 1, []string{"docks", "deployment_jobs"}, deployables.Docks.Category, deployables.Jobs.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.WorkflowDefined) {
		b.Put("docks", dock(e.TenantID, e.ProjectID, deployables.Workflow, e.WorkflowID), projections.Row{"name": e.Name, "version": e.Version})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.ToolDefined) {
		b.Put("docks", dock(e.TenantID, e.ProjectID, deployables.Tool, e.ToolID), projections.Row{"name": e.Name, "tool_type": string(e.Type),
			"version": e.Version})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.Deployed) {
		b.Set("docks", dock(e.TenantID, e.ProjectID, e.Kind, e.ID), projections.Row{"live": e.Version})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.Removed) {
		b.Delete("docks", dock(e.TenantID, e.ProjectID, e.Kind, e.ID))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.JobRequested) {
		b.Put("deployment_jobs", projections.Row{"job_id": e.JobID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"kind": string(e.Kind), "target": e.ID,
			"status": string(deployables.InProgress), "requested_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.JobSucceeded) {
		b.Set("deployment_jobs", projections.Row{"job_id": at.StreamID}, projections.Row{"status": string(deployables.Success),
			"version":  e.Version,
			"ended_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e deployables.JobFailed) {
		b.Set("deployment_jobs", projections.Row{"job_id": at.StreamID}, projections.Row{"status": string(deployables.Failed), "reason": e.Reason,
			"ended_at": e.At})
	})
	return m
}

func dock(tenant, project string, kind deployables.Kind, id string) projections.Row {
	return projections.Row{"tenant": tenant, "project_id": project, "kind": string(kind), "id": id}
}

// Docks answers what can be deployed, and how deployments went.
type Docks struct{ db *pgxpool.Pool }

// NewDocks reads through the pool.
func NewDocks(db *pgxpool.Pool) *Docks { return &Docks{db} }

// Defined reports whether the project has the workflow or tool.
func (d *Docks) Defined(ctx context.Context, tenant, project string, kind deployables.Kind, id string) (ok bool, err error) {
	err = d.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM docks WHERE tenant = $1 AND project_id = $2 AND kind = $3 AND id = $4)`, tenant,
		project, string(kind), id).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("looking for the %s %s: %w", kind, id, err)
	}
	return ok, nil
}

// DeploymentJob is one job.
type DeploymentJob struct {
	ID     string // dockStatusId
	Target string // id of the workflow or tool
	Status deployables.JobStatus
	Reason string
}

// Job finds a job of a workflow or tool; ok is false if there is none.
func (d *Docks) Job(ctx context.Context, tenant, project string, kind deployables.Kind, target, id string) (j DeploymentJob, ok bool,
	err error) {
	return projections.One[DeploymentJob](ctx, d.db, "reading a deployment job", `SELECT job_id AS id, target, status, reason
		FROM deployment_jobs WHERE job_id = $1 AND tenant = $2 AND project_id = $3 AND kind = $4 AND target = $5`,
		id, tenant, project, string(kind), target)
}

// Dock is a workflow or a tool.
type Dock struct {
	Kind     string // workflow, tool
	ID       string
	Name     string
	ToolType string // of a tool
}

// List returns the workflows and tools of a project by name.
func (d *Docks) List(ctx context.Context, tenant, project string, limit int) ([]Dock, error) {
	return projections.All[Dock](ctx, d.db, "listing workflows and tools", `SELECT kind, id, name, tool_type FROM docks
		WHERE tenant = $1 AND project_id = $2 ORDER BY name, kind, id LIMIT $3`, tenant, project, limit)
}
