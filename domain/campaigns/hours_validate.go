package campaigns

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

// Validate says all that is wrong with the hours; fields are frequency, timezone and
// days[i].start and so on.
func (h Hours) Validate() fault.Fields {
	var f fault.Fields
	if !slices.Contains([]Frequency{Weekly, Daily, Custom}, h.Frequency) {
		f.Add("frequency", "must be %s, %s or %s", Weekly, Daily, Custom)
	}
	if _, known := zoneNamed(h.Timezone); !known || !everywhere(h.Timezone) {
		f.Add("timezone", "%q is not the name of a time zone, such as America/New_York", h.Timezone)
	}
	if n := len(h.Days); n == 0 || n > MaxWindows {
		f.Add("days", "must be 1 to %d, are %d", MaxWindows, n)
		return f
	}
	for i, w := range h.Days {
		w.check(&f, fmt.Sprintf("days[%d]", i), h.Frequency)
	}
	if len(f) == 0 && h.Frequency != Daily {
		h.checkDays(&f)
	}
	return f
}

// everywhere is false for what only the folder of zones of some machines knows, and each in its own way:
// "localtime" is the machine's own zone, "posixrules" one that it was given, "right" counts leap seconds,
// and a path may be written in many ways. Hours that were stored with such a name keep it.
func everywhere(zone string) bool {
	first, _, _ := strings.Cut(zone, "/")
	return path.Clean(zone) == zone && !slices.Contains([]string{"localtime", "posixrules", "posix", "right", "Factory"}, first)
}

func (w Window) check(f *fault.Fields, at string, frequency Frequency) {
	if known := slices.Contains(dayCodes, w.Day); !known && (frequency != Daily || w.Day != "") {
		f.Add(at+".day", "must be MO, TU, WE, TH, FR, SA or SU")
	}
	start, startOK := minuteOf(w.Start)
	if !startOK {
		f.Add(at+".start", "must be a time such as 9:00 AM")
	}
	end, endOK := minuteOf(w.End)
	switch {
	case !endOK:
		f.Add(at+".end", "must be a time such as 5:00 PM")
	case startOK && start == end:
		f.Add(at+".end", "must differ from start; all of a day is 12:00 AM to 11:59 PM")
	}
}

// checkDays refuses windows that overlap, and with WEEKLY a day that comes twice. With
// DAILY windows may repeat: the day that they are given with is ignored.
func (h Hours) checkDays(f *fault.Fields) {
	var before []span
	days := map[string]bool{}
	for i, w := range h.Days {
		if h.Frequency == Weekly && days[w.Day] {
			f.Add(fmt.Sprintf("days[%d].day", i), "%s comes twice: several windows of a day need the frequency %s", w.Day, Custom)
			continue
		}
		days[w.Day] = true
		spans, _ := w.spans(h.Frequency)
		if slices.ContainsFunc(spans, func(s span) bool { return s.overlapsAny(before) }) {
			f.Add(fmt.Sprintf("days[%d]", i), "overlaps a window before it")
		}
		before = append(before, spans...)
	}
}

func (s span) overlapsAny(others []span) bool {
	return slices.ContainsFunc(others, func(o span) bool { return s.from < o.until && o.from < s.until })
}
