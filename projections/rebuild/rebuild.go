package rebuild

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// IndexName names the stream index among what can be rebuilt.
const IndexName = "index"

// AnalyticsName names the analytics, whose version stands beside those of the read models.
const AnalyticsName = "analytics"

// IndexVersion is the version of the stream index's shape.
const IndexVersion = 1

// ErrRebuildRunning is wrapped when another rebuild of the database is under way.
var ErrRebuildRunning = errors.New("another rebuild is running")

// Config says what to rebuild, and from what.
type Config struct {
	Database   *pgxpool.Pool // any pool on the database; a rebuild opens connections of its own beside it
	Log        sink.Log      // opened with the categories
	Categories []*event.Category
	Keys       eventstore.Keys      // opens what is personal; nil: nothing is sealed
	Models     []*projections.Model // every read model there is, also those that are not rebuilt
	Names      []string             // read models, or IndexName; empty: everything
	By         string               // who rebuilds, as others are told
	Check      bool                 // compare with the live tables instead of taking their place
	Workers    int                  // partitions read at a time; 0: four
	Progress   func(Progress)       // told five times a second and at each phase, by one at a time; may be nil
	Logger     *slog.Logger

	patience time.Duration // how long the switch is tried; 0: two minutes
	filled   func()        // told to tests, before the switch
	// StillWanted is asked when nobody else can be rebuilding any more.
	StillWanted func(context.Context) error
}

// Progress is how far a rebuild is.
type Progress struct {
	Phase       string // such as "reading the log"
	Done, Total int64  // records of the log
}

// Report is what a rebuild did.
type Report struct {
	Names       []string
	Resumed     bool             // went on where a rebuild that was ended had stopped
	Records     int64            // of the log, read now
	Events      int64            // accepted, and written now
	SetAside    int64            // commits whose rows a read model could not take, now
	Rows        map[string]int64 // by table, as of shortly before the switch
	Took        time.Duration
	Held        time.Duration // how long the projectors waited for the switch, or for the common position of a check
	Differences []TableDifference
}

// rebuild is one run.
type rebuild struct {
	Config
	parts  plan
	pool   *pgxpool.Pool // sees the tables of the rebuild, and no others
	live   string        // schema of the live tables
	schema string        // of the rebuild's tables
	epoch  int64         // of the rebuild's checkpoints: who takes a rebuild over bumps it
	tables projections.Tables
	fills  []*filler

	resumed      bool
	mu           sync.Mutex
	phase        string
	done, total  atomic.Int64
	read, events atomic.Int64
	aside        atomic.Int64
}

// Rebuild builds read models from offset 0 of the log in tables of their own while
// the live ones are read and written, and puts them in their place in one
// transaction. With Check it compares instead, row for row at exactly the same
// position of every partition, and changes nothing. It may be ended at any moment;
// the next one of the same names by the same binary goes on where it stopped.
func Rebuild(ctx context.Context, c Config) (Report, error) {
	began := time.Now()
	r := &rebuild{Config: c}
	if r.Logger == nil {
		r.Logger = slog.Default()
	}
	if r.Workers == 0 {
		r.Workers = 4
	}
	if r.patience == 0 {
		r.patience = 2 * time.Minute
	}
	var err error
	if r.parts, err = planOf(c.Models, c.Categories, c.Names); err != nil {
		return Report{}, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if r.StillWanted != nil {
		if err := r.StillWanted(ctx); err != nil {
			return Report{}, err
		}
	}
	if err := r.open(ctx); err != nil {
		return Report{}, err
	}
	defer r.pool.Close()
	stop := r.tell(ctx)
	defer stop()
	report := Report{Names: r.parts.names, Resumed: r.resumed}
	if err := r.run(ctx, &report); err != nil {
		return report, err
	}
	report.Records, report.Events, report.SetAside, report.Took = r.read.Load(), r.events.Load(), r.aside.Load(), time.Since(began)
	return report, nil
}

func (r *rebuild) run(ctx context.Context, report *Report) (err error) {
	r.enter("reading the log")
	if err := r.fill(ctx); err != nil {
		return err
	}
	r.enter("making the indexes")
	if err := r.finishTables(ctx); err != nil {
		return err
	}
	if report.Rows, err = r.countRows(ctx); err != nil {
		return err
	}
	if r.filled != nil {
		r.filled()
	}
	if r.Check {
		r.enter("comparing")
		report.Held, report.Differences, err = r.check(ctx)
		return err
	}
	r.enter("switching")
	report.Held, err = r.level(ctx, r.swap)
	return err
}

func (r *rebuild) enter(phase string) {
	r.mu.Lock()
	r.phase = phase
	r.mu.Unlock()
	r.progress()
}

func (r *rebuild) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Phase: r.phase, Done: r.done.Load(), Total: max(r.total.Load(), r.done.Load())}
	if r.Progress != nil {
		r.Progress(p)
	}
	return p
}

// tell keeps the row that others see up to date, until stop is called.
func (r *rebuild) tell(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; sink.Pause(ctx, 200*time.Millisecond) == nil; i++ {
			p := r.progress()
			if i%5 > 0 {
				continue
			}
			_, err := r.Database.Exec(ctx, `UPDATE rebuilds SET seen_at = now(), phase = $2, done = $3, total = $4 WHERE id = $1`, r.schema, p.Phase,
				p.Done, p.Total)
			if err != nil && ctx.Err() == nil {
				r.Logger.Debug("the progress of the rebuild cannot be noted", "error", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// fill reads the log up to where the live read models are, twice: what came during
// the first reading makes the second a short one.
func (r *rebuild) fill(ctx context.Context) error {
	for {
		goals, err := r.goals(ctx)
		if err != nil {
			return err
		}
		left := r.count(goals)
		if err := r.fillTo(ctx, goals); err != nil {
			return err
		}
		if left <= mostRest {
			return nil
		}
	}
}

// fillTo brings every partition to its goal.
func (r *rebuild) fillTo(ctx context.Context, goals map[sink.Place]position) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.Workers)
	for _, f := range r.fills {
		if f.next < goals[f.at].next {
			group.Go(func() error { return f.to(ctx, goals[f.at].next) })
		}
	}
	return group.Wait()
}

// count notes how much there is, and returns how much is left.
func (r *rebuild) count(goals map[sink.Place]position) (left int64) {
	var done, total int64
	for _, f := range r.fills {
		done += f.next
		total += goals[f.at].next
		left += max(0, goals[f.at].next-f.next)
	}
	r.done.Store(done)
	r.total.Store(total)
	return left
}

// position is where a checkpoint stands.
type position struct {
	next int64
	mark string
}

// goals are the live checkpoints.
func (r *rebuild) goals(ctx context.Context) (map[sink.Place]position, error) {
	rows, err := r.Database.Query(ctx, selectPositions, sink.Live)
	if err != nil {
		return nil, fmt.Errorf("reading the live checkpoints: %w", err)
	}
	return positions(rows)
}

const selectPositions = `SELECT topic, partition, next_offset, mark FROM checkpoints WHERE projection = $1`

func positions(rows pgx.Rows) (map[sink.Place]position, error) {
	out := map[sink.Place]position{}
	var at sink.Place
	var pos position
	if _, err := pgx.ForEachRow(rows, []any{&at.Topic, &at.Partition, &pos.next, &pos.mark},
		func() error { out[at] = pos; return nil }); err != nil {
		return nil, fmt.Errorf("reading the live checkpoints: %w", err)
	}
	return out, nil
}
