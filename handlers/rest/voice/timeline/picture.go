package timeline

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// How a picture is laid out, in pixels.
const (
	wide      = 960
	left      = 60
	right     = 20
	laneHigh  = 90
	lanesTop  = 60
	rowHigh   = 18
	mostRows  = 200 // entries of a picture; the list has all
	mostText  = 110 // characters of an entry
	mostBars  = 800 // of a side
	loudest   = 90
	rowsAbove = 24
)

// draw is a call as a picture. What people said is text in it, and nothing else: it is escaped, and cut.
func draw(s story) string {
	rows := s.entries[:min(len(s.entries), mostRows)]
	begun, ended := s.span()
	length := max(ended.Sub(begun), time.Millisecond)
	rowsTop := lanesTop + 2*laneHigh + rowsAbove + 20
	high := rowsTop + rowHigh*(len(rows)+1) + 10
	at := func(t time.Time) float64 {
		return left + (wide-left-right)*min(max(float64(t.Sub(begun))/float64(length), 0), 1)
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="t d">`,
		wide, high, wide, high)
	p(`<title id="t">Call %s</title>`, escaped(s.call.ConversationID))
	p(`<desc id="d">%s</desc>`, escaped(s.told(length)))
	p(`<style>text{font:12px sans-serif;fill:#222}.s{fill:#666}.h{fill:#1f6f8b}.a{fill:#b35c1e}.m{stroke:#888;stroke-dasharray:2 3}</style>`)
	p(`<rect width="%d" height="%d" fill="#fff"/>`, wide, high)
	p(`<text x="%d" y="22" font-weight="bold">Call %s, %s</text>`, left, escaped(s.call.ConversationID), escaped(string(s.call.Status)))
	p(`<text x="%d" y="42" class="s">%s of sound from the answer on; louder is higher</text>`, left, length.Round(100*time.Millisecond))
	for i, name := range []string{"person", "agent"} {
		base := lanesTop + (i+1)*laneHigh
		p(`<text x="4" y="%d">%s</text>`, base-laneHigh/2, name)
		p(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#ccc"/>`, left, base, wide-right, base)
	}
	s.bars(p)
	for i, e := range rows {
		y := rowsTop + rowHigh*(i+1)
		if x := at(e.when); e.when.After(begun) || e.when.Equal(begun) {
			p(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" class="m"/>`, x, lanesTop, x, lanesTop+2*laneHigh+6)
			p(`<text x="%.1f" y="%d" class="s" text-anchor="middle">%d</text>`, x, lanesTop+2*laneHigh+18, i+1)
		}
		p(`<text x="%d" y="%d"><tspan class="s">%d. %+.1f s</tspan> %s</text>`, left, y, i+1, e.when.Sub(begun).Seconds(), escaped(cut(e.line())))
	}
	if more := len(s.entries) - len(rows); more > 0 {
		p(`<text x="%d" y="%d" class="s">and %d more</text>`, left, rowsTop+rowHigh*(len(rows)+1), more)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// span is from the answer to the end, as far as there is one.
func (s story) span() (begun, ended time.Time) {
	begun, ended = s.state.AnsweredAt, s.state.EndedAt
	if begun.IsZero() {
		begun = s.call.RequestedAt
	}
	if n := len(s.entries); ended.IsZero() && n > 0 {
		ended = s.entries[n-1].when
	}
	return begun, ended
}

// bars are the levels of both sides, a bar for each step, or for several.
func (s story) bars(p func(string, ...any)) {
	if s.quality == nil || s.quality.Levels == nil {
		p(`<text x="%d" y="%d" class="s">no levels: the call had no sound, or is not over</text>`, left+10, lanesTop+20)
		return
	}
	l := s.quality.Levels
	for i, side := range []struct {
		class string
		of    []byte
	}{{"h", l.Heard}, {"a", l.Said}} {
		if len(side.of) == 0 {
			continue
		}
		base := float64(lanesTop + (i+1)*laneHigh)
		bars := min(len(side.of), mostBars)
		width := float64(wide-left-right) / float64(bars)
		var d strings.Builder
		for n := range bars {
			loud := byte(0)
			for _, v := range side.of[n*len(side.of)/bars : (n+1)*len(side.of)/bars] {
				loud = max(loud, v)
			}
			if tall := float64(min(loud, loudest)) / loudest * (laneHigh - 10); tall > 0 {
				fmt.Fprintf(&d, "M%.1f %.0fv-%.1fh%.1fv%.1fz", left+float64(n)*width, base, tall, width, tall)
			}
		}
		p(`<path class="%s" d="%s"/>`, side.class, d.String())
	}
}

// told is the picture in words.
func (s story) told(length time.Duration) string {
	counts := map[string]int{}
	for _, e := range s.entries {
		counts[e.Kind]++
	}
	verdict := "no detection"
	if v := s.state.Verdict(); v != "" {
		verdict = string(v)
	}
	return fmt.Sprintf("%s, %s: the person was heard %d times and pressed keys %d times, the agent said %d texts of which %d were played; %s.",
		s.call.Status, length.Round(100*time.Millisecond), counts["heard"], counts["digits-pressed"], counts["said"], counts["played"], verdict)
}

func (e entry) line() string {
	out := e.Kind
	for _, more := range []string{e.Detail, e.Text} {
		if more != "" {
			out += " · " + more
		}
	}
	return out
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > mostText {
		return string(runes[:mostText-1]) + "…"
	}
	return text
}

// escaped is a text of people in XML: what XML cannot hold is a question mark.
func escaped(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		if r < ' ' || r == 0xFFFE || r == 0xFFFF || r >= 0xD800 && r < 0xE000 {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
}
