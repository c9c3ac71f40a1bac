package engine

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// Config is what a Projector is built from.
type Config struct {
	Node       string
	Log        sink.Log
	Queries    *pgxpool.Pool
	Writes     *pgxpool.Pool // with synchronous_commit off: the checkpoint moves with the rows
	Prepare    func(context.Context) error
	Categories []*event.Category
	Keys       eventstore.Keys // opens what is personal; nil: nothing is sealed
	Models     []*projections.Model
	Idle       bool // take no leases: a node without the projector role only follows
	Serves     bool // this node serves the API: it has a share of the rates
	// Settings are those that all nodes should have alike, by their flags.
	Settings map[string]string
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
	// Seen is called with the accepted records of every transaction, after it; may be nil.
	Seen func([]*eventstore.Record)
	Feed Feed // may be nil
}

// Feed is given what every transaction brought, after it, for who follows the awaited read
// models.
type Feed interface {
	Wanted() bool // whether anybody follows, on this node; what came before is not told later
	Give(sink.Passage)
}

// Projector runs the read models of one node and answers who waits for them. It
// implements eventstore.Follower.
type Projector struct {
	Config
	process string
	index   *sink.Index
	watch   *watch
	gate    *gate
	metrics *metrics

	tables     atomic.Pointer[projections.Tables]
	wanted     atomic.Uint64 // preparations of the database that are called for; see prepare
	prepared   atomic.Uint64 // the last of them that was made
	preparedAs atomic.Pointer[identity]
	proofs     projections.Lookup[string, proof]
	serving    atomic.Int64
	live       atomic.Int64
	unlike     atomic.Pointer[[]string]
	alone      solitude
	follows    *follows
	asked      chan stall    // partitions whose waiters see no progress
	freed      chan struct{} // something wants a heartbeat at once: leases that were given back, a database to prepare
	heard      chan stall    // partitions that waiters of other nodes see no progress of
	projectors projectors
	cancel     context.CancelFunc
	tasks      sync.WaitGroup

	still    map[sink.Place]int64 // checkpoints at the last look of catchUp, which alone uses it
	looking  sync.Mutex
	telling  sync.Mutex // held by who tells that the read models were set back
	mu       sync.Mutex
	workers  map[sink.Place]*worker
	tenures  map[sink.Place]tenure
	present  presence             // of this node
	seen     map[sink.Place]int64 // highest checkpoint seen of each partition
	furthest map[sink.Place]int64 // of all times that these tables are known, see setBack
	indexed  int64                // identity of the stream index's table at the last look; 0: none yet
	known    identity             // of the checkpoints at the last look; zero: none yet
	ends     map[sink.Place]int64 // log ends, for the lag
	backlogs map[sink.Place]*backlog
	broken   map[sink.Place]error // partitions that stand still, and why
	kinds    map[sink.Place]string
	stand    map[string]int       // how many of them, by kind of trouble
	before   map[sink.Place]int64 // how far partitions were projected when the database was last lost sight of

	alarms      alarms
	counted     chan struct{}            // something was set aside
	aside       map[string]int64         // by model, what all nodes have set aside
	surrendered map[sink.Place]surrender // partitions left to nodes of a newer version
	strays      map[sink.Place]int       // heartbeats for which nobody wanted a partition
	upgrades    upgrades
}

// NewProjector prepares nothing yet; see Start.
func NewProjector(c Config) *Projector {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	shut := newGate()
	p := &Projector{Config: c, process: c.Node + "@" + uuid.NewString(),
		gate: shut, asked: make(chan stall, 64), freed: make(chan struct{}, 1), heard: make(chan stall, 64),
		workers: map[sink.Place]*worker{}, tenures: map[sink.Place]tenure{},
		seen: map[sink.Place]int64{}, furthest: map[sink.Place]int64{}, ends: map[sink.Place]int64{}, backlogs: map[sink.Place]*backlog{},
		broken: map[sink.Place]error{}, kinds: map[sink.Place]string{}, stand: map[string]int{}, before: map[sink.Place]int64{},
		still:   map[sink.Place]int64{},
		counted: make(chan struct{}, 1), surrendered: map[sink.Place]surrender{}, strays: map[sink.Place]int{}}
	p.watch = newWatch(func(s stall) {
		select {
		case p.asked <- s:
		default:
		}
	})
	p.watch.told = func(at sink.Place) { p.follows.moved(at) }
	p.wanted.Store(1)
	p.proofs.Ask = p.prove
	p.index = sink.NewIndex(c.Queries, shut, p.Reading)
	p.follows = newFollows(p.index.Moves)
	p.serving.Store(1)
	p.live.Store(1)
	p.metrics = newMetrics(c.Metrics, p)
	return p
}

