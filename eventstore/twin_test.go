package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/parley-platform/parley/eventstore"
	"github.com/segmentio/kafka-go"
)

// The twin is a log of one partition, a database and a network in memory, for
// tests of the real store, producer and arbiter. Nothing in it happens by itself:
// whatever a node asks of the outside becomes a task, and the test (or a seed)
// says when a task is done and how it ends. It must run inside a synctest bubble.
type twin struct {
	rnd *rand.Rand
	off ablation // the safety mechanism that is switched off, if any

	mu      sync.Mutex
	log     []eventstore.Entry
	late    []message // produces that were given up by their sender and may yet land
	db      *database
	hist    []*database // states that a crash may bring back; the first is durable
	nodes   []*node
	gen     int // of node incarnations
	tasks   []*task
	bytes   map[string]string    // what each commit looked like when it was first sent
	alias   map[string]string    // ablation sameCommitID
	found   map[violation]string // broken invariants, first case of each
	calls   []*call
	acked   map[string]int64 // acknowledged version of each stream
	closing sync.WaitGroup   // of stores
	done    map[string]int   // counts of what happened, to see that the runs are not idle
}

// wire is one record as it travels.
type wire struct {
	key, value []byte
	headers    []kafka.Header
}

type message []wire

// database is one state of the read models: immutable, a change makes a new one.
type database struct {
	boot  int // changes with each restart
	next  int64
	index map[string][]*eventstore.Record
}

func (d *database) with(next int64, accepted [][]eventstore.Entry) *database {
	n := &database{boot: d.boot, next: next, index: make(map[string][]*eventstore.Record, len(d.index))}
	for s, records := range d.index {
		n.index[s] = records[:len(records):len(records)]
	}
	for _, commit := range accepted {
		for _, e := range commit {
			n.index[e.Record.Stream] = append(n.index[e.Record.Stream], e.Record)
		}
	}
	return n
}

func (d *database) head(stream string) eventstore.Head {
	records := d.index[stream]
	if len(records) == 0 {
		return eventstore.Head{}
	}
	r := records[len(records)-1]
	return eventstore.Head{Version: r.Version, Commit: r.Commit, Tenant: r.Tenant}
}

// task is something that a node waits for.
type task struct {
	node *node
	do   func(*database)  // a read of the database
	msg  message          // or a produce
	end  chan taskOutcome // buffered
	dead bool             // its node no longer waits
}

type taskOutcome struct {
	base int64
	err  error
}

var (
	errLost    = errors.New("no answer")
	errRefused = fmt.Errorf("connection refused: %w", eventstore.ErrNotWritten)
)

func newTwin(seed uint64, off ablation, nodes int) *twin {
	t := &twin{rnd: rand.New(rand.NewPCG(seed, 1)), off: off, bytes: map[string]string{}, alias: map[string]string{},
		found: map[violation]string{}, acked: map[string]int64{}, done: map[string]int{}}
	t.log = []eventstore.Entry{{Offset: 0}} // genesis
	t.db = &database{next: 1, index: map[string][]*eventstore.Record{}}
	t.hist = []*database{t.db}
	for i := range nodes {
		t.nodes = append(t.nodes, t.newNode(i))
		t.nodes[i].look()
		t.nodes[i].look()
	}
	return t
}

// await makes a task and waits for its end.
func (t *twin) await(ctx context.Context, k *task) (int64, error) {
	k.end = make(chan taskOutcome, 1)
	t.mu.Lock()
	if k.node.dead {
		t.mu.Unlock()
		return 0, fmt.Errorf("the node is dead: %w: %w", eventstore.ErrNotWritten, eventstore.ErrRefused)
	}
	t.tasks = append(t.tasks, k)
	t.mu.Unlock()
	select {
	case o := <-k.end:
		return o.base, o.err
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		t.abandon(k)
		return 0, ctx.Err()
	}
}

// abandon ends a task that nobody waits for any more: a produce may yet land.
func (t *twin) abandon(k *task) {
	if k.dead {
		return
	}
	k.dead = true
	t.remove(k)
	if k.msg != nil {
		t.late = append(t.late, k.msg)
	}
}

