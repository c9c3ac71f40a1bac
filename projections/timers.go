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
	Now    time.Time // of the claim, by the database's clock; never before Due
}

// Timers hands out due timers.
type Timers struct {
	db    *pgxpool.Pool
	names []string // nil: all
}

// NewTimers claims through the pool.
func NewTimers(db *pgxpool.Pool) *Timers { return &Timers{db: db} }

// Called hands out the timers of these names only.
func (t *Timers) Called(names ...string) *Timers { return &Timers{db: t.db, names: names} }

// Claim returns timers that are due by the database's clock, the only one that is
// asked, and that nobody claimed in the last while. The claim is one short statement
// and holds no lock afterwards: a claimer that dies only delays its timers by while.
func (t *Timers) Claim(ctx context.Context, while time.Duration, most int) ([]Timer, error) {
	rows, err := t.db.Query(ctx, `WITH d AS MATERIALIZED (SELECT stream, name FROM timers
		WHERE due_at <= now() AND claimed_until < now()
		AND ($3::text[] IS NULL OR name = ANY($3))
		ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
		UPDATE timers t SET claimed_until = now() + make_interval(secs => $1) FROM d
		WHERE t.stream = d.stream AND t.name = d.name RETURNING t.stream, t.name, t.topic, t.tenant, t.due_at, now()`,
		while.Seconds(), most, t.names)
	if err != nil {
		return nil, fmt.Errorf("claiming timers: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (Timer, error) {
		var x Timer
		err := r.Scan(&x.Stream, &x.Name, &x.Topic, &x.Tenant, &x.Due, &x.Now)
		return x, err
	})
	if err != nil {
		return nil, fmt.Errorf("claiming timers: %w", err)
	}
	return out, nil
}

// Release lets a timer that was claimed be claimed again in a while, sooner than its claim ends.
// A timer that was set anew since is left as it is.
func (t *Timers) Release(ctx context.Context, x Timer, in time.Duration) error {
	if _, err := t.db.Exec(ctx, `UPDATE timers SET claimed_until = now() + make_interval(secs => $3)
		WHERE stream = $1 AND name = $2 AND due_at = $4 AND claimed_until > now()`, x.Stream, x.Name, in.Seconds(), x.Due); err != nil {
		return fmt.Errorf("releasing a timer: %w", err)
	}
	return nil
}

// Next is how long it takes, by the database's clock, until a timer can be claimed; at
// most so long.
func (t *Timers) Next(ctx context.Context, most time.Duration) (time.Duration, error) {
	var seconds float64
	if err := t.db.QueryRow(ctx, `SELECT coalesce(extract(epoch FROM min(greatest(due_at, claimed_until)) - now()), $1)::float8
		FROM timers WHERE due_at < now() + make_interval(secs => $1)
		AND ($2::text[] IS NULL OR name = ANY($2))`, most.Seconds(), t.names).Scan(&seconds); err != nil {
		return 0, fmt.Errorf("looking for the next timer: %w", err)
	}
	return time.Duration(min(max(seconds, 0), most.Seconds()) * float64(time.Second)), nil
}

// TimerQueue is the timers of one name.
type TimerQueue struct {
	Name       string
	Due, Later int64
	Overdue    time.Duration // of the one that has been due for longest
}

// Queues counts the timers by name, by the database's clock.
func (t *Timers) Queues(ctx context.Context) ([]TimerQueue, error) {
	rows, err := t.db.Query(ctx, `SELECT name, count(*) FILTER (WHERE due_at <= now()), count(*) FILTER (WHERE due_at > now()),
		greatest(0, extract(epoch FROM now() - min(due_at)))::float8 FROM timers GROUP BY name ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("counting timers: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (TimerQueue, error) {
		var q TimerQueue
		var overdue float64
		err := r.Scan(&q.Name, &q.Due, &q.Later, &overdue)
		q.Overdue = time.Duration(overdue * float64(time.Second))
		return q, err
	})
	if err != nil {
		return nil, fmt.Errorf("counting timers: %w", err)
	}
	return out, nil
}
