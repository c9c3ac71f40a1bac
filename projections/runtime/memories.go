package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/projections"
)

// MemoriesModel stores which stores the code of agents has written, and whose they are; what
// is in them is read in their streams. One that was deleted or erased has no row.
var MemoriesModel = newMemoriesModel()

func newMemoriesModel() *projections.Model {
	m := projections.NewModel("memories", 2, []string{"memories"}, memories.Memories.Category)
	store := func(at projections.At) projections.Row { return projections.Row{"stream_id": at.StreamID} }
	projections.On(m, func(b *projections.Batch, at projections.At, e memories.Written) {
		row := projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "scope": string(e.Scope), "owner_id": e.OwnerID,
			"store": e.Store, "version": e.Version, "bytes": e.Bytes, "written_at": e.At, "expires_at": nil}
		if !e.ExpiresAt.IsZero() {
			row["expires_at"] = e.ExpiresAt
		}
		b.Put("memories", store(at), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ memories.Deleted) { b.Delete("memories", store(at)) })
	projections.On(m, func(b *projections.Batch, at projections.At, _ memories.Erased) { b.Delete("memories", store(at)) })
	return m
}

// Memories answers which stores there are.
type Memories struct{ db *pgxpool.Pool }

// NewMemories reads through the pool.
func NewMemories(db *pgxpool.Pool) *Memories { return &Memories{db} }

// Count is how many stores an owner has in which there is something at a time.
func (x *Memories) Count(ctx context.Context, of memories.Name, at time.Time) (int, error) {
	found, _, err := projections.One[struct{ Stores int }](ctx, x.db, "counting stores of memory", `SELECT count(*)::int AS stores
		FROM memories WHERE tenant = $1 AND project_id = $2 AND scope = $3 AND owner_id = $4
		AND (expires_at IS NULL OR expires_at > $5)`, of.TenantID, of.ProjectID, string(of.Scope), of.OwnerID, at)
	return found.Stores, err
}
