package audit

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// ofKey is the condition of the index events_of_tenant for the partition p, and
// ofTenant adds the names themselves, because two tenants may share a hash. Where many
// rows are walked in the order of the index, ofKey stands alone and the names are
// compared outside of the LIMIT: with all the conditions in one place Postgres
// multiplies their probabilities, expects hardly a row, and sorts all of them instead
// of following the index.
const (
	ofNames  = `tenant = $1 AND topic = p.topic AND partition = p.number`
	ofKey    = `hashtextextended(tenant || '/' || topic, partition) = hashtextextended($1::text || '/' || p.topic, p.number)`
	ofTenant = ofKey + ` AND ` + ofNames
)

// candidate is an event that fits the filter, before it is known whether the page
// has room for it.
type candidate struct {
	offset int64
	time   time.Time
}

// track is what one partition has for a page.
type track struct {
	place Partition
	found []candidate
	seen  int64 // the last offset that was looked at, if so much was looked at that there may be more behind it; else -1
}

// tracks asks each partition for its next events that fit, as one query.
func (a *Audit) tracks(ctx context.Context, q Query) ([]*track, error) {
	var out []*track
	for _, p := range a.places() {
		_, open := q.From[p]
		if (q.Topic == "" || p.Topic == q.Topic) && (open || !q.Descending || q.From == nil) {
			out = append(out, &track{place: p, seen: -1})
		}
	}
	start := int64(0)
	if q.Descending {
		start = math.MaxInt64
	}
	topics, numbers := columnsOf(projections.Column(out, func(t *track) Partition { return t.place }))
	from := projections.Column(out, func(t *track) int64 {
		if at, begun := q.From[t.place]; begun {
			return at
		}
		return start
	})
	sql, args := q.scan(topics, numbers, from)
	rows, err := projections.All[scanned](ctx, a.db, "looking for events", sql, args...)
	for _, r := range rows {
		t := out[r.N-1]
		if r.Fits {
			t.found = append(t.found, candidate{r.LogOffset, r.Time})
		}
		if r.K == examined {
			t.seen = r.LogOffset
		}
	}
	return out, err
}

// scanned is one row of a scan: the K-th that was looked at of the N-th place.
type scanned struct {
	N, LogOffset int64
	Time         time.Time
	Fits         bool
	K            int64
}

// scan is the query of tracks. Without a stream or a correlation it walks the
// tenant's index, and looks at so many rows of each partition at most.
func (q Query) scan(topics []string, numbers []int32, from []int64) (string, []any) {
	args := []any{q.Tenant, topics, numbers, from, q.Limit + 1} // one more tells whether there is more
	arg := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	compare, order := ">=", "ASC"
	if q.Descending {
		compare, order = "<", "DESC"
	}
	fits := q.fits(arg)
	key := ""
	if q.Stream != "" {
		key = "stream = " + arg(q.Stream)
	} else if q.Correlation != "" {
		key = "correlation_id = " + arg(q.Correlation)
	}
	places := `unnest($2::text[], $3::int[], $4::bigint[]) WITH ORDINALITY AS p(topic, number, next, n)`
	if key != "" {
		return `WITH few AS MATERIALIZED (SELECT topic, partition, log_offset, time FROM events
			WHERE tenant = $1 AND ` + key + ` AND ` + fits + `)
			SELECT p.n, e.log_offset, e.time, true AS fits, 0 AS k FROM ` + places + `, LATERAL (SELECT log_offset, time FROM few
			WHERE topic = p.topic AND partition = p.number
			AND log_offset ` + compare + ` p.next ORDER BY log_offset ` + order + ` LIMIT $5) e ORDER BY p.n, e.log_offset ` + order, args
	}
	most := strconv.Itoa(examined)
	return `SELECT p.n, e.log_offset, e.time, e.fits, e.k FROM ` + places + `, LATERAL (SELECT * FROM (
		SELECT log_offset, time, ` + ofNames + ` AND ` + fits + ` AS fits, row_number() OVER (ORDER BY log_offset ` + order + `) AS k FROM events
		WHERE ` + ofKey + ` AND log_offset ` + compare + ` p.next ORDER BY log_offset ` + order + ` LIMIT ` + most + `) looked
		WHERE fits OR k = ` + most + ` ORDER BY log_offset ` + order + ` LIMIT $5) e ORDER BY p.n, e.k`, args
}

// fits is the condition of the filters that no index has.
func (q Query) fits(arg func(any) string) string {
	conditions := []string{"true"}
	add := func(format string, args ...any) { conditions = append(conditions, fmt.Sprintf(format, args...)) }
	if !q.Since.IsZero() {
		add("time >= %s", arg(q.Since))
	}
	if !q.Until.IsZero() {
		add("time < %s", arg(q.Until))
	}
	if q.Type != "" {
		add("(type = %[1]s OR starts_with(type, %[1]s || '.v'))", arg(q.Type))
	}
	if q.Stream != "" && q.Correlation != "" {
		add("correlation_id = %s", arg(q.Correlation))
	}
	return strings.Join(conditions, " AND ")
}

// fetch reads what was picked, in its order, and stops where the bytes are enough.
func (a *Audit) fetch(ctx context.Context, q Query, picked []pick) ([]*eventstore.Record, error) {
	topics, numbers := columnsOf(projections.Column(picked, func(p pick) Partition { return p.place }))
	offsets := projections.Column(picked, func(p pick) int64 { return p.offset })
	rows, _ := a.db.Query(ctx, `SELECT stream, version, topic, partition, log_offset, id::text, type, time, tenant, actor, source,
		commit_id::text,
		commit_index, commit_size, parent, request_id, request_hash, correlation_id, causation_id, traceparent, key_id, data
		FROM (SELECT e.*, p.n, sum(octet_length(e.data)) OVER (ORDER BY p.n) - octet_length(e.data) AS before
			FROM unnest($2::text[], $3::int[], $4::bigint[]) WITH ORDINALITY AS p(topic, number, at, n),
			LATERAL (SELECT * FROM events WHERE `+ofTenant+` AND log_offset = p.at) e) sized
		WHERE before = 0 OR before + octet_length(data) <= $5
		ORDER BY n`, q.Tenant, topics, numbers, offsets, q.MaxBytes) // as in projections.All
	out, err := pgx.CollectRows(rows, sink.ScanRecord)
	if err != nil {
		return nil, fmt.Errorf("reading events: %w", err)
	}
	for i, r := range out {
		if r.Topic != picked[i].place.Topic || r.Partition != picked[i].place.Number || r.Offset != picked[i].offset {
			return nil, a.gate.Refusal()
		}
	}
	if len(out) == 0 { // the index was emptied between the two queries
		return nil, a.gate.Refusal()
	}
	return out, nil
}
