package texts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/texts"
)

// Given what programs set in the place of what people type, then it is typed where that makes fewer parts, and else stays.
func TestWhatProgramsSetIsTyped(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("\u201cIt\u2019s open\u201d \u2013 until 5\u2026 ", 4): strings.Repeat(`"It's open" - until 5... `, 4),
		"It\u2019s open":                   "It\u2019s open",                   // one part in any case
		strings.Repeat("\u2019\u3042", 60): strings.Repeat("\u2019\u3042", 60), // of which others stay
		strings.Repeat("a", 200):           strings.Repeat("a", 200),
		strings.Repeat("\u2026", 900):      strings.Repeat("\u2026", 900), // that would be too long
	} {
		require.Equal(t, want, texts.Typed(text))
	}
}
