package privacy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/projections"
)

// RetentionTimer is the name of the timer of a project's rules: it is looked then whether
// something is too old.
const RetentionTimer = "retention"

// RetentionsModel stores one row per project that said for how long it keeps things, and
// keeps its timer.
var RetentionsModel = newRetentionsModel()

func newRetentionsModel() *projections.Model {
	m := projections.NewModel("retentions", 1, []string{"retentions", "timers"}, retention.Rules.Category)
	rules := func(at projections.At) projections.Row { return projections.Row{"retention_id": at.StreamID} }
	projections.On(m, func(b *projections.Batch, at projections.At, e retention.RulesSet) {
		b.Put("retentions", rules(at), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "days": e.Days, "set_at": e.At,
			"next_at": e.NextAt})
		if e.NextAt == nil {
			b.ClearTimer(at, RetentionTimer)
			return
		}
		b.SetTimer(at, RetentionTimer, *e.NextAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e retention.Looked) {
		b.Set("retentions", rules(at), projections.Row{"next_at": e.NextAt, "looked_at": e.At, "erasure_id": e.ErasureID})
		b.SetTimer(at, RetentionTimer, e.NextAt)
	})
	return m
}

// Retentions answers for how long projects keep things.
type Retentions struct{ db *pgxpool.Pool }

// NewRetentions reads through the pool.
func NewRetentions(db *pgxpool.Pool) *Retentions { return &Retentions{db} }

// Retention is what one project says.
type Retention struct {
	ProjectID string
	Days      retention.Days
	SetAt     time.Time
	NextAt    *time.Time // of the next look; nil: none
	LookedAt  *time.Time // the last time; nil: never
	ErasureID *string    // the job of that
}

const retentionColumns = `SELECT project_id, days, set_at, next_at, looked_at, erasure_id FROM retentions `

// Get finds what a project of a tenant says.
func (x *Retentions) Get(ctx context.Context, tenant, project string) (Retention, bool, error) {
	return projections.One[Retention](ctx, x.db, "reading for how long a project keeps things",
		retentionColumns+`WHERE tenant = $1 AND project_id = $2`, tenant, project)
}

// List returns what the projects of a tenant say, in the order of their ids, and how many there are in all.
func (x *Retentions) List(ctx context.Context, tenant string, limit, offset int) ([]Retention, int, error) {
	return projections.Page[Retention](ctx, x.db, "listing for how long projects keep things", projections.PageQuery{
		Count: `SELECT count(*) FROM retentions WHERE tenant = $1`,
		Rows:  retentionColumns + `WHERE tenant = $1 ORDER BY project_id LIMIT $2 OFFSET $3`,
		Args:  []any{tenant}, Limit: limit, Offset: offset})
}
