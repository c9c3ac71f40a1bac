package calls

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Listener makes of a carrier's facts what was said: words, up to the silence behind them. It
// judges nothing; the zero value has heard nothing.
type Listener struct {
	words    []string
	length   int // in characters, blanks included
	language string
}

// Utterance is what was said in one breath.
type Utterance struct {
	Text     string
	Language string
	At       time.Time // when it had been said
}

// Hear takes a fact. ok is true when something was said to its end, or is so long that what comes
// behind it is another.
func (l *Listener) Hear(f Fact) (u Utterance, ok bool) {
	switch f.Kind {
	case FactWords:
		words := strings.Fields(f.Text)
		if n := LongestHeard - 1; utf8.RuneCountInString(f.Text) > n { // no word has so many letters
			words = []string{string([]rune(f.Text)[:n])}
		}
		length := utf8.RuneCountInString(strings.Join(words, " ")) + 1
		if l.length+length > LongestHeard {
			u, ok = l.take(f.At)
		}
		l.words, l.length = append(l.words, words...), l.length+length
		if f.Language != "" {
			l.language = f.Language
		}
		return u, ok
	case FactSilence:
		return l.take(f.At)
	}
	return Utterance{}, false
}

func (l *Listener) take(at time.Time) (Utterance, bool) {
	u := Utterance{Text: strings.Join(l.words, " "), Language: l.language, At: at}
	*l = Listener{}
	return u, u.Text != ""
}
