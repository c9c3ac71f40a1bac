package projections

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Write sends the batch as one transaction.
func (b *Batch) Write(ctx context.Context, db *pgxpool.Pool) error {
	to := &pgx.Batch{}
	if err := b.Queue(to); err != nil {
		return err
	}
	return db.SendBatch(ctx, to).Close()
}
