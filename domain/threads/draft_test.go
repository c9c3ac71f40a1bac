package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
)

func (s *story) begins(session, after string) (out threads.DraftBegun, is bool) {
	s.Helper()
	all := s.when(threads.BeginDraft{SessionID: session, Turn: 1, After: after, At: noon})
	if len(all) == 0 {
		return out, false
	}
	return all[0].(threads.DraftBegun), true
}

func queues(session, message string) threads.Queue {
	return threads.Queue{SessionID: session, Turn: 1, MessageID: message, Text: "the whole of it", Limits: plain, At: noon}
}

// Given a reply that is shown while it is being said, then the reply takes the place of what was shown:
// its first part, in each attempt, once.
func TestAReplyTakesThePlaceOfItsDraft(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	draft, is := s.begins("s-1", "")
	require.True(t, is)
	require.Equal(t, []any{1, "U1", "s-1/1/1"}, []any{draft.Reply, draft.To, draft.Reference})
	_, is = s.begins("s-1", "")
	require.False(t, is, "whoever takes over shows nothing")
	s.when(threads.ShowDraft{Reply: 1, ProviderMessageID: "1.1", At: noon})
	require.Empty(t, s.when(threads.ShowDraft{Reply: 1, ProviderMessageID: "1.2", At: noon}))
	cut := queues("s-1", "m-1")
	cut.Limits.Text = 8
	s.when(cut)
	require.Equal(t, channels.Shown{Reference: "s-1/1/1", ID: "1.1"}, s.Outbound().Shown)
	require.Zero(t, s.Draft)
	s.given(threads.PartSent{Reply: 1, At: noon})
	require.Zero(t, s.Outbound().Shown, "the next part is a message of its own")
	s.when(queues("s-1", "m-2"))
	require.Nil(t, s.Replies[1].Shown, "once")
}

// Given who showed it died before it was noted what the provider calls it, then the reply knows that
// something may stand there.
func TestADraftOfWhichNobodyKnows(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.begins("s-1", "")
	s.when(queues("s-1", "m-1"))
	require.Equal(t, channels.Shown{Reference: "s-1/1/1"}, s.Outbound().Shown)
}

// Given something that goes out before it, or nobody to show it to, then no draft begins.
func TestWhereNoDraftBegins(t *testing.T) {
	s := &story{T: t}
	_, is := s.begins("s-1", "")
	require.False(t, is, "nobody is there")
	s.when(says("1", "hi"))
	_, is = s.begins("s-1", "m-1")
	require.False(t, is, "what was said before is not here yet")
	s.when(queues("s-1", "m-1"))
	_, is = s.begins("s-1", "m-1")
	require.False(t, is, "it has not gone out yet")
	s.when(threads.Start{Claim: attempt.Claim{ID: "a-1", At: noon, LeaseUntil: noon}})
	s.when(threads.Record{ID: "a-1", Outcome: channels.Outcome{Status: channels.Taken}, At: noon})
	_, is = s.begins("s-1", "m-1")
	require.True(t, is)
	_, is = s.begins("s-2", "m-1")
	require.True(t, is, "another session begins one of its own")
	s.when(queues("s-1", "m-2"))
	require.Nil(t, s.Replies[0].Shown, "what it shows is of another one")
	s.begins("s-2", "")
	s.given(threads.Opted{Out: true})
	_, is = s.begins("s-3", "")
	require.False(t, is, "who wants no replies")
}

// Given a draft that becomes no reply, then the next reply is a message of its own.
func TestADraftThatIsDropped(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.begins("s-1", "")
	s.when(threads.DropDraft{Reply: 1, At: noon})
	require.Empty(t, s.when(threads.DropDraft{Reply: 1, At: noon}))
	require.Empty(t, s.when(threads.ShowDraft{Reply: 1, ProviderMessageID: "1.1", At: noon}))
	s.when(queues("s-1", "m-1"))
	require.Nil(t, s.Replies[0].Shown)
}

// Given a reply that goes elsewhere than what was shown of it, then it is a message of its own there.
func TestADraftThatStandsElsewhere(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.begins("s-1", "")
	moved := says("2", "here now")
	moved.Entry.ReplyTo = "C2"
	s.when(moved)
	got := s.when(queues("s-1", "m-1"))[0].(threads.Queued)
	require.Equal(t, "C2", got.To)
	require.Nil(t, got.Shown)
}
