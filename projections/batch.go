package projections

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Row names columns and their values: texts, truth values, numbers and what their types
// are named after, or pointers to them; time.Time, json.RawMessage, nil, or anything
// that is stored as its JSON.
type Row map[string]any

// Batch collects what the read models change in one transaction. Changes of one
// row are merged, and rows that change alike go to Postgres in one statement, so a
// batch of a thousand events costs a few statements.
type Batch struct {
	tables   Tables
	segments []segment // a new one begins where order matters
}

// segment is changes whose order does not matter.
type segment struct {
	changes map[string]*change // by table and key
	keys    map[string]string  // of each table, the columns of the keys: by others the same row could be meant
}

func newSegment() segment { return segment{changes: map[string]*change{}, keys: map[string]string{}} }

// Tables knows the type of every column, as Postgres names it.
type Tables map[string]map[string]string

type kind int

const (
	put kind = iota // insert, or update these columns
	set             // update these columns of a row that exists
	del
	sum // add to these columns, or insert
)

type change struct {
	kind  kind
	table string
	key   Row
	cols  Row
	id    string
}

// NewBatch is an empty batch.
func NewBatch(t Tables) *Batch { return &Batch{tables: t} }

// Put makes a row with these columns, or changes these columns of it. It names every
// column that has to have a value and has no default, also when the row is there.
func (b *Batch) Put(table string, key, cols Row) { b.add(put, table, key, cols) }

// Set changes these columns of a row, if there is one.
func (b *Batch) Set(table string, key, cols Row) {
	if len(cols) > 0 {
		b.add(set, table, key, cols)
	}
}

// Add adds to these columns of a row, which are whole numbers from 0 on (int64, bigint), or makes
// the row with them. It names every column but those of the key. A sum that would be too large
// stays as large as it may be. Sums are kept by partition, so that nobody else adds.
func (b *Batch) Add(table string, key, by Row) { b.add(sum, table, key, by) }

// Delete removes a row, if there is one.
func (b *Batch) Delete(table string, key Row) { b.add(del, table, key, nil) }

// DeleteWhere removes all rows with these values; the key may be a part of the
// table's. What was changed before comes before it, what comes after comes after.
func (b *Batch) DeleteWhere(table string, where Row) {
	id := rowID(table, where)
	alone := newSegment()
	alone.changes[id] = &change{kind: del, table: table, key: where, id: id}
	b.segments = append(b.segments, alone, newSegment())
}

// SetTimer makes, or moves, the named timer of the event's stream.
func (b *Batch) SetTimer(at At, name string, due time.Time) {
	b.Put("timers", Row{"stream": at.Stream, "name": name}, Row{"topic": at.Topic, "tenant": at.Tenant, "due_at": due,
		"claimed_until": "-infinity"})
}

// ClearTimer removes the named timer of the event's stream.
func (b *Batch) ClearTimer(at At, name string) {
	b.Delete("timers", Row{"stream": at.Stream, "name": name})
}

func (b *Batch) add(k kind, table string, key, cols Row) {
	id, columns := rowID(table, key), names(key)
	now := b.last()
	if by, any := now.keys[table]; any && by != columns {
		now = b.begin()
	}
	before := now.changes[id]
	switch {
	case before == nil:
	case k == del: // whatever it was, it is gone
		before = nil
	case before.kind == sum && k == sum:
		for name, more := range cols {
			was, more := before.cols[name].(int64), more.(int64)
			before.cols[name] = was + min(more, math.MaxInt64-was)
		}
		return
	case before.kind == del || (before.kind == set && k == put) || before.kind == sum || k == sum: // the order matters
		now, before = b.begin(), nil
	}
	if before == nil {
		before = &change{kind: k, table: table, key: key, cols: Row{}, id: id}
		now.changes[id], now.keys[table] = before, columns
	}
	maps.Copy(before.cols, cols)
}

func (b *Batch) last() segment {
	if len(b.segments) == 0 {
		return b.begin()
	}
	return b.segments[len(b.segments)-1]
}

