package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Clock is the database's clock, read without asking each time. All nodes of a system
// share it, so that a lease, a deadline or a timer means the same on each of them,
// whatever their own clocks say. Between two looks it goes on with this machine's
// monotonic time, which no change of the wall clock moves.
type Clock struct {
	db   rower
	log  *slog.Logger
	last atomic.Pointer[reading]
}

type rower interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// reading is what the database said, and when it did by our monotonic time. The middle of the time that the answer took is
// taken for the moment at which it was given.
type reading struct {
	said, here time.Time
	took       time.Duration
}

const (
	clockEvery   = 5 * time.Second
	clockTimeout = 2 * time.Second
	clockSharp   = 250 * time.Millisecond // an answer that took longer says little
	clockApart   = 2 * time.Second        // worth a warning
)

// NewClock reads nothing yet; until the first Sync it is the machine's own clock.
func NewClock(db rower, log *slog.Logger) *Clock { return &Clock{db: db, log: log} }

// Now is the database's time, UTC.
func (c *Clock) Now() time.Time {
	r := c.last.Load()
	if r == nil {
		return time.Now().UTC()
	}
	return r.said.Add(time.Since(r.here))
}

// Sync looks at the database's clock.
func (c *Clock) Sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	asked := time.Now()
	var said time.Time
	if err := c.db.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&said); err != nil {
		return fmt.Errorf("reading the database's clock: %w", err)
	}
	took := time.Since(asked)
	last := c.last.Load()
	if last != nil && took > clockSharp && took >= last.took { // on a busy machine any answer may be better than the first
		return nil
	}
	now := reading{said: said.UTC().Add(took / 2), here: asked.Add(took), took: took}
	if off := now.said.Sub(c.Now()); last != nil && off.Abs() <= took {
		return nil // no better than what we have
	} else if off.Abs() > clockApart {
		c.log.Warn("this machine's clock and the database's differ; the database's is used", "seconds", off.Seconds())
	}
	c.last.Store(&now)
	return nil
}

// Run looks again and again until ctx ends. While the database is away time goes on.
func (c *Clock) Run(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := c.Sync(ctx); err != nil && ctx.Err() == nil {
			c.log.Debug("the database's clock could not be read", "error", err)
		}
	}
}
