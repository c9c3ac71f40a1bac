package email

import "strings"

// mostEvents of a calendar are shown.
const mostEvents = 5

// unescaped are the characters that stand for others in a text of a calendar.
var unescaped = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// invitation is what the events of a calendar say: what they are, when and where, and what is said of them. Times stand as they are
// written there: which zone is meant is said in many ways, and whoever reads it has the file.
func invitation(calendar string) string {
	unfolded := strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "").Replace(calendar)
	var events []string
	var of map[string]string // of the event that is being read; nil: none is
	below := 0               // parts of an event, as an alarm, say nothing of it
	for _, l := range strings.Split(unfolded, "\n") {
		name, value, _ := strings.Cut(strings.TrimRight(l, "\r"), ":")
		name, zone, _ := strings.Cut(name, ";")
		switch name, is := strings.ToUpper(name), strings.ToUpper(value); {
		case name == "BEGIN" && is == "VEVENT":
			of, below = map[string]string{}, 0
		case of == nil:
		case name == "BEGIN":
			below++
		case name == "END" && is != "VEVENT":
			below--
		case name == "END":
			if text := event(of); text != "" && len(events) < mostEvents {
				events = append(events, text)
			}
			of = nil
		case below == 0 && of[name] == "":
			of[name] = strings.TrimSpace(unescaped.Replace(value))
			if _, in, is := strings.Cut(zone, "TZID="); is && of[name] != "" {
				of[name] += " (" + strings.Trim(in, `"`) + ")"
			}
		}
	}
	return strings.Join(events, "\n\n")
}

// event is one in words; empty: it says nothing.
func event(of map[string]string) string {
	if of["SUMMARY"] == "" && of["DESCRIPTION"] == "" {
		return ""
	}
	var lines []string
	for _, part := range []struct{ title, text string }{{"", of["SUMMARY"]}, {"Begins: ", of["DTSTART"]}, {"Ends: ", of["DTEND"]},
		{"Where: ", of["LOCATION"]}, {"", of["DESCRIPTION"]}} {
		if part.text != "" {
			lines = append(lines, part.title+part.text)
		}
	}
	return strings.Join(lines, "\n")
}
