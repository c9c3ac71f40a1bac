package campaigns_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
)

func hours(f campaigns.Frequency, zone string, windows ...campaigns.Window) campaigns.Hours {
	return campaigns.Hours{Frequency: f, Timezone: zone, Days: windows}
}

func window(day, start, end string) campaigns.Window {
	return campaigns.Window{Day: day, Start: start, End: end}
}

// in is a moment that is written as the wall clock of a zone shows it, with its offset.
func in(t *testing.T, zone, text string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	require.NoError(t, err)
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at.In(loc)
}

const newYork = "America/New_York"

func TestHoursHoldTheirStartAndNotTheirEnd(t *testing.T) {
	h := hours(campaigns.Weekly, newYork, window("MO", "9:00 AM", "5:00 PM"))
	for at, open := range map[string]bool{
		"2026-11-23T08:59:59-05:00": false, "2026-11-23T09:00:00-05:00": true, "2026-11-23T16:59:59-05:00": true,
		"2026-11-23T17:00:00-05:00": false,
		"2026-11-24T12:00:00-05:00": false,
	} {
		require.Equal(t, open, h.Open(in(t, newYork, at)), at)
	}
	closing, ok := h.Close(in(t, newYork, "2026-11-23T12:00:00-05:00"))
	require.True(t, ok)
	require.True(t, closing.Equal(in(t, newYork, "2026-11-23T17:00:00-05:00")))
	opening, ok := h.Next(in(t, newYork, "2026-11-23T17:00:00-05:00"))
	require.True(t, ok)
	require.True(t, opening.Equal(in(t, newYork, "2026-11-30T09:00:00-05:00")))
	_, ok = h.Close(in(t, newYork, "2026-11-24T12:00:00-05:00"))
	require.False(t, ok, "what is not open does not close")
}

func TestDailyIgnoresTheDay(t *testing.T) {
	h := hours(campaigns.Daily, "UTC", window("MO", "9:00 AM", "5:00 PM"), window("TU", "9:00 AM", "5:00 PM"))
	require.Empty(t, h.Validate())
	for day := range 7 {
		require.True(t, h.Open(time.Date(2026, 11, 22+day, 12, 0, 0, 0, time.UTC)))
	}
}

func TestAWholeDayNeverCloses(t *testing.T) {
	h := hours(campaigns.Daily, newYork, window("", "12:00 AM", "11:59 PM"))
	require.Empty(t, h.Validate())
	at := in(t, newYork, "2026-11-22T23:59:30-05:00")
	require.True(t, h.Open(at))
	next, ok := h.Next(at)
	require.True(t, ok)
	require.True(t, next.Equal(at))
	_, ok = h.Close(at)
	require.False(t, ok)
}

func TestHoursThatCrossMidnightRunIntoTheNextDay(t *testing.T) {
	h := hours(campaigns.Weekly, "UTC", window("SA", "10:00 PM", "2:00 AM"))
	require.Empty(t, h.Validate())
	saturday := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	require.True(t, h.Open(saturday))
	require.True(t, h.Open(saturday.Add(4*time.Hour-time.Second)), "Sunday 1:59 AM")
	require.False(t, h.Open(saturday.Add(4*time.Hour)))
	require.False(t, h.Open(saturday.AddDate(0, 0, -1).Add(3*time.Hour)), "Saturday 1 AM")
	closing, ok := h.Close(saturday)
	require.True(t, ok)
	require.Equal(t, saturday.Add(4*time.Hour), closing)
}

func TestWhatTheClockSkipsAndShowsTwice(t *testing.T) {
	h := hours(campaigns.Daily, newYork, window("", "2:15 AM", "2:45 AM"))
	require.False(t, h.Open(in(t, newYork, "2026-03-08T03:20:00-04:00")), "the clock skips from 2 AM to 3 AM")
	next, ok := h.Next(in(t, newYork, "2026-03-08T00:00:00-05:00"))
	require.True(t, ok)
	require.True(t, next.Equal(in(t, newYork, "2026-03-09T02:15:00-04:00")), next)

	skipped := hours(campaigns.Daily, newYork, window("", "2:15 AM", "4:00 AM"))
	next, ok = skipped.Next(in(t, newYork, "2026-03-08T00:00:00-05:00"))
	require.True(t, ok)
	require.True(t, next.Equal(in(t, newYork, "2026-03-08T03:00:00-04:00")), next)

	twice := hours(campaigns.Daily, newYork, window("", "1:00 AM", "1:30 AM"))
	first := in(t, newYork, "2026-11-01T01:10:00-04:00")
	closing, ok := twice.Close(first)
	require.True(t, ok)
	require.True(t, closing.Equal(in(t, newYork, "2026-11-01T01:30:00-04:00")))
	next, ok = twice.Next(closing)
	require.True(t, ok)
	require.True(t, next.Equal(in(t, newYork, "2026-11-01T01:00:00-05:00")), "the clock shows 1 AM again")
}

