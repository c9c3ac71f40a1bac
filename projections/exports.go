package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/exports"
)

// ExportTimer is the name of an export job's timer: a lease runs out then, or the
// pause after a failed attempt is over.
const ExportTimer = "export"

// ExportsModel stores one row per export job, and keeps its timer.
var ExportsModel = newExportsModel()

func newExportsModel() *Model {
	m := NewModel("exports", 1, []string{"exports", "timers"}, exports.Jobs.Category)
	status := func(b *Batch, at At, s exports.Status, cols Row) {
		cols["status"] = string(s)
		b.Set("exports", Row{"job_id": at.StreamID}, cols)
	}
	On(m, func(b *Batch, at At, e exports.Requested) {
		b.Put("exports", Row{"job_id": e.JobID}, Row{"tenant": e.TenantID, "project_id": e.ProjectID, "index_id": e.SearchIndexID, "status": string(exports.Queued), "requested_at": e.At})
	})
	On(m, func(b *Batch, at At, e exports.Started) {
		status(b, at, exports.InProgress, Row{})
		b.SetTimer(at, ExportTimer, e.LeaseUntil)
	})
	On(m, func(b *Batch, at At, e exports.AttemptFailed) {
		status(b, at, exports.Queued, Row{})
		b.SetTimer(at, ExportTimer, e.RetryAt)
	})
	On(m, func(b *Batch, at At, e exports.Requeued) {
		status(b, at, exports.Queued, Row{})
		b.ClearTimer(at, ExportTimer)
	})
	On(m, func(b *Batch, at At, e exports.Succeeded) {
		status(b, at, exports.Success, Row{"features": e.Features, "file_id": e.FileID, "file_name": e.FileName, "blob": e.Blob})
		b.ClearTimer(at, ExportTimer)
	})
	On(m, func(b *Batch, at At, e exports.Failed) {
		status(b, at, exports.Failure, Row{"reason": e.Reason})
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
func (x *Exports) Job(ctx context.Context, tenant, project, jobID string) (j ExportJob, ok bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT job_id, index_id, status, requested_at, coalesce(features, '[]'), file_id, file_name, blob, reason
		FROM exports WHERE job_id = $1 AND tenant = $2 AND project_id = $3`, jobID, tenant, project).
		Scan(&j.ID, &j.IndexID, &j.Status, &j.RequestedAt, &j.Features, &j.FileID, &j.FileName, &j.Blob, &j.Reason)
	return j, err == nil, found(err, "reading an export job")
}
