package rest

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a moment or a day by ISO 8601, with a zone or without one, then it is read in UTC.
func TestMomentsAndDays(t *testing.T) {
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-11-27T12:00:00Z": noon, "2026-11-27T12:00:00": noon, "2026-11-27T12:00": noon, "2026-11-27T12:00Z": noon,
		"2026-11-27T13:30:00+01:30": noon, "2026-11-27T13:30:00 01:30": noon, "2026-11-27T12:00:00.25": noon.Add(time.Second / 4),
	} {
		at, day, ok := Moment(text)
		require.Equal(t, []any{want, false, true}, []any{at, day, ok}, text)
	}
	at, day, ok := Moment("2026-11-27")
	require.Equal(t, []any{noon.Truncate(24 * time.Hour), true, true}, []any{at, day, ok})
	for _, text := range []string{"", "x", "2026-13-01", "2026-11-27T25:00", "27.11.2026"} {
		_, _, ok := Moment(text)
		require.False(t, ok, text)
	}
}

// Given a comma list, when its items come one by one, then they are the list; any other
// parameter is as it was sent.
func TestListsMayBeGivenItemByItem(t *testing.T) {
	for query, want := range map[string][]string{
		"pick=a,b": {"a,b"}, "pick=a&pick=b": {"a,b"}, "pick=a%2Cb&pick=c": {"a,b,c"}, "pick=": {""}, "": nil,
	} {
		r := httptest.NewRequest("GET", "/?other=x&other=y&"+query, nil)
		got := withCommas(r, r.URL.Query(), []string{"pick"}).URL.Query()
		require.Equal(t, want, got["pick"], query)
		require.Equal(t, []string{"x", "y"}, got["other"], query)
	}
}
