package engine

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

// stalledAfter is how long a waiter sees no progress before this node tries to
// take the partition over.
const stalledAfter = 500 * time.Millisecond

// watch knows how far each partition has been projected, as far as this node has
// heard, and wakes those who wait for it.
type watch struct {
	mu      sync.Mutex
	sum     int64 // of what has been passed of all partitions
	parts   map[sink.Place]*watched
	stalled func(stall)      // called, not under the lock, by waiters that see no progress
	told    func(sink.Place) // called, under the lock, when a partition was projected further; nil: nobody wants to know
}

type watched struct {
	passed  int64 // next offset; -1: not known
	writes  int64 // the next offset that a worker of this node is about to leave; 0: none is
	heard   int64 // that same offset, once a notification told of it; 0: none did
	waiters map[*waiter]struct{}
	commits map[string]*expectation
}

type waiter struct {
	end  int64
	wake chan struct{}
}

func newWatch(stalled func(stall)) *watch {
	return &watch{parts: map[sink.Place]*watched{}, stalled: stalled}
}

func (w *watch) part(p sink.Place) *watched {
	x := w.parts[p]
	if x == nil {
		x = &watched{passed: -1, waiters: map[*waiter]struct{}{}, commits: map[string]*expectation{}}
		w.parts[p] = x
	}
	return x
}

// verdict is what the projector of this node knows of a commit that was accepted.
type verdict struct {
	commit string
	failed error // a read model could not take it
}

// moved notes that a partition has been projected up to next, and which commits
// were accepted on the way, if that is known.
func (w *watch) moved(p sink.Place, next int64, accepted []verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.part(p)
	for _, v := range accepted {
		if e := x.commits[v.commit]; e != nil {
			delete(x.commits, v.commit)
			e.verdict <- v // buffered, and sent once: it was just removed
		}
	}
	if next <= x.passed {
		return
	}
	w.sum += next - max(x.passed, 0)
	x.passed = next
	if w.told != nil {
		w.told(p)
	}
	for r := range x.waiters {
		if r.end <= next {
			delete(x.waiters, r)
			close(r.wake)
		}
	}
}

// writing says that a worker of this node has a transaction under way that leaves a partition at next. Its notification is for
// other nodes, but is heard by this one too, often before the worker knows that it is through; who waits here is told by the
// worker, which knows the verdicts, and so need not ask the index. done is called once the transaction is over, however
// it ended, behind what the worker tells.
func (w *watch) writing(p sink.Place, next int64) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part(p).writes = next
	return func() {
		w.mu.Lock()
		x := w.part(p)
		heard := x.heard == next
		if heard {
			x.heard = 0
		}
		if x.writes == next { // else another worker has followed
			x.writes = 0
		}
		w.mu.Unlock()
		if heard {
			w.moved(p, next, nil)
		}
	}
}

// notified notes that a partition has been projected up to next, by whichever node.
func (w *watch) notified(p sink.Place, next int64) {
	w.mu.Lock()
	x := w.part(p)
	ours := x.writes == next
	if ours {
		x.heard = next
	}
	w.mu.Unlock()
	if !ours {
		w.moved(p, next, nil)
	}
}

// forget voids all that was heard: the read models may have gone back.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.parts {
		x.passed, x.heard = -1, 0
	}
	w.sum = 0
}

// total is how far all partitions are together, at least.
func (w *watch) total() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sum
}

// passed is the next offset of a partition, -1 when not known.
func (w *watch) passed(p sink.Place) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.part(p).passed
}

// waiting lists the partitions somebody waits for.
func (w *watch) waiting() map[sink.Place]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[sink.Place]bool{}
	for p, x := range w.parts {
		if len(x.waiters) > 0 {
			out[p] = true
		}
	}
	return out
}

// until waits for a partition to be projected up to end. early, if not nil, ends
// the wait as well, with what it says.
func (w *watch) until(ctx context.Context, p sink.Place, end int64, early <-chan verdict) (told bool, err error) {
	w.mu.Lock()
	x := w.part(p)
	if x.passed >= end {
		w.mu.Unlock()
		return false, nil
	}
	r := &waiter{end: end, wake: make(chan struct{})}
	x.waiters[r] = struct{}{}
	before := x.passed
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(x.waiters, r)
		w.mu.Unlock()
	}()
	tick := time.NewTicker(stalledAfter)
	defer tick.Stop()
	for {
		select {
		case v := <-early:
			return true, v.failed
		case <-r.wake:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
			if now := w.passed(p); now == before {
				w.stalled(stall{p, now})
			} else {
				before = now
			}
		}
	}
}

// expectation implements eventstore.Expectation.
type expectation struct {
	w       *watch
	index   *sink.Index
	place   sink.Place
	stream  string
	version int64
	commit  string
	verdict chan verdict
	why     func(sink.Place) string // a partition stands still; empty: it does not, or nobody knows
}

func (w *watch) expect(index *sink.Index, p sink.Place, stream string, version int64, commit string,
	why func(sink.Place) string) *expectation {
	e := &expectation{w: w, index: index, place: p, stream: stream, version: version, commit: commit, verdict: make(chan verdict, 1), why: why}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part(p).commits[commit] = e
	return e
}

// Wait implements eventstore.Expectation: told by the projector of this node, or
// asked of the index by commit id once the checkpoint has passed. PROJECTION_FAILED
// says that the commit counts and a read model does not hold it.
func (e *expectation) Wait(ctx context.Context, end int64) (bool, error) {
	for {
		told, err := e.w.until(ctx, e.place, end, e.verdict)
		if told || err != nil {
			return told, e.named(err)
		}
		select {
		case v := <-e.verdict:
			return true, v.failed
		default:
		}
		accepted, err := e.index.Holds(ctx, e.stream, e.version, e.commit)
		if !fault.Is(err, fault.CatchingUp) {
			return accepted, err
		}
		if err := sink.Pause(ctx, catchUpEvery); err != nil { // the commit is on the log: its verdict will come
			return false, e.named(err)
		}
	}
}

// named says what stands in the way of a verdict that did not come in time.
func (e *expectation) named(err error) error {
	if err == nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	why := e.why(e.place)
	if why == "" {
		return err
	}
	return fault.New(fault.OutcomeUnknown, "the change is on the log, but it cannot be judged yet (%s): repeat with the same "+
		"Idempotency-Key later", why).After(5 * time.Second).Because(err)
}

// Cancel implements eventstore.Expectation.
func (e *expectation) Cancel() {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	delete(e.w.part(e.place).commits, e.commit)
}

var _ eventstore.Expectation = (*expectation)(nil)
