package telephony_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a callee with lines to say, then it says one after each thing that is said to it: texts that come at once are one thing, and an
// empty line is none. Then it waits, and hangs up in the end.
func TestACalleeWhoTalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := telephony.NewSimulated(1).Dial(t.Context(), calls.LegRequest{Target: calls.Talker, Says: []string{"hello there", "", "4711"}})
		require.NoError(t, err)
		answered := time.Now().Add(2800 * time.Millisecond)
		say := func() { require.NoError(t, l.Say(t.Context(), "Good day", "en")) }
		time.Sleep(10 * time.Second)
		for range 4 {
			say()
			time.Sleep(100 * time.Millisecond)
			say()
			time.Sleep(10 * time.Second)
		}
		var lines []string
		for f := range l.Facts() {
			if f.Kind == calls.FactWords || f.Kind == calls.FactSilence || f.Kind == calls.FactHungUp {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", f.At.Sub(answered).Milliseconds(), f.Kind, f.Text)))
			}
		}
		require.Equal(t, []string{"7900 words hello", "8200 words there", "8800 silence", "28100 words 4711", "28700 silence",
			"637600 hung-up"}, lines)
	})
}

// Given that something is said to it while it talks, then it answers that as well.
func TestACalleeWhoIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := telephony.NewSimulated(10).Dial(t.Context(), calls.LegRequest{Target: calls.Talker, Says: []string{"one two three", "four"}})
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, l.Say(t.Context(), "Good day", "en"))
		time.Sleep(100 * time.Millisecond) // the second word is being said
		require.NoError(t, l.Say(t.Context(), "Pardon?", "en"))
		time.Sleep(time.Second)
		require.NoError(t, l.HangUp(t.Context()))
		var words []string
		for f := range l.Facts() {
			words = append(words, f.Text)
		}
		require.Equal(t, "one two three four", strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	})
}

// Given a call whose words are to be recognised in a language, then they are: a mailbox is known by the phrases of that language.
func TestWordsAreRecognisedInTheLanguageOfTheCall(t *testing.T) {
	for asked, want := range map[string]string{"": "en-US", "de-DE": "de-DE"} {
		for _, target := range []string{calls.Talker, "tel:+15550000001", "tel:+15550000003"} {
			l, err := telephony.NewSimulated(1_000).Dial(t.Context(), calls.LegRequest{Target: target, Language: asked,
				Says: []string{"Nachricht nach dem Signalton"}})
			require.NoError(t, err)
			require.NoError(t, l.Say(t.Context(), "Guten Tag", "de"))
			words := 0
			for f := range l.Facts() {
				if f.Kind == calls.FactWords {
					words++
					require.Equal(t, want, f.Language)
				} else {
					require.Empty(t, f.Language)
				}
			}
			require.NotZero(t, words, target)
		}
	}
}
