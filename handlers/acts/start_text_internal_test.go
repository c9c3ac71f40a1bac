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
	texts := startTexts{known: map[[sha256.Size]byte]string{}}
	say := func(text string) string { return "ON_START:\n  SAY: " + text }
	for range 2 {
		require.Equal(t, "Hello", texts.of(say("Hello")))
		require.Equal(t, "Good morning", texts.of(say("Good morning")))
		require.Empty(t, texts.of("ON_START: [")) // while it is edited
	}
	require.Len(t, texts.known, 3)

	long := strings.Repeat("a", mostStartTexts/8)
	for i := range 20 {
		text := fmt.Sprint(long, i)
		require.Equal(t, text, texts.of(say(text)))
		held := 0
		for _, said := range texts.known {
			held += sha256.Size + len(said)
		}
		require.LessOrEqual(t, held, mostStartTexts+len(text))
		require.Equal(t, held, texts.bytes)
	}
	require.Equal(t, "Hello", texts.of(say("Hello")))
}

// BenchmarkStartText is what it costs a call to know what its agent says first.
func BenchmarkStartText(b *testing.B) {
	dsl := "ON_START:\n  SAY: Hello\n" + strings.Repeat("# a line of what the agent does next\n", 40)
	b.ReportAllocs()
	for b.Loop() {
		startText(dsl)
	}
}
