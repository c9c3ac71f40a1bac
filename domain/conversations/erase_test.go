package conversations_test

import (
	"testing"

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
