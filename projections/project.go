package projections

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// pipelined is the most records whose transaction goes to Postgres in one round
// trip; larger ones use COPY.
const pipelined = 256

// project judges entries and writes what was accepted, the read models and the
// checkpoint in one transaction. It returns how many entries it used.
func (w *worker) project(ctx context.Context, entries []eventstore.Entry) (int, error) {
	start := time.Now()
	if missing := w.heads.missing(entries); len(missing) > 0 {
		found, err := w.p.index.heads(ctx, missing)
		if err != nil {
			return 0, err
		}
		for s, h := range found {
			w.heads.known[s] = h
		}
	}
	judged := eventstore.Arbitrate(&w.heads, entries)
	used := int(judged.Next - entries[0].Offset)
	for used > 0 && (used > len(entries) || entries[used-1].Offset >= judged.Next) {
		used-- // offsets may have gaps
	}
	if used == 0 {
		return 0, nil
	}
	t := &transaction{w: w, to: judged.Next, mark: entries[used-1].Mark, batch: NewBatch(*w.p.tables.Load())}
	for _, commit := range judged.Accepted {
		if err := t.add(commit); err != nil {
			return w.projectBefore(ctx, entries, commit[0].Offset, err)
		}
	}
	t.foreign = t.foreign || w.foreign(judged.Skipped)
	if err := t.commit(ctx); err != nil {
		return 0, err
	}
	w.heads.keep()
	w.next, w.mark = judged.Next, t.mark
	w.p.watch.moved(w.at, w.next, t.commits)
	w.p.metrics.projected(w.at, t.records, judged.Skipped, time.Since(start))
	w.report(judged.Skipped)
	if w.p.Seen != nil && len(t.records) > 0 {
		w.p.Seen(t.records)
	}
	return used, nil
}

// projectBefore projects what lies before a commit that cannot be: whoever waits for
// that must not wait for the troubled one.
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
		if s.Reason == eventstore.Malformed || s.Reason == eventstore.Foreign || s.Reason == eventstore.Torn {
			w.p.Logger.Error("skipped a record that should not be on the log", "topic", w.at.topic, "partition", w.at.partition, "offset", s.Offset, "reason", s.Reason, "error", s.Err)
		}
	}
}

// transaction is what one batch writes.
type transaction struct {
	w       *worker
	to      int64
	mark    string
	batch   *Batch
	records []*eventstore.Record
	commits []string // ids, first record each
	foreign bool     // holds a commit of another node, which may be waiting
}

// add decodes an accepted commit and hands its events to the read models. A read
// model that panics stops its partition, not the node.
func (t *transaction) add(commit []eventstore.Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %s/%d at %d: a read model fails on the commit: %v", ErrGivenUp, t.w.at.topic, t.w.at.partition, commit[0].Offset, r)
		}
	}()
	c := t.w.category
	for _, e := range commit {
		payload, err := c.Decode(e.Record.Type, e.Record.Data)
		if errors.Is(err, event.ErrUnknownType) {
			return fmt.Errorf("%w: %s/%d at %d: %w: a newer version of Parley wrote it; upgrade this node", ErrGivenUp, t.w.at.topic, t.w.at.partition, e.Offset, err)
		}
		if err != nil {
			return fmt.Errorf("%s/%d at %d: %w", t.w.at.topic, t.w.at.partition, e.Offset, err)
		}
		t.records = append(t.records, e.Record)
		for _, m := range t.w.p.Models {
			if m.follows[c.Topic()] != nil {
				m.apply(t.batch, at(e.Record, c), payload)
			}
		}
	}
	first := commit[0].Record
	t.commits = append(t.commits, first.Commit)
	t.foreign = t.foreign || first.Source != "/parley/"+t.w.p.Node
	return nil
}

const advance = `SELECT advance($1, $2, $3, $4, $5, $6, $7)`

func (t *transaction) advanceArgs() []any {
	w := t.w
	return []any{live, w.at.topic, w.at.partition, w.next, w.epoch, t.to, t.mark}
}

// commit writes the transaction: one round trip when it is small.
func (t *transaction) commit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	b := &pgx.Batch{}
	if len(t.records) > pipelined {
		return t.copy(ctx, b)
	}
	b.Queue(advance, t.advanceArgs()...)
	if len(t.records) > 0 {
		b.Queue(insertEvents, columns(t.records)...)
	}
	if err := t.rest(b); err != nil {
		return err
	}
	if err := t.w.p.Writes.SendBatch(ctx, b).Close(); err != nil { // one implicit transaction
		return t.failed(err)
	}
	return nil
}

// copy writes a large transaction with COPY for the stream index.
func (t *transaction) copy(ctx context.Context, b *pgx.Batch) error {
	if err := t.rest(b); err != nil {
		return err
	}
	err := pgx.BeginFunc(ctx, t.w.p.Writes, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, advance, t.advanceArgs()...); err != nil {
			return err
		}
		if err := copyEvents(ctx, tx, t.records); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return t.failed(err)
	}
	return nil
}

// rest queues the read models' rows, and the notification when another node waits.
func (t *transaction) rest(b *pgx.Batch) error {
	if err := t.batch.queue(b); err != nil {
		return fmt.Errorf("%s/%d: %w", t.w.at.topic, t.w.at.partition, err)
	}
	if t.foreign {
		b.Queue(`SELECT pg_notify($1, $2)`, channel, t.w.at.topic+" "+strconv.Itoa(t.w.at.partition)+" "+strconv.FormatInt(t.to, 10))
	}
	return nil
}

func (t *transaction) failed(err error) error {
	return fmt.Errorf("projecting %s/%d from %d to %d: %w", t.w.at.topic, t.w.at.partition, t.w.next, t.to, err)
}
