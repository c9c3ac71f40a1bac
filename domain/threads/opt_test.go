package threads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
)

func opts(id, text string, as channels.Opt) threads.Receive {
	out := says(id, text)
	out.Entry.Opt = as
	return out
}

// Given somebody who says STOP, then nothing goes out to them, until they say START; and these words are
// no messages, but for START of who has not stopped.
func TestWhoWantsNoRepliesIsSentNone(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Take{Number: 1, SessionID: "s-1", At: noon})
	s.when(threads.Queue{SessionID: "s-1", MessageID: "m-1", Text: "one", Limits: plain, At: noon})
	got := s.when(opts("2", "STOP", channels.OptOut))
	require.Len(t, got, 1)
	require.Equal(t, "s-1", got[0].(threads.Opted).SessionID)
	require.Empty(t, s.when(opts("3", "stop", channels.OptOut)), "twice")
	require.Empty(t, s.Waiting)
	claim := threads.Start{Claim: attempt.Claim{ID: "a-1", At: noon, LeaseUntil: after(time.Minute)}}
	require.Equal(t, threads.CodeOptedOut, s.when(claim)[0].(threads.Failed).Code, "what was on its way")
	s.when(threads.Queue{SessionID: "s-1", MessageID: "m-2", Text: "two", Limits: plain, At: noon})
	require.Equal(t, threads.CodeOptedOut, s.when(claim)[0].(threads.Failed).Code, "what comes later")

	require.False(t, s.when(opts("4", "START", channels.OptIn))[0].(threads.Opted).Out)
	s.when(threads.Queue{SessionID: "s-1", MessageID: "m-3", Text: "three", Limits: plain, At: noon})
	require.IsType(t, threads.Started{}, s.when(claim)[0])
	require.IsType(t, threads.Received{}, s.when(opts("5", "yes", channels.OptIn))[0], "an answer as any other")
	require.Empty(t, s.when(opts("6", "", channels.OptIn)), "the provider has answered it")
}

// Given a stranger who says STOP, then that is known of them; once they are forgotten, too.
func TestAStrangerOptsOut(t *testing.T) {
	s := &story{T: t}
	s.when(opts("1", "STOP", channels.OptOut))
	require.Equal(t, []string{"cn-1", "U1", "U1"}, []string{s.ConnectionID, s.From, s.ReplyTo})
	s.when(threads.Forget{At: noon})
	require.True(t, s.Stopped)
	require.Empty(t, s.From)
}

// Given a provider that says that somebody has opted out, then it is as if they had said it here.
func TestAProviderKnowsWhoOptedOut(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started)
	refused := outcome(channels.Refused)
	refused.Outcome.OptedOut = true
	got := s.when(refused)
	require.Len(t, got, 2)
	require.IsType(t, threads.Opted{}, got[0])
	require.IsType(t, threads.Failed{}, got[1])
	require.True(t, s.Stopped)
	require.Equal(t, received.From, s.From)

	got = s.when(says("9", "I have let you in again"))
	require.Len(t, got, 2)
	require.False(t, got[0].(threads.Opted).Out)
	require.IsType(t, threads.Received{}, got[1])
	require.False(t, s.Stopped)
	require.Len(t, s.when(says("10", "hi")), 1, "once")

	s.when(opts("11", "STOP", channels.OptOut))
	require.Len(t, s.when(says("12", "hm")), 1, "what they said themselves they take back themselves")
	require.True(t, s.Stopped)
}

// Given a session that ended with STOP, then it answers what was said before that word, and none that came behind it,
// also when its person has let messages in again; the session that follows answers all.
func TestWhoAnswersBehindAStop(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Take{Number: 1, SessionID: "s-1", At: noon})
	s.when(opts("2", "STOP", channels.OptOut))
	s.when(says("3", "hm"))
	s.when(opts("4", "START", channels.OptIn))
	require.Equal(t, "s-1", s.Answerer(threads.Received{Number: 1}))
	require.Empty(t, s.Answerer(threads.Received{Number: 2}))
	s.when(threads.Take{Number: 2, SessionID: "s-2", At: noon})
	require.Equal(t, "s-2", s.Answerer(threads.Received{Number: 3}))
}
