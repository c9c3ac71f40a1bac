package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// errGuess says that a stream was taken to be new without asking, and that nothing of
// it is about to be written, so that the index cannot contradict: its first commit is
// torn, say. The entries are judged once more with all heads.
var errGuess = errors.New("a stream was taken to be new and nothing of it is written")

// pipelined is the most records whose transaction goes to Postgres in one round
// trip; larger ones use COPY.
const pipelined = 256

// project judges entries and writes what was accepted, the read models and the
// checkpoint in one transaction. It returns how many entries it used. A stream that
// begins among the entries is taken to be new without asking: if it is not, the stream
// index refuses its first version, nothing is written, and the entries are judged again.
func (w *worker) project(ctx context.Context, entries []eventstore.Entry) (int, error) {
	used, err := w.projectOn(ctx, entries, sink.Guessing)
	if sink.Existed(err) || errors.Is(err, errGuess) {
		return w.projectOn(ctx, entries, sink.Asking)
	}
	return used, err
}

func (w *worker) projectOn(ctx context.Context, entries []eventstore.Entry, how sink.Knowing) (int, error) {
	start := time.Now()
	if missing := w.heads.Missing(entries, how); len(missing) > 0 {
		found, err := w.p.index.Heads(ctx, missing)
		if err != nil {
			return 0, err
		}
		for s, h := range found {
			w.heads.Known[s] = h
		}
	}
	judged := eventstore.Arbitrate(&w.heads, entries)
	if !w.heads.Proves() {
		return 0, errGuess
	}
	used := int(judged.Next - entries[0].Offset)
	for used > 0 && (used > len(entries) || entries[used-1].Offset >= judged.Next) {
		used-- // offsets may have gaps
	}
	if used == 0 {
		return 0, nil
	}
	if err := sink.Open(ctx, w.p.Keys, w.category, judged.Accepted); err != nil {
		return 0, err
	}
	t := &transaction{w: w, to: judged.Next, mark: entries[used-1].Mark, tables: *w.p.tables.Load()}
	for _, commit := range judged.Accepted {
		if err := t.add(commit); err != nil {
			return w.projectBefore(ctx, entries, commit[0].Offset, err)
		}
	}
	t.foreign = t.foreign || w.foreign(judged.Skipped)
	defer w.p.watch.writing(w.at, t.to)()
	w.stands.Store(0)
	if err := t.commit(ctx); err != nil {
		return 0, err
	}
	w.heads.Keep()
	from := w.next
	w.next, w.mark = judged.Next, t.mark
	w.p.reached(w.at, w.next)
	w.stands.Store(w.next + w.epoch) // before anybody is told
	w.p.watch.moved(w.at, w.next, t.verdicts())
	w.p.metrics.projected(w.at, t.records, judged.Skipped, time.Since(start))
	traced(w.at, t.records, start)
	w.report(judged.Skipped)
	w.p.reportAside(t.aside)
	w.pass(from, t)
	if w.p.Seen != nil && len(t.records) > 0 {
		w.p.Seen(t.records)
	}
	return used, nil
}

// pass tells what a transaction brought. Where JSON is not of the form of its type nothing
// is told: who reads the log by himself finds it as it is.
func (w *worker) pass(from int64, t *transaction) {
	if w.p.Feed == nil || !w.p.Feed.Wanted() {
		return
	}
	x := sink.Passage{Place: w.at, From: from, To: t.to, Records: t.records, Payloads: make([]event.Payload, 0, len(t.records))}
	for _, c := range t.commits {
		payloads, whole := c.Payloads()
		if !whole {
			return
		}
		x.Payloads = append(x.Payloads, payloads...)
	}
	w.p.Feed.Give(x)
}

// projectBefore projects what lies before a commit that this node cannot project, such
// as one of a newer version, so that whoever waits for an earlier commit does not wait
// for that one.
func (w *worker) projectBefore(ctx context.Context, entries []eventstore.Entry, offset int64, trouble error) (int, error) {
	n := 0
	for entries[n].Offset < offset {
		n++
	}
	if n == 0 {
		return 0, trouble
	}
	used, err := w.project(ctx, entries[:n])
	if used == 0 && err == nil { // only the torn beginning of a commit
		return 0, trouble
	}
	return used, err
}

// foreign reports whether another node waits for one of the skipped commits.
func (w *worker) foreign(skipped []eventstore.Skip) bool {
	for _, s := range skipped {
		if s.Record != nil && s.Record.Source != "/parley/"+w.p.Node {
			return true
		}
	}
	return false
}

// report alarms about records that no Parley node would have written.
func (w *worker) report(skipped []eventstore.Skip) {
	for _, s := range skipped {
		if s.Reason != eventstore.Malformed && s.Reason != eventstore.Foreign && s.Reason != eventstore.Torn {
			continue
		}
		if n := w.p.alarms.due(w.at.String()+" "+string(s.Reason), 1, time.Now()); n > 0 {
			w.p.Logger.Error("skipped records that should not be on the log: look who else writes to it; parley_skipped_commits_total counts them",
				"topic", w.at.Topic, "partition", w.at.Partition,
				"offset", s.Offset, "reason", s.Reason, "error", s.Err, "sinceLastLine", n)
		}
	}
}