func TestADayThatAZoneSkipsIsSkipped(t *testing.T) {
	const apia = "Pacific/Apia" // had no 30th of December 2011, a Friday
	h := hours(campaigns.Weekly, apia, window("FR", "9:00 AM", "5:00 PM"))
	next, ok := h.Next(in(t, apia, "2011-12-29T12:00:00-10:00"))
	require.True(t, ok)
	require.True(t, next.Equal(in(t, apia, "2012-01-06T09:00:00+14:00")), next)
}

func TestTheNextPassIsOnALaterDay(t *testing.T) {
	office := hours(campaigns.Weekly, "UTC", window("MO", "9:00 AM", "5:00 PM"), window("WE", "9:00 AM", "5:00 PM"))
	monday := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	next, ok := office.NextPass(monday, monday.Add(time.Hour))
	require.True(t, ok)
	require.Equal(t, monday.AddDate(0, 0, 2), next)
	next, ok = office.NextPass(monday, monday.AddDate(0, 0, 2).Add(3*time.Hour))
	require.True(t, ok)
	require.Equal(t, monday.AddDate(0, 0, 2).Add(3*time.Hour), next, "a pass that took two days: at once")

	nights := hours(campaigns.Daily, "UTC", window("", "10:00 PM", "2:00 AM"))
	evening := time.Date(2026, 11, 23, 22, 30, 0, 0, time.UTC)
	for _, began := range []time.Time{evening, evening.Add(3 * time.Hour)} {
		next, ok = nights.NextPass(began, began.Add(10*time.Minute))
		require.True(t, ok)
		require.Equal(t, time.Date(2026, 11, 24, 22, 0, 0, 0, time.UTC), next, "after midnight it is still the night of the day before")
	}
	always := hours(campaigns.Daily, "UTC", window("", "12:00 AM", "11:59 PM"))
	next, ok = always.NextPass(monday, monday.Add(time.Hour))
	require.True(t, ok)
	require.Equal(t, time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC), next)
}

func TestWrongHours(t *testing.T) {
	good := window("MO", "9:00 AM", "5:00 PM")
	var many []campaigns.Window
	for range campaigns.MaxWindows + 1 {
		many = append(many, good)
	}
	for name, c := range map[string]struct {
		hours campaigns.Hours
		field string
	}{
		"frequency":                           {hours("MONTHLY", "UTC", good), "frequency"},
		"no zone":                             {hours(campaigns.Weekly, "", good), "timezone"},
		"this machine's zone":                 {hours(campaigns.Weekly, "Local", good), "timezone"},
		"unknown zone":                        {hours(campaigns.Weekly, "Mars/Olympus", good), "timezone"},
		"a path":                              {hours(campaigns.Weekly, "../../etc/passwd", good), "timezone"},
		"a link of the machine's to its zone": {hours(campaigns.Weekly, "localtime", good), "timezone"},
		"a link to what it was given":         {hours(campaigns.Weekly, "posixrules", good), "timezone"},
		"a clock that counts leap seconds":    {hours(campaigns.Weekly, "right/Asia/Kolkata", good), "timezone"},
		"a folder of some machines":           {hours(campaigns.Weekly, "posix/Asia/Kolkata", good), "timezone"},
		"a zone written as a path":            {hours(campaigns.Weekly, "./Asia/Kolkata", good), "timezone"},
		"a zone with two strokes":             {hours(campaigns.Weekly, "Asia//Kolkata", good), "timezone"},
		"no days":                             {hours(campaigns.Weekly, "UTC"), "days"},
		"one too many":                        {hours(campaigns.Daily, "UTC", many...), "days"},
		"unknown day":                         {hours(campaigns.Weekly, "UTC", window("MONDAY", "9:00 AM", "5:00 PM")), "days[0].day"},
		"no day":                              {hours(campaigns.Custom, "UTC", window("", "9:00 AM", "5:00 PM")), "days[0].day"},
		"24 hours":                            {hours(campaigns.Weekly, "UTC", window("MO", "09:00", "5:00 PM")), "days[0].start"},
		"hour 13":                             {hours(campaigns.Weekly, "UTC", window("MO", "9:00 AM", "13:00 PM")), "days[0].end"},
		"hour 0":                              {hours(campaigns.Weekly, "UTC", window("MO", "0:30 AM", "5:00 PM")), "days[0].start"},
		"minute 60":                           {hours(campaigns.Weekly, "UTC", window("MO", "9:60 AM", "5:00 PM")), "days[0].start"},
		"end is start":                        {hours(campaigns.Weekly, "UTC", window("MO", "9:00 AM", "9:00 AM")), "days[0].end"},
		"a day twice":                         {hours(campaigns.Weekly, "UTC", good, window("MO", "6:00 PM", "7:00 PM")), "days[1].day"},
		"overlap":                             {hours(campaigns.Custom, "UTC", good, window("MO", "4:59 PM", "7:00 PM")), "days[1]"},
		"overlap past midnight": {hours(campaigns.Custom, "UTC", window("SU", "1:00 AM", "3:00 AM"), window("SA", "10:00 PM", "2:00 AM")),
			"days[1]"},
	} {
		problems := c.hours.Validate()
		require.Len(t, problems, 1, name)
		require.Equal(t, c.field, problems[0].Field, name)
	}
	require.Empty(t, hours(campaigns.Custom, "UTC", good, window("MO", "5:00 PM", "09:30 PM")).Validate())
	require.Empty(t, hours(campaigns.Daily, "UTC", many[:campaigns.MaxWindows]...).Validate())
	require.False(t, hours(campaigns.Weekly, "Mars/Olympus", good).Open(time.Now()))
}