// Start migrates the database, takes leases and begins to project. It returns at
// once; the gate opens when the read models have caught up.
func (p *Projector) Start(ctx context.Context) error {
	if err := p.prepareSlowly(ctx); err != nil {
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

// startTries is how often a database is asked that does not answer in time while a node starts.
const startTries = 3

// prepareSlowly prepares a database that may be too busy to answer at once; what it refuses, it
// refuses at once.
func (p *Projector) prepareSlowly(ctx context.Context) error {
	for try := 1; ; try++ {
		err := p.prepare(ctx)
		if err == nil || try == startTries || !pgconn.Timeout(err) || ctx.Err() != nil {
			return err
		}
		p.Logger.Warn("the database does not answer in time; it is asked again", "error", err)
	}
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
	p.workers = map[sink.Place]*worker{}
	p.mu.Unlock()
	for _, w := range workers {
		w.stop()
	}
	for _, w := range workers {
		<-w.done
	}
	if _, err := p.Queries.Exec(ctx, `WITH gone AS (DELETE FROM nodes WHERE node = $1),
		given AS (UPDATE checkpoints SET owner = NULL, lease_until = '-infinity' WHERE owner = $1) SELECT pg_notify($2,
		$3)`, p.Node, sink.Channel, sink.Freed); err != nil {
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
	var topics []string
	var partitions []int
	for at := range p.Places() {
		topics, partitions = append(topics, at.Topic), append(partitions, at.Partition)
	}
	if _, err := p.Queries.Exec(ctx, sink.InsertCheckpoints, sink.Live, topics, partitions, p.Log.LogID()); err != nil {
		return fmt.Errorf("making the checkpoints: %w", err)
	}
	found, err := p.prove(ctx, []string{sink.Live})
	if err != nil {
		return err
	}
	as := found[sink.Live].identity
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
	tables, err := sink.ReadTables(ctx, p.Queries)
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
	now, err := sink.ReadTables(ctx, p.Queries)
	if err != nil || !reflect.DeepEqual(now, *before) {
		return false
	}
	found, err := p.prove(ctx, []string{sink.Live})
	return err == nil && found[sink.Live].identity == *as
}

// unprepared reports whether the tables or the checkpoint rows may not all be there.
func (p *Projector) unprepared() bool { return p.prepared.Load() < p.wanted.Load() }

// Places lists every partition of the categories.
func (p *Projector) Places() map[sink.Place]*event.Category {
	out := map[sink.Place]*event.Category{}
	for _, c := range p.Categories {
		n, err := p.Log.Partitions(c.Topic())
		if err != nil {
			panic("projector started before its topics were opened: " + err.Error())
		}
		for i := range n {
			out[sink.Place{Topic: c.Topic(), Partition: i}] = c
		}
	}
	return out
}

// Nodes is how many live nodes serve the API, this one included, as of the last
// heartbeat.
func (p *Projector) Nodes() int { return int(p.serving.Load()) }

// Live is how many nodes are alive, this one included, as of the last heartbeat: those that
// only run reactors, too.
func (p *Projector) Live() int { return int(p.live.Load()) }

// Unlike are the settings that some other live node has otherwise than this one, as of the last heartbeat, by their flags.
func (p *Projector) Unlike() []string {
	if unlike := p.unlike.Load(); unlike != nil {
		return *unlike
	}
	return nil
}

// Index is the stream index.
func (p *Projector) Index() *sink.Index { return p.index }

// Gate implements eventstore.Follower.
func (p *Projector) Gate() error { return p.gate.Err() }

// Refusal is the error of what was read while the gate was shut, or across a change of
// what the read models hold.
func (p *Projector) Refusal() error { return p.gate.Refusal() }

// Epoch implements eventstore.Follower.
func (p *Projector) Epoch() uint64 { return p.gate.Epoch() }

// Expect implements eventstore.Follower.
func (p *Projector) Expect(topic string, partition int, stream string, version int64, commit string) eventstore.Expectation {
	return p.watch.expect(p.index, sink.Place{Topic: topic, Partition: partition}, stream, version, commit, p.standstill)
}

// Await returns when the read models hold everything of the partition up to and
// including the offset, and are being served.
func (p *Projector) Await(ctx context.Context, topic string, partition int, offset int64) error {
	for {
		if _, err := p.watch.until(ctx, sink.Place{Topic: topic, Partition: partition}, offset+1, nil); err != nil {
			return err
		}
		if p.gate.Err() == nil {
			return nil
		}
		if err := sink.Pause(ctx, catchUpEvery); err != nil {
			return err
		}
	}
}

// Reset says that the database may have lost something: nothing is served until
// the read models have caught up again.
func (p *Projector) Reset(why string) {
	p.Logger.Warn("reads are shut until the read models have caught up", "why", why)
	p.mu.Lock()
	for at := range p.ends {
		p.before[at] = p.position(at)
	}
	p.mu.Unlock()
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

// Holds lists the partitions that the node projects.
func (p *Projector) Holds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, at := range slices.Collect(maps.Keys(p.workers)) {
		out = append(out, at.String())
	}
	slices.Sort(out)
	return out
}
