package projections

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

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

// Config is what a Projector is built from.
type Config struct {
	Node       string
	Log        Log
	Queries    *pgxpool.Pool
	Writes     *pgxpool.Pool // with synchronous_commit off: the checkpoint moves with the rows
	Prepare    func(context.Context) error
	Categories []*event.Category
	Models     []*Model
	Idle       bool // take no leases: a node without the projector role only follows
	Serves     bool // this node serves the API: it has a share of the rates
	Logger     *slog.Logger
	Metrics    prometheus.Registerer
	// Seen is called with the accepted records of every transaction, after it; may be nil.
	Seen func([]*eventstore.Record)
}

const live = "live" // name of the awaited projection in the checkpoints

// Projector runs the read models of one node and answers who waits for them. It
// implements eventstore.Follower.
type Projector struct {
	Config
	index   *Index
	watch   *watch
	gate    *gate
	metrics *metrics

	tables     atomic.Pointer[Tables]
	wanted     atomic.Uint64 // preparations of the database that are called for; see prepare
	prepared   atomic.Uint64 // the last of them that was made
	preparedAs atomic.Pointer[identity]
	proofs     lookup[string, proof]
	serving    atomic.Int64
	asked      chan place    // partitions whose waiters see no progress
	freed      chan struct{} // something wants a heartbeat at once: leases that were given back, a database to prepare
	heard      chan stall    // partitions that waiters of other nodes see no progress of
	projectors projectors
	cancel     context.CancelFunc
	tasks      sync.WaitGroup

	still    map[place]int64 // checkpoints at the last look of catchUp, which alone uses it
	looking  sync.Mutex
	mu       sync.Mutex
	workers  map[place]*worker
	seen     map[place]int64 // highest checkpoint seen of each partition
	indexed  int64           // identity of the stream index's table at the last look; 0: none yet
	known    identity        // of the checkpoints at the last look; zero: none yet
	ends     map[place]int64 // log ends, for the lag
	backlogs map[place]*backlog
	broken   map[place]error // partitions that stand still, and why

	alarms      alarms
	counted     chan struct{}       // something was set aside
	aside       map[string]int64    // by model, what all nodes have set aside
	surrendered map[place]surrender // partitions left to nodes of a newer version
	strays      map[place]int       // heartbeats for which nobody wanted a partition
	upgrades    upgrades
}

// NewProjector prepares nothing yet; see Start.
func NewProjector(c Config) *Projector {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	shut := newGate()
	p := &Projector{Config: c, index: &Index{db: c.Queries, gate: shut}, gate: shut, asked: make(chan place, 64), freed: make(chan struct{}, 1), heard: make(chan stall, 64),
		workers: map[place]*worker{}, seen: map[place]int64{}, ends: map[place]int64{}, backlogs: map[place]*backlog{}, broken: map[place]error{}, still: map[place]int64{},
		counted: make(chan struct{}, 1), surrendered: map[place]surrender{}, strays: map[place]int{}}
	p.watch = newWatch(func(at place) {
		select {
		case p.asked <- at:
		default:
		}
	})
	p.wanted.Store(1)
	p.proofs.ask = p.prove
	p.index.reading = p.Reading
	p.serving.Store(1)
	p.metrics = newMetrics(c.Metrics, p)
	return p
}

// Start migrates the database, takes leases and begins to project. It returns at
// once; the gate opens when the read models have caught up.
func (p *Projector) Start(ctx context.Context) error {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	for _, task := range []func(context.Context){p.tend, p.listen, p.catchUp, p.tally, p.upgrade} {
		p.tasks.Add(1)
		go func() {
			defer p.tasks.Done()
			task(run)
		}()
	}
	return nil
}

// Close stops the workers after their transaction and hands the leases over.
func (p *Projector) Close(ctx context.Context) {
	if p.cancel == nil {
		return
	}
	p.cancel()
	p.tasks.Wait()
	p.mu.Lock()
	workers := p.workers
	p.workers = map[place]*worker{}
	p.mu.Unlock()
	for _, w := range workers {
		w.stop()
	}
	for _, w := range workers {
		<-w.done
	}
	if _, err := p.Queries.Exec(ctx, `WITH gone AS (DELETE FROM nodes WHERE node = $1),
		given AS (UPDATE checkpoints SET owner = NULL, lease_until = '-infinity' WHERE owner = $1) SELECT pg_notify($2, $3)`, p.Node, channel, freed); err != nil {
		p.Logger.Warn("leases could not be handed over; they expire by themselves", "error", err)
	}
}

