package voice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

// deaf asks again, whatever it is told.
const deaf = `DSL: 1
AGENT: deaf
GATHER: {word: {TYPE: pattern, PATTERN: "^sesame$", PROMPT: "The word?"}}
FLOW: {START: ask, STEPS: {ask: {GATHER: [word], NEXT: done}, done: {SAY: "Come in.", END: true}}}
`

// Given keys on a line that a provider opened, then they are messages when a # or a pause says that they
// are whole, and behind the longest message. They stand sealed on the call's stream, never as words.
func TestKeysAreMessages(t *testing.T) {
	const pause = 2 * time.Second
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"deaf": deaf}))
		w.bring("deaf", deaf)
		line := newWire()
		done := w.carry(line)
		press := func(keys string) {
			for _, key := range keys {
				line.facts <- calls.Fact{Kind: calls.FactDigit, At: time.Now(), Digit: string(key)}
			}
			w.pass(0)
		}
		seen := 0
		pressed := func() []string {
			var all []string
			for _, l := range w.store.heardOn(carried) {
				require.False(w, strings.HasPrefix(l, "heard"), "keys are no words: %s", l)
				if _, keys, is := strings.Cut(l, "pressed "); is {
					_, keys, _ = strings.Cut(keys, " ")
					all = append(all, keys)
				}
			}
			since := all[seen:]
			seen = len(all)
			return since
		}
		press("12#")
		require.Equal(w, []string{"12"}, pressed())
		press("#")
		require.Equal(w, []string{"#"}, pressed(), "a # alone is one")
		press("*3")
		require.Empty(w, pressed())
		w.pass(pause - 1)
		press("4")
		w.pass(pause - 1)
		require.Empty(w, pressed(), "each digit begins the pause anew")
		w.pass(time.Nanosecond)
		require.Equal(w, []string{"*34"}, pressed())
		long := strings.Repeat("7", calls.MostDigits)
		press(long + "8")
		require.Equal(w, []string{long}, pressed())
		line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		press("9#")
		w.pass(pause)
		require.NoError(w, <-done)
		require.Equal(w, []string{"8"}, pressed(), "what was pressed last is said, and nothing behind the end")
		require.Equal(w, "Caller-disconnected: the callee hung up", w.store.talk(carried)[len(w.store.talk(carried))-1])
	})
}
