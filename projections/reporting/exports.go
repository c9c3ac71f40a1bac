package reporting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/projections"
)

// ExportTimer is the name of an export job's timer: a lease runs out then, or the
// pause after a failed attempt is over.
const ExportTimer = "export"

// ExportsModel stores one row per export job, and keeps its timer.
var ExportsModel = newExportsModel()

func newExportsModel() *projections.Model {
	m := projections.NewModel("exports", 1, []string{"exports", "timers"}, exports.Jobs.Category)
	status := func(b *projections.Batch, at projections.At, s exports.Status, cols projections.Row) {
		cols["status"] = string(s)
		b.Set("exports", projections.Row{"job_id": at.StreamID}, cols)
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Requested) {
		b.Put("exports", projections.Row{"job_id": e.JobID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"index_id": e.SearchIndexID, "status": string(exports.Queued), "requested_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Started) {
		status(b, at, exports.InProgress, projections.Row{})
		b.SetTimer(at, ExportTimer, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.AttemptFailed) {
		status(b, at, exports.Queued, projections.Row{})
		b.SetTimer(at, ExportTimer, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Requeued) {
		status(b, at, exports.Queued, projections.Row{})
		b.ClearTimer(at, ExportTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Succeeded) {
		status(b, at, exports.Success, projections.Row{"features": e.Features, "file_id": e.FileID, "file_name": e.FileName, "blob": e.Blob})
		b.ClearTimer(at, ExportTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Failed) {
		status(b, at, exports.Failure, projections.Row{"reason": e.Reason})
		b.ClearTimer(at, ExportTimer)
	})
	return m
}

// Exports answers how far export jobs are.
type Exports struct{ db *pgxpool.Pool }

// NewExports reads through the pool.
func NewExports(db *pgxpool.Pool) *Exports { return &Exports{db} }

// ExportJob is one export job.
type ExportJob struct {
	ID, IndexID            string
	Status                 exports.Status
	RequestedAt            time.Time
	Features               []exports.FeatureResult // on success
	FileID, FileName, Blob string                  // on success
	Reason                 string                  // on failure
}

// Job finds a job of a project.
func (x *Exports) Job(ctx context.Context, tenant, project, jobID string) (ExportJob, bool, error) {
	return projections.One[ExportJob](ctx, x.db, "reading an export job", `SELECT job_id AS id, index_id, status, requested_at,
			coalesce(features, '[]') AS features, file_id, file_name, blob, reason
		FROM exports WHERE job_id = $1 AND tenant = $2 AND project_id = $3`, jobID, tenant, project)
}
