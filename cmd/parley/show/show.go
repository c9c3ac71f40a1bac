// Package show is how commands print: tables that fit the terminal, colours where they are
// wanted, and JSON for programs. It knows nothing of what it prints.
package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// The forms of an output.
const (
	Table = "table"
	JSON  = "json"
)

// Flags say in which form a command prints.
type Flags struct {
	Output string `short:"o" help:"table, for people, or json, for programs: a JSON object per line on standard output, and nothing else." enum:"table,json" default:"table" placeholder:"FORM"`
}

// Out is where a command prints.
type Out struct {
	w       io.Writer
	width   int // columns of the terminal; 0: no terminal, nothing is shortened
	colours bool
	json    bool
}

// To prints to a file as its kind and the environment ask for: a terminal gets its width and
// colours, but for NO_COLOR and TERM=dumb; anything else gets everything, and plain.
func To(w io.Writer, flags Flags) *Out {
	o := &Out{w: w, json: flags.Output == JSON}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.width = width
	}
	return o
}

// On prints for a terminal of so many columns, 0 for none.
func On(w io.Writer, width int, colours bool) *Out { return &Out{w: w, width: width, colours: colours} }

// JSON reports whether programs read.
func (o *Out) JSON() bool { return o.json }

// IsTerminal reports whether people look at what is written there.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Object prints a JSON object on a line of its own.
func (o *Out) Object(v any) error {
	enc := json.NewEncoder(o.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Raw prints JSON as it came, on a line of its own.
func (o *Out) Raw(data []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return fmt.Errorf("what was to be printed is no JSON: %w", err)
	}
	line.WriteByte('\n')
	_, err := o.w.Write(line.Bytes())
	return err
}

// Say prints a sentence, which no width shortens.
func (o *Out) Say(format string, args ...any) error {
	_, err := fmt.Fprintln(o.w, clean(fmt.Sprintf(format, args...)))
	return err
}

// Colour is one of the terminal's own, so that it suits its background.
type Colour int

// The colours.
const (
	Plain  Colour = 0
	Bold   Colour = 1
	Faint  Colour = 2
	Red    Colour = 31
	Green  Colour = 32
	Yellow Colour = 33
	Blue   Colour = 34
	Purple Colour = 35
	Cyan   Colour = 36
)

// Paint is a text in its colour, where colours are wanted.
func (o *Out) Paint(text string, c Colour) string {
	if !o.colours || c == Plain || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", c, text)
}

// clean keeps what somebody else wrote from steering the terminal, and on its line.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
}

// Clock is a moment of the last day as people read it, else its date.
func Clock(t, now time.Time) string {
	if age := now.Sub(t); t.IsZero() || age > -time.Hour && age < 20*time.Hour {
		return strings.TrimPrefix(Time(t), t.Local().Format("2006-01-02 "))
	}
	return t.Local().Format("2006-01-02")
}

// Time is a moment as people read it, in their own time zone; empty for none.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
