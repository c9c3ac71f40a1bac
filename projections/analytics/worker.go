package analytics

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
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Version is the version of what the tables hold. Count it up when a mapping changes
// what it stores: the next node that starts builds the analytics anew from the log.
const Version = 7

const (
	pollEvery = 200 * time.Millisecond // by the writer: how long a new event may take to be seen
	fullEvery = 600 * time.Millisecond // the same under load, in batches that are worth their cost
	lookEvery = time.Second            // by the others
	mostPause = 5 * time.Second        // after errors
)

// Config is what a Projector is built from.
type Config struct {
	Node       string
	Log        Log
	Queries    *pgxpool.Pool
	Writes     *pgxpool.Pool // with synchronous_commit off: the checkpoint moves with the rows
	Categories []*event.Category
	Keys       eventstore.Keys // opens what is personal; nil: nothing is sealed
	Gate       func() error    // not nil: the awaited read models are catching up, and go first
	Idle       bool            // never write: a node without the projector role
	// News gives a value when this node projected something. Nil where others project too:
	// then the writer looks for what is new all the time.
	News    <-chan struct{}
	Feed    *Feed // what the engine of this node tells; nil: it tells nothing
	Logger  *slog.Logger
	Metrics prometheus.Registerer
}

// Projector keeps the analytics up to date. Of all nodes one writes; any other takes
// over when its lease ends.
type Projector struct {
	Config
	source source
	state  atomic.Pointer[Lag]
	counts *prometheus.CounterVec
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Lag is how far the analytics are behind the awaited read models.
type Lag struct {
	Events  int64   `json:"events"`
	Age     float64 `json:"seconds"` // since everything was in
	Writer  string  `json:"writer,omitempty"`
	Trouble string  `json:"trouble,omitempty"`
	Rebuild string  `json:"rebuild,omitempty"` // why the tables are being built anew
}

// NewProjector prepares nothing yet; see Start.
func NewProjector(c Config) *Projector {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	p := &Projector{Config: c}
	p.state.Store(&Lag{})
	p.source = newSource(c.Queries, c.Log, c.Categories, c.Keys, func(err error) {
		p.Logger.Error("an event appears in the analytics without what it should say", "error", err)
	})
	p.source.feed = c.Feed
	p.counts = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_analytics_events_total",
		Help: "Events that this node has written to the analytics, by category."}, []string{"category"})
	if c.Metrics != nil {
		c.Metrics.MustRegister(p.counts,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_analytics_lag_events",
				Help: "Records that the awaited read models hold and the analytics do not yet."}, func() float64 { return float64(p.Lag().Events) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_analytics_lag_seconds",
				Help: "How long ago the analytics held all that the awaited read models held; 0 when they do."}, func() float64 { return p.Lag().Age }))
	}
	return p
}

func newSource(db *pgxpool.Pool, log Log, categories []*event.Category, keys eventstore.Keys, trouble func(error)) source {
	s := source{db: db, log: log, keys: keys, categories: map[string]*event.Category{}, trouble: trouble}
	for _, c := range categories {
		s.categories[c.Topic()] = c
	}
	return s
}

// Start begins to follow the awaited read models.
func (p *Projector) Start(ctx context.Context) {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	p.done.Go(func() { p.run(run) })
}

// Close ends the work after the batch at hand, and hands the lease over.
func (p *Projector) Close(ctx context.Context) {
	if p.stop == nil {
		return
	}
	p.stop()
	p.done.Wait()
	if err := p.handOver(ctx); err != nil {
		p.Logger.Warn("the lease of the analytics could not be handed over; it expires by itself", "error", err)
	}
}

// Lag describes the analytics for /readyz. They never make a node unready.
func (p *Projector) Lag() Lag { return *p.state.Load() }

// full is how many records make a batch that shows load. A batch costs a dozen statements
// whatever is in it, and commands want the cores then. What comes until the next one has
// room in the feed.
const full = 500

// gathering is how long what comes close together is gathered into one batch, after one of
// so many records.
func gathering(records int64) time.Duration {
	if records >= full {
		return fullEvery
	}
	return pollEvery
}

// run looks again and again; any error is met by looking at the tables anew.
func (p *Projector) run(ctx context.Context) {
	wait, gather := pollEvery, pollEvery
	said := ""
	for {
		news := p.News
		if wait > lookEvery { // after errors: no sooner than that
			news = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-news:
			select {
			case <-ctx.Done():
				return
			case <-time.After(min(wait, gather)): // what comes close together is written together
			}
		}
		lag, more, err := p.step(ctx)
		gather = gathering(lag.Events)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			lag = p.Lag()
			lag.Trouble = projections.Plainly(err)
			if wait = min(2*max(wait, pollEvery), mostPause); said != lag.Trouble && !errors.Is(err, errNotOurs) {
				p.Logger.Warn("the analytics stand still", "error", err)
				said = lag.Trouble
			}
		case more:
			wait, said = 0, ""
		case lag.Writer == p.Node && p.News == nil:
			wait, said = gather, ""
		default:
			wait, said = lookEvery, ""
		}
		p.state.Store(&lag)
	}
}

