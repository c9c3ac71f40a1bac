package checks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/eventstore"
)

// Index checks that the stream index holds exactly what the fold accepts.
func Index(ctx context.Context, f *Fold, databaseURL string, out *Findings) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connecting to the read models: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT stream || ' v' || version, commit_id || ' at ' || topic || '/' || partition || '@' || log_offset
		FROM events`)
	if err != nil {
		return fmt.Errorf("reading the stream index: %w", err)
	}
	indexed := map[string]string{}
	var at, what string
	if _, err := pgx.ForEachRow(rows, []any{&at, &what}, func() error { indexed[at] = what; return nil }); err != nil {
		return fmt.Errorf("reading the stream index: %w", err)
	}
	compare("index", "the fold", f.places(), "the index", indexed, out)
	return nil
}

// places names every accepted record and where it stands.
func (f *Fold) places() map[string]string {
	out := map[string]string{}
	for _, records := range f.Streams {
		for _, r := range records {
			key, value := placed(r)
			out[key] = value
		}
	}
	return out
}

func placed(r *eventstore.Record) (key, value string) {
	return fmt.Sprintf("%s v%d", r.Stream, r.Version), fmt.Sprintf("%s at %s/%d@%d", r.Commit, r.Topic, r.Partition, r.Offset)
}

func compare(check, nameA string, a map[string]string, nameB string, b map[string]string, out *Findings) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if b[key] != a[key] {
			out.Add(check, "%s: %s has %q, %s has %q", key, nameA, a[key], nameB, b[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[key]; !ok {
			out.Add(check, "%s: %s has %q, %s does not have it", key, nameB, b[key], nameA)
		}
	}
}

// Consumed checks that the consumer package hands out exactly what the fold accepts.
func Consumed(ctx context.Context, f *Fold, brokers []string, dir string, out *Findings) error {
	got := map[string]string{}
	var mu sync.Mutex
	files, err := consumer.OpenFiles(dir, func(_ context.Context, b consumer.Batch, _ json.RawMessage) (json.RawMessage, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, commit := range b.Commits {
			for _, r := range commit {
				key, value := placed(r)
				got[key] = value
			}
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }()
	if err := consumer.Run(ctx, consumer.Config{Brokers: brokers, Topics: slices.Sorted(maps.Keys(f.Ends)), Sink: files,
		ToEnd: true}); err != nil {
		return fmt.Errorf("running the consumer: %w", err)
	}
	compare("consumer", "the fold", f.places(), "the consumer", got, out)
	return nil
}

// Reached is nil once the checkpoints of a database have passed the whole log.
func Reached(ctx context.Context, f *Fold, databaseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for topic, ends := range f.Ends {
		for partition, end := range ends {
			var next int64
			if err := conn.QueryRow(ctx, `SELECT next_offset FROM checkpoints WHERE projection = 'live' AND topic = $1 AND partition = $2`, topic,
				partition).Scan(&next); err != nil {
				return fmt.Errorf("%s/%d: %w", topic, partition, err)
			}
			if next < end {
				return fmt.Errorf("%s/%d is at %d of %d", topic, partition, next, end)
			}
		}
	}
	var behind int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM checkpoints l LEFT JOIN analytics_checkpoints a USING (topic, partition)
		WHERE l.projection = 'live' AND l.next_offset > coalesce(a.next_offset, 0)`).Scan(&behind); err != nil {
		return fmt.Errorf("reading how far the analytics are: %w", err)
	}
	if behind > 0 {
		return fmt.Errorf("the analytics are behind in %d partitions", behind)
	}
	return nil
}

// own are tables that say how the work goes and not what happened.
var own = []string{"checkpoints", "nodes", "media_nodes", "placed_calls", "trunk_calls", "goose_db_version", "projections", "rebuilds",
	"snapshots", "projection_errors", "analytics_progress"}

// ownColumns are columns of that kind.
var ownColumns = []string{"claimed_until"}

// Rebuilt checks that every read model has the same rows as in another database,
// which was built from offset 0.
func Rebuilt(ctx context.Context, live, fresh string, out *Findings) error {
	a, err := dump(ctx, live)
	if err != nil {
		return err
	}
	b, err := dump(ctx, fresh)
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(b)) {
		differ(table, a[table], b[table], out)
	}
	for table := range a {
		if b[table] == nil {
			out.Add("rebuild", "table %s is not in the fresh database", table)
		}
	}
	return nil
}

func differ(table string, live, fresh map[string]int, out *Findings) {
	for _, row := range slices.Sorted(maps.Keys(live)) {
		if live[row] != fresh[row] {
			out.Add("rebuild", "%s: %d times live, %d times rebuilt: %s", table, live[row], fresh[row], row)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(fresh)) {
		if live[row] == 0 {
			out.Add("rebuild", "%s: not live, rebuilt: %s", table, row)
		}
	}
}

// dump reads all rows of all read models, as text, and how often each is there.
func dump(ctx context.Context, databaseURL string) (map[string]map[string]int, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("connecting to the read models: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT table_name, string_agg(quote_ident(column_name), ',' ORDER BY ordinal_position)
		FROM information_schema.columns
		WHERE table_schema = 'public' AND NOT table_name = ANY($1) AND NOT column_name = ANY($2) GROUP BY table_name`, own, ownColumns)
	if err != nil {
		return nil, fmt.Errorf("listing the read models: %w", err)
	}
	columns := map[string]string{}
	var table, list string
	if _, err := pgx.ForEachRow(rows, []any{&table, &list}, func() error { columns[table] = list; return nil }); err != nil {
		return nil, fmt.Errorf("listing the read models: %w", err)
	}
	all := map[string]map[string]int{}
	for table, list := range columns {
		rows, err := conn.Query(ctx, `SELECT ROW(`+list+`)::text FROM `+pgx.Identifier{table}.Sanitize())
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", table, err)
		}
		all[table] = map[string]int{}
		var row string
		if _, err := pgx.ForEachRow(rows, []any{&row}, func() error { all[table][strings.TrimSpace(row)]++; return nil }); err != nil {
			return nil, fmt.Errorf("reading %s: %w", table, err)
		}
	}
	return all, nil
}

// Watch looks until the context ends whether a part of a commit is ever visible
// without the rest, and returns what it saw. It passes over the times without a
// database.
func Watch(ctx context.Context, url func() string) (problems []string, looks int) {
	for ctx.Err() == nil {
		found, err := torn(ctx, url())
		if err == nil {
			looks++
			problems = append(problems, found...)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return problems, looks
}

func torn(ctx context.Context, databaseURL string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := conn.Query(ctx, `SELECT 'commit ' || commit_id || ' of ' || max(stream) || ' showed ' || count(*) || ' of its ' ||
		max(commit_size) || ' events'
		FROM events WHERE commit_size > 1 GROUP BY commit_id HAVING count(*) <> max(commit_size)`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
