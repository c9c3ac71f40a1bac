package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

type shelf struct {
	db     *pgxpool.Pool
	tables projections.Tables
}

// newShelf is a database with two small tables.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	db, err := pgxpool.New(t.Context(), embeddedtest.Database(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	for _, name := range []string{"books", "discs"} {
		_, err = db.Exec(t.Context(), `CREATE TABLE `+name+
			` (room text, place int, title text DEFAULT 'untitled', pages int, lent timestamptz, notes jsonb, old bool, price float8, PRIMARY `+
			`KEY (room, place))`)
		require.NoError(t, err)
	}
	tables, err := sink.ReadTables(t.Context(), db)
	require.NoError(t, err)
	return &shelf{db, tables}
}

// write applies the steps, a transaction for each slice of them.
func (s *shelf) write(ctx context.Context, transactions ...[]step) error {
	for _, steps := range transactions {
		b := projections.NewBatch(s.tables)
		for _, do := range steps {
			do(b)
		}
		if err := b.Write(ctx, s.db); err != nil {
			return err
		}
	}
	return nil
}

// rows is the content of both tables.
func (s *shelf) rows(ctx context.Context) (out []string, err error) {
	rows,
		err := s.db.Query(ctx,
		`SELECT 'book ' || row_to_json(b)::text AS line FROM books b UNION ALL SELECT 'disc ' || row_to_json(d)::text FROM discs d ORDER BY line`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (s *shelf) clear(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `DELETE FROM books; DELETE FROM discs`)
	return err
}

type step func(*projections.Batch)

type row = projections.Row

func at(room string, place int) row { return row{"room": room, "place": place} }

func put(key, cols row) step { return func(b *projections.Batch) { b.Put("books", key, cols) } }
func set(key, cols row) step { return func(b *projections.Batch) { b.Set("books", key, cols) } }
func del(key row) step       { return func(b *projections.Batch) { b.Delete("books", key) } }
func clearOut(where row) step {
	return func(b *projections.Batch) { b.DeleteWhere("books", where) }
}

// shelfmark is a text with a name of its own, as the domain's states are.
type (
	shelfmark string
	storey    int32
	lending   bool
	worth     float32
)

// Given a value whose type has a name, when it is stored, then it is stored as what it
// is: a text without quotation marks, in key and column alike.
func TestValuesOfNamedTypesAreStoredAsTheyAre(t *testing.T) {
	s := newShelf(t)
	label, none, due := shelfmark("ex libris"), (*shelfmark)(nil), time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	require.NoError(t, s.write(t.Context(), []step{
		put(row{"room": shelfmark("a"), "place": storey(1)},
			row{"title": shelfmark("x"), "pages": uint8(7), "old": lending(true), "price": worth(1.5)}),
		put(at("a", 2), row{"title": &label, "pages": none, "lent": &due}),
		set(row{"room": "a", "place": int64(1)}, row{"notes": []shelfmark{"n"}}),
	}))
	got, err := s.rows(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.JSONEq(t, `{"room":"a","place":1,"title":"x","pages":7,"lent":null,"notes":["n"],"old":true,"price":1.5}`,
		strings.TrimPrefix(got[0], "book "))
	require.JSONEq(t,
		`{"room":"a","place":2,"title":"ex libris","pages":null,"lent":"2026-11-22T09:00:00+00:00","notes":null,"old":null,"price":null}`,
		strings.TrimPrefix(got[1], "book "))
}

// Given changes of one table whose keys are made of different columns, when they go out
// in one batch, then each changes its rows and no others.
func TestChangesByDifferentKeysAreStatementsOfTheirOwn(t *testing.T) {
	s := newShelf(t)
	fill := []step{put(at("a", 1), row{"title": "x"}), put(at("a", 2), row{"title": "y"}), put(at("b", 1), row{"title": "z"})}
	for name, c := range map[string]struct {
		steps []step
		want  []string
	}{
		"deletes":                {[]step{del(row{"room": "b"}), del(at("a", 2))}, []string{"x"}},
		"deletes, the other way": {[]step{del(at("a", 2)), del(row{"room": "b"})}, []string{"x"}},
		"sets":                   {[]step{set(row{"room": "b"}, row{"title": "w"}), set(at("a", 1), row{"title": "v"})}, []string{"v", "y", "w"}},
		"sets by another column": {[]step{set(row{"place": 1}, row{"title": "w"}), set(at("a", 2), row{"title": "v"})}, []string{"w", "v", "w"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.clear(t.Context()))
			require.NoError(t, s.write(t.Context(), fill, c.steps))
			rows, err := s.db.Query(t.Context(), `SELECT title FROM books ORDER BY room, place`)
			require.NoError(t, err)
			titles, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Equal(t, c.want, titles)
		})
	}
}

func TestABatchGivesWhatItsStepsGiveOneAfterTheOther(t *testing.T) {
	s := newShelf(t)
	a, b, other := at("a", 1), at("a", 2), at("b", 1)
	for name, c := range map[string]struct {
		steps []step
		want  []string // titles, by room and place
	}{
		"put":                       {[]step{put(a, row{"title": "x"})}, []string{"x"}},
		"put twice, other columns":  {[]step{put(a, row{"title": "x", "pages": 1}), put(a, row{"pages": 2})}, []string{"x"}},
		"put without columns":       {[]step{put(a, nil)}, []string{"untitled"}},
		"put without columns, then": {[]step{put(a, nil), put(a, row{"title": "x"})}, []string{"x"}},
		"set of nothing":            {[]step{set(a, row{"title": "x"})}, nil},
		"set without columns":       {[]step{put(a, row{"title": "x"}), set(a, nil)}, []string{"x"}},
		"put, set":                  {[]step{put(a, row{"title": "x"}), set(a, row{"title": "y"})}, []string{"y"}},
		"set before put":            {[]step{set(a, row{"title": "x"}), put(a, row{"pages": 1})}, []string{"untitled"}},
		"put, delete":               {[]step{put(a, row{"title": "x"}), del(a)}, nil},
		"put, delete, put":          {[]step{put(a, row{"title": "x", "pages": 1}), del(a), put(a, row{"pages": 2})}, []string{"untitled"}},
		"delete, set":               {[]step{put(a, row{"title": "x"}), del(a), set(a, row{"title": "y"})}, nil},
		"delete, delete":            {[]step{put(a, row{"title": "x"}), del(a), del(a)}, nil},
		"put, set, delete, put, set": {[]step{put(a, row{"title": "x"}), set(a, row{"pages": 1}), del(a), put(a, row{"title": "y"}),
			set(a, row{"title": "z"})}, []string{"z"}},
		"clearing by part of the key": {[]step{put(a, row{"title": "x"}), put(other, row{"title": "o"}), clearOut(row{"room": "a"}),
			put(b, row{"title": "y"})}, []string{"y", "o"}},
		"clearing between two puts": {[]step{put(a, row{"title": "x", "pages": 1}), clearOut(row{"room": "a"}), put(a, row{"pages": 2})},
			[]string{"untitled"}},
		"clearing by another column": {[]step{put(a, row{"title": "x"}), put(b, row{"title": "y"}), clearOut(row{"title": "x"})},
			[]string{"y"}},
		"the order of rows is theirs": {[]step{put(b, row{"title": "2"}), put(a, row{"title": "1"}), del(b), put(b, row{"title": "3"})},
			[]string{"1", "3"}},
		"another row's order is kept": {[]step{put(a, row{"title": "x"}), put(b, row{"title": "y"}), del(b), put(b, row{"title": "z"}),
			set(a, row{"title": "w"})}, []string{"w", "z"}},
		"keys that look alike": {[]step{put(at("a", 11), row{"title": "x"}), put(at("a1", 1), row{"title": "y"})}, []string{"x", "y"}},
		"a null": {[]step{put(a, row{"title": "x", "pages": 3}), set(a, row{"pages": nil}),
			put(b, row{"title": "y", "pages": nil})}, []string{"x", "y"}},
		"a step changed after the put": {[]step{func(b *projections.Batch) { r := row{"title": "x"}; b.Put("books", a, r); r["title"] = "y" }},
			[]string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.clear(t.Context()))
			require.NoError(t, s.write(t.Context(), c.steps))
			at1, err := s.rows(t.Context())
			require.NoError(t, err)
			rows, err := s.db.Query(t.Context(), `SELECT title FROM books ORDER BY room, place`)
			require.NoError(t, err)
			titles, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Equal(t, c.want, append([]string(nil), titles...))

			require.NoError(t, s.clear(t.Context()))
			for _, one := range c.steps {
				require.NoError(t, s.write(t.Context(), []step{one}))
			}
			single, err := s.rows(t.Context())
			require.NoError(t, err)
			require.Equal(t, single, at1)
		})
	}
}