// step writes one batch if this node is the writer and there is one. more says that
// there is another.
func (p *Projector) step(run context.Context) (lag Lag, more bool, err error) {
	if p.Gate != nil && p.Gate() != nil {
		return p.Lag(), false, nil
	}
	ctx, cancel := context.WithTimeout(run, time.Minute)
	defer cancel()
	turn, err := p.turn(ctx)
	if err != nil {
		return Lag{}, false, err
	}
	open, err := p.source.between(ctx, p.Queries)
	if err != nil {
		return Lag{}, false, err
	}
	lag = Lag{Events: open.size, Writer: turn.owner}
	if open.size > 0 && !turn.asOf.IsZero() {
		lag.Age = max(0, open.at.Sub(turn.asOf).Seconds())
	}
	if turn.stored != Version {
		lag, err = p.otherVersion(run, turn, lag)
		return lag, false, err
	}
	p.Feed.want(turn.mine)
	if !turn.mine {
		return lag, false, nil
	}
	if open.size == 0 {
		return lag, false, p.rest(ctx, turn)
	}
	b, err := p.source.next(ctx, open)
	if errors.Is(err, errStranger) { // a node of a newer version is wanted, and finds the lease free
		return Lag{}, false, errors.Join(err, p.handOver(ctx))
	}
	if err != nil {
		return Lag{}, false, err
	}
	w := writer{db: p.Writes, owner: p.Node, epoch: turn.epoch}
	if err := w.write(ctx, b); err != nil {
		return Lag{}, false, err
	}
	for _, x := range b.rows {
		p.counts.WithLabelValues(string(x.category)).Inc()
	}
	return lag, b.asOf == nil, nil
}

// turn is who writes.
type turn struct {
	owner  string
	mine   bool
	epoch  int64
	asOf   time.Time
	until  time.Time // of the lease, on Postgres's clock
	now    time.Time
	stored int // version of what the tables hold; 0: never built
}

// turn reads the lease, and takes it when it is free.
func (p *Projector) turn(ctx context.Context) (turn, error) {
	var t turn
	var free bool
	var asOf *time.Time
	err := p.Queries.QueryRow(ctx, `SELECT coalesce(owner, ''), owner_epoch, as_of, lease_until < now()
		OR owner IS NULL, coalesce(nullif(lease_until, '-infinity'), now()), now(),
		coalesce((SELECT version FROM projections WHERE name = 'analytics'), -1)
		FROM analytics_progress`).Scan(&t.owner, &t.epoch, &asOf, &free, &t.until, &t.now, &t.stored)
	if err != nil {
		return t, fmt.Errorf("reading who writes the analytics: %w", err)
	}
	if asOf != nil {
		t.asOf = *asOf
	}
	if t.stored < 0 {
		if t.stored, err = p.register(ctx); err != nil {
			return t, err
		}
	}
	t.mine = t.owner == p.Node && !free
	if t.mine || p.Idle || t.stored > Version || !free {
		return t, nil
	}
	err = p.Queries.QueryRow(ctx, `UPDATE analytics_progress SET owner = $1, owner_epoch = owner_epoch + 1,
		lease_until = now() + make_interval(secs => $3) WHERE owner_epoch = $2
		RETURNING owner_epoch, lease_until`, p.Node, t.epoch, leaseSeconds).Scan(&t.epoch, &t.until)
	if errors.Is(err, pgx.ErrNoRows) { // somebody was faster
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("becoming the writer of the analytics: %w", err)
	}
	t.owner, t.mine = p.Node, true
	return t, nil
}

// register notes which version the tables hold, in a database that has no note of it:
// what this node makes if nothing was written yet, and otherwise none.
func (p *Projector) register(ctx context.Context) (stored int, err error) {
	err = p.Queries.QueryRow(ctx, `INSERT INTO projections AS p (name, version) SELECT 'analytics', CASE WHEN EXISTS (SELECT 1
		FROM analytics_checkpoints) THEN 0 ELSE $1::int END
		ON CONFLICT (name) DO UPDATE SET version = p.version RETURNING version`, Version).Scan(&stored)
	if err != nil {
		return 0, fmt.Errorf("noting the version of the analytics: %w", err)
	}
	return stored, nil
}

// rest prolongs the lease of a writer that has nothing to write.
func (p *Projector) rest(ctx context.Context, t turn) error {
	if t.until.Sub(t.now) > leaseSeconds*time.Second/2 {
		return nil
	}
	_, err := p.Queries.Exec(ctx, `UPDATE analytics_progress SET lease_until = now() + make_interval(secs => $3) WHERE owner = $1
		AND owner_epoch = $2`, p.Node, t.epoch, leaseSeconds)
	if err != nil {
		return fmt.Errorf("prolonging the lease: %w", err)
	}
	return nil
}

func (p *Projector) handOver(ctx context.Context) error {
	_, err := p.Queries.Exec(ctx, `UPDATE analytics_progress SET owner = NULL, lease_until = '-infinity' WHERE owner = $1`, p.Node)
	return err
}

// otherVersion builds the analytics anew where the tables are older, and leaves them to
// newer nodes where they are newer.
func (p *Projector) otherVersion(ctx context.Context, t turn, lag Lag) (Lag, error) {
	if t.stored > Version {
		lag.Trouble = fmt.Sprintf("the analytics are stored in version %d, this node makes version %d: upgrade this node", t.stored, Version)
		return lag, nil
	}
	lag.Rebuild = fmt.Sprintf("version %d is stored, version %d is being built", t.stored, Version)
	p.state.Store(&lag)
	if !t.mine {
		return lag, nil
	}
	report, err := Rebuild(ctx, RebuildConfig{Database: p.Queries, Log: p.Log, Categories: p.Categories, Keys: p.Keys, Logger: p.Logger})
	if errors.Is(err, ErrRebuildRunning) {
		return lag, nil
	}
	if err != nil {
		return lag, fmt.Errorf("building the analytics anew: %w", err)
	}
	p.Logger.Warn("the analytics were rebuilt for this version", "events", report.Events, "took", report.Took)
	return lag, nil
}
