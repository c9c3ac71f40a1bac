package sink

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// commitAt is a commit and the place that it wants in its stream.
type commitAt struct {
	stream  string
	version int64
	commit  string
}

// behindAt is a version of a stream, and how many events behind it are wanted at most.
type behindAt struct {
	stream  string
	version int64
	most    int
}

// together asks with all who ask at this moment. Where that fails everybody asks by himself, to get his own answer or his own
// error: what is wrong with the question of one, or takes too long, is no answer to the others.
func together[K comparable, V any](ctx context.Context, l *projections.Lookup[K, V], key K) (v V, ok bool, err error) {
	v, ok, err = l.Get(ctx, key)
	if err == nil || ctx.Err() != nil {
		return v, ok, err
	}
	found, err := l.Ask(ctx, []K{key})
	v, ok = found[key]
	return v, ok, err
}

// askCommits gives of those commits that hold their version the read models that do not hold their rows, as one text.
func (x *Index) askCommits(ctx context.Context, at []commitAt) (map[commitAt]string, error) {
	rows, err := x.db.Query(ctx, `SELECT a.n, coalesce((SELECT string_agg(model, ', ' ORDER BY model) FROM projection_errors p
			WHERE p.commit_id = e.commit_id), '')
		FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::text[])) WITH ORDINALITY AS a(stream, version, commit, n)
		CROSS JOIN LATERAL (SELECT commit_id FROM events WHERE stream = a.stream AND version = a.version LIMIT 1) e
		WHERE e.commit_id::text = a.commit`,
		projections.Column(at, func(a commitAt) string { return a.stream }), projections.Column(at, func(a commitAt) int64 { return a.version }),
		projections.Column(at, func(a commitAt) string { return a.commit }))
	if err != nil {
		return nil, fmt.Errorf("asking which commits hold their versions: %w", err)
	}
	out := make(map[commitAt]string, len(at))
	var n int64
	var models string
	if _, err := pgx.ForEachRow(rows, []any{&n, &models}, func() error { out[at[n-1]] = models; return nil }); err != nil {
		return nil, fmt.Errorf("asking which commits hold their versions: %w", err)
	}
	return out, nil
}

// askBehind gives what streams have behind versions, in order.
func (x *Index) askBehind(ctx context.Context, at []behindAt) (map[behindAt][]*eventstore.Record, error) {
	rows, err := x.db.Query(ctx, `SELECT e.* FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::int[]))
			WITH ORDINALITY AS a(stream, version, most, n)
		CROSS JOIN LATERAL (SELECT a.n, `+eventFields+` FROM events WHERE stream = a.stream AND version > a.version
			ORDER BY version LIMIT a.most) e ORDER BY e.n, e.version`,
		projections.Column(at, func(a behindAt) string { return a.stream }), projections.Column(at, func(a behindAt) int64 { return a.version }),
		projections.Column(at, func(a behindAt) int32 { return int32(a.most) }))
	if err != nil {
		return nil, fmt.Errorf("reading behind versions of streams: %w", err)
	}
	out := make(map[behindAt][]*eventstore.Record, len(at))
	if _, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var n int64
		r, err := scanRecord(row, &n)
		if err == nil {
			out[at[n-1]] = append(out[at[n-1]], r)
		}
		return struct{}{}, err
	}); err != nil {
		return nil, fmt.Errorf("reading behind versions of streams: %w", err)
	}
	return out, nil
}

// ownCopies are records for one of several who asked for them: what is personal in them is opened in place.
func ownCopies(records []*eventstore.Record) []*eventstore.Record {
	out := make([]*eventstore.Record, len(records))
	for i, r := range records {
		own := *r
		own.Data = bytes.Clone(r.Data)
		out[i] = &own
	}
	return out
}
