package conversations_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a summary in the making, when a participant is to be erased, then it is not taken.
func TestASummaryOfWhoIsErasedIsNotTaken(t *testing.T) {
	forget := conversations.Forget{At: noon}
	require.Empty(t, after(t, in("NA", "a1")).happens(t, forget.Decide), "none was asked for")
	w := after(t, in("NA", "a1"), out("NA", "a1"), summary("post"))
	require.Equal(t, []event.Payload{conversations.SummaryFailed{Number: 1, Attempts: 1, Error: "a participant was erased", At: noon}},
		w.happens(t, forget.Decide))
	require.Empty(t, w.happens(t, conversations.RecordSummary{Number: 1, Attempt: 1,
		SummaryMade: conversations.SummaryMade{Text: "Ann wants her money back"}, At: noon}.Decide))
	require.Empty(t, w.happens(t, forget.Decide), "once")
}

// Given a conversation of which all is erased, then nobody sums it up again; of what is said later somebody may.
func TestWhatIsErasedIsNotSummedUpAgain(t *testing.T) {
	again := conversations.SummarizeAgain{At: noon}
	was := func(erased bool) conversations.State {
		s := conversations.State{Messages: 2, Summary: conversations.Summary{Number: 1, Status: conversations.SummaryDone}}
		if erased {
			conversations.Erased{}.Apply(&s)
		}
		return s
	}
	_, err := again.Decide(was(true))
	require.Equal(t, fault.Gone, fault.CodeOf(err))
	later := was(true)
	later.Messages++
	for name, s := range map[string]conversations.State{"nothing is erased": was(false), "something was said behind it": later} {
		made, err := again.Decide(s)
		require.NoError(t, err, name)
		require.Len(t, made, 1, name)
	}
}

// Given a conversation whose call is forgotten before it, then it keeps whose it is, once, and is not younger for it; when the
// person is erased it knows nobody any more.
func TestAConversationThatOutlivesItsCallKeepsWhoseItIs(t *testing.T) {
	keep := conversations.Attribute{Persons: []string{"p1", "p2"}, At: noon.Add(time.Hour)}
	none, err := keep.Decide(conversations.State{})
	require.NoError(t, err)
	require.Empty(t, none, "there is no such conversation")
	w := after(t, in("NA", "a1"))
	last := w.state().LastAt
	require.Equal(t, []event.Payload{conversations.Attributed{Persons: []string{"p1", "p2"}, At: noon.Add(time.Hour)}},
		w.happens(t, keep.Decide))
	require.Equal(t, last, w.state().LastAt)
	require.Empty(t, w.happens(t, keep.Decide))
	keep.Persons = []string{"p2", "p3"}
	require.Equal(t, []event.Payload{conversations.Attributed{Persons: []string{"p3"}, At: noon.Add(time.Hour)}}, w.happens(t, keep.Decide))
	s := w.state()
	conversations.Erased{}.Apply(&s)
	require.Empty(t, s.Persons)
}

// Given a call that was forgotten, then nothing more is noted about it, but where its conversation keeps whose it is.
func TestNothingIsNotedAboutACallThatWasForgotten(t *testing.T) {
	note := conversations.Note{AgentNotes: ptr([]string{"kind"}), At: noon,
		Call: &conversations.Call{TenantID: "acme", ProjectID: "bot", CallID: "1", At: noon, Forgotten: true}}
	_, err := note.Decide(conversations.State{})
	require.True(t, fault.Is(err, fault.Gone))
	note.SessionID = "a b"
	_, err = note.Decide(conversations.State{})
	require.True(t, fault.Is(err, fault.Validation), "fields are looked at before")
	note.SessionID = ""
	noted := conversations.State{ID: "1", Phase: conversations.Waiting, Origin: conversations.ByCall}
	_, err = note.Decide(noted)
	require.True(t, fault.Is(err, fault.Gone), "who was called was erased with all that was noted")
	noted.Persons = []string{"p1"}
	out, err := note.Decide(noted)
	require.NoError(t, err)
	require.Len(t, out, 1)
	_, err = note.Decide(conversations.State{ID: "1", Phase: conversations.Closing, Origin: conversations.ByHook})
	require.NoError(t, err, "agents were in it, and tell of it")
}
