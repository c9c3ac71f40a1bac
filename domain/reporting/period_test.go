package reporting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/reporting"
)

func TestPeriods(t *testing.T) {
	for name, c := range map[string]struct {
		start, end  string
		east        float64
		from, until string
		wrong       []string
	}{
		"days":                     {"2026-11-16", "2026-11-21", 0, "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z", nil},
		"one day":                  {"2026-11-16", "2026-11-16", 0, "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z", nil},
		"the last second is in it": {"2026-11-16 09:00:00", "2026-11-16 09:00:00", 0, "2026-11-16T09:00:00Z", "2026-11-16T09:00:01Z", nil},
		"a millisecond": {"2026-11-16 09:00:00.123", "2026-11-16 09:00:00.123", 0, "2026-11-16T09:00:00.123Z",
			"2026-11-16T09:00:00.124Z", nil},
		"as a record has it": {"2026-11-16T09:00:00.123", "2026-11-17", 0, "2026-11-16T09:00:00.123Z", "2026-11-18T00:00:00Z", nil},
		"in a zone":          {"2026-11-16", "2026-11-16 12:00:00", -300, "2026-11-16T05:00:00Z", "2026-11-16T17:00:01Z", nil},
		"seven days":         {"2026-11-01", "2026-11-08", 0, "2026-11-01T00:00:00Z", "2026-11-09T00:00:00Z", nil},
		"eight": {"2026-11-01 23:59:59", "2026-11-09 00:00:00", 0, "", "",
			[]string{"endDate is more than seven days from startDate"}},
		"backwards":     {"2026-11-02", "2026-11-01", 0, "", "", []string{"endDate is before startDate"}},
		"half a minute": {"2026-11-01", "2026-11-02", 0.5, "", "", []string{"timeZoneOffset must be whole minutes"}},
		"what only looks like it": {"2026-11-01 9:00:00", "2026-11-01 09:00:00.5", 0, "", "",
			[]string{"startDate must be yyyy-mm-dd hh:mm:ss or yyyy-mm-dd", "endDate must be yyyy-mm-dd hh:mm:ss or yyyy-mm-dd"}},
		"a day that is not": {"2026-02-30", "2026-03-01", 0, "", "", []string{"startDate must be yyyy-mm-dd hh:mm:ss or yyyy-mm-dd"}},
	} {
		p, wrong := reporting.PeriodOf(c.start, c.end, c.east)
		var told []string
		for _, w := range wrong {
			told = append(told, w.Field+" "+w.Problem)
		}
		require.Equal(t, c.wrong, told, name)
		if c.wrong == nil {
			read := []string{p.From.UTC().Format(time.RFC3339Nano), p.Until.UTC().Format(time.RFC3339Nano)}
			require.Equal(t, []string{c.from, c.until}, read, name)
			_, east := p.From.In(p.Zone).Zone()
			require.Equal(t, int(c.east*60), east, name)
		}
	}
}
