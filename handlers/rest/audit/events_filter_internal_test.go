package audit

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/audit"
)

func TestAFilterIsAQuestionOfOneTenant(t *testing.T) {
	f := EventFilter{Stream: "call-1", Type: "parley.calls.answered", Since: "2026-11-21T00:00:00Z", Correlation: "tr-1"}
	q, err := f.query("acme", "2026-11-22T01:00:00+01:00")
	require.NoError(t, err)
	require.True(t, q.Until.Equal(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)))
	q.Until = time.Time{}
	require.Equal(t, audit.Query{Tenant: "acme", Stream: "call-1", Type: "parley.calls.answered", Topic: "parley.calls",
		Correlation: "tr-1", Since: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}, q)

	q, err = EventFilter{}.query("acme", "")
	require.NoError(t, err)
	require.Equal(t, audit.Query{Tenant: "acme"}, q, "what is not asked does not filter")
}

func TestAllFaultsOfAFilterAreNamedAtOnce(t *testing.T) {
	const noon, later = "2026-11-21T12:00:00Z", "2026-11-21T12:00:00.001Z"
	for _, c := range []struct {
		name   string
		f      EventFilter
		until  string
		fields []string
	}{
		{"all of them", EventFilter{Category: "x", Since: "yesterday"}, "tomorrow", []string{"category", "since", "until"}},
		{"an end at the beginning", EventFilter{Since: noon}, noon, []string{"until"}},
		{"an end before the beginning", EventFilter{Since: later}, noon, []string{"until"}},
		{"an end just behind it", EventFilter{Since: noon}, later, nil},
		{"an end alone", EventFilter{}, noon, nil},
		{"a wrong beginning and a good end", EventFilter{Since: "x"}, noon, []string{"since"}},
		{"a beginning and a wrong end", EventFilter{Since: noon}, "x", []string{"until"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.f.query("acme", c.until)
			var named []string
			var refused *fault.Error
			if errors.As(err, &refused) {
				for _, d := range refused.Details {
					named = append(named, d.Field)
				}
			}
			require.Equal(t, c.fields, named)
		})
	}
}

// A cursor is of one list: whatever differs in the question, its key differs.
func TestEachFilterIsPartOfWhatACursorBelongsTo(t *testing.T) {
	seen := map[string]string{}
	for name, f := range map[string]EventFilter{
		"none": {}, "stream": {Stream: "x"}, "type": {Type: "x"}, "category": {Category: "x"}, "since": {Since: "x"},
		"correlation": {Correlation: "x"},
	} {
		token := sealerOf("k", "l", "page", f.key("acme")...).seal(nil)
		require.NotContains(t, seen, token, "%s and %s", name, seen[token])
		seen[token] = name
		require.NotEqual(t, token, sealerOf("k", "l", "page", f.key("other")...).seal(nil), "another tenant, %s", name)
	}
}
