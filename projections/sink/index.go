package sink

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Index is the stream index: every accepted event by stream and version. It
// implements eventstore.Index.
type Index struct {
	db      *pgxpool.Pool
	gate    Gate
	reading func() func(context.Context) error
	held    projections.Lookup[heldAt, struct{}]
	commits projections.Lookup[commitAt, string]
	behind  projections.Lookup[behindAt, []*eventstore.Record]
}

// heldAt is a version of a stream and the place of a record.
type heldAt struct {
	stream    string
	version   int64
	topic     string
	partition int
	offset    int64
}

// Gate keeps everything shut until the read models have caught up with the log.
type Gate interface {
	Err() error     // while it is shut
	Epoch() uint64  // raised whenever what was read before does not hold any more
	Refusal() error // of what was read across a change of epoch
}

// NewIndex reads through the pool. What reading gives before a read says after it
// whether what was read may be believed.
func NewIndex(db *pgxpool.Pool, gate Gate, reading func() func(context.Context) error) *Index {
	x := &Index{db: db, gate: gate, reading: reading}
	x.held.Ask, x.commits.Ask, x.behind.Ask = x.askHeld, x.askCommits, x.askBehind
	return x
}

// whole returns after a read of which something would be missing in read models that
// were emptied meanwhile: a stream that ends early, or is not there.
func (x *Index) whole(ctx context.Context, read func() error) error {
	stands := x.reading()
	if err := read(); err != nil {
		return err
	}
	return stands(ctx)
}

// settled asks a question whose answer may be no. A no that was read while the gate
// was shut, across a change of epoch, or from tables that were emptied, says nothing.
func (x *Index) settled(ctx context.Context, ask func() (bool, error)) (bool, error) {
	epoch := x.gate.Epoch()
	if err := x.gate.Err(); err != nil {
		return false, err
	}
	stands := x.reading()
	yes, err := ask()
	if err != nil || yes {
		return yes, err
	}
	if err := stands(ctx); err != nil {
		return false, err
	}
	if x.gate.Epoch() != epoch {
		return false, x.gate.Refusal()
	}
	return false, nil
}

var eventColumns = []string{"stream", "version", "topic", "partition", "log_offset", "id", "type", "time", "tenant", "actor", "source",
	"commit_id", "commit_index", "commit_size", "parent", "request_id", "request_hash", "correlation_id", "causation_id", "traceparent",
	"key_id",
	"data"}

const eventFields = `stream, version, topic, partition, log_offset, id::text, type, time, tenant, actor, source, commit_id::text,
	commit_index, commit_size, parent, request_id, request_hash, correlation_id, causation_id, traceparent, key_id, data`

const selectEvents = `SELECT ` + eventFields + ` FROM events `

// Load implements eventstore.Index.
func (x *Index) Load(ctx context.Context, stream string) (out []*eventstore.Record, err error) {
	err = x.whole(ctx, func() (err error) {
		out, err = x.load(ctx, stream)
		return err
	})
	return out, err
}

