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

// tag is what a field of a struct carries: it cannot be broken, so it does not count.
var tag = regexp.MustCompile("`[a-zA-Z]+:\"[^`]*`(\\s*//.*)?$")

func tooWide(line string) bool {
	return utf8.RuneCountInString(line) > widest && utf8.RuneCountInString(tag.ReplaceAllString(line, "")) > widest
}

func TestLinesFitTheScreen(t *testing.T) {
	for _, file := range tracked(t, "*.go") {
		n := 0
		for line := range strings.Lines(document(t, file)) {
			n++
			assert.False(t, tooWide(strings.TrimRight(line, "\n")), "%s:%d has more than %d characters", file, n, widest)
		}
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
