package analytics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	rebuilding "github.com/parley-platform/parley/projections/rebuild"
	"github.com/parley-platform/parley/projections/sink"
)

// Name names the analytics among what can be rebuilt.
const Name = rebuilding.AnalyticsName

// ErrRebuildRunning is wrapped when another rebuild of the analytics is under way.
var ErrRebuildRunning = errors.New("another rebuild of the analytics is running")

// RebuildConfig says from what the analytics are built anew.
type RebuildConfig struct {
	Database   *pgxpool.Pool // any pool on the database; the rebuild opens connections of its own beside it
	Log        Log
	Categories []*event.Category
	Keys       eventstore.Keys      // opens what is personal; nil: nothing is sealed
	Check      bool                 // compare with the live tables instead of taking their place
	Progress   func(done, of int64) // records, told after each batch; may be nil
	Logger     *slog.Logger
}

// RebuildReport is what a rebuild did.
type RebuildReport struct {
	Events      int64            // written
	Rows        map[string]int64 // by table
	Took        time.Duration
	Differences []string // what a check found
}

// The tables that a rebuild fills, and that take the place of the live ones.
var tables = []string{"analytics_checkpoints", "analytics_events", "analytics_hours", "analytics_streams"}

const (
	rebuildLock   = 0x616e616c7974 // advisory lock of a database's one rebuild
	rebuildSchema = "analytics_rebuild"
	patience      = 2 * time.Minute
)

// rebuild is one run.
type rebuild struct {
	RebuildConfig
	live   string
	pool   *pgxpool.Pool // sees the tables of the rebuild, and no others
	writer writer
	source source
	events int64
	read   int64 // records
	asOf   time.Time
}

// Rebuild builds the analytics from the beginning of the log in tables of their own,
// while the live ones are read and written, and puts them in their place in one
// transaction: never with less than the live ones hold. With Check it compares instead,
// at exactly the same positions, and changes nothing. One that is ended changes nothing
// either, and the next begins anew.
func Rebuild(ctx context.Context, c RebuildConfig) (report RebuildReport, err error) {
	began := time.Now()
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	r := &rebuild{RebuildConfig: c, source: newSource(c.Database, c.Log, c.Categories, c.Keys, func(err error) {
		c.Logger.Error("an event appears in the analytics without what it should say", "error", err)
	})}
	unlock, err := r.lock(ctx)
	if err != nil {
		return report, err
	}
	defer unlock()
	if err := r.open(ctx); err != nil {
		return report, fmt.Errorf("making the tables of the rebuild: %w", err)
	}
	defer r.pool.Close()
	if err := r.approach(ctx); err != nil {
		return report, err
	}
	if c.Check {
		report.Differences, err = r.check(ctx)
	} else {
		report.Rows, err = r.replace(ctx)
	}
	report.Events, report.Took = r.events, time.Since(began)
	return report, err
}

// lock makes sure that nobody else rebuilds.
func (r *rebuild) lock(ctx context.Context) (unlock func(), err error) {
	end, err := rebuilding.Alone(ctx, r.Database, rebuildLock)
	if err != nil {
		return nil, err
	}
	if end == nil {
		return nil, fmt.Errorf("%w: wait for it, or end that process", ErrRebuildRunning)
	}
	return func() {
		end(`DROP SCHEMA IF EXISTS ` + rebuildSchema + ` CASCADE`) // what could not be removed goes at the next rebuild
	}, nil
}

