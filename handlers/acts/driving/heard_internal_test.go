package driving

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Given a model that speaks, then who hears has all of it, also who comes later, and slow ones in
// one piece; of another session there is nothing.
func TestWhatAModelSaysIsHeard(t *testing.T) {
	x := &Turns{}
	early, other := x.Hear("session-1"), x.Hear("session-2")
	say, done := x.hearings.speak("session-1", Delta{CallID: "c1", Agent: "host"})
	say("Once ")
	late := x.Hear("session-1")
	say("upon ")
	require.Equal(t, []Delta{{"c1", "host", "Once upon "}}, late.Take())
	say("a time.")
	require.Equal(t, []Delta{{"c1", "host", "Once upon a time."}}, early.Take())
	require.Equal(t, []Delta{{"c1", "host", "a time."}}, late.Take())
	require.Empty(t, other.Take())
	<-early.wake

	late.Stop()
	done()
	require.Empty(t, x.Hear("session-1").Take(), "it has said what it had to say")
	say, _ = x.hearings.speak("session-1", Delta{CallID: "c2"})
	say("Well.")
	require.Empty(t, late.Take())
	require.Equal(t, []Delta{{CallID: "c2", Text: "Well."}}, early.Take())
	for _, h := range []*Hearing{early, other} {
		h.Stop()
	}
	require.NotContains(t, x.hearings.of, "session-2")
}

// Given who hears and has something to finish, then the answer is whole when they have: once, and not those
// who have stopped hearing.
func TestAnAnswerIsWholeWhenWhoHearsHasFinished(t *testing.T) {
	x, whole := &Turns{}, []string{}
	here, gone := x.Hear("session-1"), x.Hear("session-1")
	here.Whole(func(call string) { whole = append(whole, call) })
	gone.Whole(func(call string) { whole = append(whole, "gone") })
	say, done := x.hearings.speak("session-1", Delta{CallID: "c1"})
	say("Once")
	gone.Stop()
	done()
	require.Equal(t, []string{"c1"}, whole)
}

// What is heard of an answer is told behind the question, which may not have been read yet.
func TestWhatIsHeardBelongsToAQuestion(t *testing.T) {
	calls := asked([]eventstore.Recorded{{Payload: sessions.MessageReceived{}}, {Payload: sessions.ModelAsked{CallID: "c1"}},
		{Payload: sessions.ModelAsked{CallID: "c2"}}})
	require.Equal(t, []string{"c1", "c2"}, calls)
	require.True(t, belong(calls, []Delta{{CallID: "c1"}, {CallID: "c2"}, {CallID: "c1"}}))
	require.False(t, belong(calls, []Delta{{CallID: "c1"}, {CallID: "c3"}}))
	require.True(t, belong(nil, nil))
}

// A piece costs what it is long, however much was said before it: an answer of many pieces would keep everybody else waiting.
func TestPiecesDoNotCopyWhatWasSaidBefore(t *testing.T) {
	var x Turns
	slow := x.Hear("session-1")
	defer slow.Stop()
	say, done := x.hearings.speak("session-1", Delta{CallID: "c"})
	defer done()
	const pieces = 20_000
	begun := testing.AllocsPerRun(1, func() {
		for range pieces / 2 {
			say("a")
		}
	})
	require.Less(t, begun, float64(pieces/100))
	require.Equal(t, []Delta{{CallID: "c", Text: strings.Repeat("a", pieces)}}, slow.Take())
}
