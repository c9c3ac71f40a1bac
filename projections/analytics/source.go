package analytics

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/sink"
)

// Log is what is read of the event log.
type Log interface {
	Fetch(ctx context.Context, topic string, partition int, offset int64) (eventstore.Fetched, error)
}

// mostRead is about how many records one transaction takes: what was read is not read
// again, so the last read may bring some thousands more.
const mostRead = 5000

// source reads what the awaited read models have passed. What counts of it is what the
// stream index holds: at these offsets nothing is undecided any more.
type source struct {
	db         *pgxpool.Pool // sees the live tables
	log        Log
	categories map[string]*event.Category // by topic
	keys       eventstore.Keys
	feed       *Feed       // nil: everything is read from the log
	trouble    func(error) // told of events that appear without what they should say
}

// gap is what the analytics lack of one partition.
type gap struct {
	sink.Place
	next, end int64 // offsets: where the analytics are, and the awaited read models
}

// gaps are what lies between two sets of checkpoints, and when that was so.
type gaps struct {
	open []gap
	at   time.Time // on Postgres's clock
	size int64     // records
}

// between reads the live checkpoints, against those of the tables that own sees.
func (s source) between(ctx context.Context, own *pgxpool.Pool) (gaps, error) {
	at, err := positions(ctx, own)
	if err != nil {
		return gaps{}, err
	}
	var g gap
	var out gaps
	rows, err := s.db.Query(ctx, `SELECT topic, partition, next_offset, now() FROM checkpoints WHERE projection = 'live'
		ORDER BY topic, partition`)
	if err != nil {
		return gaps{}, fmt.Errorf("reading the live checkpoints: %w", err)
	}
	if _, err := pgx.ForEachRow(rows, []any{&g.Topic, &g.Partition, &g.end, &out.at}, func() error {
		if g.next = at[g.Place]; g.next < g.end {
			out.open = append(out.open, g)
			out.size += g.end - g.next
		}
		return nil
	}); err != nil {
		return gaps{}, fmt.Errorf("reading the live checkpoints: %w", err)
	}
	return out, nil
}

// errStranger says that an event is of a newer version of Parley.
var errStranger = errors.New("this node does not know the event")

// next takes the first batch of the gaps. It closes them if it says as of when it is.
func (s source) next(ctx context.Context, open gaps) (batch, error) {
	var b batch
	var records []*eventstore.Record
	taken := 0
	for _, g := range open.open {
		if taken >= mostRead {
			break
		}
		fed, til := s.feed.take(g, mostRead-taken)
		if len(fed) > 0 { // what may follow is told in a moment, or read next time
			if err := s.describeAll(&b, fed); err != nil {
				return batch{}, err
			}
			m := move{Place: g.Place, from: g.next, to: fed[len(fed)-1].To, fed: true}
			b.moves, taken = append(b.moves, m), taken+int(m.to-m.from)
			continue
		}
		m := move{Place: g.Place, from: g.next, to: g.next}
		for m.to < til && taken < mostRead {
			got, to, err := s.read(ctx, g, m.to, til)
			if err != nil {
				return batch{}, err
			}
			records, taken = append(records, got...), taken+len(got)
			m.to = to
		}
		b.moves = append(b.moves, m)
	}
	if err := s.judge(ctx, &b, records); err != nil {
		return batch{}, err
	}
	if b.size() == open.size {
		b.asOf = &open.at
	}
	return b, nil
}

// read reads on in a partition, as far as til.
func (s source) read(ctx context.Context, g gap, from, til int64) (records []*eventstore.Record, to int64, err error) {
	got, err := s.log.Fetch(ctx, g.Topic, g.Partition, from)
	if err != nil {
		return nil, from, err
	}
	to = from
	for _, e := range got.Entries {
		if e.Offset >= til {
			break
		}
		if to = e.Offset + 1; e.Record != nil {
			records = append(records, e.Record)
		}
	}
	if to == from {
		return nil, from, fmt.Errorf("%s/%d has nothing at %d, and the read models are at %d: is it another log?", g.Topic, g.Partition, from,
			g.end)
	}
	return records, to, nil
}

