// Package scalars owns where a character of a YAML scalar stands in the source. It knows how YAML
// writes texts (quotes, escapes, folded lines, blocks), and never what they mean.
package scalars

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Place is where the character with that offset in the scalar's value stands in the lines of the
// source; line and column count from 1, the column in characters. YAML folds lines and writes
// characters in other ways, so the source is read along.
func Place(lines []string, n *yaml.Node, offset int) (line, column int) {
	switch {
	case n.Line < 1 || n.Line > len(lines):
		return n.Line, n.Column
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return inBlock(lines, n, offset)
	}
	w := &walk{text: []rune(strings.Join(lines[n.Line-1:], "\n")), style: n.Style, line: n.Line, column: 1}
	w.skip(n.Column - 1)
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		w.skip(1)
	}
	for stands := 0; stands < offset && len(w.text) > 0; {
		stands += w.next()
	}
	for w.goesOn() { // what stands there comes in the next line
		w.escape()
	}
	return w.line, w.column
}

// inBlock counts what is no space, as only spaces and the ends of lines are changed
// where a block is folded.
func inBlock(lines []string, n *yaml.Node, offset int) (line, column int) {
	value := []rune(n.Value)
	offset = min(offset, len(value))
	inked := len(value[:offset]) - countSpace(value[:offset])
	behind := offset < len(value) && !unicode.IsSpace(value[offset]) // it is at one, else behind the last
	for at := n.Line; at < len(lines); at++ {
		for i, c := range []rune(lines[at]) {
			switch {
			case unicode.IsSpace(c):
			case inked == 0 && behind:
				return at + 1, i + 1
			case inked == 1 && !behind:
				return at + 1, i + 2
			default:
				inked--
			}
		}
	}
	return n.Line, n.Column
}

func countSpace(of []rune) (n int) {
	for _, c := range of {
		if unicode.IsSpace(c) {
			n++
		}
	}
	return n
}

// walk reads a scalar that is plain or in quotes, as YAML does.
type walk struct {
	text         []rune // what is left of the source
	style        yaml.Style
	line, column int
}

// skip goes over characters of the source.
func (w *walk) skip(n int) {
	for ; n > 0 && len(w.text) > 0; n-- {
		if w.text[0] == '\n' {
			w.line, w.column = w.line+1, 1
		} else {
			w.column++
		}
		w.text = w.text[1:]
	}
}

// next goes over what is read as one, and says how many characters of the value that is.
func (w *walk) next() int {
	if length, characters := w.fold(); length > 0 {
		w.skip(length)
		return characters
	}
	switch double := w.style&yaml.DoubleQuotedStyle != 0; {
	case w.style&yaml.SingleQuotedStyle != 0 && len(w.text) > 1 && w.text[0] == '\'' && w.text[1] == '\'':
		w.skip(2)
	case double && w.text[0] == '\\' && len(w.text) > 1:
		return w.escape()
	default:
		w.skip(1)
	}
	return 1
}

// hexadecimal is how many digits follow an escape.
var hexadecimal = map[rune]int{'x': 2, 'u': 4, 'U': 8}

// escape goes over a character that is written behind \. The end of a line there is none.
func (w *walk) escape() int {
	if !w.goesOn() {
		w.skip(2 + hexadecimal[w.text[1]])
		return 1
	}
	end := slices.Index(w.text, '\n') + 1
	w.skip(end + leading(w.text[end:], " \t"))
	return 0
}

// goesOn: the line ends behind a \, and the text goes on in the next one.
func (w *walk) goesOn() bool {
	behind, is := strings.CutPrefix(string(w.text[:min(len(w.text), 3)]), `\`)
	return is && w.style&yaml.DoubleQuotedStyle != 0 && (strings.HasPrefix(behind, "\n") || behind == "\r\n")
}

// fold is how long the end of a line is with the blanks around it, and how many characters it
// is read as: one space, or an end of line for each empty line in it. 0: it is none.
func (w *walk) fold() (length, characters int) {
	length = leading(w.text, " \t\r\n")
	ends := strings.Count(string(w.text[:length]), "\n")
	if ends == 0 {
		return 0, 0
	}
	return length, max(ends-1, 1)
}

// leading is how many characters of a set come first.
func leading(of []rune, set string) (n int) {
	for n < len(of) && strings.ContainsRune(set, of[n]) {
		n++
	}
	return n
}
