package pace

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/calls"
)

// mostWaiting is how many characters of texts wait for their turn.
const mostWaiting = 4 * calls.LongestHeard

// Texts are what people write on a call: each is a message, and one that is too long is several. Those that would be
// events too often are one, a line each.
type Texts struct {
	pace pace
	wait []string // messages
	at   time.Time
	lost int
}

// Write takes a text in. first says that more was written than anybody can, and the rest is left out.
func (t *Texts) Write(text string, at time.Time, each time.Duration) (first bool) {
	room := mostWaiting
	for _, waits := range t.wait {
		room -= utf8.RuneCountInString(waits) + 1
	}
	if runes := []rune(text); len(runes) > room {
		t.lost++
		first, text = t.lost == 1, string(runes[:max(room, 0)])
	}
	for _, part := range parts(text) {
		last := len(t.wait) - 1
		if last >= 0 && utf8.RuneCountInString(t.wait[last])+1+utf8.RuneCountInString(part) <= calls.LongestHeard {
			t.wait[last] += "\n" + part
			continue
		}
		t.wait = append(t.wait, part)
	}
	t.at = t.pace.due(at, each)
	return first
}

// parts are a text in messages that are short enough.
func parts(text string) (all []string) {
	for runes := []rune(text); len(runes) > 0; {
		n := min(len(runes), calls.LongestHeard)
		if part := strings.TrimSpace(string(runes[:n])); part != "" {
			all = append(all, part)
		}
		runes = runes[n:]
	}
	return all
}

// At is when Take gives something; zero: nothing waits.
func (t *Texts) At() time.Time {
	if len(t.wait) == 0 {
		return time.Time{}
	}
	return t.at
}

// Take gives a message whose turn it is; empty: there is none.
func (t *Texts) Take(now time.Time, each time.Duration) (text string) {
	if len(t.wait) == 0 || t.at.After(now) {
		return ""
	}
	t.pace.count(now, each)
	t.at = t.pace.due(now, each)
	return t.Rest()
}

// Rest gives a message that waits, whether or not it is its turn.
func (t *Texts) Rest() (text string) {
	if len(t.wait) > 0 {
		text, t.wait = t.wait[0], t.wait[1:]
	}
	return text
}
