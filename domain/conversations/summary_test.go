package conversations_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func (w *talk) happens(t *testing.T, decide func(conversations.State) ([]event.Payload, error)) []event.Payload {
	t.Helper()
	out, err := decide(w.state())
	require.NoError(t, err)
	w.past = append(w.past, out...)
	return out
}

func failing(number int, f attempt.Failure) conversations.RecordSummaryFailure {
	return conversations.RecordSummaryFailure{Number: number, Failure: f}
}

func TestASummaryIsMadeOnce(t *testing.T) {
	w := after(t, in("NA", "a1"))
	w.happens(t, message("USER").Decide)
	_, _ = w.tell(out("NA", "a1"))
	got, err := w.tell(summary("post"))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{conversations.SummaryAsked{Number: 1, Language: "English", Locale: "en", Type: "post", Messages: 1,
		At: noon}}, got)
	record := conversations.RecordSummary{Number: 1, Attempt: 1, At: noon,
		SummaryMade: conversations.SummaryMade{Text: strings.Repeat("é", conversations.MaxSummary+1), Provider: "local"}}
	made := w.happens(t, record.Decide)
	require.Equal(t, []event.Payload{conversations.Summarized{Number: 1, Text: strings.Repeat("é", conversations.MaxSummary),
		Provider: "local", At: noon}}, made)
	require.Empty(t, w.happens(t, record.Decide), "recorded twice")
	require.Empty(t, w.happens(t, failing(1, attempt.Failure{Number: 1, At: noon}).Decide), "a failure that comes late")
	got, err = w.tell(summary("post"))
	require.NoError(t, err)
	require.Empty(t, got, "a repeat")
	got, err = w.tell(summary("brief"))
	require.NoError(t, err)
	require.Equal(t, 2, got[0].(conversations.SummaryAsked).Number, "another kind is another summary")
	require.Empty(t, w.happens(t, record.Decide), "of the summary before")
}

func TestASummaryThatFailsIsTriedAgainAndThenGivenUp(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"), summary("post"))
	now, attempts := noon, 0
	for ; attempts < 100; attempts++ { // a provider that is away for an hour
		number := attempts + 1
		decide := failing(1, attempt.Failure{Number: number, Reason: "away\n", Pause: time.Hour, At: now}).Decide
		failed := w.happens(t, decide)
		if now.Equal(noon.Add(conversations.SummaryFor)) {
			require.Equal(t, []event.Payload{conversations.SummaryFailed{Number: 1, Attempts: number, Error: "away ", At: now}}, failed)
			break
		}
		next := now.Add(conversations.MaxSummaryDelay)
		require.Equal(t, []event.Payload{conversations.SummaryAttemptFailed{Number: 1, Attempt: number, Error: "away ", NextAttempt: number + 1,
			NextAttemptAt: next, At: now}}, failed)
		require.False(t, w.state().Summary.Attempt.Wanted(), "it waits")
		require.Empty(t, w.happens(t, conversations.WakeSummary{At: next.Add(-1)}.Decide), "not yet")
		require.Len(t, w.happens(t, conversations.WakeSummary{At: next}.Decide), 1)
		require.Empty(t, w.happens(t, conversations.WakeSummary{At: next}.Decide), "a timer that fires twice")
		now = next
	}
	require.Equal(t, 6, attempts, "every ten minutes of an hour, and at its beginning")
	got, err := w.tell(summary("post"))
	require.NoError(t, err)
	require.Equal(t, 2, got[0].(conversations.SummaryAsked).Number, "one that failed can be asked for again")
	final := w.happens(t, failing(2, attempt.Failure{Number: 1, Reason: "refused", Final: true, At: noon}).Decide)
	require.IsType(t, conversations.SummaryFailed{}, final[0], "what cannot succeed is not tried again")
}

func TestWhenASummaryMayBeTriggered(t *testing.T) {
	for name, events := range map[string][]conversations.Told{
		"before anybody came": {}, "while an agent is there": {in("NA", "a1")}, "during a transfer": {in("NA", "a1"), out("COLD", "a1")},
	} {
		_, err := after(t, events...).tell(summary("post"))
		require.True(t, fault.Is(err, fault.Validation), name)
	}
	w := after(t, in("NA", "a1"), out("NA", "a1"), summary("post"), in("redial", "a1"), out("NA", "a1"))
	got, err := w.tell(summary("post"))
	require.NoError(t, err)
	require.Len(t, got, 1, "after a redial there is more to sum up")
	for range conversations.MaxSummaries - 2 {
		_, err = w.tell(in("redial", "a1"), out("NA", "a1"), summary("post"))
		require.NoError(t, err)
	}
	_, err = w.tell(in("redial", "a1"), out("NA", "a1"), summary("post"))
	require.True(t, fault.Is(err, fault.LimitReached))
}

func TestASummaryIsMadeAfterTheEndToo(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"), summary("post"), ended())
	record := conversations.RecordSummary{Number: 1, Attempt: 1, SummaryMade: conversations.SummaryMade{Text: "x", Provider: "local"},
		At: noon}
	require.Len(t, w.happens(t, record.Decide), 1)
}

func TestASummaryIsAskedForAgain(t *testing.T) {
	w := after(t, in("NA", "a1"))
	again := conversations.SummarizeAgain{At: noon}
	refused := func(code fault.Code, why string) {
		t.Helper()
		_, err := again.Decide(w.state())
		require.True(t, fault.Is(err, code), "%v", err)
		require.ErrorContains(t, err, why)
	}
	refused(fault.Conflict, "no summary")
	_, _ = w.tell(out("NA", "a1"))
	_, err := w.tell(summary("post"))
	require.NoError(t, err)
	refused(fault.Conflict, "under way")
	failed := failing(1, attempt.Failure{Number: 1, Reason: "away", Pause: time.Minute, At: noon})
	w.happens(t, failed.Decide)
	refused(fault.Conflict, "under way")
	w.happens(t, conversations.WakeSummary{At: noon.Add(time.Minute)}.Decide)
	w.happens(t, failing(1, attempt.Failure{Number: 2, Reason: "no", Final: true, At: noon.Add(time.Minute)}).Decide)
	for number := 2; number <= conversations.MaxSummaries; number++ { // one that failed, then those that were made
		require.Equal(t, []event.Payload{conversations.SummaryAsked{Number: number, Language: "English", Locale: "en", Type: "post", At: noon}},
			w.happens(t, again.Decide))
		done := conversations.RecordSummary{Number: number, Attempt: 1, SummaryMade: conversations.SummaryMade{Text: "Done."}, At: noon}
		require.Len(t, w.happens(t, done.Decide), 1)
	}
	refused(fault.LimitReached, "at most")
}