// transaction is what one batch writes.
type transaction struct {
	w       *worker
	to      int64
	mark    string
	tables  projections.Tables
	commits []*sink.Commit
	records []*eventstore.Record
	foreign bool         // holds a commit of another node, which may be waiting
	aside   []sink.Aside // what read models could not take
}

// add decodes an accepted commit.
func (t *transaction) add(entries []eventstore.Entry) error {
	c, err := sink.Decode(t.w.category, entries)
	if err != nil {
		return fmt.Errorf("%w: %s/%d at %d: %w", sink.ErrGivenUp, t.w.at.Topic, t.w.at.Partition, entries[0].Offset, err)
	}
	t.commits = append(t.commits, c)
	t.records = append(t.records, c.Records...)
	t.foreign = t.foreign || c.Records[0].Source != "/parley/"+t.w.p.Node
	return nil
}

const advance = `SELECT advance($1, $2, $3, $4, $5, $6, $7)`

func (t *transaction) advanceArgs() []any {
	w := t.w
	return []any{sink.Live, w.at.Topic, w.at.Partition, w.next, w.epoch, t.to, t.mark}
}

// commit writes the transaction: all at once, and where a read model cannot take that,
// once more without what it cannot take.
func (t *transaction) commit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	err := t.atOnce(ctx)
	if _, is := projections.Unfitness(err); is && !sink.Existed(err) {
		err = t.sparing(ctx)
	}
	if err != nil {
		return fmt.Errorf("projecting %s/%d from %d to %d: %w", t.w.at.Topic, t.w.at.Partition, t.w.next, t.to, err)
	}
	return nil
}

// atOnce writes everything that all read models make of the commits: in one round trip
// when it is small.
func (t *transaction) atOnce(ctx context.Context) error {
	rows := projections.NewBatch(t.tables)
	for _, m := range t.w.p.Models {
		if err := sink.Fill(rows, m, t.commits); err != nil {
			return err
		}
	}
	b := &pgx.Batch{}
	if len(t.records) > pipelined {
		return t.copy(ctx, b, rows)
	}
	b.Queue(advance, t.advanceArgs()...)
	if len(t.records) > 0 {
		columns, err := sink.Columns(t.records)
		if err != nil {
			return err
		}
		b.Queue(sink.InsertEvents, columns...)
	}
	if err := rows.Queue(b); err != nil {
		return err
	}
	t.finish(b)
	return t.w.p.Writes.SendBatch(ctx, b).Close() // one implicit transaction
}

// copy writes a large transaction with COPY for the stream index.
func (t *transaction) copy(ctx context.Context, b *pgx.Batch, rows *projections.Batch) error {
	if err := rows.Queue(b); err != nil {
		return err
	}
	t.finish(b)
	return pgx.BeginFunc(ctx, t.w.p.Writes, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, advance, t.advanceArgs()...); err != nil {
			return err
		}
		if err := sink.CopyEvents(ctx, tx, t.records); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
}

// sparing writes the transaction without the rows that a read model cannot take, and
// sets those aside. The stream index is not spared: if it refuses, nothing is written.
func (t *transaction) sparing(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, t.w.p.Writes, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, advance, t.advanceArgs()...); err != nil {
			return err
		}
		if len(t.records) > 0 {
			if err := sink.CopyEvents(ctx, tx, t.records); err != nil {
				return err
			}
		}
		var err error
		if t.aside, err = sink.WriteSparing(ctx, tx, t.tables, t.w.p.Models, t.commits); err != nil {
			return err
		}
		b := &pgx.Batch{}
		t.finish(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		t.aside = nil
	}
	return err
}

// finish queues what comes last: snapshots go of who was erased, and another node that waits
// is notified.
func (t *transaction) finish(b *pgx.Batch) {
	for _, r := range t.records {
		if t.w.category.Erases(r.Type) {
			b.Queue(sink.LockSnapshots, r.Stream)
			b.Queue(`DELETE FROM snapshots WHERE stream = $1`, r.Stream)
		}
	}
	if t.foreign {
		b.Queue(`SELECT pg_notify($1, $2)`, sink.Channel, t.w.at.Topic+" "+strconv.Itoa(t.w.at.Partition)+" "+strconv.FormatInt(t.to, 10))
	}
}

// verdicts is what those hear who wait for the commits.
func (t *transaction) verdicts() []verdict {
	out := make([]verdict, len(t.commits))
	for i, c := range t.commits {
		out[i].commit = c.Records[0].Commit
	}
	if len(t.aside) > 0 {
		for i := range out {
			out[i].failed = sink.ProjectionFailed(sink.ModelsOf(t.aside, out[i].commit))
		}
	}
	return out
}
