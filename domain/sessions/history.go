package sessions

import (
	"slices"
	"strings"
)

// Line is what a model sees of the conversation: a text of the user or of an agent, or in the
// turn that runs what a model wanted to have called, with the text that it said to it.
type Line struct {
	Agent  string // who said it; empty: the user
	Person bool   // who said it is a person, in place of the agent
	Text   string
	N      int      // of the session's texts, from 1; 0: it is none of them (yet)
	Files  []string // attachments of the session that came with it
	Wishes []Wish
}

// OnlyFiles is how a message reads that is files alone.
const OnlyFiles = "(a file)"

// The history that a model sees has at most so many texts, and so many bytes of them; the oldest
// go first.
const (
	MostLines     = 100
	MostLineBytes = 128 << 10
)

// mostTold is how many bytes of a result a model sees.
const mostTold = 64 << 10

// heard adds what the user said or chose.
func (t *Talk) heard(e MessageReceived) { t.line(e.line()) }

// line is what a model sees of it.
func (e MessageReceived) line() Line {
	text := e.Action.Words(e.Text)
	if text == "" && len(e.Attachments) > 0 {
		text = OnlyFiles
	}
	return Line{Text: text, Files: e.Attachments}
}

// said adds what an agent said: to the wishes that it came with, if none of them has a result.
func (t *Talk) said(e Said) {
	if last := len(t.History) - 1; last >= 0 && t.History[last].Text == "" {
		wishes := t.History[last].Wishes
		if len(wishes) > 0 && !slices.ContainsFunc(wishes, func(w Wish) bool { return w.Done }) {
			t.Lines++
			t.History[last].Text, t.History[last].N = e.Text, t.Lines
			t.trim()
			return
		}
	}
	t.line(Line{Agent: e.Agent, Text: e.Text})
}

func (t *Talk) line(l Line) {
	if l.Text == "" {
		return
	}
	t.Lines++
	l.N = t.Lines
	t.History = append(t.History, l)
	t.trim()
}

// trim lets the oldest texts go.
func (t *Talk) trim() {
	texts, bytes := 0, 0
	for i := len(t.History) - 1; i >= 0; i-- {
		if t.History[i].Text == "" {
			continue
		}
		texts, bytes = texts+1, bytes+len(t.History[i].Text)
		if texts > MostLines || bytes > MostLineBytes && texts > 1 {
			t.Trimmed += i + 1
			t.History = slices.Clone(t.History[i+1:])
			return
		}
	}
}

// Wishes are those of the model that have no result yet.
func (t *Talk) Wishes() []Wish {
	for _, l := range slices.Backward(t.History) {
		if len(l.Wishes) > 0 {
			return slices.DeleteFunc(slices.Clone(l.Wishes), func(w Wish) bool { return w.Done })
		}
	}
	return nil
}

// Wanted is the first of them; nil: there is none.
func (t *Talk) Wanted() *Wish {
	if left := t.Wishes(); len(left) > 0 {
		return &left[0]
	}
	return nil
}

// Wish is the one with an id, in the turn that runs; nil: there is none.
func (t *Talk) Wish(id string) *Wish { return t.wish(id) }

func (t *Talk) wish(id string) *Wish {
	if id == "" {
		return nil
	}
	for i := len(t.History) - 1; i >= 0; i-- {
		for k := range t.History[i].Wishes {
			if t.History[i].Wishes[k].ID == id {
				return &t.History[i].Wishes[k]
			}
		}
	}
	return nil
}

func (t *Talk) told(id, result string) {
	if w := t.wish(id); w != nil {
		w.Done, w.Result = true, result
	}
}

// settle leaves the texts alone of what was exchanged with a model: the turn has ended, or
// another agent or step is at it.
func (t *Talk) settle() {
	for i := range t.History {
		t.History[i].Wishes = nil
	}
	t.History = slices.DeleteFunc(t.History, func(l Line) bool { return l.Text == "" })
}

// ownHistory is one that may be folded into without a change of the other.
func ownHistory(all []Line) []Line {
	own := slices.Clone(all)
	for i := range own {
		own[i].Wishes = slices.Clone(own[i].Wishes)
	}
	return own
}

// Cut is what a model sees of a text: so many bytes of it at most.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " (cut here)"
}
