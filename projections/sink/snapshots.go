package sink

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/eventstore"
)

var _ eventstore.Snapshots = (*Index)(nil)

// loadFrom is one statement, so that snapshot and records are of one moment. A
// snapshot whose last event the index does not have, under the same commit, is of
// another past and does not count.
const loadFrom = `WITH s AS MATERIALIZED (
		SELECT s.version, s.data FROM snapshots s JOIN events e ON e.stream = s.stream AND e.version = s.version
		AND e.commit_id::text = s.commit_id
		WHERE s.stream = $1 AND s.state_key = $2)
	SELECT s.data, e.stream, e.version, e.topic, e.partition, e.log_offset, e.id::text, e.type, e.time, e.tenant, e.actor, e.source,
	e.commit_id::text,
		e.commit_index, e.commit_size, e.parent, e.request_id, e.request_hash, e.correlation_id, e.causation_id, e.traceparent, e.key_id, e.data
	FROM events e LEFT JOIN s ON s.version = e.version
	WHERE e.stream = $1 AND e.version >= coalesce((SELECT version FROM s), 0) ORDER BY e.version`

// LoadFrom implements eventstore.Snapshots.
func (x *Index) LoadFrom(ctx context.Context, stream, key string) (data []byte, records []*eventstore.Record, err error) {
	err = x.whole(ctx, func() (err error) {
		data, records, err = x.loadFrom(ctx, stream, key)
		return err
	})
	return data, records, err
}

func (x *Index) loadFrom(ctx context.Context, stream, key string) (data []byte, records []*eventstore.Record, err error) {
	rows, err := x.db.Query(ctx, loadFrom, stream, key)
	if err != nil {
		return nil, nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	records, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*eventstore.Record, error) {
		var r eventstore.Record
		var kept []byte
		err := row.Scan(&kept, &r.Stream, &r.Version, &r.Topic, &r.Partition, &r.Offset, &r.ID, &r.Type, &r.Time, &r.Tenant, &r.Actor, &r.Source,
			&r.Commit,
			&r.CommitIndex, &r.CommitSize, &r.Parent, &r.RequestID, &r.RequestHash, &r.CorrelationID, &r.CausationID, &r.Traceparent, &r.KeyID,
			&r.Data)
		r.Time = r.Time.UTC()
		if kept != nil {
			data = kept
		}
		return &r, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	return data, records, nil
}

// LockSnapshots keeps the snapshots of a stream to one transaction. An erasure in the stream
// deletes them, and nobody who read the stream before saves one behind it.
const LockSnapshots = `SELECT pg_advisory_xact_lock(hashtextextended($1, 6))`

// saveSnapshot keeps one that knows the newest erasure of the stream.
const saveSnapshot = `INSERT INTO snapshots (stream, state_key, version, commit_id, data) SELECT $1::text, $2::text, $3::bigint, $4::text,
	$5::bytea
	WHERE NOT EXISTS (SELECT FROM events WHERE stream = $1::text AND version > $3::bigint AND type LIKE '%.erased.v%')
	ON CONFLICT (stream, state_key) DO UPDATE SET version = excluded.version, commit_id = excluded.commit_id, data = excluded.data,
	saved_at = now()
	WHERE snapshots.version <> excluded.version OR snapshots.commit_id <> excluded.commit_id OR snapshots.data <> excluded.data`

// SaveSnapshot implements eventstore.Snapshots. Snapshots of the stream that no
// binary has renewed for a week go: nobody reads their key any more.
func (x *Index) SaveSnapshot(ctx context.Context, stream, key string, version int64, commit string, data []byte) error {
	b := &pgx.Batch{} // one implicit transaction
	b.Queue(LockSnapshots, stream)
	b.Queue(saveSnapshot, stream, key, version, commit, data)
	b.Queue(`DELETE FROM snapshots WHERE stream = $1 AND state_key <> $2 AND saved_at < now() - interval '7 days'`, stream, key)
	if err := x.db.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("keeping a snapshot of %s: %w", stream, err)
	}
	return nil
}