// Given any list of changes, however it is cut into transactions, the tables are the
// same: a rebuild that reads a thousand events at once gives what one by one gave.
func TestTheRowsAreTheSameWhateverTheBatching(t *testing.T) {
	s := newShelf(t)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 14).Draw(t, "steps")
		var cuts [][]step
		for _, one := range steps {
			if len(cuts) == 0 || rapid.Bool().Draw(t, "cut") {
				cuts = append(cuts, nil)
			}
			cuts[len(cuts)-1] = append(cuts[len(cuts)-1], one)
		}
		var single [][]step
		for _, one := range steps {
			single = append(single, []step{one})
		}
		var want []string
		for i, way := range [][][]step{single, {steps}, cuts} {
			if err := s.clear(ctx); err != nil {
				t.Fatal(err)
			}
			if err := s.write(ctx, way...); err != nil {
				t.Fatal(err)
			}
			got, err := s.rows(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want = got
			} else if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Fatalf("one by one: %q, batched: %q", want, got)
			}
		}
	})
}

func drawStep(t *rapid.T) step {
	table := rapid.SampledFrom([]string{"books", "discs"}).Draw(t, "table")
	key := at(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "room"), rapid.IntRange(1, 3).Draw(t, "place"))
	cols := row{}
	for name, values := range map[string]*rapid.Generator[any]{
		"title": rapid.SampledFrom([]any{nil, "x", "y", "with \x00 zero"}),
		"pages": rapid.SampledFrom([]any{nil, 1, int64(2)}),
		"notes": rapid.SampledFrom([]any{nil, []string{"n"}, json.RawMessage(`{"b":1,"a":"\u0000"}`)}),
	} {
		if rapid.Bool().Draw(t, name+"?") {
			cols[name] = values.Draw(t, name)
		}
	}
	switch rapid.SampledFrom([]string{"put", "put", "set", "delete", "clear"}).Draw(t, "kind") {
	case "put":
		return func(b *projections.Batch) { b.Put(table, key, cols) }
	case "set":
		return func(b *projections.Batch) { b.Set(table, key, cols) }
	case "delete":
		return func(b *projections.Batch) { b.Delete(table, key) }
	}
	return func(b *projections.Batch) { b.DeleteWhere(table, row{"room": key["room"]}) }
}

