package channels

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
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