// judge describes those of the records read that count.
func (s source) judge(ctx context.Context, b *batch, records []*eventstore.Record) error {
	counts, err := s.accepted(ctx, b.moves, records)
	if err != nil {
		return err
	}
	for i, r := range records {
		if !counts[i] {
			continue
		}
		c := s.categories[r.Topic]
		if c == nil {
			return fmt.Errorf("%w: topic %s", errStranger, r.Topic)
		}
		if err := eventstore.Open(ctx, s.keys, c, r); err != nil {
			return err
		}
		p, err := c.Decode(r.Type, r.Data)
		if errors.Is(err, event.ErrUnknownType) {
			return fmt.Errorf("%w: %s", errStranger, r.Type)
		}
		if err == nil {
			err = s.describe(b, r, p)
		}
		if err != nil { // the awaited read models stop at such an event too
			return fmt.Errorf("%s/%d at %d: %w", r.Topic, r.Partition, r.Offset, err)
		}
	}
	return nil
}

func (s source) describeAll(b *batch, fed []sink.Passage) error {
	for _, x := range fed {
		for i, r := range x.Records {
			if err := s.describe(b, r, x.Payloads[i]); err != nil {
				return fmt.Errorf("%s/%d at %d: %w", r.Topic, r.Partition, r.Offset, err)
			}
		}
	}
	return nil
}

// describe adds the row of an event.
func (s source) describe(b *batch, r *eventstore.Record, p event.Payload) error {
	x, ok, trouble, err := describe(s.categories[r.Topic], r, p)
	if err != nil {
		return err
	}
	if trouble != nil {
		s.trouble(trouble)
	}
	if ok {
		b.rows = append(b.rows, x)
	}
	return nil
}

// accepted asks the stream index, by place and id, which of the records it holds. The
// same snapshot must show that the index still reaches that far: a crash of Postgres may
// have taken its newest rows until they are projected again.
func (s source) accepted(ctx context.Context, moves []move, records []*eventstore.Record) ([]bool, error) {
	out := make([]bool, len(records))
	if len(records) == 0 {
		return out, nil
	}
	streams, versions, topics, partitions, offsets, ids := make([]string, len(records)), make([]int64, len(records)),
		make([]string, len(records)), make([]int32, len(records)), make([]int64, len(records)), make([]string, len(records))
	for i, r := range records {
		streams[i], versions[i], topics[i], partitions[i], offsets[i], ids[i] = r.Stream, r.Version, r.Topic, int32(r.Partition), r.Offset, r.ID
	}
	err := pgx.BeginTxFunc(ctx, s.db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, m := range moves {
			var far bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM checkpoints WHERE projection = 'live' AND topic = $1 AND partition = $2
				AND next_offset >= $3)`, m.Topic, m.Partition, m.to).Scan(&far); err != nil {
				return err
			}
			if !far {
				return fmt.Errorf("the read models went back behind %d of %s/%d", m.to, m.Topic, m.Partition)
			}
		}
		rows, err := tx.Query(ctx, `SELECT q.i FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::text[]) WITH
			ORDINALITY AS q(stream, version, topic, partition, log_offset, id, i)
			JOIN events e ON e.stream = q.stream AND e.version = q.version AND e.log_offset = q.log_offset AND e.topic = q.topic
			AND e.partition = q.partition AND e.id::text = lower(q.id)`,
			streams, versions, topics, partitions, offsets, ids)
		if err != nil {
			return err
		}
		var i int64
		_, err = pgx.ForEachRow(rows, []any{&i}, func() error { out[i-1] = true; return nil })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking the index what counts: %w", err)
	}
	return out, nil
}