func TestEveryKindOfValueIsStoredAsItIs(t *testing.T) {
	s := newShelf(t)
	noon := time.Date(2026, 2, 3, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		column string
		value  any
		want   string // as Postgres prints it
	}{
		"text":                     {"title", "it's \"so\", {a,b} \\ \n", "it's \"so\", {a,b} \\ \n"},
		"empty text is not null":   {"title", "", ""},
		"the word null":            {"title", "NULL", "NULL"},
		"a zero character":         {"title", "a\x00b", "a\uFFFDb"},
		"bytes that are not UTF-8": {"title", "a\xffb", "a\uFFFDb"},
		"null":                     {"title", nil, "<null>"},
		"int":                      {"pages", -7, "-7"},
		"int64":                    {"pages", int64(7), "7"},
		"time":                     {"lent", noon, "2026-02-03 11:00:00.123456+00"},
		"zero time":                {"lent", time.Time{}, "<null>"},
		"bool":                     {"old", true, "true"},
		"float":                    {"price", 1.5e-9, "1.5e-09"},
		"list":                     {"notes", []string{"a", "b"}, `["a", "b"]`},
		"empty list":               {"notes", []string{}, `[]`},
		"raw JSON":                 {"notes", json.RawMessage(`{"a": 12345678901234567890.5}`), `{"a": 12345678901234567890.5}`},
		"no raw JSON":              {"notes", json.RawMessage(nil), "<null>"},
		"JSON with a zero":         {"notes", map[string]string{"a\x00": "b\x00"}, "{\"a\uFFFD\": \"b\uFFFD\"}"},
		"half a surrogate pair":    {"notes", json.RawMessage(`["\ud800", "\ud83d\ude00"]`), "[\"\uFFFD\", \"\U0001F600\"]"},
		"an escaped backslash":     {"notes", json.RawMessage(`["\\u0000"]`), `["\\u0000"]`},
		"raw JSON not in UTF-8":    {"notes", json.RawMessage("[\"\xff\"]"), "[\"\uFFFD\"]"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.clear(t.Context()))
			require.NoError(t, s.write(t.Context(), []step{put(at("a", 1), row{c.column: c.value})}))
			var got string
			require.NoError(t, s.db.QueryRow(t.Context(), `SELECT coalesce(`+c.column+
				`::text, '<null>') FROM books, (SELECT set_config('timezone', 'UTC', false)) z`).Scan(&got))
			require.Equal(t, c.want, got)
		})
	}
}

func TestAColumnThatIsNotThereIsNamed(t *testing.T) {
	s := newShelf(t)
	err := s.write(t.Context(), []step{put(at("a", 1), row{"author": "x"})})
	require.ErrorContains(t, err, "books.author")
}

// Given what is added to a row, in one batch and in another, then it is the sum, also where that would be too large; a row that was
// deleted begins anew.
func TestABatchAddsUp(t *testing.T) {
	b := projections.NewBatch(projections.Tables{"sums": {"k": "text", "n": "bigint"}})
	for _, n := range []int64{1, 2, math.MaxInt64} {
		b.Add("sums", projections.Row{"k": "a"}, projections.Row{"n": n})
	}
	b.Delete("sums", projections.Row{"k": "a"})
	b.Add("sums", projections.Row{"k": "a"}, projections.Row{"n": int64(5)})
	var queued pgx.Batch
	require.NoError(t, b.Queue(&queued))
	var sql []string
	for _, q := range queued.QueuedQueries {
		sql = append(sql, q.SQL)
	}
	require.Len(t, sql, 2)
	require.Contains(t, sql[0], "DELETE FROM sums")
	require.Equal(t, "INSERT INTO sums AS t (k, n) SELECT u.k::text, u.n::bigint FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) "+
		"AS u(k, n) "+
		"ON CONFLICT (k) DO UPDATE SET n = least(t.n::numeric + excluded.n, 9223372036854775807)::bigint", sql[1])
}
