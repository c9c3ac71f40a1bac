// Package completion has a shell propose what may come next. The shell's script asks the
// binary, which looks into the model of its own command line: nothing can be forgotten.
package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Asking is the first argument of a script that asks what may come next; the words of the
// command line follow, the last of them as far as it is typed.
const Asking = "__complete"

// Answer prints what may come next, a line each: the word, a tab, and what it is for.
func Answer(out io.Writer, model *kong.Application, words []string) error {
	for _, p := range proposals(model, words) {
		if _, err := fmt.Fprintf(out, "%s\t%s\n", p.word, p.help); err != nil {
			return err
		}
	}
	return nil
}

// proposal is a word that may come next.
type proposal struct{ word, help string }

// line is a command line as far as it is typed.
type line struct {
	node       *kong.Node // the command that was reached
	value      *kong.Flag // whose value comes next
	positional int        // arguments of the command that are there
	noFlags    bool       // after --
}

func proposals(model *kong.Application, words []string) []proposal {
	if len(words) == 0 {
		words = []string{""}
	}
	words, typed := joined(words)
	l := line{node: model.Node}
	for _, w := range words {
		l.take(w)
	}
	prefix := ""
	var all []proposal
	name, _, assigned := strings.Cut(typed, "=")
	switch {
	case l.value != nil:
		all = values(l.value.Value)
	case assigned && strings.HasPrefix(typed, "--"):
		if f := l.flag(strings.TrimPrefix(name, "--")); f != nil {
			prefix, all = name+"=", values(f.Value)
		}
	case strings.HasPrefix(typed, "-") && !l.noFlags:
		all = l.flags()
	default:
		all = l.arguments()
	}
	var out []proposal
	for _, p := range all {
		if p.word = prefix + p.word; strings.HasPrefix(p.word, typed) {
			out = append(out, p)
		}
	}
	return out
}

// joined puts together what bash takes apart, --output = json, and tells what is typed
// last. Of a word that was taken apart that is the value alone, as bash wants it back.
func joined(words []string) (before []string, typed string) {
	for _, w := range words[:len(words)-1] {
		if w != "=" {
			before = append(before, w)
		}
	}
	if typed = words[len(words)-1]; typed == "=" {
		typed = ""
	}
	return before, typed
}

// take goes a word further.
func (l *line) take(word string) {
	switch {
	case l.value != nil:
		l.value = nil
	case l.noFlags || word == "-" || !strings.HasPrefix(word, "-"):
		if child := l.child(word); child != nil && l.positional == 0 {
			l.node = child
			return
		}
		l.positional++
	case word == "--":
		l.noFlags = true
	default:
		name, _, assigned := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if f := l.flag(name); f != nil && !assigned && !f.IsBool() {
			l.value = f
		}
	}
}

func (l *line) child(word string) *kong.Node {
	for _, c := range l.node.Children {
		if c.Name == word || slices.Contains(c.Aliases, word) {
			return c
		}
	}
	return nil
}

// reached are the command, those that it is of, and the one that it stands for by default.
func (l *line) reached() (nodes []*kong.Node) {
	for n := l.node; n != nil; n = n.Parent {
		nodes = append(nodes, n)
	}
	if l.node.DefaultCmd != nil {
		nodes = append(nodes, l.node.DefaultCmd)
	}
	return nodes
}

func (l *line) flag(name string) *kong.Flag {
	for _, n := range l.reached() {
		for _, f := range n.Flags {
			if f.Name == name || len(name) == 1 && string(f.Short) == name {
				return f
			}
		}
	}
	return nil
}

func (l *line) flags() (out []proposal) {
	for _, n := range l.reached() {
		for _, f := range n.Flags {
			if !f.Hidden {
				out = append(out, proposal{"--" + f.Name, firstSentence(f.Help)})
			}
		}
	}
	return out
}

// arguments are the commands within the one that was reached, else the values of its next
// argument.
func (l *line) arguments() (out []proposal) {
	if l.positional == 0 {
		for _, c := range l.node.Children {
			if !c.Hidden {
				out = append(out, proposal{c.Name, firstSentence(c.Help)})
			}
		}
	}
	if at := l.node.Positional; l.positional < len(at) {
		out = append(out, values(at[l.positional])...)
	}
	return out
}

// values are those of an enum; of anything else the shell proposes files.
func values(v *kong.Value) (out []proposal) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			out = append(out, proposal{word, ""})
		}
	}
	return out
}

func firstSentence(help string) string {
	for _, end := range []string{". ", ": ", "; "} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(help, ".")
}
