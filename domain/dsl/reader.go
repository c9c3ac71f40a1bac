package dsl

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/scalars"
)

// Limits of a source.
const (
	MaxSource    = 256 << 10 // bytes
	MaxDepth     = 16
	MaxSteps     = 200
	MaxTools     = 64
	MaxHandoffs  = 32
	MaxDelegates = 16
	maxList      = 100    // items of every other list
	maxNodes     = 50_000 // of YAML, in the whole source
)

// reader collects what is wrong while the source is read.
type reader struct {
	lines    []string
	problems Problems
	nodes    int
}

func (r *reader) at(n *yaml.Node, field, code, hint string, args ...any) {
	r.note(n.Line, n.Column, field, code, fmt.Sprintf(hint, args...))
}

func (r *reader) note(line, column int, field, code, hint string) {
	if !r.full() {
		r.problems = append(r.problems, Problem{field, max(line, 1), max(column, 1), code, hint})
	}
}

// full is whether no more is noted: a source of mistakes only must not fill the memory.
func (r *reader) full() bool { return len(r.problems) >= 4*MostProblems }

// document is the root of the one document that a source is; nil: with problems.
func (r *reader) document(source string) *yaml.Node {
	switch {
	case len(source) > MaxSource:
		r.note(1, 1, "", "too_large", fmt.Sprintf("a source may have at most %d bytes, this has %d", MaxSource, len(source)))
		return nil
	case !utf8.ValidString(source):
		line, column := invalid(source)
		r.note(line, column, "", "not_utf8", "the source is not UTF-8")
		return nil
	}
	r.lines = strings.Split(source, "\n")
	decoder := yaml.NewDecoder(strings.NewReader(source))
	var first yaml.Node
	if err := decoder.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			r.note(1, 1, "", "empty", "the source is empty: it begins with DSL: 1")
		} else {
			r.yamlError(err)
		}
		return nil
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		r.at(&second, "", "documents", "a source is one document: take out what follows ---")
		return nil
	} else if !errors.Is(err, io.EOF) {
		r.yamlError(err)
		return nil
	}
	if len(first.Content) != 1 || !r.sound(first.Content[0], "", 1) {
		if len(r.problems) == 0 {
			r.note(1, 1, "", "empty", "the source is empty: it begins with DSL: 1")
		}
		return nil
	}
	return first.Content[0]
}

func invalid(source string) (line, column int) {
	line, column = 1, 1
	for i, c := range source {
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(source[i:], string(utf8.RuneError)): // which may be written as any other
			return line, column
		case c == '\n':
			line, column = line+1, 1
		default:
			column++
		}
	}
	return line, column
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

func (r *reader) yamlError(err error) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = strings.Replace(message, m[0], "", 1)
		if strings.HasPrefix(message, "did not find expected") {
			line = min(line+1, len(r.lines)) // the parser counts from 0, what splits into words from 1
		}
	}
	hint := "is not YAML: " + message
	if line <= len(r.lines) {
		hint += hintOfLine(r.lines[line-1])
	}
	r.note(line, 1+len(indent(r.lines, line)), "", "not_yaml", hint)
}

func indent(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	text := lines[line-1]
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

var startsWithQuote = regexp.MustCompile(`:\s*("[^"]*"|'[^']*')\s*[^\s,}\]#]`)

var startsWithTag = regexp.MustCompile(`:\s*![A-Za-z(]`)

// hintOfLine is what most often is wrong with such a line.
func hintOfLine(text string) string {
	switch {
	case strings.HasPrefix(strings.TrimLeft(text, " "), "\t"):
		return " (YAML is indented by spaces, not by tabs)"
	case startsWithQuote.MatchString(text):
		return ` (put the whole condition into quotes: '"a" == x')`
	case startsWithTag.MatchString(text):
		return ` (put a condition that starts with ! into quotes: '!has(x)')`
	case strings.Contains(text, "?") && strings.Contains(text, "{"):
		return ` (inside of { } put what has a ? into quotes)`
	case strings.Count(text, ": ") > 1:
		return ` (put a text that has ": " in it into quotes)`
	}
	return ""
}

// sound refuses what YAML can do and a source may not: tags, anchors, aliases, keys that
// are no texts or come twice, depth.
func (r *reader) sound(n *yaml.Node, field string, depth int) bool {
	if r.nodes++; r.nodes > maxNodes {
		r.at(n, field, "too_large", "the source has more than %d values", maxNodes)
		return false
	}
	switch {
	case depth > MaxDepth:
		r.at(n, field, "too_deep", "is nested deeper than %d", MaxDepth)
		return false
	case n.Kind == yaml.AliasNode:
		r.at(n, field, "alias", "is an alias: write the value out")
		return false
	case n.Anchor != "":
		r.at(n, field, "anchor", "has an anchor: take the &%s away", n.Anchor)
		return false
	case n.Style&yaml.TaggedStyle != 0:
		r.at(n, field, "tag", "is read as a YAML tag: put a condition that starts with ! into quotes, as '!has(x)'")
		return false
	}
	fine := true
	switch n.Kind {
	case yaml.MappingNode:
		fine = r.soundMembers(n, field, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			fine = r.sound(item, fmt.Sprintf("%s[%d]", field, i), depth+1) && fine
		}
	}
	return fine
}

func (r *reader) soundMembers(n *yaml.Node, field string, depth int) bool {
	fine, seen := true, map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || key.ShortTag() == "!!merge" {
			r.at(key, field, "key", "a key must be a plain text")
			fine = false
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.at(key, under(field, key.Value), "duplicate", "is already there in line %d", line)
			fine = false
		}
		seen[key.Value] = key.Line
		fine = r.sound(value, under(field, key.Value), depth+1) && fine
	}
	return fine
}

func under(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// within notes what is wrong at a character of a scalar. Where it stands is sought for what is
// noted only: a long text may be full of mistakes.
func (r *reader) within(n *yaml.Node, offset int, field, code, hint string) {
	if !r.full() {
		line, column := scalars.Place(r.lines, n, offset)
		r.note(line, column, field, code, hint)
	}
}
