package channels

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Unit is what a provider counts the length of texts in.
type Unit string

// The units.
const (
	Characters Unit = "characters"
	UTF16      Unit = "UTF-16 units" // Telegram, LINE: an emoji is two
	Bytes      Unit = "bytes"        // Instagram
)

// Limits are what a provider takes in one message.
type Limits struct {
	Text int // the longest, in Unit
	Unit Unit

	Choices int // how many buttons go with one; 0: none
	Label   int // the longest text of a button, in characters, or in UTF-16 units where Unit is these

	Options  int  // how many a select has; 0: there are none, and options are buttons
	Option   int  // the longest text of an option, in characters
	Keys     bool // buttons are read out with their numbers, which choose them as their keys do
	Numbered bool // where there are no selects, options are not buttons either but numbered in the text
	Inputs   bool // there are text inputs; else an input is a question in the text

	Once    bool // a message that may have been taken is not sent again: the provider knows no repeats, and each costs
	Asked   bool // somebody asks what became of each message: the conversation notes when its turn is over
	Fetched bool // nothing is sent: what is said waits for the next request of the person's side
}

// Native is whether buttons with these labels go with a message.
func (l Limits) Native(labels []string) bool { return l.fit(labels, l.Choices, l.Label) }

// Selects is whether options with these labels are a select of the kind.
func (l Limits) Selects(labels []string) bool {
	return len(labels) > 0 && l.fit(labels, l.Options, l.Option)
}

// fit counts labels in characters, as all do but those who count all things in UTF-16 units.
func (l Limits) fit(labels []string, most, longest int) bool {
	unit := Characters
	if l.Unit == UTF16 {
		unit = UTF16
	}
	return len(labels) <= most && !slices.ContainsFunc(labels, func(label string) bool {
		return label == "" || unit.count(label) > longest
	})
}

// Split cuts a text into parts that fit: at the end of a paragraph, else of a line, of a
// sentence, of a word, else anywhere between two characters as people see them: a family is one emoji of five.
func (l Limits) Split(text string) (parts []string) {
	for text = strings.TrimSpace(text); text != ""; {
		end := l.end(text)
		if part := strings.TrimSpace(text[:end]); part != "" {
			parts = append(parts, part)
		}
		text = strings.TrimSpace(text[end:])
	}
	return parts
}

// end is where the first part of a text ends.
func (l Limits) end(text string) int {
	most, used := len(text), 0
	for i, r := range text {
		if used += l.Unit.count(string(r)); used > l.Text && i > 0 {
			most = i
			break
		}
	}
	if most == len(text) {
		return most
	}
	for _, mark := range []string{"\n\n", "\n", ". ", "! ", "? ", " "} {
		if at := strings.LastIndex(text[:most], mark); at > most/4 {
			return at + len(mark)
		}
	}
	return seen(text, most)
}

// seen is the last place up to most where a character ends as people see it; most, where the first one is longer.
func seen(text string, most int) int {
	end, rest, state := 0, text, -1
	for end < most {
		var character string
		if character, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state); end+len(character) > most {
			break
		}
		end += len(character)
	}
	if end == 0 {
		return most
	}
	return end
}

// Problem says why a text does not fit; empty: it does.
func (l Limits) Problem(text string) string {
	if n := l.Unit.count(text); n > l.Text {
		return fmt.Sprintf("must be at most %d %s, not %d", l.Text, l.Unit, n)
	}
	return ""
}

func (u Unit) count(text string) int {
	switch u {
	case UTF16:
		return len(utf16.Encode([]rune(text)))
	case Bytes:
		return len(text)
	}
	return utf8.RuneCountInString(text)
}
