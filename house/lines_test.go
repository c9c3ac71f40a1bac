package house

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// widest is how many characters a line of Go may have; a tab counts as one.
const widest = 140

// wide is how many wider lines each part of the house still has. A number may only
// become smaller.
var wide = map[string]int{
	"cmd":         243,
	"handlers":    165,
	"projections": 333,
}

// tag is what a field of a struct carries: it cannot be broken, so it does not count.
var tag = regexp.MustCompile("`[a-zA-Z]+:\"[^`]*`(\\s*//.*)?$")

func tooWide(line string) bool {
	return utf8.RuneCountInString(line) > widest && utf8.RuneCountInString(tag.ReplaceAllString(line, "")) > widest
}

func TestLinesFitTheScreen(t *testing.T) {
	found, first := map[string]int{}, map[string]string{}
	for _, file := range tracked(t, "*.go") {
		part, _, _ := strings.Cut(file, "/")
		for line := range strings.Lines(document(t, file)) {
			if tooWide(strings.TrimRight(line, "\n")) {
				found[part]++
				first[part] = file + ": " + strings.TrimSpace(line)
			}
		}
	}
	for _, part := range sorted(found) {
		assert.LessOrEqual(t, found[part], wide[part], "%s has %d lines of more than %d characters, such as\n%s",
			part, found[part], widest, first[part])
	}
	for _, part := range sorted(wide) {
		assert.NotZero(t, found[part], "%s has no wide line any more: remove it from wide (house/lines_test.go)", part)
	}
}

func TestATagMayBeWide(t *testing.T) {
	long := strings.Repeat("x", widest)
	require.False(t, tooWide(long))
	require.True(t, tooWide(long+"x"))
	require.False(t, tooWide("\t"+long[1:]), "a tab is one character")
	require.False(t, tooWide(strings.Repeat("ä", widest)), "characters, not bytes")
	require.False(t, tooWide("\tName string `help:\""+long+"\"`"))
	require.False(t, tooWide("\tName string `help:\""+long+"\"` // why"))
	require.True(t, tooWide("\t"+long+" string `json:\"x\"`"))
}
