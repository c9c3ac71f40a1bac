package postgres

import (
	"context"
	"errors"
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
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Checkpoint])
	if err != nil || len(all) == 0 {
		return all, err
	}
	keys, err := keysCheckpoint(ctx, conn)
	if err != nil || keys.Topic == "" {
		return all, err
	}
	keys.LogID = all[0].LogID // read models are of one log
	return append(all, keys), nil
}

// keysCheckpoint is how far the data keys were read; without a topic where none ever were.
func keysCheckpoint(ctx context.Context, conn *pgx.Conn) (c Checkpoint, err error) {
	var made bool
	if err = conn.QueryRow(ctx, `SELECT to_regclass('data_keys_read') IS NOT NULL`).Scan(&made); err == nil && made {
		err = conn.QueryRow(ctx, `SELECT 'parley.keys', next FROM data_keys_read`).Scan(&c.Topic, &c.Next)
	}
	if errors.Is(err, pgx.ErrNoRows) { // the table was emptied
		return Checkpoint{}, nil
	}
	if err != nil {
		return c, fmt.Errorf("reading how far the data keys are: %w", err)
	}
	return c, nil
}
