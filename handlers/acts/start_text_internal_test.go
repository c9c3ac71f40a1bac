package acts

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source that was changed is another source, and no number of them fills the memory.
func TestStartTextsAreReadOnceForASource(t *testing.T) {
	texts := startTexts{known: map[[sha256.Size]byte]beginning{}}
	say := func(text string) string { return "ON_START:\n  SAY: " + text }
	for range 2 {
		require.Equal(t, beginning{text: "Hello"}, texts.of(say("Hello")))
		require.Equal(t, beginning{"Good morning", true}, texts.of("DSL: 1\n"+say("Good morning")))
		require.Zero(t, texts.of("DSL: 1\nON_START: [")) // while it is edited
	}
	require.Len(t, texts.known, 3)

	long := strings.Repeat("a", mostStartTexts/8)
	for i := range 20 {
		text := fmt.Sprint(long, i)
		require.Equal(t, text, texts.of(say(text)).text)
		held := 0
		for _, begins := range texts.known {
			held += sha256.Size + len(begins.text)
		}
		require.LessOrEqual(t, held, mostStartTexts+len(text))
		require.Equal(t, held, texts.bytes)
	}
	require.Equal(t, beginning{text: "Hello"}, texts.of(say("Hello")))
}

// BenchmarkStartText is what it costs a call to know what its agent says first.
func BenchmarkStartText(b *testing.B) {
	dsl := "ON_START:\n  SAY: Hello\n" + strings.Repeat("# a line of what the agent does next\n", 40)
	b.ReportAllocs()
	for b.Loop() {
		read.of(dsl)
	}
}