func (t *twin) remove(k *task) {
	for i, o := range t.tasks {
		if o == k {
			t.tasks = append(t.tasks[:i:i], t.tasks[i+1:]...)
			return
		}
	}
}

// finish ends a task. Callers hold t.mu.
func (t *twin) finish(k *task, base int64, err error) {
	k.dead = true
	t.remove(k)
	k.end <- taskOutcome{base, err}
}

// land appends the first n records of a message to the log.
func (t *twin) land(m message, n int) int64 {
	base := int64(len(t.log))
	for _, w := range m[:n] {
		e := eventstore.Entry{Offset: int64(len(t.log))}
		e.Record, e.Err = eventstore.ParseRecord(w.key, w.value, w.headers)
		if e.Err != nil {
			e.Record = nil
		} else {
			e.Record.Offset = e.Offset
		}
		t.log = append(t.log, e)
	}
	return base
}

// crash restarts the database at an earlier state: it ran with synchronous_commit=off.
func (t *twin) crash() {
	back := t.hist[t.rnd.IntN(len(t.hist))]
	boot := t.db.boot + 1
	if back.next < t.db.next {
		t.done["database rolled back"]++
	}
	t.db = &database{boot: boot, next: back.next, index: back.index}
	t.hist = []*database{t.db}
}

// read does one pending read of the database for a node.
func (t *twin) read(k *task) {
	k.node.connect()
	k.do(t.db)
	t.finish(k, 0, nil)
}

// node is one incarnation of a node: a real Store whose surroundings are the twin.
type node struct {
	t      *twin
	no     int
	store  *eventstore.Store
	dead   bool
	boot   int // of the database it is connected to
	passed int64
	told   map[string]bool // commits this node's own projector saw accepted
	moved  chan struct{}   // closed at each change of passed or told
	open   bool
	goal   int64 // where the log ended when the gate was shut; negative: not known yet
	epoch  uint64
	loads  atomic.Int64 // of whole streams
}

func (t *twin) newNode(no int) *node {
	n := &node{t: t, no: no, boot: t.db.boot, passed: -1, told: map[string]bool{}, moved: make(chan struct{}), goal: -1, epoch: 1}
	t.gen++
	n.store = eventstore.New(eventstore.Config{Node: fmt.Sprintf("n%d-%d", no, t.gen), Batches: n, Index: n, Follower: n, Topology: n})
	return n
}

// connect notices a restarted database, as any first use of a new connection does.
func (n *node) connect() {
	if n.boot == n.t.db.boot {
		return
	}
	n.boot = n.t.db.boot
	n.passed, n.told = -1, map[string]bool{}
	n.open, n.goal = false, -1
	n.epoch++
}

// look is the node's regular glance at the checkpoint, which also opens its gate.
func (n *node) look() {
	n.connect()
	n.passed = n.t.db.next
	switch {
	case n.open:
	case n.goal < 0:
		n.goal = int64(len(n.t.log))
	case n.t.db.next >= n.goal || n.t.allJudged():
		n.open = true
	}
	n.wake()
}

// allJudged reports whether nothing is left to judge: an incomplete commit at the
// end of the log waits for its rest.
func (t *twin) allJudged() bool {
	rest := t.log[t.db.next:]
	return len(rest) == 0 || t.judge(eventstore.HeadMap{}, rest).Next == t.db.next
}

func (n *node) wake() {
	close(n.moved)
	n.moved = make(chan struct{})
}

// Partitions implements Topology.
func (n *node) Partitions(string) (int, error) { return 1, nil }

// Load implements Index.
func (n *node) Load(ctx context.Context, stream string) (records []*eventstore.Record, err error) {
	n.loads.Add(1)
	return n.indexed(ctx, stream)
}

func (n *node) indexed(ctx context.Context, stream string) (records []*eventstore.Record, err error) {
	_, err = n.t.await(ctx, &task{node: n, do: func(d *database) {
		records = n.t.loaded(d.index[stream])
	}})
	return records, err
}

// After implements eventstore.Newer.
func (n *node) After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error) {
	all, err := n.indexed(ctx, stream)
	behind := all[min(int(version), len(all)):]
	return behind[:min(most, len(behind))], err
}

