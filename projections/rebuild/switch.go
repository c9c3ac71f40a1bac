package rebuild

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/parley-platform/parley/projections/sink"
)

const (
	// mostRest is how many records of the log are read while the projectors wait.
	mostRest = 2000
	// LockWait is how long a switch waits for a lock. It is shorter than Postgres's
	// deadlock_timeout (a second), so where two wait for each other it is always the
	// switch that gives way, and never a query or a projector that fails.
	LockWait = 300 * time.Millisecond
	// vacuumWait is how long autovacuum is given to leave the tables.
	vacuumWait = 5 * time.Second
	// restWait bounds the reading of the rest.
	restWait = 5 * time.Second
)

var errNotYet = errors.New("the live read models are elsewhere")

// level stops the projectors by locking the live checkpoints in the order of their
// partitions, applies the rest up to exactly those offsets, and calls do. All of it
// is one transaction, which is tried again while others hold what it needs.
func (r *rebuild) level(ctx context.Context, do func(context.Context, pgx.Tx) error) (held time.Duration, err error) {
	deadline := time.Now().Add(r.patience)
	for {
		goals, err := r.goals(ctx)
		if err != nil {
			return 0, err
		}
		r.count(goals)
		if err := r.fillTo(ctx, goals); err != nil {
			return 0, err
		}
		held, err := r.levelOnce(ctx, do)
		if err == nil || !again(err) {
			return held, err
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("the tables were in use all the time, nothing was changed: look into pg_stat_activity for long queries and open "+
				"transactions, then rebuild again (it goes on where it stopped): %w", err)
		}
		if err := sink.Pause(ctx, LockWait+rand.N(LockWait)); err != nil { // queries that waited go first
			return 0, err
		}
	}
}

// again reports whether the next attempt may succeed.
func again(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return Busy(err)
	}
	return errors.Is(err, errNotYet)
}

// Busy reports whether others had what a switch needs: a lock, a deadlock, a conflict.
func Busy(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && slices.Contains([]string{"55P03", "40P01", "40001"}, pg.Code)
}

func (r *rebuild) levelOnce(ctx context.Context, do func(context.Context, pgx.Tx) error) (held time.Duration, err error) {
	var from time.Time
	err = pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		if err := r.keepVacuumOut(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(
			`SET LOCAL lock_timeout = %d; SET LOCAL synchronous_commit = on; SET LOCAL client_min_messages = warning`,
			LockWait.Milliseconds())); err != nil {
			return err
		}
		from = time.Now()
		rows, err := tx.Query(ctx, `SELECT topic, partition, next_offset, mark FROM `+ident(r.live, "checkpoints")+
			` WHERE projection = $1 ORDER BY topic, partition FOR UPDATE`, sink.Live)
		if err != nil {
			return err
		}
		goals, err := positions(rows)
		if err != nil {
			return err
		}
		if err := r.rest(ctx, goals); err != nil {
			return err
		}
		if err := r.own(ctx, tx, goals); err != nil {
			return err
		}
		return do(ctx, tx)
	})
	return time.Since(from), err
}

// keepVacuumOut takes a lock that no query and no projector minds, but autovacuum
// does: it gives way to who waits for longer than deadlock_timeout, which is more than
// the switch ever waits for the tables themselves.
func (r *rebuild) keepVacuumOut(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, vacuumWait.Milliseconds())); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `LOCK TABLE `+strings.Join(r.liveTables(), ", ")+` IN SHARE UPDATE EXCLUSIVE MODE`)
	return err
}

// liveTables names the tables that the rebuild's take the place of.
func (r *rebuild) liveTables() (names []string) {
	for _, t := range r.parts.allTables() {
		names = append(names, ident(r.live, t))
	}
	return names
}

// own locks the rebuild's checkpoints and looks whether they are where this run left
// them: a rebuild that began when this one had lost its lock may have taken them, and
// a crash of Postgres may have taken the last of what was filled.
func (r *rebuild) own(ctx context.Context, tx pgx.Tx, goals map[sink.Place]position) error {
	rows, err := tx.Query(ctx, `SELECT topic, partition, next_offset, owner_epoch FROM checkpoints FOR UPDATE`)
	if err != nil {
		return err
	}
	var at sink.Place
	var next, epoch int64
	taken, there := false, map[sink.Place]int64{}
	if _, err := pgx.ForEachRow(rows, []any{&at.Topic, &at.Partition, &next, &epoch}, func() error {
		taken = taken || epoch != r.epoch
		there[at] = next
		return nil
	}); err != nil {
		return err
	}
	if taken {
		return fmt.Errorf("%w: it took this one over", ErrRebuildRunning)
	}
	lost := false
	for _, f := range r.fills {
		if there[f.at] == goals[f.at].next {
			continue
		}
		if err := f.load(ctx); err != nil {
			return err
		}
		lost = true
	}
	if lost {
		return fmt.Errorf("%w: the database has lost some of the rebuild", errNotYet)
	}
	return nil
}

