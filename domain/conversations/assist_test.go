package conversations_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
)

// asking is a conversation in which the user has said so many things that ask the assisting agent.
func asking(t *testing.T, messages int) *talk {
	t.Helper()
	w := after(t, in("NA", "a1"))
	for i := range messages {
		m := message("USER")
		m.At = noon.Add(time.Duration(i) * time.Minute)
		w.happens(t, m.Decide)
	}
	return w
}

func answer(number int) conversations.AnswerAssist {
	return conversations.AnswerAssist{Number: number, Agent: "helper", SessionID: "s-1", Session: 1, Text: "Say hello.", At: noon}
}

// Given messages that ask the assisting agent, then each has one suggestion, or a reason why there
// is none; the oldest is next.
func TestEachMessageHasOneSuggestion(t *testing.T) {
	w := asking(t, 3)
	next, ok := w.state().Next()
	require.True(t, ok)
	require.Equal(t, conversations.Asked{Number: 1, At: noon}, next)
	require.Equal(t, []event.Payload{conversations.AssistAnswered{Number: 1, Agent: "helper", SessionID: "s-1", Session: 1,
		Text: "Say hello.", Waiting: 2, At: noon}}, w.happens(t, answer(1).Decide))
	require.Empty(t, w.happens(t, answer(1).Decide), "once")
	require.Empty(t, w.happens(t, conversations.FailAssist{Number: 1, Code: "LATE", At: noon}.Decide))
	require.Empty(t, w.happens(t, answer(9).Decide), "nobody has asked")

	long := strings.Repeat("x", conversations.MaxText+1)
	got := w.happens(t, conversations.FailAssist{Number: 2, Code: "STEP_LIMIT", Problem: long + "\n", SessionID: "s-2", Session: 2,
		At: noon}.Decide)
	require.Equal(t, []event.Payload{conversations.AssistFailed{Number: 2, Code: "STEP_LIMIT", Problem: long[1:], SessionID: "s-2",
		Session: 2, Waiting: 1, At: noon}}, got)
	require.Equal(t, 2, w.state().AssistedBy)
	w.happens(t, answer(3).Decide)
	_, ok = w.state().Next()
	require.False(t, ok)
	require.Equal(t, 2, w.state().AssistedBy, "an older session does not come again")
}

// Only a user's message with sendUserMessage asks, and no more than MostAsked wait.
func TestWhoAsksTheAssistingAgent(t *testing.T) {
	w := asking(t, 0)
	no := false
	quiet := message("USER")
	quiet.SendUserMessage = &no
	w.happens(t, quiet.Decide)
	w.happens(t, message("AGENT").Decide)
	require.Empty(t, w.state().Asked)

	w = asking(t, conversations.MostAsked)
	got := w.happens(t, message("USER").Decide)
	require.Equal(t, conversations.AssistFailed{Number: conversations.MostAsked + 1, Code: conversations.AssistTooMany,
		Waiting: conversations.MostAsked, At: noon}, got[1])
	require.Len(t, w.state().Asked, conversations.MostAsked)
}

// Given suggestions that do not come, then they are given up one by one, and not before.
func TestWhatWaitsForTooLongIsGivenUp(t *testing.T) {
	w := asking(t, 3) // each a minute after the other
	expire := conversations.ExpireAssist{At: noon.Add(conversations.AssistWithin - 1)}
	require.Empty(t, w.happens(t, expire.Decide))
	expire.At = noon.Add(conversations.AssistWithin + time.Minute)
	require.Equal(t, []event.Payload{
		conversations.AssistFailed{Number: 1, Code: conversations.AssistTimeout, Waiting: 2, At: expire.At},
		conversations.AssistFailed{Number: 2, Code: conversations.AssistTimeout, Waiting: 1, At: expire.At},
	}, w.happens(t, expire.Decide))
	require.Empty(t, w.happens(t, expire.Decide))
	require.Empty(t, w.happens(t, answer(1).Decide), "it comes too late")
}

// Given a conversation that ends, or whose participant is to be erased, then nothing waits any more.
func TestNothingIsSuggestedBehindTheEnd(t *testing.T) {
	codes := func(all []event.Payload) (out []string) {
		for _, p := range all {
			if e, is := p.(conversations.AssistFailed); is {
				out = append(out, e.Code)
			}
		}
		return out
	}
	w := asking(t, 2)
	got, err := w.tell(out("NA", "a1"), ended())
	require.NoError(t, err)
	require.Equal(t, []string{conversations.AssistEnded, conversations.AssistEnded}, codes(got))
	require.IsType(t, conversations.ConversationEnded{}, got[len(got)-1])
	require.Empty(t, w.happens(t, answer(1).Decide))

	w = asking(t, 2)
	require.Equal(t, []string{conversations.AssistErased, conversations.AssistErased},
		codes(w.happens(t, conversations.Forget{At: noon}.Decide)))
	require.Empty(t, w.state().Asked)
	require.Empty(t, w.happens(t, conversations.Forget{At: noon}.Decide))
}

// What a state has of its messages is its own: folding on changes no other.
func TestAStateKeepsWhatItsMessagesAsk(t *testing.T) {
	w := asking(t, 2)
	s := w.state()
	was := slices.Clone(s.Asked)
	for _, e := range []event.Payload{conversations.AssistAnswered{Number: 1}, conversations.MessageReceived{Number: 3,
		Author: conversations.User, SendUserMessage: true}} {
		own := s
		conversations.Conversations.Fold(&own, e)
	}
	require.Equal(t, was, s.Asked)
}
