package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// mostFilled is how many records of the log one transaction of a rebuild takes.
const mostFilled = 5000

// filler brings one partition of a rebuild forward. Like a worker it trusts its
// checkpoint row alone after any trouble.
type filler struct {
	r        *rebuild
	at       sink.Place
	category *event.Category
	next     int64
	mark     string
	heads    sink.Heads
}

// load reads the checkpoint of the rebuild.
func (f *filler) load(ctx context.Context) error {
	var epoch int64
	err := f.r.pool.QueryRow(ctx,
		`SELECT next_offset, mark, owner_epoch FROM checkpoints WHERE projection = $1 AND topic = $2 AND partition = $3`, sink.Live, f.at.Topic,
		f.at.Partition).Scan(&f.next, &f.mark, &epoch)
	if err != nil {
		return fmt.Errorf("reading the rebuild's checkpoint: %w", err)
	}
	if epoch != f.r.epoch {
		return fmt.Errorf("%w: it took this one over", ErrRebuildRunning)
	}
	f.heads = sink.Heads{Known: map[string]eventstore.Head{}}
	return nil
}

// to fills up to exactly that offset, which a live checkpoint has reached. What
// passes by itself (a database that restarts, say) is waited for.
func (f *filler) to(ctx context.Context, goal int64) error {
	defer func() { clear(f.heads.Known) }() // other partitions are filled next
	lost := time.Now()
	for f.next < goal {
		before := f.next
		err := f.step(ctx, goal)
		if f.next > before {
			lost = time.Now()
		}
		if err == nil && f.next > before {
			continue
		}
		if err == nil {
			err = fmt.Errorf("%s has nothing at %d, and the live read models stand at %d", f.at, f.next, goal)
		}
		if ctx.Err() != nil || permanent(err) || errors.Is(err, ErrRebuildRunning) || time.Since(lost) > lostPatience {
			return err
		}
		f.r.Logger.Warn("the rebuild tries a partition again", "topic", f.at.Topic, "partition", f.at.Partition, "offset", f.next, "error", err)
		if err := sink.Pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
		if err := f.load(ctx); err != nil && (permanent(err) || errors.Is(err, ErrRebuildRunning)) {
			return err
		}
	}
	return nil
}

// read is what is on the log from an offset on, at most up to the goal. Behind the
// goal stands an entry without a record.
func (f *filler) read(ctx context.Context, from, goal int64) ([]eventstore.Entry, error) {
	got, err := f.r.Log.Fetch(ctx, f.at.Topic, f.at.Partition, from)
	if err != nil {
		if errors.Is(err, eventstore.ErrOutOfRange) {
			return nil, f.cut(err)
		}
		return nil, err
	}
	if got.Start > 0 || got.End < goal {
		return nil, f.cut(fmt.Errorf("the log runs from %d to %d now", got.Start, got.End))
	}
	entries := got.Entries
	for i, e := range entries {
		if e.Offset >= goal {
			entries = entries[:i]
			break
		}
	}
	if n := len(entries); n > 0 && entries[n-1].Offset == goal-1 {
		// A live checkpoint never stands inside a commit: what is incomplete here is torn.
		entries = append(entries[:n:n], eventstore.Entry{Offset: goal})
	}
	return entries, nil
}

// step reads once, and on to the end of a commit, and writes what came.
func (f *filler) step(ctx context.Context, goal int64) error {
	entries, err := f.read(ctx, f.next, goal)
	if err != nil {
		return err
	}
	for len(entries) > 0 && f.next < goal {
		used, err := f.write(ctx, entries[:min(len(entries), mostFilled)], goal)
		if used == 0 && err == nil && len(entries) > mostFilled { // a commit that is larger than that
			used, err = f.write(ctx, entries, goal)
		}
		if err != nil {
			return err
		}
		if used > 0 {
			entries = entries[used:]
			continue
		}
		more, err := f.read(ctx, entries[len(entries)-1].Offset+1, goal) // the rest of the commit; a stranger's may be longer than one read
		if err != nil || len(more) == 0 {
			return err
		}
		entries = append(entries, more...)
	}
	return nil
}

func (f *filler) cut(why error) error {
	return fmt.Errorf("%w: %s is not the log the live read models were built from: %w; bring the old log back, or drop the database and "+
		"start a node to build from the log as it is", sink.ErrGivenUp, f.at, why)
}

