package voice_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

// Given texts on a line whose sound is heard as well, then each is a message, apart from what is being said; a flood of them is
// few, and what is written last is heard as the call ends.
func TestWhatIsWrittenIsHeard(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"deaf": deaf}))
		w.bring("deaf", deaf)
		line := newWire()
		done := w.carry(line)
		write := func(texts ...string) {
			for _, text := range texts {
				line.facts <- calls.Fact{Kind: calls.FactWritten, At: time.Now(), Text: text}
			}
			w.pass(0)
		}
		seen := 0
		heard := func() (texts []string) {
			var all []string
			for _, e := range w.store.events(carried) {
				if e, is := e.(calls.Heard); is {
					all = append(all, fmt.Sprint(e.Text, " ", e.Written))
				}
			}
			texts, seen = all[seen:], len(all)
			return texts
		}
		line.facts <- calls.Fact{Kind: calls.FactWords, At: time.Now(), Text: "my number is"}
		write("4711")
		line.facts <- calls.Fact{Kind: calls.FactWords, At: time.Now(), Text: "well"}
		line.facts <- calls.Fact{Kind: calls.FactSilence, At: time.Now()}
		w.pass(0)
		require.Equal(w, []string{"4711 true", "my number is well false"}, heard())
		w.pass(time.Minute)
		require.Contains(w, messages(w.store.sessionEvents(carried)), `4711 {"speech":{"written":true}}`)

		write(strings.Split("abcdefghijklm", "")...)
		require.Len(w, heard(), 10, "at once")
		w.pass(time.Minute)
		require.Equal(w, []string{"k\nl\nm true"}, heard())
		write(strings.Repeat("n", calls.LongestHeard) + "o")
		require.Equal(w, []string{strings.Repeat("n", calls.LongestHeard) + " true", "o true"}, heard())

		write(strings.Split("0123456789", "")...)
		heard()
		line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		write("behind the end")
		require.NoError(w, <-done)
		require.Equal(w, []string{"8\n9 true"}, heard(), "what was written last is heard, and nothing behind the end")
	})
}

// Who writes while the agent speaks has it stop.
func TestWhoWritesCutsTheAgentOff(t *testing.T) {
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		p.Written("many", time.Now())
		w.pass(2 * time.Second)
		lines := w.store.heardOn("c1")
		require.Contains(w, lines, "heard 1")
		require.Contains(w, strings.Join(lines, "; "), "played 1 until: ")
	}, asAsked)
}
