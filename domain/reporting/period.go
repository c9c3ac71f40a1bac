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

// PeriodOf reads the two ends of a period, as yyyy-mm-dd hh:mm:ss or yyyy-mm-dd, or with
// milliseconds, as the records of sessions have it, in a zone that is so many minutes east of UTC. The second that
// it ends with is part of it, and so is the millisecond, and the day.
func PeriodOf(start, end string, east float64) (p Period, wrong fault.Fields) {
	p.Zone = time.FixedZone("", int(east*60))
	if east != float64(int(east)) {
		wrong.Add("timeZoneOffset", "must be whole minutes")
	}
	p.From, _ = moment(&wrong, "startDate", start, p.Zone)
	until, last := moment(&wrong, "endDate", end, p.Zone)
	p.Until = until.AddDate(0, 0, last.days).Add(last.rest) // the whole of what it ends with
	switch {
	case len(wrong) > 0:
	case !p.From.Before(p.Until):
		wrong.Add("endDate", "is before startDate")
	case days(p.From, until) > MaxDays:
		wrong.Add("endDate", "is more than seven days from startDate")
	}
	return p, wrong
}

// step is how long that is which a form of a date names.
type step struct {
	days int
	rest time.Duration
}

var forms = map[string]step{"2006-01-02 15:04:05": {rest: time.Second}, "2006-01-02 15:04:05.000": {rest: time.Millisecond},
	"2006-01-02T15:04:05.000": {rest: time.Millisecond}, // as records have it
	"2006-01-02":              {days: 1}}

// moment reads the forms of a date, and nothing that only looks like them:
// parsing alone would take any fraction of a second and hours of one digit.
func moment(wrong *fault.Fields, field, value string, zone *time.Location) (t time.Time, last step) {
	for layout, last := range forms {
		if t, err := time.ParseInLocation(layout, value, zone); err == nil && t.Format(layout) == value {
			return t, last
		}
	}
	wrong.Add(field, "must be yyyy-mm-dd hh:mm:ss or yyyy-mm-dd")
	return time.Time{}, last
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
