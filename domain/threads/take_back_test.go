package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
)

// takesBack is what somebody does who takes a message back.
func takesBack(name string) threads.Receive {
	return threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "line", At: noon,
		Entry: channels.Entry{ExternalID: "u-" + name, Thread: "t", From: "U1", Says: channels.TakesBack, TakesBack: name}}
}

// Given messages that their sender takes back, then it is known which, and which session has them; nothing is given to
// a session any more of what waits, and nothing of it is said.
func TestWhatIsTakenBack(t *testing.T) {
	s := &story{T: t}
	for _, name := range []string{"one", "two"} {
		hi := says(name, name)
		hi.Entry.MessageID, hi.Entry.Files = name, []channels.File{{ID: name}}
		s.when(hi)
	}
	s.when(says("three", "three"))
	s.given(threads.Taken{Number: 1, SessionID: "s-1", MessageID: "m-1", Turn: 1, At: noon})
	require.Equal(t, threads.TakenBack{Number: 1, SessionID: "s-1", MessageID: "m-1", At: noon}, s.when(takesBack("one"))[0])
	require.Empty(t, s.when(takesBack("one")), "once")
	require.Empty(t, s.when(takesBack("three")), "nobody can: its provider does not say what it is called")
	require.Empty(t, s.when(takesBack("")))

	require.Len(t, s.Unfetched(), 1)
	require.Equal(t, threads.TakenBack{Number: 2, At: noon}, s.when(takesBack("two"))[0])
	require.True(t, s.IsTakenBack(2))
	require.False(t, s.IsTakenBack(3))
	require.Empty(t, s.Unfetched())
	next, _ := s.Next()
	require.Equal(t, 2, next.Number)
	require.Empty(t, next.Text)
	require.Len(t, s.Waiting, 2)
	s.when(threads.Refuse{Number: 2, Code: threads.CodeTakenBack, At: noon})
	next, _ = s.Next()
	require.Equal(t, "three", next.Text)
}
