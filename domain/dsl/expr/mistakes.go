package expr

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
)

var (
	unknownName   = regexp.MustCompile(`undeclared reference to '([^']*)'`)
	unknownMember = regexp.MustCompile(`undefined field '([^']*)'`)
	selection     = regexp.MustCompile(`([A-Za-z_]\w*)\.$`)
)

// foreign are habits of other languages, and what CEL has instead.
var foreign = []struct {
	form *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`(?i)\bIS\s+(NOT\s+)?(SET|NULL|DEFINED)\b`), `write has(x) or !has(x)`},
	{regexp.MustCompile(`\bAND\b|\band\b`), `write && for AND`},
	{regexp.MustCompile(`\bOR\b|\bor\b`), `write || for OR`},
	{regexp.MustCompile(`\bNOT\b|\bnot\b`), `write ! for NOT`},
	{regexp.MustCompile(`[^=!<>]=[^=]`), `write == to compare`},
	{regexp.MustCompile(`===|!==`), `write == or !=`},
	{regexp.MustCompile(`<>`), `write != for unequal`},
	{regexp.MustCompile(`\$\{`), `secrets are only in HEADERS, QUERY and BODY of tools`},
	{regexp.MustCompile(`\{\{`), `this is an expression as it is: write it without {{ }}`},
}

// literals are taken out of an expression before it is searched for habits.
var literals = regexp.MustCompile(`"(\\.|[^"\\])*"|'(\\.|[^'\\])*'`)

func (e *Environment) mistakes(source string, issues *cel.Issues) []Mistake {
	var out []Mistake
	lines := strings.SplitAfter(source, "\n")
	for _, problem := range issues.Errors() {
		at := 0
		for i := 0; i < problem.Location.Line()-1 && i < len(lines); i++ {
			at += utf8.RuneCountInString(lines[i])
		}
		m := Mistake{Offset: at + max(problem.Location.Column(), 0), Code: "expression", Hint: firstLine(problem.Message)}
		if name := unknownName.FindStringSubmatch(problem.Message); name != nil {
			m.Code, m.Hint = "unknown_name", e.unknownName(name[1])
		} else if name := unknownMember.FindStringSubmatch(problem.Message); name != nil {
			m.Offset = selected(source, m.Offset, name[1])
			m.Code, m.Hint = "unknown_member", e.unknownMember(source, m.Offset, name[1])
		}
		out = append(out, m)
		if len(out) == 5 {
			break
		}
	}
	if habit := habit(source); habit != "" && len(out) > 0 {
		return []Mistake{{Offset: out[0].Offset, Code: out[0].Code, Hint: habit}}
	}
	return out
}

// selected is where the point before a member stands: of one inside of has() CEL tells where
// the has() is.
func selected(source string, at int, name string) int {
	runes := []rune(source)
	if at >= len(runes) || runes[at] == '.' {
		return at
	}
	if i := strings.Index(string(runes[at:]), "."+name); i >= 0 {
		return at + utf8.RuneCountInString(string(runes[at:])[:i])
	}
	return at
}

func habit(source string) string {
	bare := literals.ReplaceAllString(source, `""`)
	for _, f := range foreign {
		if f.form.MatchString(bare) {
			return f.hint
		}
	}
	return ""
}

func (e *Environment) unknownName(name string) string {
	hint := "there is no `" + name + "` here; there are " + strings.Join(sorted(e.names), ", ") + ". A text is written in quotes"
	if near := Nearest(name, sorted(e.names)); near != "" {
		hint = "there is no `" + name + "` here: did you mean " + near + "?"
	}
	return hint
}

func (e *Environment) unknownMember(source string, at int, name string) string {
	hint := "there is no `" + name + "` declared"
	runes := []rune(source)
	// CEL points at the point before the member.
	if of := selection.FindStringSubmatch(string(runes[:min(at+1, len(runes))])); of != nil {
		declared := e.members(of[1])
		if near := Nearest(name, declared); near != "" {
			return "there is no `" + name + "` in " + of[1] + ": did you mean " + near + "?"
		}
		if len(declared) > 0 {
			return "there is no `" + name + "` in " + of[1] + ", which has " + strings.Join(declared, ", ")
		}
		hint = "there is no `" + name + "` declared in " + of[1]
	}
	return hint
}

// Nearest is the name that was probably meant: the one with the fewest edits, if they are
// at most a third of it. Empty: none is near.
func Nearest(name string, known []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// edits counts insertions, deletions and replacements; where they are surely too many it gives the bound.
func edits(a, b string, bound int) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) > bound || len(b)-len(a) > bound {
		return bound
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
