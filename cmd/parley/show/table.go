package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Cell is a piece of text in its colour.
type Cell struct {
	Text   string
	Colour Colour
}

// Of are cells without a colour.
func Of(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, t := range texts {
		out[i] = Cell{Text: t}
	}
	return out
}

const (
	gap       = 2
	narrowest = 5 // columns that a cell is not shortened below
	ellipsis  = "…"
)

// Table prints rows under their heads. On a terminal the widest columns are shortened until
// a row fits in a line; elsewhere everything is whole.
func (o *Out) Table(heads []string, rows [][]Cell) error {
	widths := make([]int, len(heads))
	for i, h := range heads {
		widths[i] = uniseg.StringWidth(h)
	}
	for r, row := range rows {
		for i := range row {
			rows[r][i].Text = clean(row[i].Text)
			widths[i] = max(widths[i], uniseg.StringWidth(row[i].Text))
		}
	}
	o.narrow(widths)
	title := make([]Cell, len(heads))
	for i, h := range heads {
		title[i] = Cell{h, Bold}
	}
	for _, row := range append([][]Cell{title}, rows...) {
		if err := o.row(row, widths); err != nil {
			return err
		}
	}
	return nil
}

// narrow takes from the widest column until the line fits.
func (o *Out) narrow(widths []int) {
	if o.width == 0 {
		return
	}
	for {
		total := gap * (len(widths) - 1)
		for _, w := range widths {
			total += w
		}
		widest := slices.Max(widths)
		if total <= o.width || widest <= narrowest {
			return
		}
		widths[slices.Index(widths, widest)]--
	}
}

func (o *Out) row(row []Cell, widths []int) error {
	var line strings.Builder
	left := o.width
	for i, c := range row {
		width := widths[i]
		if o.width > 0 { // so narrow that not even the narrowest columns fit
			width = min(width, max(left, 0))
			left -= width + gap
		}
		text := Shorten(c.Text, width)
		line.WriteString(o.paint(text, c.Colour))
		if i < len(row)-1 && (o.width == 0 || left > 0) {
			line.WriteString(strings.Repeat(" ", width-uniseg.StringWidth(text)+gap))
		}
	}
	_, err := fmt.Fprintln(o.w, strings.TrimRight(line.String(), " "))
	return err
}

// Line prints cells beside each other; the last one is shortened where the terminal ends.
func (o *Out) Line(cells ...Cell) error {
	widths := make([]int, len(cells))
	for i := range cells {
		cells[i].Text = clean(cells[i].Text)
		widths[i] = uniseg.StringWidth(cells[i].Text)
	}
	return o.row(cells, widths)
}

// Pairs prints what something has, a line each, and leaves out what is empty.
func (o *Out) Pairs(pairs ...Pair) error {
	width := 0
	for _, p := range pairs {
		if p.Text != "" {
			width = max(width, uniseg.StringWidth(p.Name))
		}
	}
	for _, p := range pairs {
		if p.Text == "" {
			continue
		}
		name := p.Name + strings.Repeat(" ", width-uniseg.StringWidth(p.Name))
		if err := o.Line(Cell{name, Faint}, Cell{p.Text, p.Colour}); err != nil {
			return err
		}
	}
	return nil
}

// Pair is a name and what it stands for.
type Pair struct {
	Name, Text string
	Colour     Colour
}

// Shorten makes a text fit: of words the end is left out, of an id or an address the middle,
// as ids of one time begin alike.
func Shorten(text string, width int) string {
	have := uniseg.StringWidth(text)
	if have <= width {
		return text
	}
	if width <= 0 {
		return ""
	}
	if strings.ContainsRune(text, ' ') || width < narrowest {
		return head(text, width-1) + ellipsis
	}
	front := (width - 1) / 2
	return head(text, front) + ellipsis + tail(text, width-1-front)
}

// head is the beginning of a text, in whole characters.
func head(text string, width int) string {
	var out strings.Builder
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if width -= g.Width(); width < 0 {
			break
		}
		out.WriteString(g.Str())
	}
	return out.String()
}

// tail is the end of a text, in whole characters.
func tail(text string, width int) string {
	var all []string
	var widths []int
	for g := uniseg.NewGraphemes(text); g.Next(); {
		all, widths = append(all, g.Str()), append(widths, g.Width())
	}
	at := len(all)
	for at > 0 && widths[at-1] <= width {
		at--
		width -= widths[at]
	}
	return strings.Join(all[at:], "")
}
