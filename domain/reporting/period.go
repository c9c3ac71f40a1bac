package reporting

import (
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Period is what a question about ended sessions covers: those that began at or after
// From and before Until.
type Period struct {
	From, Until time.Time
	Zone        *time.Location
}

// MaxDays is how many days a period may have.
const MaxDays = 7

// PeriodOf reads the two ends of a period, as yyyy-mm-dd hh:mm:ss or yyyy-mm-dd, in a zone
// that is so many minutes east of UTC. The second that it ends with is part of it, and so
// is the day.
func PeriodOf(start, end string, east float64) (p Period, wrong fault.Fields) {
	p.Zone = time.FixedZone("", int(east*60))
	if east != float64(int(east)) {
		wrong.Add("timeZoneOffset", "must be whole minutes")
	}
	var until time.Time
	var dateOnly bool
	p.From, _ = moment(&wrong, "startDate", start, p.Zone)
	until, dateOnly = moment(&wrong, "endDate", end, p.Zone)
	p.Until = until.Add(time.Second) // the whole of the last second
	if dateOnly {
		p.Until = until.AddDate(0, 0, 1)
	}
	switch {
	case len(wrong) > 0:
	case !p.From.Before(p.Until):
		wrong.Add("endDate", "is before startDate")
	case days(p.From, until) > MaxDays:
		wrong.Add("endDate", "is more than seven days from startDate")
	}
	return p, wrong
}

// moment reads both forms of a date, and nothing that only looks like them:
// parsing alone would take fractions of a second and hours of one digit.
func moment(wrong *fault.Fields, field, value string, zone *time.Location) (t time.Time, dateOnly bool) {
	for layout, only := range map[string]bool{"2006-01-02 15:04:05": false, "2006-01-02": true} {
		if t, err := time.ParseInLocation(layout, value, zone); err == nil && t.Format(layout) == value {
			return t, only
		}
	}
	wrong.Add(field, "must be yyyy-mm-dd hh:mm:ss or yyyy-mm-dd")
	return time.Time{}, false
}

// days counts the dates that a range touches beyond the first: the 1st to the 8th
// are seven days.
func days(from, until time.Time) int {
	date := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(date(until).Sub(date(from)) / (24 * time.Hour))
}
