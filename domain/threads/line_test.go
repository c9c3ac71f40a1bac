package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

func opens(id string) threads.OpenLine {
	return threads.OpenLine{ID: id, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "audiocodes", Thread: "t", At: noon}
}

// Given a line, then no request waits for what is said: it is said there once, in its order, also what comes
// when nobody asks; and at last how the conversation ends.
func TestWhatIsSaidIsSaidOnTheLine(t *testing.T) {
	s := &story{T: t}
	s.when(opens("l-1"))
	require.Empty(t, s.when(opens("l-1")))
	s.when(asked("1", "hi"))
	_, replies, handsOver := s.OnLine()
	require.Equal(t, []any{true, 0}, []any{handsOver, len(replies)})
	s.when(threads.HandOver{Line: "l-1", At: noon})
	require.Empty(t, s.when(threads.HandOver{Line: "l-1", At: noon}))
	answer, answered := s.AnswerTo(1)
	require.Equal(t, []any{true, channels.Elsewhere, 0}, []any{answered, answer.State, len(answer.Said)})

	s.when(take(1, 1))
	s.when(said("s-1", 1, "one"))
	s.when(said("s-1", 0, "two, by a person"))
	reply, replies, handsOver := s.OnLine()
	require.Equal(t, []any{[]string{"one", "two, by a person"}, channels.GoesOn, false}, []any{heard(reply), reply.State, handsOver})
	require.Len(t, s.when(threads.Speak{Line: "l-1", Replies: replies, At: noon}), 1)
	require.Empty(t, s.when(threads.Speak{Line: "l-1", Replies: replies, At: noon}), "once")
	s.when(over(1, sessions.EndAction))
	reply, replies, _ = s.OnLine()
	require.Equal(t, []any{channels.Ended, 0}, []any{reply.State, len(replies)})
	require.False(t, s.HasLeft())
	s.when(threads.Leave{At: noon})
	require.Equal(t, []any{true, ""}, []any{s.HasLeft(), s.Line})
}

// Given another line, then the one before has nothing to say any more; what it broke off in is said anew, what
// it has said is not, and its end is not that of the other one.
func TestTheNewestLineCounts(t *testing.T) {
	s := &story{T: t}
	s.when(opens("l-1"))
	s.when(asked("1", "hi"))
	s.when(take(1, 1))
	s.when(said("s-1", 1, "one"))
	s.when(opens("l-2"))
	require.Equal(t, []string{"l-2", "l-1"}, []string{s.Line, s.LineBefore}, "which may be saying something still")
	require.Empty(t, s.when(threads.HandOver{Line: "l-1", At: noon}))
	reply, _, _ := s.OnLine()
	require.Equal(t, []string{"one"}, heard(reply))
	require.Len(t, s.when(threads.Speak{Line: "l-1", Replies: []int{1}, At: noon}), 1, "what was said was said")
	require.Len(t, s.when(threads.CloseLine{ID: "l-1", At: noon}), 1)
	require.Empty(t, s.when(threads.CloseLine{ID: "l-1", At: noon}), "once")
	require.Equal(t, []string{"l-2", ""}, []string{s.Line, s.LineBefore})
	reply, _, _ = s.OnLine()
	require.Empty(t, reply.Said)
	s.when(said("s-1", 1, "two"))
	s.when(threads.Answer{Number: 1, Now: true, At: noon})
	reply, _, _ = s.OnLine()
	require.Empty(t, reply.Said, "a request had it in its answer: nobody was on the line")
	require.Empty(t, s.when(threads.Speak{Line: "l-2", Replies: []int{2}, At: noon}))
}

// Given a line, then a request is not answered with what is said until the line has ended, or has answered
// nothing for too long: then it is dead, and the next request does not wait for it.
func TestARequestHasNothingOfWhatALineSays(t *testing.T) {
	for name, c := range map[string]struct {
		ends command
		now  bool
	}{"it ends": {threads.CloseLine{ID: "l-1", At: noon}, false}, "its node was killed": {nil, true}} {
		s := &story{T: t}
		s.when(opens("l-1"))
		s.when(asked("1", "hi"))
		s.when(take(1, 1))
		s.when(said("s-1", 1, "one"))
		s.when(over(1, sessions.Continue))
		require.Empty(t, s.when(threads.Answer{Number: 1, At: noon}), name)
		if c.ends != nil {
			require.Len(t, s.when(c.ends), 1, name)
			require.Empty(t, s.when(c.ends), "%s: once", name)
		}
		s.when(threads.Answer{Number: 1, Now: c.now, At: noon})
		got, answered := s.AnswerTo(1)
		require.Equal(t, []any{true, channels.GoesOn, []string{"one"}}, []any{answered, got.State, heard(got)}, name)

		s.when(asked("2", "and"))
		s.when(take(2, 2))
		s.when(over(2, sessions.Continue))
		require.Len(t, s.when(threads.Answer{Number: 2, At: noon}), 1, name)
	}
}

// Given what nobody answers, then the line says so.
func TestALineOnWhichNobodyAnswers(t *testing.T) {
	s := &story{T: t}
	s.when(opens("l-1"))
	s.when(asked("1", "hi"))
	s.when(threads.Refuse{Number: 1, Code: "NOT_FOUND", Reason: "nothing is deployed", At: noon})
	reply, _, _ := s.OnLine()
	require.Equal(t, []any{channels.Unanswered, "NOT_FOUND"}, []any{reply.State, reply.Code})
}

// Given a conversation whose session is ended from outside, then the line, and whoever waits in silence, hears that it has ended:
// once, and not where its agent told so, the person has left, or another session answers by now.
func TestAConversationWhoseSessionIsEnded(t *testing.T) {
	ends := threads.TurnOver{SessionID: "s-1", At: noon}
	for name, c := range map[string]struct {
		before []command
		told   bool
	}{
		"between two turns":   {[]command{over(1, sessions.Continue)}, true},
		"while a turn runs":   {nil, true},
		"behind its agent":    {[]command{over(1, sessions.EndAction)}, false},
		"the person has left": {[]command{threads.Leave{At: noon}}, false},
		"people have it":      {[]command{over(1, sessions.ToPeople)}, true},
		"another answers": {[]command{over(1, sessions.EndAction), asked("2", "again"),
			threads.Take{Number: 2, SessionID: "s-2", Turn: 1, At: noon}}, false},
	} {
		s := &story{T: t}
		s.when(opens("l-1"))
		s.when(asked("1", "hi"))
		s.when(take(1, 1))
		for _, b := range c.before {
			s.when(b)
		}
		require.Len(t, s.when(ends), map[bool]int{true: 1}[c.told], name)
		require.Empty(t, s.when(ends), "%s: once", name)
		if c.told {
			reply, _, _ := s.OnLine()
			require.Equal(t, channels.Ended, reply.State, name)
			require.True(t, s.TellsMore(channels.GoesOn), name)
		}
	}
}
