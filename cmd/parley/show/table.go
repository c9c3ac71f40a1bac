package show

import (
	"fmt"
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
	narrowest = 5  // columns that nothing is shortened below
	readable  = 12 // that words want
	telling   = 11 // that an id wants, to be told from its neighbours
	longID    = 20 // from here on a text without a space is an id
	kept      = 3  // columns that are never left out
	ellipsis  = "…"
)

// Table prints rows under their heads, the most important column first. On a terminal a row
// is a line: ids are shortened first, then what is long; columns for which there is no
// room are left out from the right, and an ellipsis says so. Elsewhere everything is whole.
func (o *Out) Table(heads []string, rows [][]Cell) error {
	widths, floors := make([]int, len(heads)), make([]int, len(heads))
	for i, h := range heads {
		widths[i] = uniseg.StringWidth(h)
		floors[i] = widths[i]
	}
	for r, row := range rows {
		for i := range row {
			rows[r][i].Text = clean(row[i].Text)
			width := uniseg.StringWidth(row[i].Text)
			widths[i] = max(widths[i], width)
			floors[i] = max(floors[i], floor(row[i].Text, width))
		}
	}
	shown := o.fit(widths, floors)
	title := make([]Cell, 0, len(heads)+1)
	for _, h := range heads[:shown] {
		title = append(title, Cell{h, Bold})
	}
	if shown < len(heads) {
		title = append(title, Cell{ellipsis, Faint})
	}
	if err := o.row(title, append(widths[:shown:shown], 1)); err != nil {
		return err
	}
	for _, row := range rows {
		if err := o.row(row[:shown], widths); err != nil {
			return err
		}
	}
	return nil
}

// floor is how narrow a text may become while there is another way to make room.
func floor(text string, width int) int {
	if width > longID && !strings.ContainsRune(text, ' ') {
		return telling
	}
	return min(width, readable)
}

// fit narrows the columns until a row fits, and returns how many of them are shown.
func (o *Out) fit(widths, floors []int) (shown int) {
	shown = len(widths)
	if o.width == 0 {
		return shown
	}
	room := o.width
	for shown > kept && total(floors[:shown]) > room {
		shown--
		room = o.width - gap - 1 // for the ellipsis
	}
	for total(widths[:shown]) > room {
		at := roomiest(widths[:shown], floors)
		if widths[at] <= narrowest {
			break
		}
		widths[at]--
	}
	return shown
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// roomiest is the column that is furthest above its floor, else the widest.
func roomiest(widths, floors []int) int {
	best := 0
	for i := range widths {
		if above, than := widths[i]-floors[i], widths[best]-floors[best]; above > than || above == than && widths[i] > widths[best] {
			best = i
		}
	}
	return best
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
		line.WriteString(o.Paint(text, c.Colour))
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

// Pairs prints what something has, a line each, and leaves out what is empty. What is too
// long goes on below itself, at a space.
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
		name := p.Name + strings.Repeat(" ", width-uniseg.StringWidth(p.Name)+gap)
		if err := o.Paragraph(o.Paint(name, Faint), width+gap, p.Text, p.Colour); err != nil {
			return err
		}
	}
	return nil
}

// Paragraph prints a text behind what begins its first line, which has so many columns; on
// a terminal its further lines stand below its first one.
func (o *Out) Paragraph(begin string, columns int, text string, colour Colour) error {
	indent := strings.Repeat(" ", columns)
	for i, line := range wrap(clean(text), o.width-columns) {
		if i > 0 {
			begin = indent
		}
		if _, err := fmt.Fprintln(o.w, begin+o.Paint(line, colour)); err != nil {
			return err
		}
	}
	return nil
}

// wrap breaks a text at spaces. A word that is longer than a line stays whole: it may be an
// id to copy. Where there is no width, nothing is broken.
func wrap(text string, width int) (lines []string) {
	if width <= 0 {
		return []string{text}
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && uniseg.StringWidth(line)+1+uniseg.StringWidth(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
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

// Columns prints cells under each other's: on a terminal all but the last have these widths,
// and the last the rest of the line; elsewhere they have them at least, and all are whole.
func (o *Out) Columns(widths []int, cells ...Cell) error {
	all := make([]int, len(cells))
	for i := range cells {
		cells[i].Text = clean(cells[i].Text)
		all[i] = uniseg.StringWidth(cells[i].Text)
		switch {
		case i == len(cells)-1:
		case o.width == 0:
			all[i] = max(all[i], widths[i])
		default:
			all[i] = widths[i]
		}
	}
	return o.row(cells, all)
}

// Width is how many columns the terminal has, 0 where there is none.
func (o *Out) Width() int { return o.width }
