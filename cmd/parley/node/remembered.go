package node

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/adapters/kafka"
)

// findDatabase starts the embedded Postgres if there is no other. It comes before the
// log: the read models remember how far the log was.
func (n *Node) findDatabase(ctx context.Context) error {
	if n.cfg.DatabaseURL != "" {
		return nil
	}
	url, err := n.embeddedPostgres(ctx)
	n.cfg.DatabaseURL = url
	return err
}

// checkpoint is what the read models have taken of a partition.
type checkpoint struct {
	Topic     string
	Partition int
	Next      int64
	LogID     string
}

// checkpoints reads what the read models remember of the log; none in a new database.
func checkpoints(ctx context.Context, url string) ([]checkpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var made bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('checkpoints') IS NOT NULL`).Scan(&made); err != nil || !made {
		return nil, err
	}
	rows, err := conn.Query(ctx, `SELECT topic, partition, next_offset, log_id FROM checkpoints WHERE projection = 'live'`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[checkpoint])
}

const readModels = "the checkpoint of the read models"

// knownEnds are the ends that the embedded log must reach. A database that does not
// answer is not waited for: the log's own notes are beside it.
func (n *Node) knownEnds(ctx context.Context) (ends []logfolder.Known) {
	all, err := checkpoints(ctx, n.cfg.DatabaseURL)
	if err != nil {
		n.log.Warn("the database does not say how far the log was; the notes beside the log do", "error", err)
	}
	for _, c := range all { // a row is made after the genesis
		ends = append(ends, logfolder.Known{Topic: c.Topic, Partition: c.Partition, End: max(1, c.Next), Who: readModels, LogID: c.LogID})
	}
	return ends
}

// remembered is asked before a log is begun, or a part of one. It must be answered: a
// new beginning under old read models would hide that a log is gone.
func (n *Node) remembered(ctx context.Context) (all []kafka.Remembered, err error) {
	for {
		found, err := checkpoints(ctx, n.cfg.DatabaseURL)
		if err == nil {
			for _, c := range found {
				all = append(all, kafka.Remembered{Topic: c.Topic, Partition: c.Partition, LogID: c.LogID, Who: readModels})
			}
			return all, nil
		}
		n.log.Warn("before a log is begun the database must say that it knows of none; it is asked again", "error", err)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the database does not answer: %w", err)
		case <-time.After(time.Second):
		}
	}
}
