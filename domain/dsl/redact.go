package dsl

import (
	"regexp"
	"strconv"
)

// checked is a CHECK that looks for one pattern and nothing else.
var checked = regexp.MustCompile(`^!\s*matches\(\s*text\s*,\s*("(?:[^"\\]|\\.)*")\s*\)$`)

// Redacted is a text without what the guardrail looks for: PATTERN, or where there is none
// the one pattern of a CHECK such as !matches(text, "[0-9]{16}"). Of another CHECK nobody
// knows which part of the text it is about, so all of it goes.
func (g *Guardrail) Redacted(text, with string) string {
	if g.Pattern != nil {
		return g.Pattern.re.ReplaceAllLiteralString(text, with)
	}
	found := checked.FindStringSubmatch(g.Check.String())
	if found == nil {
		return with
	}
	source, err := strconv.Unquote(found[1])
	if err != nil {
		return with
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return with
	}
	return re.ReplaceAllLiteralString(text, with)
}
