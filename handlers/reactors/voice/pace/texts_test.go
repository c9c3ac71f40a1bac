package pace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice/pace"
)

// writer is somebody who writes, and the clock.
type writer struct {
	pace.Texts
	now time.Time
}

// writes gives the messages that are taken at once.
func (w *writer) writes(all ...string) (taken []string) {
	for _, text := range all {
		w.Write(text, w.now, pace.Each)
		taken = append(taken, w.taken()...)
	}
	return taken
}

func (w *writer) taken() (all []string) {
	for text := w.Take(w.now, pace.Each); text != ""; text = w.Take(w.now, pace.Each) {
		all = append(all, text)
	}
	return all
}

// Given somebody who writes, then each text is a message; of those that come too often the rest is one, a line each, in its turn.
func TestTextsAreMessages(t *testing.T) {
	w := &writer{now: time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)}
	require.Zero(t, w.At())
	ten := strings.Split("abcdefghij", "")
	require.Equal(t, ten, w.writes(ten...))
	require.Zero(t, w.At())
	require.Empty(t, w.writes("k", "l"))
	require.Equal(t, w.now.Add(pace.Each), w.At())
	w.now = w.At().Add(-1)
	require.Empty(t, w.taken())
	w.now = w.now.Add(1)
	require.Equal(t, []string{"k\nl"}, w.taken())
	require.Empty(t, w.writes("m"))
	require.Equal(t, "m", w.Rest(), "the call ends")
	require.Empty(t, w.Rest())
}

// A text that is too long for one message is several, and more than waits is left out, which is told once.
func TestTextsThatAreTooLong(t *testing.T) {
	w := &writer{now: time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)}
	long := strings.Repeat("ä", calls.LongestHeard)
	require.Equal(t, []string{long, "b"}, w.writes(long+"b"))
	require.Empty(t, w.writes(" \n"), "nothing")
	require.Equal(t, []string{"a\nb"}, w.writes("a"+strings.Repeat(" ", 2*calls.LongestHeard)+"b"), "what is empty is no message")
	require.True(t, w.Write(strings.Repeat("c", 4*calls.LongestHeard+1), w.now, pace.Each))
	require.False(t, w.Write("more", w.now, pace.Each), "it was told")
	require.Equal(t, 4*calls.LongestHeard, len(strings.Join(w.taken(), "")))
	require.False(t, w.Write("d", w.now, pace.Each), "there is room again")
	require.Equal(t, []string{"d"}, w.taken())
}
