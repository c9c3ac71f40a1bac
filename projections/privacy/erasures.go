package privacy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/projections"
)

// ErasureTimer is the name of a job's timer: a lease runs out then, or a pause is over, after
// a failed step or before the last look.
const ErasureTimer = "erasure"

// ErasuresModel stores one row per job, and keeps its timer.
var ErasuresModel = newErasuresModel()

func newErasuresModel() *projections.Model {
	m := projections.NewModel("erasures", 2, []string{"erasures", "timers"}, erasures.Jobs.Category)
	status := func(b *projections.Batch, at projections.At, s erasures.Status) {
		b.Set("erasures", job(at), projections.Row{"status": string(s)})
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Requested) {
		b.Put("erasures", job(at), projections.Row{"tenant": e.TenantID, "status": string(erasures.Queued), "forgotten": map[string]int{},
			"requested_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Expired) {
		b.Put("erasures", job(at), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "status": string(erasures.Queued),
			"forgotten": map[string]int{}, "requested_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Started) {
		status(b, at, erasures.Running)
		b.SetTimer(at, ErasureTimer, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.AttemptFailed) {
		b.SetTimer(at, ErasureTimer, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Requeued) { b.ClearTimer(at, ErasureTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Found) { b.ClearTimer(at, ErasureTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.NotFound) {
		b.SetTimer(at, ErasureTimer, e.AgainAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Forgotten) { b.ClearTimer(at, ErasureTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e erasures.Completed) {
		b.Set("erasures", job(at), projections.Row{"status": string(erasures.Done), "forgotten": e.Counts, "ended_at": e.At})
		b.ClearTimer(at, ErasureTimer)
	})
	projections.Ignore[erasures.Erased](m) // the row never said who it was
	return m
}

func job(at projections.At) projections.Row { return projections.Row{"erasure_id": at.StreamID} }

// Erasures answers how far jobs are.
type Erasures struct{ db *pgxpool.Pool }

// NewErasures reads through the pool.
func NewErasures(db *pgxpool.Pool) *Erasures { return &Erasures{db} }

// Erasure is one job.
type Erasure struct {
	ID          string
	ProjectID   *string // whose things it forgets for their age; nil: it is about a person
	Status      erasures.Status
	Forgotten   map[string]int // streams by category; all of them once it is done
	RequestedAt time.Time
	EndedAt     *time.Time
}

const erasureColumns = `SELECT erasure_id AS id, project_id, status, forgotten, requested_at, ended_at FROM erasures `

// Get finds a job of a tenant.
func (x *Erasures) Get(ctx context.Context, tenant, id string) (Erasure, bool, error) {
	return projections.One[Erasure](ctx, x.db, "reading an erasure", erasureColumns+`WHERE erasure_id = $1 AND tenant = $2`, id, tenant)
}

// List returns the jobs of a tenant, newest first, and how many there are in all.
func (x *Erasures) List(ctx context.Context, tenant string, limit, offset int) ([]Erasure, int, error) {
	return projections.Page[Erasure](ctx, x.db, "listing erasures", projections.PageQuery{
		Count: `SELECT count(*) FROM erasures WHERE tenant = $1`,
		Rows:  erasureColumns + `WHERE tenant = $1 ORDER BY requested_at DESC, erasure_id LIMIT $2 OFFSET $3`,
		Args:  []any{tenant}, Limit: limit, Offset: offset})
}
