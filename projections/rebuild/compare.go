package rebuild

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/projections/sink"
)

// TableDifference is what is not alike in two tables of one name. It holds keys and
// column names, no other values.
type TableDifference struct {
	Table    string
	Missing  int64    // rows that the live table lacks
	Extra    int64    // rows that only the live table has
	Changed  int64    // rows that both have, with other values
	Examples []string // some of them
}

// String counts the differences and shows a few.
func (d TableDifference) String() string {
	return fmt.Sprintf("%s: %d rows missing, %d too many, %d changed: %s", d.Table, d.Missing, d.Extra, d.Changed,
		strings.Join(d.Examples, "; "))
}

// mostExamples is how many rows of a table a difference names.
const mostExamples = 10

// passing are the columns that do not come from the log.
var passing = []string{"claimed_until"}

// Compared is a table to compare, or some of its rows.
type Compared struct {
	Table  string
	Column string   // if not empty, only rows whose column is one of the values
	Values []string //
}

// Compare holds the tables of two schemas against each other, row for row, and
// returns those that are not alike. Both must stand at the same position of the log,
// and stay there while this reads: in one REPEATABLE READ transaction, or at rest.
func Compare(ctx context.Context, db sink.Querier, live, rebuilt string, tables ...Compared) ([]TableDifference, error) {
	var out []TableDifference
	for _, t := range tables {
		d, err := compareTable(ctx, db, live, rebuilt, t)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", t.Table, err)
		}
		if d.Missing+d.Extra+d.Changed > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

func compareTable(ctx context.Context, db sink.Querier, live, rebuilt string, t Compared) (TableDifference, error) {
	d := TableDifference{Table: t.Table}
	keys, columns, err := shape(ctx, db, live, t.Table)
	if err != nil {
		return d, err
	}
	where, args := "", []any{}
	if t.Column != "" {
		where, args = ` WHERE `+ident(t.Column)+` = ANY($1)`, []any{t.Values}
	}
	side := func(schema string) string {
		return `(SELECT ` + strings.Join(keys, ", ") + `, ROW(` + strings.Join(columns, ", ") + `)::text AS content
			FROM ` + ident(schema, t.Table) + where + `)`
	}
	both := ` FROM ` + side(live) + ` l FULL JOIN ` + side(rebuilt) + ` r
		USING (` + strings.Join(keys, ", ") + `) WHERE l.content IS DISTINCT FROM r.content`
	err = db.QueryRow(ctx,
		`SELECT count(*) FILTER (WHERE l.content IS NULL), count(*) FILTER (WHERE r.content IS NULL), count(*) FILTER (WHERE l.content IS NOT NULL
			AND r.content IS NOT NULL)`+both, args...).
		Scan(&d.Missing, &d.Extra, &d.Changed)
	if err != nil || d.Missing+d.Extra+d.Changed == 0 {
		return d, err
	}
	match := func(alias string) string {
		var same []string
		for _, k := range keys {
			same = append(same, alias+"."+k+" = d."+k)
		}
		return strings.Join(same, " AND ")
	}
	rows, err := db.Query(ctx, `WITH d AS (SELECT `+strings.Join(keys, ", ")+`, l.content IS NULL AS missing, r.content IS NULL AS extra`+both+
		fmt.Sprintf(` ORDER BY 1 LIMIT %d)`, mostExamples)+`
		SELECT jsonb_build_array(d.`+strings.Join(keys, ", d.")+`)::text || CASE WHEN d.missing THEN ' is missing'
			WHEN d.extra THEN ' is too many' ELSE ' differs in ' ||
			(SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_each(to_jsonb(a)) x JOIN jsonb_each(to_jsonb(b)) y USING (key)
			WHERE x.value IS DISTINCT FROM y.value AND key <> ALL('{`+strings.Join(passing, ",")+`}')) END
		FROM d LEFT JOIN `+ident(live, t.Table)+` a ON `+match("a")+` LEFT JOIN `+ident(rebuilt, t.Table)+` b ON `+match("b"), args...)
	if err != nil {
		return d, err
	}
	examples, err := pgx.CollectRows(rows, pgx.RowTo[*string])
	for _, e := range examples {
		if e != nil {
			d.Examples = append(d.Examples, *e)
		}
	}
	slices.Sort(d.Examples)
	return d, err
}

// shape reads a table's key and the columns that come from the log.
func shape(ctx context.Context, db sink.Querier, schema, table string) (keys, columns []string, err error) {
	rows, err := db.Query(ctx, `SELECT quote_ident(a.attname), EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid
		AND i.indisprimary AND a.attnum = ANY(i.indkey)), a.attname = ANY($2)
		FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attnum`, ident(schema, table), passing)
	if err != nil {
		return nil, nil, err
	}
	var name string
	var key, passes bool
	_, err = pgx.ForEachRow(rows, []any{&name, &key, &passes}, func() error {
		if key {
			keys = append(keys, name)
		}
		if !passes {
			columns = append(columns, name)
		}
		return nil
	})
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("it has no primary key")
	}
	return keys, columns, err
}

// compared are the rows that the plan answers for.
func (p plan) compared() []Compared {
	var out []Compared
	for _, t := range slices.Sorted(slices.Values(p.whole)) {
		out = append(out, Compared{Table: t})
	}
	for _, t := range slices.Sorted(maps.Keys(p.shared)) {
		out = append(out, Compared{Table: t, Column: "topic", Values: p.shared[t]})
	}
	return out
}

var errSeen = errors.New("both are seen at one position")

// check compares the rebuild's tables with the live ones. The projectors wait only
// until a snapshot has been taken in which both stand at the same position; the
// comparison then reads that snapshot for as long as it takes.
func (r *rebuild) check(ctx context.Context) (held time.Duration, found []TableDifference, err error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("connecting for the comparison: %w", err)
	}
	defer conn.Release()
	snapshot, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, nil, fmt.Errorf("beginning the comparison: %w", err)
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	held, err = r.level(ctx, func(ctx context.Context, _ pgx.Tx) error {
		if _, err := snapshot.Exec(ctx, `SELECT 1`); err != nil { // the snapshot is taken here
			return err
		}
		return errSeen
	})
	if !errors.Is(err, errSeen) {
		return held, nil, err
	}
	if found, err = Compare(ctx, snapshot, r.live, r.schema, r.parts.compared()...); err != nil {
		return held, nil, err
	}
	_ = snapshot.Rollback(ctx)
	return held, found, r.drop(ctx, r.schema)
}