func (x *Index) load(ctx context.Context, stream string) ([]*eventstore.Record, error) {
	rows, err := x.db.Query(ctx, selectEvents+`WHERE stream = $1 ORDER BY version`, stream)
	if err != nil {
		return nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	out, err := pgx.CollectRows(rows, ScanRecord)
	if err != nil {
		return nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	return out, nil
}

// After reads what a stream has behind a version, in order, so many events at most. It is asked before each decision on a stream that
// others write too, and by each reactor that goes on from what the node keeps, so what is asked at once is one query.
func (x *Index) After(ctx context.Context, stream string, version int64, most int) (out []*eventstore.Record, err error) {
	err = x.whole(ctx, func() error {
		found, _, err := together(ctx, &x.behind, behindAt{stream, version, most})
		if err != nil {
			return fmt.Errorf("reading stream %s behind %d: %w", stream, version, err)
		}
		out = ownCopies(found)
		return nil
	})
	return out, err
}

// Erasures implements eventstore.Parts.
func (x *Index) Erasures(ctx context.Context, stream string, version int64) (out []*eventstore.Record, err error) {
	err = x.whole(ctx, func() error {
		rows, err := x.db.Query(ctx, selectErasures, stream, version)
		if err == nil {
			out, err = pgx.CollectRows(rows, ScanRecord)
		}
		if err != nil {
			return fmt.Errorf("asking who was erased from %s: %w", stream, err)
		}
		return nil
	})
	return out, err
}

// selectErasures goes by an index of theirs alone: few streams have any.
const selectErasures = selectEvents + `WHERE stream = $1 AND version > $2 AND type LIKE '%.erased.v%' ORDER BY version`

// Request implements eventstore.Requests. It is asked of long streams only, so no more of a stream than what is behind
// its first events is found by its requests.
func (x *Index) Request(ctx context.Context, stream, id string) (first *eventstore.Record, err error) {
	err = x.whole(ctx, func() error {
		rows, err := x.db.Query(ctx, selectRequest, stream, id)
		if err != nil {
			return fmt.Errorf("asking what a request did to %s: %w", stream, err)
		}
		found, err := pgx.CollectRows(rows, ScanRecord)
		if err != nil {
			return fmt.Errorf("asking what a request did to %s: %w", stream, err)
		}
		if len(found) > 0 {
			first = slices.MaxFunc(found, func(x, y *eventstore.Record) int { return cmp.Compare(x.Version, y.Version) })
		}
		return nil
	})
	return first, err
}

// selectRequest has no order: for the sake of one Postgres would go through the stream by its versions.
var selectRequest = selectEvents + fmt.Sprintf(`WHERE stream = $1 AND request_id = $2 AND request_id <> '' AND version > %d`,
	eventstore.RequestsKept)

// ScanRecord reads a row of the stream index.
func ScanRecord(row pgx.CollectableRow) (*eventstore.Record, error) { return scanRecord(row) }

// scanRecord reads a row of the stream index that has something else in front.
func scanRecord(row pgx.CollectableRow, before ...any) (*eventstore.Record, error) {
	var r eventstore.Record
	err := row.Scan(append(before, &r.Stream, &r.Version, &r.Topic, &r.Partition, &r.Offset, &r.ID, &r.Type, &r.Time, &r.Tenant, &r.Actor,
		&r.Source, &r.Commit, &r.CommitIndex, &r.CommitSize, &r.Parent, &r.RequestID, &r.RequestHash, &r.CorrelationID, &r.CausationID,
		&r.Traceparent, &r.KeyID, &r.Data)...)
	r.Time = r.Time.UTC()
	return &r, err
}

// HeldBy reports whether (stream, version) is held by the record at this very
// offset: what a reactor asks before it acts on a record. A dozen reactors ask it of each
// event of a call, so what is asked at once is one query.
func (x *Index) HeldBy(ctx context.Context, stream string, version int64, topic string, partition int, offset int64) (bool, error) {
	return x.settled(ctx, func() (held bool, err error) {
		_, held, err = x.held.Get(ctx, heldAt{stream, version, topic, partition, offset})
		return held, err
	})
}

// askHeld gives those of the places that hold their version.
func (x *Index) askHeld(ctx context.Context, at []heldAt) (map[heldAt]struct{}, error) {
	rows, err := x.db.Query(ctx, `SELECT a.n FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::text[]), (SELECT $4::int[]),
			(SELECT $5::bigint[])) WITH ORDINALITY AS a(stream, version, topic, partition, log_offset, n)
		CROSS JOIN LATERAL (SELECT topic, partition, log_offset FROM events WHERE stream = a.stream AND version = a.version LIMIT 1) e
		WHERE e.topic = a.topic AND e.partition = a.partition AND e.log_offset = a.log_offset`,
		projections.Column(at, func(a heldAt) string { return a.stream }), projections.Column(at, func(a heldAt) int64 { return a.version }),
		projections.Column(at, func(a heldAt) string { return a.topic }),
		projections.Column(at, func(a heldAt) int32 { return int32(a.partition) }),
		projections.Column(at, func(a heldAt) int64 { return a.offset }))
	if err != nil {
		return nil, fmt.Errorf("asking which records hold their versions: %w", err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("asking which records hold their versions: %w", err)
	}
	out := make(map[heldAt]struct{}, len(numbers))
	for _, n := range numbers {
		out[at[n-1]] = struct{}{}
	}
	return out, nil
}

// Holds reports whether a commit holds (stream, version): the verdict on a command.
// PROJECTION_FAILED says that it does and that a read model does not hold its rows. All
// that wait for a partition which another node projects ask at the same moment, in one query.
func (x *Index) Holds(ctx context.Context, stream string, version int64, commit string) (bool, error) {
	var models string
	held, err := x.settled(ctx, func() (held bool, err error) {
		models, held, err = together(ctx, &x.commits, commitAt{stream, version, commit})
		if err != nil {
			return false, fmt.Errorf("asking who holds %s version %d: %w", stream, version, err)
		}
		return held, nil
	})
	if held && err == nil {
		err = ProjectionFailed(models)
	}
	return held, err
}

// Heads reads the heads of streams; streams without events are absent.
func (x *Index) Heads(ctx context.Context, streams []string) (map[string]eventstore.Head, error) {
	rows, err := x.db.Query(ctx, `SELECT s.name, h.version, h.commit_id::text, h.tenant FROM unnest((SELECT $1::text[])) AS s(name),
		LATERAL (SELECT version, commit_id, tenant FROM events WHERE stream = s.name ORDER BY version DESC LIMIT 1) h`, streams)
	if err != nil {
		return nil, fmt.Errorf("reading heads: %w", err)
	}
	defer rows.Close()
	out := make(map[string]eventstore.Head, len(streams))
	for rows.Next() {
		var name string
		var h eventstore.Head
		if err := rows.Scan(&name, &h.Version, &h.Commit, &h.Tenant); err != nil {
			return nil, fmt.Errorf("reading heads: %w", err)
		}
		out[name] = h
	}
	return out, rows.Err()
}

// Moves are the versions of those streams that have another than was seen of them: nothing comes back of the others.
func (x *Index) Moves(ctx context.Context, streams []string, seen []int64) (map[string]int64, error) {
	rows, err := x.db.Query(ctx, `SELECT s.name, h.version FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[])) AS s(name, seen),
		LATERAL (SELECT version FROM events WHERE stream = s.name ORDER BY version DESC LIMIT 1) h WHERE h.version <> s.seen`, streams, seen)
	if err != nil {
		return nil, fmt.Errorf("reading what has moved: %w", err)
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var name string
		var version int64
		if err := rows.Scan(&name, &version); err != nil {
			return nil, fmt.Errorf("reading what has moved: %w", err)
		}
		out[name] = version
	}
	return out, rows.Err()
}

// InsertEvents is the index's share of a small transaction.
const InsertEvents = `INSERT INTO events (stream, version, topic, partition, log_offset, id, type, time, tenant, actor, source,
	commit_id, commit_index, commit_size, parent, request_id, request_hash, correlation_id, causation_id, traceparent, key_id, data)
	SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::uuid[], $7::text[], $8::timestamptz[], $9::text[],
	$10::text[], $11::text[],
	$12::uuid[], $13::int[], $14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
	$22::bytea[])`

// Columns turns records into the arrays of InsertEvents. They are of kinds whose elements
// the driver encodes alike; of others, such as []time.Time, it finds out how for each.
func Columns(records []*eventstore.Record) ([]any, error) {
	n := len(records)
	str := func(get func(*eventstore.Record) string) pgtype.FlatArray[string] {
		out := make(pgtype.FlatArray[string], n)
		for i, r := range records {
			out[i] = get(r)
		}
		return out
	}
	versions, offsets := make([]int64, n), make([]int64, n)
	partitions, indexes, sizes := make([]int32, n), make([]int32, n), make([]int32, n)
	times, data := make(pgtype.FlatArray[pgtype.Timestamptz], n), make(pgtype.FlatArray[[]byte], n)
	ids, commits := make(pgtype.FlatArray[pgtype.UUID], n), make(pgtype.FlatArray[pgtype.UUID], n)
	for i, r := range records {
		versions[i], offsets[i] = r.Version, r.Offset
		partitions[i], indexes[i], sizes[i] = int32(r.Partition), int32(r.CommitIndex), int32(r.CommitSize)
		times[i], data[i] = pgtype.Timestamptz{Time: r.Time, Valid: true}, r.Stored()
		id, commit, err := idsOf(r)
		if err != nil {
			return nil, err
		}
		ids[i], commits[i] = pgtype.UUID{Bytes: id, Valid: true}, pgtype.UUID{Bytes: commit, Valid: true}
	}
	return []any{
		str(func(r *eventstore.Record) string { return r.Stream }), versions, str(func(r *eventstore.Record) string { return r.Topic }),
		partitions, offsets, ids, str(func(r *eventstore.Record) string { return r.Type }), times,
		str(func(r *eventstore.Record) string { return r.Tenant }), str(func(r *eventstore.Record) string { return r.Actor }),
		str(func(r *eventstore.Record) string { return r.Source }),
		commits, indexes, sizes, str(func(r *eventstore.Record) string { return r.Parent }),
		str(func(r *eventstore.Record) string { return r.RequestID }), str(func(r *eventstore.Record) string { return r.RequestHash }),
		str(func(r *eventstore.Record) string { return r.CorrelationID }), str(func(r *eventstore.Record) string { return r.CausationID }),
		str(func(r *eventstore.Record) string { return r.Traceparent }), str(func(r *eventstore.Record) string { return r.KeyID }), data,
	}, nil
}

func idsOf(r *eventstore.Record) (id, commit uuid.UUID, err error) {
	if id, err = uuid.Parse(r.ID); err != nil {
		return id, commit, err
	}
	commit, err = uuid.Parse(r.Commit)
	return id, commit, err
}

// CopyEvents is the index's share of a large transaction.
func CopyEvents(ctx context.Context, tx pgx.Tx, records []*eventstore.Record) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"events"}, eventColumns, pgx.CopyFromSlice(len(records), func(i int) ([]any, error) {
		r := records[i]
		id, commit, err := idsOf(r)
		if err != nil {
			return nil, err
		}
		return []any{r.Stream, r.Version, r.Topic, r.Partition, r.Offset, id, r.Type, r.Time, r.Tenant, r.Actor, r.Source, commit, r.CommitIndex,
			r.CommitSize,
			r.Parent, r.RequestID, r.RequestHash, r.CorrelationID, r.CausationID, r.Traceparent, r.KeyID, r.Stored()}, nil
	}))
	return err
}
