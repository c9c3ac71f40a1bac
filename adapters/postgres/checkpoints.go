package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Checkpoint is what the read models have taken of a partition of the log.
type Checkpoint struct {
	Topic     string
	Partition int
	Next      int64  // the offset that comes next
	LogID     string // of the log they were built from
}

// Checkpoints reads what a database remembers of the log; nothing in a new one. It
// needs no pool: it is asked before anything runs.
func Checkpoints(ctx context.Context, url string) ([]Checkpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("reaching the database: %w (%s)", err, hint(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var made bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('checkpoints') IS NOT NULL`).Scan(&made); err != nil || !made {
		return nil, err
	}
	rows, err := conn.Query(ctx, `SELECT topic, partition, next_offset, log_id FROM checkpoints WHERE projection = 'live'`)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoints: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Checkpoint])
}