// span is a window in minutes of its day, of which a day's end is 1440.
type span struct{ day, from, until int }

// TestHoursAgreeWithTheWallClock compares a year, in steps of a quarter of an hour, with what
// the wall clock shows; Next and Close are the first such moments.
func TestHoursAgreeWithTheWallClock(t *testing.T) {
	for zone, year := range map[string]int{newYork: 2026, "Asia/Kolkata": 2026, "Australia/Lord_Howe": 2026, "Pacific/Apia": 2011,
		"UTC": 2028} {
		t.Run(zone, func(t *testing.T) {
			loc, err := time.LoadLocation(zone)
			require.NoError(t, err)
			weekly := []span{{0, 60, 180}, {1, 540, 1020}, {2, 0, 1440}, {3, 1320, 135}, {4, 135, 150}, {5, 1200, 30}, {6, 105, 150}}
			agree(t, campaigns.Weekly, loc, year, weekly)
			agree(t, campaigns.Daily, loc, year, []span{{0, 105, 165}, {0, 1380, 75}})
		})
	}
}

func agree(t *testing.T, f campaigns.Frequency, loc *time.Location, year int, spans []span) {
	h := campaigns.Hours{Frequency: f, Timezone: loc.String()}
	for _, s := range spans {
		h.Days = append(h.Days, window([]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}[s.day], clock(s.from), clock(s.until)))
	}
	require.Empty(t, h.Validate())
	oracle := func(at time.Time) bool {
		local := at.In(loc)
		day, minute := int(local.Weekday()), local.Hour()*60+local.Minute()
		for _, s := range spans {
			today, yesterday := f == campaigns.Daily || s.day == day, f == campaigns.Daily || (s.day+1)%7 == day
			if s.from < s.until && today && s.from <= minute && minute < s.until || s.from > s.until && (today && minute >= s.from || yesterday &&
				minute < s.until) {
				return true
			}
		}
		return false
	}
	const step = 15 * time.Minute
	from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	var opens, closes time.Time // the first such moments at or after the one looked at
	for at := from.AddDate(1, 0, 1); !at.Before(from); at = at.Add(-step) {
		open := oracle(at)
		if open {
			opens = at
		} else {
			closes = at
		}
		if open != h.Open(at) {
			t.Fatalf("%s: open is %t", at.In(loc), !open)
		}
		if at.Minute() != 15 || at.Hour()%3 != 0 || opens.IsZero() || closes.IsZero() {
			continue
		}
		if next, ok := h.Next(at); !ok || !next.Equal(opens) {
			t.Fatalf("%s: next is %s instead of %s", at.In(loc), next, opens.In(loc))
		}
		if closing, ok := h.Close(at); ok != open || open && !closing.Equal(closes) {
			t.Fatalf("%s: close is %s instead of %s", at.In(loc), closing, closes.In(loc))
		}
	}
}

// clock writes a minute of the day as the API does; the end of the day is 11:59 PM.
func clock(minute int) string {
	if minute == 1440 {
		minute--
	}
	half := "AM"
	if minute >= 720 {
		half = "PM"
	}
	return fmt.Sprintf("%d:%02d %s", (minute/60+11)%12+1, minute%60, half)
}
