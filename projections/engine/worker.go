package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

// worker projects one partition under one lease epoch. It keeps heads and its
// position in memory and forgets both after any trouble: the checkpoint row is
// the only truth.
type worker struct {
	p        *Projector
	at       sink.Place
	category *event.Category
	epoch    int64

	stale  atomic.Bool                        // the row is not where this worker left it: read it again
	read   atomic.Pointer[context.CancelFunc] // the read that waits for something to come
	loaded bool
	next   int64
	mark   string
	stands atomic.Int64 // next and epoch together; 0: unknown, as before the row is read and while a transaction is under way
	leader eventstore.Leader
	heads  sink.Heads

	ctx  context.Context
	stop context.CancelFunc
	done chan struct{}
}

var errLeaseLost = errors.New("the lease went to another node")

func (p *Projector) startWorker(at sink.Place, c *event.Category, epoch int64) *worker {
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{p: p, at: at, category: c, epoch: epoch, ctx: ctx, stop: cancel, done: make(chan struct{})}
	go w.run()
	return w
}

// run ends when the lease is lost or the worker is stopped.
func (w *worker) run() {
	defer close(w.done)
	defer w.p.ended(w)
	delay, overtaken := 20*time.Millisecond, false
	for w.ctx.Err() == nil {
		err := w.step(w.ctx)
		switch {
		case err == nil:
			delay, overtaken = 20*time.Millisecond, false
			w.p.mended(w.at)
			continue
		case w.ctx.Err() != nil, errors.Is(err, errLeaseLost):
			return
		}
		w.loaded = false
		if !overtaken && sink.Overtaken(err) { // as a rule by who has the lease now: the row tells
			overtaken = true
			continue
		}
		var unknown *sink.UnknownEvent
		if errors.As(err, &unknown) {
			w.p.surrender(w, unknown)
			return
		}
		w.p.trouble(w.at, err)
		if givenUp(err) {
			delay = 5 * time.Second
		}
		if sink.Pause(w.ctx, delay) != nil {
			return
		}
		delay = min(2*delay, time.Second)
	}
}

func givenUp(err error) bool { return errors.Is(err, sink.ErrGivenUp) }

// ended forgets a worker that gave up by itself, so that this node looks for the
// progress of whoever holds the lease next, who also says what troubles it.
func (p *Projector) ended(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moves(w.at)
	if p.workers[w.at] == w {
		delete(p.workers, w.at)
	}
}

// again makes the worker read its row before it goes on, also when it waits for
// something to come.
func (w *worker) again() {
	w.stale.Store(true)
	if leave := w.read.Load(); leave != nil {
		(*leave)()
	}
}

// step reads what is there and projects it.
func (w *worker) step(ctx context.Context) error {
	read, leave := context.WithCancel(ctx)
	defer leave()
	w.read.Store(&leave) // before the look at stale: what is set after it ends the read
	if w.stale.Swap(false) {
		w.loaded = false
	}
	if !w.loaded {
		if err := w.load(ctx); err != nil {
			return err
		}
	}
	got, err := w.p.Log.Fetch(read, w.at.Topic, w.at.Partition, w.next)
	if err != nil && read.Err() != nil && ctx.Err() == nil {
		return nil // the row comes first
	}
	if err != nil {
		if errors.Is(err, eventstore.ErrOutOfRange) {
			return w.truncated(err)
		}
		return err
	}
	if got.Start > 0 || got.End < w.next {
		return w.truncated(fmt.Errorf("the log runs from %d to %d now", got.Start, got.End))
	}
	w.p.noteEnd(w.at, got.End)
	if w.leader.Changed(got.Entries) {
		w.loaded = false // it may have cut what was read before
		return nil
	}
	if err := w.projectAll(ctx, got); err != nil {
		return err
	}
	w.p.watch.moved(w.at, w.next, nil)
	return nil
}

// projectAll projects what was read, in transactions of about a thousand records.
func (w *worker) projectAll(ctx context.Context, got eventstore.Fetched) error {
	entries := got.Entries
	for len(entries) > 0 {
		n := cut(entries)
		used, err := w.project(ctx, entries[:n])
		if err == nil && used == 0 && n < len(entries) { // a thousand records of a commit without its end
			used, err = w.project(ctx, entries)
		}
		if err != nil {
			return err
		}
		if used > 0 {
			entries = entries[used:]
			continue
		}
		// The rest of a commit: it comes, or another record that shows it is torn. A
		// stranger's may be longer than one read.
		more, err := w.p.Log.Fetch(ctx, w.at.Topic, w.at.Partition, entries[len(entries)-1].Offset+1)
		if err != nil || w.stale.Load() {
			return err
		}
		w.p.noteEnd(w.at, more.End)
		if w.leader.Changed(more.Entries) {
			w.loaded = false
			return nil
		}
		entries = append(entries, more.Entries...)
	}
	return nil
}

// cut is how many entries go into one transaction: about a thousand, never ending
// inside a commit.
func cut(entries []eventstore.Entry) int {
	const most = 1000
	if len(entries) <= most {
		return len(entries)
	}
	n := most
	for n < len(entries) && entries[n].Record != nil && entries[n].Record.CommitIndex > 0 {
		n++
	}
	return n
}

// load reads the checkpoint row and looks whether the log still is the one it
// speaks of.
func (w *worker) load(ctx context.Context) error {
	var owner, logID string
	var epoch int64
	w.stands.Store(0)
	err := w.p.Queries.QueryRow(ctx,
		`SELECT next_offset, mark, coalesce(owner, ''), owner_epoch, log_id FROM checkpoints WHERE projection = $1 AND topic = $2
			AND partition = $3`,
		sink.Live, w.at.Topic, w.at.Partition).Scan(&w.next, &w.mark, &owner, &epoch, &logID)
	if errors.Is(err, pgx.ErrNoRows) {
		return errLeaseLost
	}
	if err != nil {
		return fmt.Errorf("reading the checkpoint: %w", err)
	}
	if owner != w.p.Node || epoch != w.epoch {
		return errLeaseLost
	}
	w.p.setBack(ctx, w.at, w.next)
	if err := w.p.refuseNewer(ctx); err != nil {
		return err
	}
	if logID != w.p.Log.LogID() {
		return w.truncated(fmt.Errorf("the read models were built from log %s, the brokers hold log %s", logID, w.p.Log.LogID()))
	}
	if err := w.p.Log.Verify(ctx, w.at.Topic, w.at.Partition); err != nil {
		if errors.Is(err, eventstore.ErrOutOfRange) {
			return fmt.Errorf("%w: %w", sink.ErrGivenUp, err) // it says what to do
		}
		return err
	}
	if w.next > 0 {
		mark, err := w.p.Log.ReadMark(ctx, w.at.Topic, w.at.Partition, w.next-1)
		if err != nil && !errors.Is(err, eventstore.ErrOutOfRange) {
			return err
		}
		if mark != w.mark {
			return w.truncated(fmt.Errorf("the record before offset %d is %q, the read models were built on %q", w.next, mark, w.mark))
		}
	}
	w.heads = sink.Heads{Known: map[string]eventstore.Head{}}
	w.loaded = true
	w.p.reached(w.at, w.next)
	w.stands.Store(w.next + w.epoch)
	return nil
}

func (w *worker) truncated(why error) error {
	return fmt.Errorf("%w: %s/%d is not the log the read models were built from: %w. Bring the old log back (a replica, a backup, the old "+
		"brokers). If it is gone for good, build the read models from the log as it is: %s",
		sink.ErrGivenUp, w.at.Topic, w.at.Partition, why, eventstore.BuildAnew)
}