// write judges entries and writes what was accepted, with the checkpoint, in one
// transaction. It returns how many entries it used.
func (f *filler) write(ctx context.Context, entries []eventstore.Entry, goal int64) (int, error) {
	var judge eventstore.Heads
	var err error
	if f.r.parts.index {
		judge, err = f.ownHeads(ctx, entries)
	} else {
		judge, err = f.liveHeads(ctx, entries)
	}
	if err != nil {
		return 0, err
	}
	judged := eventstore.Arbitrate(judge, entries)
	to := min(judged.Next, goal)
	used, mark := 0, f.mark
	for used < len(entries) && entries[used].Offset < judged.Next {
		if entries[used].Offset < goal {
			mark = entries[used].Mark
		}
		used++
	}
	if to <= f.next {
		return 0, nil
	}
	if err := sink.Open(ctx, f.r.Keys, f.category, judged.Accepted); err != nil {
		return 0, fmt.Errorf("rebuilding %s: %w", f.at, err)
	}
	w := filled{from: f.next, to: to, mark: mark}
	for _, accepted := range judged.Accepted {
		c, err := sink.Decode(f.category, accepted)
		if err != nil {
			return 0, fmt.Errorf("%w: %s at %d: %w; nothing was switched", sink.ErrGivenUp, f.at, accepted[0].Offset, err)
		}
		w.commits = append(w.commits, c)
		w.records = append(w.records, c.Records...)
	}
	if err := f.commit(ctx, w); err != nil {
		return 0, fmt.Errorf("rebuilding %s from %d to %d: %w", f.at, f.next, to, err)
	}
	f.heads.Keep()
	f.r.done.Add(to - f.next)
	f.r.read.Add(to - f.next)
	f.r.events.Add(int64(len(w.records)))
	f.next, f.mark = to, mark
	return used, nil
}

// filled is what one transaction of a rebuild writes.
type filled struct {
	from, to int64
	mark     string
	commits  []*sink.Commit
	records  []*eventstore.Record
}

// commit writes it as the live projector would: without the rows that a read model
// cannot take, which are set aside.
func (f *filler) commit(ctx context.Context, w filled) error {
	err := f.transact(ctx, w, func(tx pgx.Tx) error {
		rows := projections.NewBatch(f.r.tables)
		for _, m := range f.r.parts.models {
			if err := sink.Fill(rows, m, w.commits); err != nil {
				return err
			}
		}
		b := &pgx.Batch{}
		if err := rows.Queue(b); err != nil {
			return fmt.Errorf("%w: %w", sink.ErrGivenUp, err)
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if _, is := projections.Unfitness(err); !is {
		return err
	}
	var aside []sink.Aside
	err = f.transact(ctx, w, func(tx pgx.Tx) (err error) {
		aside, err = sink.WriteSparing(ctx, tx, f.r.tables, f.r.parts.models, w.commits)
		return err
	})
	if err == nil {
		f.r.aside.Add(int64(len(aside)))
	}
	return err
}

// transact moves the rebuild's checkpoint, and writes the index's share and the rows.
func (f *filler) transact(ctx context.Context, w filled, rows func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, f.r.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT `+ident(f.r.live, "advance")+`($1, $2, $3, $4, $5, $6, $7)`, sink.Live, f.at.Topic, f.at.Partition,
			w.from, f.r.epoch, w.to, w.mark); err != nil {
			return err
		}
		if f.r.parts.index && len(w.records) > 0 {
			if err := sink.CopyEvents(ctx, tx, w.records); err != nil {
				return err
			}
		}
		return rows(tx)
	})
}

// ownHeads judges by the index that is being rebuilt.
func (f *filler) ownHeads(ctx context.Context, entries []eventstore.Entry) (eventstore.Heads, error) {
	if missing := f.heads.Missing(entries, sink.Asking); len(missing) > 0 {
		found, err := sink.NewIndex(f.r.pool, nil, nil).Heads(ctx, missing)
		if err != nil {
			return nil, err
		}
		for s, h := range found {
			f.heads.Known[s] = h
		}
	}
	return &f.heads, nil
}

// liveHeads judges by the live index, which holds everything below the goal: the head
// of a stream can be read off its first commit among the entries that counts. If the
// index holds version 5 of it at this very offset, and that names the parent X, the
// head before the entries was version 4 with commit X. So no heads are remembered,
// however many streams there are.
func (f *filler) liveHeads(ctx context.Context, entries []eventstore.Entry) (eventstore.Heads, error) {
	f.heads.Staged = map[string]eventstore.Head{}
	firsts := map[int64]*eventstore.Record{}
	var streams []string
	var versions, offsets []int64
	for _, e := range entries {
		if r := e.Record; r != nil && r.CommitIndex == 0 {
			firsts[e.Offset] = r
			streams, versions, offsets = append(streams, r.Stream), append(versions, r.Version), append(offsets, e.Offset)
		}
	}
	held := eventstore.HeadMap{}
	for _, e := range entries {
		if e.Record != nil {
			held[e.Record.Stream] = eventstore.Head{Version: -2} // nothing follows it
		}
	}
	if len(streams) == 0 {
		return held, nil
	}
	rows, err := f.r.pool.Query(ctx, `SELECT q.log_offset FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS q(stream, version, log_offset)
		JOIN `+ident(f.r.live, "events")+` e ON e.stream = q.stream AND e.version = q.version AND e.log_offset = q.log_offset
			AND e.topic = $4 AND e.partition = $5
		ORDER BY 1`, streams, versions, offsets, f.at.Topic, f.at.Partition)
	if err != nil {
		return nil, fmt.Errorf("asking the index what counts: %w", err)
	}
	var offset int64
	if _, err := pgx.ForEachRow(rows, []any{&offset}, func() error {
		if r := firsts[offset]; held[r.Stream].Version == -2 {
			held[r.Stream] = eventstore.Head{Version: r.Version - 1, Commit: r.Parent, Tenant: r.Tenant}
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("asking the index what counts: %w", err)
	}
	return held, nil
}