// prepare makes the tables and the checkpoint rows. Each Reset calls for it again, since
// what the database lost may be all of that; the heartbeat repeats it until it is done.
func (p *Projector) prepare(ctx context.Context) error {
	wanted := p.wanted.Load()
	if err := p.migrate(ctx); err != nil {
		return err
	}
	if err := p.registerVersions(ctx); err != nil { // before anything can be projected
		return err
	}
	b := &pgx.Batch{}
	for at := range p.places() {
		b.Queue(`INSERT INTO checkpoints (projection, topic, partition, log_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, live, at.topic, at.partition, p.Log.LogID())
	}
	if err := p.Queries.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("making the checkpoints: %w", err)
	}
	found, err := p.prove(ctx, []string{live})
	if err != nil {
		return err
	}
	as := found[live].identity
	p.preparedAs.Store(&as)
	p.prepared.Store(wanted)
	return nil
}

// migrate makes the tables, unless they are the very ones of the last time: who
// migrates waits for whoever else does.
func (p *Projector) migrate(ctx context.Context) error {
	if p.sameTables(ctx) {
		return nil
	}
	if err := p.Prepare(ctx); err != nil {
		return err
	}
	tables, err := ReadTables(ctx, p.Queries)
	if err != nil {
		return err
	}
	if err := p.unmade(tables); err != nil {
		return err
	}
	p.tables.Store(&tables)
	return nil
}

func (p *Projector) sameTables(ctx context.Context) bool {
	before, as := p.tables.Load(), p.preparedAs.Load()
	if before == nil || as == nil {
		return false
	}
	now, err := ReadTables(ctx, p.Queries)
	if err != nil || !reflect.DeepEqual(now, *before) {
		return false
	}
	found, err := p.prove(ctx, []string{live})
	return err == nil && found[live].identity == *as
}

// unprepared reports whether the tables or the checkpoint rows may not all be there.
func (p *Projector) unprepared() bool { return p.prepared.Load() < p.wanted.Load() }

// places lists every partition of the categories.
func (p *Projector) places() map[place]*event.Category {
	out := map[place]*event.Category{}
	for _, c := range p.Categories {
		n, err := p.Log.Partitions(c.Topic())
		if err != nil {
			panic("projector started before its topics were opened: " + err.Error())
		}
		for i := range n {
			out[place{c.Topic(), i}] = c
		}
	}
	return out
}

// ReadTables reads the type of every column, without its length: a cast to a type with
// one would cut a value where the column refuses it.
func ReadTables(ctx context.Context, db *pgxpool.Pool) (Tables, error) {
	rows, err := db.Query(ctx, `SELECT c.relname, a.attname, format_type(a.atttypid, -1) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`)
	if err != nil {
		return nil, fmt.Errorf("reading the tables' columns: %w", err)
	}
	defer rows.Close()
	out := Tables{}
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

// Nodes is how many live nodes serve the API, this one included, as of the last
// heartbeat.
func (p *Projector) Nodes() int { return int(p.serving.Load()) }

// Index is the stream index.
func (p *Projector) Index() *Index { return p.index }

// Gate implements eventstore.Follower.
func (p *Projector) Gate() error { return p.gate.err() }

// Epoch implements eventstore.Follower.
func (p *Projector) Epoch() uint64 { _, _, e := p.gate.state(); return e }

// Expect implements eventstore.Follower.
func (p *Projector) Expect(topic string, partition int, stream string, version int64, commit string) eventstore.Expectation {
	return p.watch.expect(p.index, place{topic, partition}, stream, version, commit, p.standstill)
}

// Await returns when the read models hold everything of the partition up to and
// including the offset, and are being served.
func (p *Projector) Await(ctx context.Context, topic string, partition int, offset int64) error {
	for {
		if _, err := p.watch.until(ctx, place{topic, partition}, offset+1, nil); err != nil {
			return err
		}
		if p.gate.err() == nil {
			return nil
		}
		if err := pause(ctx, catchUpEvery); err != nil {
			return err
		}
	}
}

// Reset says that the database may have lost something: nothing is served until
// the read models have caught up again.
func (p *Projector) Reset(why string) {
	p.Logger.Warn("reads are shut until the read models have caught up", "why", why)
	p.watch.forget() // before the epoch: whoever sees the new one must not find old positions
	p.gate.shut(why)
	p.wanted.Add(1)
	select {
	case p.freed <- struct{}{}:
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = identity{}
	clear(p.seen)
	clear(p.surrendered) // what was passed may have to be passed again
	for _, w := range p.workers {
		w.again()
	}
}
