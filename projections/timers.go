package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Timer is a command that is due. Its row was made by the projection of one event
// (Batch.SetTimer) and goes with the projection of its outcome, by nothing else.
type Timer struct {
	Stream string
	Name   string // what it is for, such as lease
	Topic  string // the stream's category
	Tenant string
	Due    time.Time
}

// Timers hands out due timers.
type Timers struct{ db *pgxpool.Pool }

// NewTimers claims through the pool.
func NewTimers(db *pgxpool.Pool) *Timers { return &Timers{db} }

// Claim returns timers that are due at now and that nobody claimed in the last
// while. The claim is one short statement and holds no lock afterwards: a claimer
// that dies only delays its timers by while.
func (t *Timers) Claim(ctx context.Context, now time.Time, while time.Duration, most int) ([]Timer, error) {
	rows, err := t.db.Query(ctx, `WITH d AS MATERIALIZED (SELECT stream, name FROM timers WHERE due_at <= $1 AND claimed_until < now() ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
		UPDATE timers t SET claimed_until = now() + make_interval(secs => $2) FROM d
		WHERE t.stream = d.stream AND t.name = d.name RETURNING t.stream, t.name, t.topic, t.tenant, t.due_at`, now, while.Seconds(), most)
	if err != nil {
		return nil, fmt.Errorf("claiming timers: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (Timer, error) {
		var x Timer
		return x, r.Scan(&x.Stream, &x.Name, &x.Topic, &x.Tenant, &x.Due)
	})
	if err != nil {
		return nil, fmt.Errorf("claiming timers: %w", err)
	}
	return out, nil
}

// Waiting counts the timers that are due and those that are not yet.
func (t *Timers) Waiting(ctx context.Context, now time.Time) (due, later int64, err error) {
	err = t.db.QueryRow(ctx, `SELECT count(*) FILTER (WHERE due_at <= $1), count(*) FILTER (WHERE due_at > $1) FROM timers`, now).Scan(&due, &later)
	if err != nil {
		return 0, 0, fmt.Errorf("counting timers: %w", err)
	}
	return due, later, nil
}