// rest applies what is left while the projectors wait: exactly up to the goals.
func (r *rebuild) rest(ctx context.Context, goals map[sink.Place]position) error {
	if left := r.count(goals); left > mostRest {
		return fmt.Errorf("%w: %d records are left", errNotYet, left)
	}
	ctx, cancel := context.WithTimeout(ctx, restWait)
	defer cancel()
	if err := r.fillTo(ctx, goals); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", errNotYet, err)
		}
		return err
	}
	for _, f := range r.fills {
		goal := goals[f.at]
		if f.next != goal.next { // Postgres was restored, and its projectors are catching up
			return fmt.Errorf("%w: %s stands at %d, the rebuild at %d", errNotYet, f.at, goal.next, f.next)
		}
		if f.mark != goal.mark {
			return f.cut(fmt.Errorf("the record before offset %d is %q, the live read models were built on %q", f.next, f.mark, goal.mark))
		}
	}
	return nil
}

// swap puts the rebuild's tables in the place of the live ones. Whoever waits for
// them meanwhile finds the new ones under the same names: Postgres looks a name up
// again when it gets the lock, also for statements that were prepared before.
func (r *rebuild) swap(ctx context.Context, tx pgx.Tx) error {
	if err := Exclusively(ctx, tx, r.liveTables()); err != nil {
		return err
	}
	var statements []string
	timers, versions, errorsTable := ident(r.live, "timers"), ident(r.live, "projections"), ident(r.live, "projection_errors")
	if slices.Contains(r.parts.allTables(), "timers") { // who claimed a timer keeps it
		statements = append(statements, `UPDATE timers n SET claimed_until = o.claimed_until FROM `+timers+
			` o WHERE o.stream = n.stream AND o.name = n.name AND o.due_at = n.due_at AND o.claimed_until > now()`)
	}
	if r.parts.index && r.tables["snapshots"] != nil { // folded from the index that goes
		statements = append(statements, `TRUNCATE `+ident(r.live, "snapshots"))
	}
	for _, t := range r.parts.whole {
		statements = append(statements, `DROP TABLE `+ident(r.live, t), `ALTER TABLE `+ident(r.schema, t)+` SET SCHEMA `+ident(r.live))
	}
	for _, s := range statements {
		if _, err := tx.Exec(ctx, s); err != nil {
			return explained(s, err)
		}
	}
	b := &pgx.Batch{}
	for _, t := range slices.Sorted(maps.Keys(r.parts.shared)) {
		b.Queue(`DELETE FROM `+ident(r.live, t)+` WHERE topic = ANY($1)`, r.parts.shared[t])
		b.Queue(`INSERT INTO ` + ident(r.live, t) + ` SELECT * FROM ` + ident(r.schema, t))
	}
	b.Queue(`DELETE FROM `+errorsTable+` WHERE model = ANY($1)`, r.parts.names)
	b.Queue(`INSERT INTO ` + errorsTable + ` SELECT * FROM ` + ident(r.schema, "projection_errors"))
	for name, v := range r.parts.versions {
		b.Queue(`INSERT INTO `+versions+` (name, version) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = excluded.version`, name, v)
	}
	b.Queue(`UPDATE `+ident(r.live, "checkpoints")+` SET owner_epoch = owner_epoch + 1 WHERE projection = $1`, sink.Live)
	b.Queue(`DELETE FROM `+ident(r.live, "rebuilds")+` WHERE id = $1`, r.schema)
	b.Queue(`SELECT pg_notify($1, $2)`, sink.Channel, sink.Freed) // so that the nodes take their partitions again at once
	b.Queue(`DROP SCHEMA ` + ident(r.schema) + ` CASCADE`)
	return tx.SendBatch(ctx, b).Close()
}

func explained(statement string, err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "2BP01" {
		return fmt.Errorf("something of yours is built upon a table that is replaced (%s): drop it, rebuild, and make it again: %w", pg.Detail,
			err)
	}
	return fmt.Errorf("%s: %w", statement, err)
}
