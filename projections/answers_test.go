package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// numbered is an answer of these tests.
type numbered struct {
	N      int
	Called string
}

const upTo5 = `FROM generate_series(1, 5) n WHERE n > $1`

// Given rows, then each column is in the member that has its name, whatever their order.
func TestRowsAreReadByName(t *testing.T) {
	db, ctx := given.Open(t).DB, t.Context()
	all, err := projections.All[numbered](ctx, db, "counting", `SELECT 'c' || n AS called, n `+upTo5, 3)
	require.NoError(t, err)
	require.Equal(t, []numbered{{4, "c4"}, {5, "c5"}}, all)
	one, ok, err := projections.One[numbered](ctx, db, "counting", `SELECT 'c' || n AS called, n `+upTo5, 4)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, numbered{5, "c5"}, one)
	_, ok, err = projections.One[numbered](ctx, db, "counting", `SELECT 'c' || n AS called, n `+upTo5, 5)
	require.NoError(t, err)
	require.False(t, ok, "absence is an answer")
}

// Given a column without a member, or a member without a column, then that is an error: nothing is left out in silence.
func TestAColumnAndItsMemberBelongTogether(t *testing.T) {
	db, ctx := given.Open(t).DB, t.Context()
	for query, problem := range map[string]string{`SELECT n, n AS called, n AS surplus `: "surplus", `SELECT n `: "Called"} {
		_, err := projections.All[numbered](ctx, db, "counting", query+upTo5, 0)
		require.ErrorContains(t, err, "counting: ")
		require.ErrorContains(t, err, problem)
		_, _, err = projections.One[numbered](ctx, db, "counting", query+upTo5, 0)
		require.ErrorContains(t, err, problem)
		_, _, err = projections.Page[numbered](ctx, db, "counting", projections.PageQuery{Count: `SELECT count(*) ` + upTo5,
			Rows: query + upTo5 + ` LIMIT $2 OFFSET $3`, Args: []any{0}, Limit: 9})
		require.ErrorContains(t, err, problem)
	}
}

// Given more rows than a page has, then a page has its own, and says how many there are in all.
func TestAPageAndItsTotal(t *testing.T) {
	db := given.Open(t).DB
	page := func(limit, offset int) ([]numbered, int, error) {
		return projections.Page[numbered](t.Context(), db, "counting", projections.PageQuery{Count: `SELECT count(*) ` + upTo5,
			Rows: `SELECT n, 'c' || n AS called ` + upTo5 + ` ORDER BY n LIMIT $2 OFFSET $3`, Args: []any{2}, Limit: limit, Offset: offset})
	}
	for _, c := range []struct {
		limit, offset int
		want          []numbered
	}{{2, 0, []numbered{{3, "c3"}, {4, "c4"}}}, {2, 2, []numbered{{5, "c5"}}}, {2, 9, []numbered{}}, {0, 0, []numbered{}}} {
		got, total, err := page(c.limit, c.offset)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		require.Equal(t, 3, total)
	}
	_, _, err := page(-1, 0)
	require.ErrorContains(t, err, "counting: ")
	got, total, err := page(1, 0)
	require.NoError(t, err, "the connection is as good as before")
	require.Equal(t, 3, total)
	require.Len(t, got, 1)
}
