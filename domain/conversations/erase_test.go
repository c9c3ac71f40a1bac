package conversations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
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
