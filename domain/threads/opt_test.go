package threads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
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
	require.Len(t, got, 2)
	require.Equal(t, "s-1", got[0].(threads.Opted).SessionID)
	require.Equal(t, threads.CodeOptedOut, got[1].(threads.Failed).Code, "what was about to go out")
	require.Empty(t, s.when(opts("3", "stop", channels.OptOut)), "twice")
	require.Empty(t, s.Waiting)
	claim := threads.Start{Claim: attempt.Claim{ID: "a-1", At: noon, LeaseUntil: after(time.Minute)}}
	s.when(threads.Queue{SessionID: "s-1", MessageID: "m-2", Text: "two", Limits: plain, At: noon})
	require.Equal(t, threads.CodeOptedOut, s.when(claim)[0].(threads.Failed).Code, "what comes later")

	require.False(t, s.when(opts("4", "START", channels.OptIn))[0].(threads.Opted).Out)
	s.when(threads.Queue{SessionID: "s-1", MessageID: "m-3", Text: "three", Limits: plain, At: noon})
	require.IsType(t, threads.Started{}, s.when(claim)[0])
	require.IsType(t, threads.Received{}, s.when(opts("5", "yes", channels.OptIn))[0], "an answer as any other")
	require.Empty(t, s.when(opts("6", "", channels.OptIn)), "the provider has answered it")
}

// Given replies of which the first waits for a busy provider, when their person says STOP and, before the pause is
// over, START, then none of them goes out any more: what was said before STOP is not wanted.
func TestWhatWaitsAtAStopIsNotSentBehindAStart(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Take{Number: 1, SessionID: "s-1", At: noon})
	for _, text := range []string{"one", "two"} {
		s.when(threads.Queue{SessionID: "s-1", MessageID: "m-" + text, Text: text, Limits: plain, At: noon})
	}
	s.when(threads.Start{Claim: attempt.Claim{ID: "a-1", At: noon, LeaseUntil: after(time.Minute)}})
	busy := outcome(channels.NotTaken)
	busy.ID, busy.Outcome.RetryAfter = "a-1", time.Minute
	require.IsType(t, threads.Missed{}, s.when(busy)[0])

	got := s.when(opts("2", "STOP", channels.OptOut))
	require.Len(t, got, 3)
	require.Equal(t, 1, got[1].(threads.Failed).Attempts)
	require.Equal(t, 2, got[2].(threads.Failed).Reply)
	s.when(opts("3", "START", channels.OptIn))
	require.Empty(t, s.Replies)
	require.Empty(t, s.when(threads.Wake{At: after(time.Hour)}), "nothing waits")
	s.when(threads.Queue{SessionID: "s-2", MessageID: "m-3", Text: "three", Limits: plain, At: noon})
	require.IsType(t, threads.Started{}, s.when(threads.Start{Claim: attempt.Claim{ID: "a-2", At: noon, LeaseUntil: after(time.Minute)}})[0])
}

// Given a reply that a provider is being asked for when its person says STOP, then it has gone out where it was taken,
// and is not tried again where it was not.
func TestAnAttemptThatIsUnderWayAtAStop(t *testing.T) {
	for status, then := range map[channels.Status]event.Payload{channels.Taken: threads.PartSent{}, channels.NotTaken: threads.Failed{},
		channels.Unknown: threads.Failed{}} {
		s := (&story{T: t}).given(received, queued, started)
		require.Len(t, s.when(opts("2", "STOP", channels.OptOut)), 1)
		require.IsType(t, then, s.when(outcome(status))[0], status)
	}
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

// Given somebody of whom a provider said that they want no replies, when they say so themselves, then they take that back themselves:
// what they write else lets nothing in.
func TestAStopBehindTheProvidersWordIsTheirOwn(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started)
	refused := outcome(channels.Refused)
	refused.Outcome.OptedOut = true
	s.when(refused)
	require.True(t, s.Blocked)
	got := s.when(opts("9", "STOP", channels.OptOut))
	require.Len(t, got, 1)
	require.False(t, got[0].(threads.Opted).ByProvider)
	require.Len(t, s.when(says("10", "hm")), 1)
	require.True(t, s.Stopped)
	require.Empty(t, s.when(opts("11", "STOP", channels.OptOut)), "once")
	require.False(t, s.when(opts("12", "START", channels.OptIn))[0].(threads.Opted).Out)
}

// Given a menu that was shown before somebody said STOP, then its words are not chosen behind their START.
func TestAMenuEndsWithAStop(t *testing.T) {
	s := (&story{T: t}).given(received, queued)
	s.when(opts("2", "STOP", channels.OptOut))
	s.when(opts("3", "START", channels.OptIn))
	require.Nil(t, s.when(says("4", "Yes"))[0].(threads.Received).Chosen)
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
