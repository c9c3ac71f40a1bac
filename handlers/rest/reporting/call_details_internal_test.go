package reporting

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/stretchr/testify/require"
)

// What an agent said is in a segment also when the node that was told of it has a clock
// that is a little ahead or behind; it never shows outside of the segment.
func TestTheFirstResponseOfAnAgent(t *testing.T) {
	assigned := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	end := assigned.Add(time.Minute)
	at := func(d time.Duration) time.Time { return assigned.Add(d) }
	w := detailWriter{agents: map[string]contactcenter.AgentCard{"ada@example.com": {AgentID: "a-1"}}}
	for name, c := range map[string]struct {
		said map[string][]time.Time
		end  *time.Time
		want time.Time // zero: none
	}{
		"the first of several": {map[string][]time.Time{"a-1": {at(5 * time.Second), at(9 * time.Second)}}, &end, at(5 * time.Second)},
		"under whichever name": {map[string][]time.Time{"a-1": {at(5 * time.Second)}, "ada@example.com": {at(2 * time.Second)}}, &end,
			at(2 * time.Second)},
		"of nobody else":                {map[string][]time.Time{"a-2": {at(5 * time.Second)}}, &end, time.Time{}},
		"a clock that is behind":        {map[string][]time.Time{"a-1": {at(-clocksApart)}}, &end, assigned},
		"a clock that is ahead":         {map[string][]time.Time{"a-1": {end.Add(clocksApart)}}, &end, end},
		"in an earlier segment":         {map[string][]time.Time{"a-1": {at(-clocksApart - 1), at(time.Second)}}, &end, at(time.Second)},
		"in a later segment":            {map[string][]time.Time{"a-1": {end.Add(clocksApart + 1)}}, &end, time.Time{}},
		"in a segment that nobody ends": {map[string][]time.Time{"a-1": {at(time.Hour)}}, nil, at(time.Hour)},
	} {
		got := w.firstResponse(segment{agent: "a-1", assigned: assigned, end: c.end}, contactcenter.CallDetail{Said: c.said})
		if c.want.IsZero() {
			require.Nil(t, got, name)
			continue
		}
		require.NotNil(t, got, name)
		require.Equal(t, c.want, *got, name)
	}
}
