package campaigns

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Frequency says what the days of calling hours mean.
type Frequency string

// The frequencies of callingHours (docs/decisions/2026-11-22-campaigns.md).
const (
	Weekly Frequency = "WEEKLY" // each day of the week at most once
	Daily  Frequency = "DAILY"  // every day has every window; day is ignored
	Custom Frequency = "CUSTOM" // by day of the week, any number of windows of a day
)

// Hours are calling hours: when contacts may be reached. They are what the wall clock
// of the time zone shows, each moment by itself:
//
//   - A window holds its start and not its end: 9:00 AM to 5:00 PM ends with 4:59:59 PM.
//     An end of 11:59 PM means the end of the day, so 12:00 AM to 11:59 PM is all of it.
//   - An end before the start is on the next day. A window of Friday from 10:00 PM to
//     2:00 AM is also open on Saturday before 2:00 AM.
//   - Where clocks go forward, a start or an end that the clock skips is when it skips it.
//     Where they go back, what the clock shows twice holds twice.
//
// Only hours that Validate found right may be asked; others are never open.
type Hours struct {
	Frequency Frequency `json:"frequency"`
	Timezone  string    `json:"timezone"` // IANA name: America/New_York
	Days      []Window  `json:"days"`
}

// Window is one span of calling hours.
type Window struct {
	Day   string `json:"day,omitempty"` // MO TU WE TH FR SA SU
	Start string `json:"start"`         // 9:00 AM
	End   string `json:"end"`           // 5:00 PM
}

// Open reports whether contacts may be reached at a moment.
func (h Hours) Open(t time.Time) bool {
	p, ok := h.plan()
	return ok && p.open(t)
}

// Next is the first moment at or after t at which they are open; ok is false when
// there is none within horizon, which hours that Validate found right always have.
func (h Hours) Next(t time.Time) (opening time.Time, ok bool) {
	p, ok := h.plan()
	if !ok {
		return time.Time{}, false
	}
	return p.first(t, p.open)
}

// Close is the first moment after t at which they are not open any more; windows that
// touch are one. ok is false when they are not open at t, and for hours that never
// close.
func (h Hours) Close(t time.Time) (closing time.Time, ok bool) {
	p, ok := h.plan()
	if !ok || !p.open(t) {
		return time.Time{}, false
	}
	return p.first(t, func(t time.Time) bool { return !p.open(t) })
}

// NextPass is when a recurring run begins its next pass: the first moment at or after
// ended that is in a window of a later day than the one in which the last pass began. A
// window that runs over midnight is all of the day on which it starts.
func (h Hours) NextPass(began, ended time.Time) (time.Time, bool) {
	p, ok := h.plan()
	if !ok {
		return time.Time{}, false
	}
	last := p.day(began)
	return p.first(ended, func(t time.Time) bool { return p.open(t) && p.day(t).After(last) })
}

const (
	dayMinutes  = 24 * 60
	weekMinutes = 7 * dayMinutes
)

// horizon is how far is looked: a week, and one more, because a zone may skip a whole
// day (Apia did, on the 30th of December 2011).
const horizon = 15 * 24 * time.Hour

// plan is what hours mean: spans of the minutes of a week, which begins on Sunday.
type plan struct {
	zone  *time.Location
	spans []span
}

// span is [from, until) in minutes of the week, inside one day. A window that runs over
// midnight is two, of which the second is carried.
type span struct {
	from, until int
	carried     bool
}

// plan is false for hours that are not right.
func (h Hours) plan() (plan, bool) {
	zone, ok := zoneNamed(h.Timezone)
	if !ok {
		return plan{}, false
	}
	p := plan{zone: zone}
	for _, w := range h.Days {
		spans, ok := w.spans(h.Frequency)
		if !ok {
			return plan{}, false
		}
		p.spans = append(p.spans, spans...)
	}
	return p, true
}