func (b *Batch) begin() segment {
	b.segments = append(b.segments, newSegment())
	return b.segments[len(b.segments)-1]
}

func names(r Row) string { return strings.Join(slices.Sorted(maps.Keys(r)), " ") }

func rowID(table string, key Row) string {
	id := table
	for _, c := range slices.Sorted(maps.Keys(key)) {
		id += "\x00" + c + "\x00" + text(key[c]).String
	}
	return id
}

// Queue adds the batch's statements, in an order that is the same whatever the
// order of the events of different rows was. A value that has no stored form is told as
// *unfit.
func (b *Batch) Queue(to *pgx.Batch) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Unfit{Text: Panicked(r)}
		}
	}()
	for _, segment := range b.segments {
		groups := map[string][]*change{}
		for _, c := range segment.changes {
			shape := c.table + "\x00" + strconv.Itoa(int(c.kind)) + "\x00" + names(c.cols)
			groups[shape] = append(groups[shape], c)
		}
		for _, shape := range slices.Sorted(maps.Keys(groups)) {
			changes := groups[shape]
			slices.SortFunc(changes, func(x, y *change) int { return strings.Compare(x.id, y.id) })
			sql, args, err := b.statement(changes)
			if err != nil {
				return err
			}
			to.Queue(sql, args...)
		}
	}
	return nil
}

// statement makes one statement of changes that are alike. It takes its arrays as a Lookup does, so that
// Postgres keeps its plan: each row is found by its key, however many there are.
func (b *Batch) statement(changes []*change) (string, []any, error) {
	c := changes[0]
	keys := slices.Sorted(maps.Keys(c.key))
	cols := slices.Sorted(maps.Keys(c.cols))
	all := append(slices.Clone(keys), cols...)
	types := b.tables[c.table]
	var params, casts []string
	args := make([]any, len(all))
	for i, name := range all {
		typ := types[name]
		if typ == "" {
			return "", nil, fmt.Errorf("no column %s.%s", c.table, name)
		}
		params = append(params, fmt.Sprintf("(SELECT $%d::text[])", i+1))
		casts = append(casts, fmt.Sprintf("u.%s::%s", name, typ))
		values := make(pgtype.FlatArray[pgtype.Text], len(changes)) // a plain slice would be looked at anew by each element
		for j, ch := range changes {
			if v, ok := ch.key[name]; ok {
				values[j] = text(v)
			} else {
				values[j] = text(ch.cols[name])
			}
		}
		args[i] = values
	}
	from := fmt.Sprintf("unnest(%s) AS u(%s)", strings.Join(params, ", "), strings.Join(all, ", "))
	switch c.kind {
	case del:
		return fmt.Sprintf("DELETE FROM %s t USING %s WHERE %s", c.table, from, match(keys, types)), args, nil
	case set:
		return fmt.Sprintf("UPDATE %s t SET %s FROM %s WHERE %s", c.table,
			assign(cols, func(n string) string { return "u." + n + "::" + types[n] }), from, match(keys, types)), args, nil
	}
	conflict := "DO NOTHING"
	if len(cols) > 0 {
		conflict = "DO UPDATE SET " + assign(cols, func(n string) string { return "excluded." + n })
	}
	if c.kind == sum {
		conflict = "DO UPDATE SET " + assign(cols, func(n string) string {
			return "least(t." + n + "::numeric + excluded." + n + ", 9223372036854775807)::bigint"
		})
	}
	return fmt.Sprintf("INSERT INTO %s AS t (%s) SELECT %s FROM %s ON CONFLICT (%s) %s",
		c.table, strings.Join(all, ", "), strings.Join(casts, ", "), from, strings.Join(keys, ", "), conflict), args, nil
}

func match(keys []string, types map[string]string) string {
	var w []string
	for _, k := range keys {
		w = append(w, fmt.Sprintf("t.%s = u.%s::%s", k, k, types[k]))
	}
	return strings.Join(w, " AND ")
}

func assign(cols []string, value func(string) string) string {
	var s []string
	for _, c := range cols {
		s = append(s, c+" = "+value(c))
	}
	return strings.Join(s, ", ")
}
