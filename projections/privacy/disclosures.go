package privacy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/projections"
)

// DisclosuresModel stores one row each time that what is known of a person was handed out.
var DisclosuresModel = newDisclosuresModel()

func newDisclosuresModel() *projections.Model {
	m := projections.NewModel("disclosures", 1, []string{"disclosures"}, disclosures.Disclosures.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e disclosures.Made) {
		b.Put("disclosures", projections.Row{"disclosure_id": at.StreamID}, projections.Row{"tenant": e.TenantID, "actor": at.Actor,
			"streams": e.Streams, "made_at": e.At})
	})
	return m
}

// Disclosures answers when what is known of persons was handed out.
type Disclosures struct{ db *pgxpool.Pool }

// NewDisclosures reads through the pool.
func NewDisclosures(db *pgxpool.Pool) *Disclosures { return &Disclosures{db} }

// Disclosure is one time.
type Disclosure struct {
	ID      string
	Actor   string         // who asked
	Streams map[string]int // in which the person was, by category
	MadeAt  time.Time
}

// List returns those of a tenant, newest first, and how many there are in all.
func (x *Disclosures) List(ctx context.Context, tenant string, limit, offset int) ([]Disclosure, int, error) {
	return projections.Page[Disclosure](ctx, x.db, "listing disclosures", projections.PageQuery{
		Count: `SELECT count(*) FROM disclosures WHERE tenant = $1`,
		Rows: `SELECT disclosure_id AS id, actor, streams, made_at FROM disclosures
			WHERE tenant = $1 ORDER BY made_at DESC, disclosure_id LIMIT $2 OFFSET $3`,
		Args: []any{tenant}, Limit: limit, Offset: offset})
}