// spans of a window in a week; of DAILY one for each day.
func (w Window) spans(f Frequency) ([]span, bool) {
	start, end, ok := w.minutes()
	if !ok {
		return nil, false
	}
	days := []int{slices.Index(dayCodes, w.Day)}
	if f == Daily {
		days = []int{0, 1, 2, 3, 4, 5, 6}
	} else if days[0] < 0 {
		return nil, false
	}
	var out []span
	for _, day := range days {
		midnight := (day + 1) * dayMinutes
		from, until := day*dayMinutes+start, day*dayMinutes+end
		out = append(out, span{from: from, until: min(until, midnight)})
		if until > midnight {
			out = append(out, span{from: midnight % weekMinutes, until: midnight%weekMinutes + until - midnight, carried: true})
		}
	}
	return out, true
}

// minutes of the day at which the window starts and ends; an end on the next day is
// more than dayMinutes.
func (w Window) minutes() (start, end int, ok bool) {
	start, startOK := minuteOf(w.Start)
	end, endOK := minuteOf(w.End)
	switch {
	case !startOK || !endOK || start == end:
		return 0, 0, false
	case end == dayMinutes-1:
		end = dayMinutes
	case end < start:
		end += dayMinutes
	}
	return start, end, true
}

// dayCodes in the order of time.Weekday.
var dayCodes = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// minuteOf reads 9:00 AM, and nothing that only looks like it: parsing alone would
// take seconds' fractions and hours in other forms.
func minuteOf(text string) (minute int, ok bool) {
	t, err := time.Parse("3:04 PM", text)
	if err != nil || t.Format("3:04 PM") != strings.TrimPrefix(text, "0") {
		return 0, false
	}
	return t.Hour()*60 + t.Minute(), true
}

// zones keeps what was loaded; there are some hundreds of names.
var zones sync.Map

// zoneNamed is false for what is no name of a zone. "Local" is this machine's and means
// nothing to others.
func zoneNamed(name string) (*time.Location, bool) {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), true
	}
	if name == "" || name == "Local" {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, zone)
	return zone, true
}

func (p plan) open(t time.Time) bool {
	_, open := p.at(t.In(p.zone))
	return open
}

// at finds the span that holds a local time; of several one that began on that day.
func (p plan) at(local time.Time) (found span, open bool) {
	minute := int(local.Weekday())*dayMinutes + local.Hour()*60 + local.Minute()
	for _, s := range p.spans {
		if s.from <= minute && minute < s.until && (!open || found.carried) {
			found, open = s, true
		}
	}
	return found, open
}

// day is the date on which the window began that holds a moment, outside of windows
// the date itself; as midnight in UTC, to be compared.
func (p plan) day(t time.Time) time.Time {
	local := t.In(p.zone)
	date := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	if s, open := p.at(local); open && s.carried {
		return date.AddDate(0, 0, -1)
	}
	return date
}

// first is the first moment at or after t that is as wanted. Between changes nothing
// changes, so only those are looked at.
func (p plan) first(t time.Time, wanted func(time.Time) bool) (time.Time, bool) {
	for at := t; at.Sub(t) <= horizon; at = p.change(at) {
		if wanted(at) {
			return at, true
		}
	}
	return time.Time{}, false
}

// change is the next moment after t at which being open can change: where a span begins
// or ends on the wall clock, at midnight, or where the zone moves the clock, which ends
// the stretch of time in which the wall clock goes as time does.
func (p plan) change(t time.Time) time.Time {
	local := t.In(p.zone)
	midnight := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second +
		time.Duration(local.Nanosecond())
	now := time.Duration(local.Weekday())*24*time.Hour + midnight
	wait := 24*time.Hour - midnight
	for _, s := range p.spans {
		for _, minute := range []int{s.from, s.until} {
			if d := time.Duration(minute)*time.Minute - now; d > 0 && d < wait {
				wait = d
			}
		}
	}
	next := t.Add(wait)
	if _, moved := local.ZoneBounds(); !moved.IsZero() && moved.Before(next) {
		return moved
	}
	return next
}
