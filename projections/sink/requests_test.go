package sink_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// Given a long stream, then what a request behind its first events led to is found by an index of its own; what stands
// before, in another stream, or nowhere is not.
func TestWhatAnOldRequestLedToIsFound(t *testing.T) {
	w := given.Open(t)
	const last = eventstore.RequestsKept + 44
	w.Indexed(calls.Calls.Category, "long", slices.Repeat([]event.Payload{calls.Said{Text: "Hello"}}, last)...)
	_, err := w.DB.Exec(t.Context(), `UPDATE events SET request_id = 'r-' || version, request_hash = 'h' WHERE stream = 'call-long'`)
	require.NoError(t, err)
	index := sink.NewIndex(w.DB, open{}, standing)
	for _, version := range []int64{eventstore.RequestsKept + 1, last} {
		first, err := index.Request(t.Context(), "call-long", fmt.Sprint("r-", version))
		require.NoError(t, err)
		require.Equal(t, []any{version, "h", 1}, []any{first.Version, first.RequestHash, first.CommitSize})
	}
	for _, of := range [][2]string{{"call-long", fmt.Sprint("r-", eventstore.RequestsKept)}, {"call-long", "another"}, {"call-x", "r-290"}} {
		none, err := index.Request(t.Context(), of[0], of[1])
		require.NoError(t, err)
		require.Nil(t, none, of)
	}

	rows, err := w.DB.Query(t.Context(), "EXPLAIN "+sink.SelectRequest, "call-long", "r-290")
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan, "\n"), "events_by_request_of_long_streams")
}

// Given a stream from which somebody was erased, then who was behind a version is found, by an index of its own.
func TestWhoWasErasedBehindAVersionIsFound(t *testing.T) {
	w := given.Open(t)
	erased := calls.Erased{Erasure: event.Erasure{ErasureID: "e-1"}}
	said := calls.Said{Text: "Hello"}
	w.Indexed(calls.Calls.Category, "one", said, erased, said, erased, said)
	index := sink.NewIndex(w.DB, open{}, standing)
	for behind, want := range map[int64][]int64{0: {2, 4}, 1: {2, 4}, 2: {4}, 3: {4}, 4: nil} {
		found, err := index.Erasures(t.Context(), "call-one", behind)
		require.NoError(t, err)
		var versions []int64
		for _, r := range found {
			versions = append(versions, r.Version)
		}
		require.Equal(t, want, versions)
	}
	rows, err := w.DB.Query(t.Context(), "EXPLAIN "+sink.SelectErasures, "call-one", 0)
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan, "\n"), "events_that_erase")
}
