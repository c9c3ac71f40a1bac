package sink

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Live is the name of the awaited projection in the checkpoints.
const Live = "live"

// Place is one partition of a topic.
type Place struct {
	Topic     string
	Partition int
}

// InsertCheckpoints makes the rows that a projection lacks, by name ($1), topics ($2), partitions
// ($3) and log ($4). It takes them in one order: nodes that start at once would wait for each
// other otherwise.
const InsertCheckpoints = `INSERT INTO checkpoints (projection, topic, partition, log_id)
	SELECT $1, at.topic, at.partition, $4 FROM unnest($2::text[], $3::int[]) AS at (topic, partition)
	ORDER BY at.topic COLLATE "C", at.partition ON CONFLICT DO NOTHING`

// Pause waits, and returns earlier with the error of ctx when that ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// MissingTable reports whether the database lacks our tables: it was dropped.
func MissingTable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42P01" || pg.Code == "42883")
}

// Overtaken reports whether a checkpoint was not where a worker left it, or not under its
// epoch any more: another one projects the partition, or did.
func Overtaken(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "PY001"
}

// ReadTables reads the type of every column, without its length: a cast to a type with
// one would cut a value where the column refuses it.
func ReadTables(ctx context.Context, db *pgxpool.Pool) (projections.Tables, error) {
	rows, err := db.Query(ctx, `SELECT c.relname, a.attname, format_type(a.atttypid, -1) FROM pg_attribute a
		JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`)
	if err != nil {
		return nil, fmt.Errorf("reading the tables' columns: %w", err)
	}
	defer rows.Close()
	out := projections.Tables{}
	for rows.Next() {
		var table, column, typ string
		if err := rows.Scan(&table, &column, &typ); err != nil {
			return nil, fmt.Errorf("reading the tables' columns: %w", err)
		}
		if out[table] == nil {
			out[table] = map[string]string{}
		}
		out[table][column] = typ
	}
	return out, rows.Err()
}

// Spoken is a name as it is written on a command line.
func Spoken(name string) string { return strings.ReplaceAll(name, " ", "-") }

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// String is TOPIC/PARTITION.
func (p Place) String() string { return p.Topic + "/" + strconv.Itoa(p.Partition) }

// The channel on which nodes tell each other, through Postgres. A message is one of:
// free; TOPIC PARTITION NEXT; stalled TOPIC PARTITION NEXT.
const (
	Channel = "parley_progress"
	Freed   = "free"    // somebody gave leases back, take your share
	Stuck   = "stalled" // somebody waits for a partition that is still at NEXT
)

// ErrGivenUp is wrapped by errors that no repetition mends; the operator must act.
var ErrGivenUp = errors.New("partition given up")

// Log is what the projector reads of the event log.
type Log interface {
	Fetch(ctx context.Context, topic string, partition int, offset int64) (eventstore.Fetched, error)
	// Verify reads the genesis of a partition again and compares it with the one known.
	Verify(ctx context.Context, topic string, partition int) error
	// ReadMark is the identity of the record at an offset.
	ReadMark(ctx context.Context, topic string, partition int, offset int64) (string, error)
	Ends(ctx context.Context) (map[string]map[int]int64, error)
	Partitions(topic string) (int, error)
	LogID() string
}