// Erasures implements eventstore.Parts.
func (n *node) Erasures(context.Context, string, int64) ([]*eventstore.Record, error) {
	return nil, nil
}

// Request implements eventstore.Requests.
func (n *node) Request(ctx context.Context, stream, id string) (*eventstore.Record, error) {
	all, err := n.indexed(ctx, stream)
	for _, r := range slices.Backward(all) {
		if r.RequestID == id {
			return r, err
		}
	}
	return nil, err
}

// loaded is what a read of a stream brings.
func (t *twin) loaded(stored []*eventstore.Record) (out []*eventstore.Record) {
	for _, r := range stored {
		c := *r
		if t.off == requestIDsUnread || t.off == requestIDsReadBefore {
			c.RequestID, c.RequestHash = "", ""
		}
		out = append(out, &c)
	}
	if k := len(out); k > 0 && out[k-1].CommitIndex+1 != out[k-1].CommitSize {
		t.violated(partialVisible, "half of commit %s is visible at %s version %d", out[k-1].Commit, out[k-1].Stream, k)
	}
	return out
}

// Produce implements Batches.
func (n *node) Produce(ctx context.Context, _ string, _ int, records []*eventstore.Record) (int64, error) {
	var m message
	n.t.mu.Lock()
	for _, r := range records {
		r = n.t.renamed(r)
		w := wire{key: []byte(r.Stream), value: r.Data, headers: r.Headers()}
		m = append(m, w)
		id := fmt.Sprint(r.Commit, "/", r.CommitIndex)
		if before, ok := n.t.bytes[id]; ok && before != fmt.Sprintf("%s", w) && n.t.off != sameCommitID {
			n.t.violated(resendDiffers, "%s was sent as %s and as %s", id, before, w)
		}
		n.t.bytes[id] = fmt.Sprintf("%s", w)
	}
	n.t.mu.Unlock()
	for {
		base, err := n.t.await(ctx, &task{node: n, msg: m})
		if !errors.Is(err, errLost) || n.t.off != verdictByPosition {
			return base, err
		} // else the resend is hidden from the store, which would ask once more by commit id
	}
}

// renamed gives a record the commit id of its request, when that is the ablation.
func (t *twin) renamed(r *eventstore.Record) *eventstore.Record {
	if t.off != sameCommitID {
		return r
	}
	if r.RequestID != "" {
		t.alias[r.Commit] = uuid.NewSHA1(uuid.Nil, []byte(r.RequestID)).String()
	}
	c := *r
	c.Commit, c.Parent = t.named(r.Commit), t.named(r.Parent)
	return &c
}

// named is the id under which a commit stands on the log.
func (t *twin) named(commit string) string {
	if a, ok := t.alias[commit]; ok {
		return a
	}
	return commit
}

// Gate implements Follower.
func (n *node) Gate() error {
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	if n.open || n.t.off == noGate {
		return nil
	}
	return catchingUp
}

// Epoch implements Follower.
func (n *node) Epoch() uint64 {
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	return n.epoch
}

// Expect implements Follower.
func (n *node) Expect(_ string, _ int, stream string, version int64, commit string) eventstore.Expectation {
	return &expected{n, stream, version, commit}
}

type expected struct {
	n       *node
	stream  string
	version int64
	commit  string
}

// Cancel implements Expectation.
func (*expected) Cancel() {}

// Wait implements Expectation: told by the node's own projector, or asked of the
// database by commit id once the checkpoint has passed.
func (e *expected) Wait(ctx context.Context, end int64) (accepted bool, err error) {
	for {
		e.n.t.mu.Lock()
		told, passed, moved := e.n.told[e.n.t.named(e.commit)], e.n.passed, e.n.moved
		e.n.t.mu.Unlock()
		if told && e.n.t.off != verdictByPosition {
			return true, nil
		}
		if passed >= end {
			break
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	_, err = e.n.t.await(ctx, &task{node: e.n, do: func(d *database) {
		if records := d.index[e.stream]; int64(len(records)) >= e.version {
			r := records[e.version-1]
			accepted = r.Commit == e.n.t.named(e.commit)
			if e.n.t.off == verdictByPosition {
				accepted = r.Offset == end-int64(r.CommitSize)
			}
		}
	}})
	return accepted, err
}