// open makes empty tables, and connections that see them and no others.
func (r *rebuild) open(ctx context.Context) error {
	if err := r.Database.QueryRow(ctx, `SELECT current_schema()`).Scan(&r.live); err != nil {
		return err
	}
	statements := []string{`SET LOCAL client_min_messages = warning`, `DROP SCHEMA IF EXISTS ` + rebuildSchema + ` CASCADE`, `CREATE SCHEMA ` +
		rebuildSchema}
	for _, t := range append(tables, "analytics_progress") {
		partitioned := ""
		if t == "analytics_events" {
			partitioned = ` PARTITION BY RANGE (ts)`
		}
		statements = append(statements, `CREATE TABLE `+ident(rebuildSchema, t)+` (LIKE `+ident(r.live, t)+` INCLUDING ALL)`+partitioned)
	}
	statements = append(statements, `ALTER TABLE `+ident(rebuildSchema, "analytics_hours")+` SET (fillfactor = 80)`) // LIKE does not copy it
	r.writer = writer{owner: "rebuild " + uuid.NewString(), epoch: 1}
	if err := pgx.BeginFunc(ctx, r.Database, func(tx pgx.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(ctx, s); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO `+ident(rebuildSchema, "analytics_progress")+` (owner, owner_epoch) VALUES ($1, $2)`, r.writer.owner,
			r.writer.epoch)
		return err
	}); err != nil {
		return err
	}
	cfg := r.Database.Config()
	cfg.MaxConns, cfg.MinConns = 2, 0
	cfg.ConnConfig.RuntimeParams["search_path"] = rebuildSchema
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off" // the switch is what has to last
	var err error
	r.pool, err = pgxpool.NewWithConfig(ctx, cfg)
	r.writer.db = r.pool
	return err
}

func ident(names ...string) string { return pgx.Identifier(names).Sanitize() }

// fill brings the rebuild up to the awaited read models as they were a moment ago, for
// under traffic they move on while it is filled; or to exactly the given positions.
func (r *rebuild) fill(ctx context.Context, to map[sink.Place]int64) error {
	for {
		open, err := r.source.between(ctx, r.pool)
		if err != nil {
			return err
		}
		if to != nil {
			open = open.until(to)
		}
		if open.size == 0 {
			if to == nil {
				r.asOf = open.at
			}
			return nil
		}
		b, err := r.source.next(ctx, open)
		if err != nil {
			return err
		}
		if err := r.writer.write(ctx, b); err != nil {
			return fmt.Errorf("filling the tables of the rebuild: %w", err)
		}
		r.events += int64(len(b.rows))
		if r.read += b.size(); r.Progress != nil {
			r.Progress(r.read, r.read+open.size-b.size())
		}
		if to == nil && b.asOf != nil {
			r.asOf = *b.asOf
			return nil
		}
	}
}

// approach fills as far as may be: to the awaited read models, and for a check no further
// than the live analytics are.
func (r *rebuild) approach(ctx context.Context) error {
	if !r.Check {
		return r.fill(ctx, nil)
	}
	live, err := positions(ctx, r.Database)
	if err != nil {
		return err
	}
	return r.fill(ctx, live)
}

// until leaves out what lies behind the positions.
func (g gaps) until(to map[sink.Place]int64) gaps {
	out := gaps{at: g.at}
	for _, x := range g.open {
		if x.end = min(x.end, to[x.Place]); x.next < x.end {
			out.open = append(out.open, x)
			out.size += x.end - x.next
		}
	}
	return out
}

// level stops the writer of the live tables, brings the rebuild to where they are, and
// calls do, all in one transaction. It is tried again while others hold what it needs.
func (r *rebuild) level(ctx context.Context, do func(pgx.Tx) error) error {
	for deadline := time.Now().Add(patience); ; {
		err := pgx.BeginFunc(ctx, r.Database, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, fmt.Sprintf(
				`SET LOCAL lock_timeout = %d; SET LOCAL synchronous_commit = on; SET LOCAL client_min_messages = warning`,
				rebuilding.LockWait.Milliseconds())); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `SELECT 1 FROM analytics_progress FOR UPDATE`); err != nil {
				return err
			}
			live, err := positions(ctx, tx)
			if err != nil {
				return err
			}
			if err := r.fill(ctx, live); err != nil {
				return err
			}
			return do(tx)
		})
		if !rebuilding.Busy(err) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the tables were in use all the time, nothing was changed: look into pg_stat_activity for long queries, then "+
				"rebuild again: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rebuilding.LockWait):
		}
		if err := r.approach(ctx); err != nil { // so that little is left to do while the writer waits
			return err
		}
	}
}

func positions(ctx context.Context, db querier) (map[sink.Place]int64, error) {
	rows, err := db.Query(ctx, `SELECT topic, partition, next_offset FROM analytics_checkpoints`)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoints of the analytics: %w", err)
	}
	out := map[sink.Place]int64{}
	var at sink.Place
	var next int64
	if _, err := pgx.ForEachRow(rows, []any{&at.Topic, &at.Partition, &next}, func() error { out[at] = next; return nil }); err != nil {
		return nil, fmt.Errorf("reading the checkpoints of the analytics: %w", err)
	}
	return out, nil
}

// replace puts the tables in the place of the live ones. The rebuild may be further than
// they were: nobody minds.
func (r *rebuild) replace(ctx context.Context) (map[string]int64, error) {
	rows := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := r.pool.QueryRow(ctx, `SELECT count(*) FROM `+ident(t)).Scan(&n); err != nil {
			return nil, fmt.Errorf("counting the rows of %s: %w", t, err)
		}
		rows[t] = n
		if _, err := r.Database.Exec(ctx, `ANALYZE `+ident(rebuildSchema, t)); err != nil {
			return nil, fmt.Errorf("looking at the rows of %s: %w", t, err)
		}
	}
	err := r.level(ctx, func(tx pgx.Tx) error {
		var live []string
		for _, t := range tables {
			live = append(live, ident(r.live, t))
		}
		if err := rebuilding.Exclusively(ctx, tx, live); err != nil {
			return err
		}
		var statements []string
		for _, t := range live {
			statements = append(statements, `DROP TABLE `+t)
		}
		found, err := tx.Query(ctx, `SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')
			AND relname <> 'analytics_progress'`, rebuildSchema)
		if err != nil {
			return err
		}
		moving, err := pgx.CollectRows(found, pgx.RowTo[string]) // the partitions of months too: they do not follow by themselves
		if err != nil {
			return err
		}
		for _, t := range moving {
			statements = append(statements, `ALTER TABLE `+ident(rebuildSchema, t)+` SET SCHEMA `+ident(r.live))
		}
		for _, s := range statements {
			if _, err := tx.Exec(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		if _, err := tx.Exec(ctx, `UPDATE analytics_progress SET as_of = greatest(as_of, $1), owner = NULL, owner_epoch = owner_epoch + 1,
			lease_until = '-infinity'`, r.asOf); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO projections (name, version) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
			SET version = excluded.version`, Name, Version)
		return err
	})
	return rows, err
}

// check compares every row at the same positions.
func (r *rebuild) check(ctx context.Context) ([]string, error) {
	var out []string
	err := r.level(ctx, func(tx pgx.Tx) error {
		out = nil
		for _, t := range tables {
			cast := `SELECT x::text FROM ` // a row as text: json knows no equality
			var missing, extra int64
			if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT (SELECT count(*) FROM (%[1]s %[3]s x EXCEPT ALL %[1]s %[2]s x) m), (SELECT count(*)
				FROM (%[1]s %[2]s x EXCEPT ALL %[1]s %[3]s x) e)`,
				cast, ident(r.live, t), ident(rebuildSchema, t))).Scan(&missing, &extra); err != nil {
				return fmt.Errorf("comparing %s: %w", t, err)
			}
			if missing+extra > 0 {
				out = append(out, fmt.Sprintf("%s: %d rows of the log are missing or different, %d rows are not of the log", t, missing, extra))
			}
		}
		return nil
	})
	return out, err
}
