package deliveries_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var (
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	deadline = noon.Add(time.Hour)
)

// command is any of the package's commands.
type command interface {
	Decide(deliveries.State) ([]event.Payload, error)
}

func given(history ...event.Payload) deliveries.State { return deliveries.Deliveries.State(history...) }

func when(t *testing.T, s deliveries.State, c command) []event.Payload {
	t.Helper()
	events, err := c.Decide(s)
	require.NoError(t, err)
	return events
}

// thenWanted checks which attempt the stream wants next; number 0 is none.
func thenWanted(t *testing.T, s deliveries.State, id string, number int) {
	t.Helper()
	n := s.Head()
	require.Equal(t, number > 0, n.Attempt.Wanted())
	if number > 0 {
		require.Equal(t, id, n.ID)
		require.Equal(t, number, n.Attempt.Number)
	}
}

func enqueue(id string) deliveries.Enqueue {
	return deliveries.Enqueue{NoticeID: id, TenantID: "t1", ProjectID: "p1", URL: "https://example.com/hook",
		HeadersSealed: "sealed", Body: json.RawMessage(`{"status":"Answered"}`), QueuedAt: noon}
}

func enqueued(id string) deliveries.Enqueued {
	return deliveries.Enqueued{NoticeID: id, TenantID: "t1", ProjectID: "p1", URL: "https://example.com/hook",
		HeadersSealed: "sealed", Body: json.RawMessage(`{"status":"Answered"}`), QueuedAt: noon, Deadline: deadline}
}

func withSealedURL(e deliveries.Enqueued) deliveries.Enqueued {
	e.URLSealed = "sealed URL"
	return e
}

func failed(id string, attempt int, next time.Time) deliveries.AttemptFailed {
	return deliveries.AttemptFailed{NoticeID: id, Attempt: attempt, At: noon, Status: 500, Error: "status 500",
		NextAttempt: attempt + 1, NextAttemptAt: next}
}

func failing(id string, status int, f attempt.Failure) deliveries.RecordFailure {
	return deliveries.RecordFailure{NoticeID: id, Status: status, Failure: f}
}

func TestANoticeIsEnqueuedWithItsDeadline(t *testing.T) {
	require.Equal(t, []event.Payload{enqueued("n1")}, when(t, given(), enqueue("n1")))

	short := enqueue("n1")
	short.Limit = time.Minute
	e := when(t, given(), short)[0].(deliveries.Enqueued)
	require.Equal(t, noon.Add(time.Minute), e.Deadline)
}

func TestASealedURLGoesWithEveryAttempt(t *testing.T) {
	c := enqueue("n1")
	c.URLSealed = "sealed URL"
	events := when(t, given(), c)
	require.Equal(t, []event.Payload{withSealedURL(enqueued("n1"))}, events)
	again := []event.Payload{events[0], failed("n1", 1, noon), deliveries.AttemptDue{NoticeID: "n1", Attempt: 2, At: noon}}
	for _, history := range [][]event.Payload{events, again} {
		n := given(history...).Head()
		require.True(t, n.Attempt.Wanted())
		require.Equal(t, "https://example.com/hook", n.URL)
		require.Equal(t, "sealed URL", n.URLSealed)
	}
}

func TestTheBodyIsStoredAsItWillBeSent(t *testing.T) {
	c := enqueue("n1")
	c.Body = json.RawMessage("{ \"b\": 1,\n \"a\": \"<x>\" }")
	e := when(t, given(), c)[0].(deliveries.Enqueued)

	written, err := json.Marshal(e)
	require.NoError(t, err)
	read, err := deliveries.Deliveries.Decode("parley.deliveries.enqueued.v1", written)
	require.NoError(t, err)
	require.Equal(t, string(e.Body), string(read.(deliveries.Enqueued).Body))
	require.JSONEq(t, string(c.Body), string(e.Body))
}

func TestTheSameNoticeTwiceIsNothing(t *testing.T) {
	delivered := deliveries.Delivered{NoticeID: "n1", Attempt: 1, Status: 200, At: noon}
	require.Empty(t, when(t, given(enqueued("n1")), enqueue("n1")), "while it is queued")
	require.Empty(t, when(t, given(enqueued("n0"), enqueued("n1")), enqueue("n1")), "while it stands behind another")
	require.Empty(t, when(t, given(enqueued("n1"), delivered), enqueue("n1")), "after it is finished")
}

func TestANoticeThatCouldNeverBeSentIsRefused(t *testing.T) {
	for field, spoil := range map[string]func(*deliveries.Enqueue){
		"noticeId":  func(c *deliveries.Enqueue) { c.NoticeID = "a\r\nb" },
		"tenantId":  func(c *deliveries.Enqueue) { c.TenantID = "" },
		"projectId": func(c *deliveries.Enqueue) { c.ProjectID = "" },
		"url":       func(c *deliveries.Enqueue) { c.URL = "" },
		"url ":      func(c *deliveries.Enqueue) { c.URL += "?token=open" },
		"body":      func(c *deliveries.Enqueue) { c.Body = json.RawMessage(`{`) },
		"queuedAt":  func(c *deliveries.Enqueue) { c.QueuedAt = time.Time{} },
		"limit":     func(c *deliveries.Enqueue) { c.Limit = -1 },
	} {
		c := enqueue("n1")
		spoil(&c)
		_, err := c.Decide(given())
		require.Equal(t, []string{strings.TrimSpace(field)}, faulttest.Fields(t, err))
	}
	large := enqueue("n1")
	large.Body = json.RawMessage(`"` + strings.Repeat("x", deliveries.MaxBody) + `"`)
	_, err := large.Decide(given())
	require.True(t, fault.Is(err, fault.Validation))
}

func TestNoticesGoOneAtATimeInOrder(t *testing.T) {
	s := given(enqueued("n1"), enqueued("n2"))
	thenWanted(t, s, "n1", 1)
	require.Empty(t, when(t, s, deliveries.RecordSuccess{NoticeID: "n2", Attempt: 1, Status: 200, At: noon}), "not its turn")

	done := when(t, s, deliveries.RecordSuccess{NoticeID: "n1", Attempt: 1, Status: 204, At: noon})
	require.Equal(t, []event.Payload{deliveries.Delivered{NoticeID: "n1", Attempt: 1, Status: 204, At: noon}}, done)
	deliveries.Deliveries.Fold(&s, done[0])
	thenWanted(t, s, "n2", 1)
}

func TestAFailedAttemptWaitsForItsTimer(t *testing.T) {
	s := given(enqueued("n1"), enqueued("n2"))
	got := when(t, s, failing("n1", 500, attempt.Failure{Number: 1, At: noon, Reason: "status 500", Pause: 3 * time.Second}))
	require.Equal(t, []event.Payload{failed("n1", 1, noon.Add(3*time.Second))}, got)

	deliveries.Deliveries.Fold(&s, got[0])
	thenWanted(t, s, "", 0)
}

func TestTheDelayIsKeptWithinBounds(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{
		-time.Hour: deliveries.MinDelay, 0: deliveries.MinDelay, time.Minute: time.Minute, 24 * time.Hour: deliveries.MaxDelay,
	} {
		got := when(t, given(enqueued("n1")), failing("n1", 0, attempt.Failure{Number: 1, At: noon, Pause: delay}))
		require.Equal(t, noon.Add(want), got[0].(deliveries.AttemptFailed).NextAttemptAt, delay)
	}
}

func TestATimerMakesTheNextAttemptDueAndNeverEarly(t *testing.T) {
	next := noon.Add(3 * time.Second)
	s := given(enqueued("n1"), failed("n1", 1, next))
	require.Empty(t, when(t, s, deliveries.Wake{At: next.Add(-1)}), "early")

	due := when(t, s, deliveries.Wake{At: next})
	require.Equal(t, []event.Payload{deliveries.AttemptDue{NoticeID: "n1", Attempt: 2, At: next}}, due)
	deliveries.Deliveries.Fold(&s, due[0])
	thenWanted(t, s, "n1", 2)
	require.Empty(t, when(t, s, deliveries.Wake{At: next}), "a second time")
}

func TestAnOutcomeOfAnOldAttemptChangesNothing(t *testing.T) {
	next := noon.Add(time.Second)
	waiting := given(enqueued("n1"), failed("n1", 1, next))
	tried := given(enqueued("n1"), failed("n1", 1, next), deliveries.AttemptDue{NoticeID: "n1", Attempt: 2, At: next})
	finished := given(enqueued("n1"), deliveries.Delivered{NoticeID: "n1", Attempt: 1, Status: 200, At: noon})
	for name, s := range map[string]deliveries.State{"waiting": waiting, "at the next attempt": tried, "finished": finished} {
		for _, c := range []command{
			deliveries.RecordSuccess{NoticeID: "n1", Attempt: 1, Status: 200, At: next},
			failing("n1", 500, attempt.Failure{Number: 1, At: next}),
			failing("n1", 400, attempt.Failure{Number: 1, At: next, Final: true}),
		} {
			require.Empty(t, when(t, s, c), name)
		}
	}
	require.Empty(t, when(t, waiting, deliveries.RecordSuccess{NoticeID: "n1", Attempt: 2, Status: 200, At: next}),
		"of an attempt not yet due")
}

func TestAFinalAnswerEndsTheNoticeAndTheNextGoes(t *testing.T) {
	s := given(enqueued("n1"), enqueued("n2"))
	got := when(t, s, failing("n1", 302, attempt.Failure{Number: 1, At: noon, Reason: "status 302", Final: true}))
	require.Equal(t, []event.Payload{deliveries.Undelivered{NoticeID: "n1", Attempts: 1, At: noon, Status: 302,
		Error: "status 302", Reason: deliveries.ReasonFinal}}, got)
	deliveries.Deliveries.Fold(&s, got[0])
	thenWanted(t, s, "n2", 1)
}

func TestNoAttemptIsPlannedPastTheDeadline(t *testing.T) {
	fail := failing("n1", 503, attempt.Failure{Number: 1, At: deadline.Add(-time.Minute)})

	fail.Pause = time.Minute
	require.Equal(t, deadline, when(t, given(enqueued("n1")), fail)[0].(deliveries.AttemptFailed).NextAttemptAt,
		"exactly at the deadline is in time")

	fail.Pause = time.Minute + 1
	require.Equal(t, []event.Payload{deliveries.Undelivered{NoticeID: "n1", Attempts: 1, At: fail.At, Status: 503,
		Reason: deliveries.ReasonDeadline}}, when(t, given(enqueued("n1")), fail))
}

func TestANoticeWhoseDeadlinePassedUntriedIsGivenUp(t *testing.T) {
	late := deadline.Add(1)
	gone := func(attempts int) []event.Payload {
		return []event.Payload{deliveries.Undelivered{NoticeID: "n1", Attempts: attempts, At: late, Reason: deliveries.ReasonDeadline}}
	}
	queued := given(enqueued("n1"), enqueued("n2"))
	require.Empty(t, when(t, queued, deliveries.GiveUp{NoticeID: "n1", At: deadline}), "not before it has passed")
	require.Empty(t, when(t, queued, deliveries.GiveUp{NoticeID: "n2", At: late}), "not its turn")
	require.Equal(t, gone(0), when(t, queued, deliveries.GiveUp{NoticeID: "n1", At: late}))

	waiting := given(enqueued("n1"), failed("n1", 1, noon.Add(time.Second)))
	require.Equal(t, gone(1), when(t, waiting, deliveries.Wake{At: late}), "a timer that fires too late")
}

func TestErrorTextsAreShortAndOnOneLine(t *testing.T) {
	got := when(t, given(enqueued("n1")), failing("n1", 0, attempt.Failure{Number: 1, At: noon,
		Reason: "a\r\nb\xff" + strings.Repeat("ü", 500), Final: true}))
	text := got[0].(deliveries.Undelivered).Error
	require.Len(t, []rune(text), 200)
	require.True(t, strings.HasPrefix(text, "a  b?ü"))
}

func TestAFinishedNoticeLeavesNoMoreThanItsID(t *testing.T) {
	s := given(enqueued("n1"), deliveries.Delivered{NoticeID: "n1", Attempt: 1, Status: 200, At: noon})
	require.Equal(t, deliveries.State{Queue: []deliveries.Notice{}, Finished: map[string]bool{"n1": true}}, s)
}

// Whatever arrives in whatever order, notices finish in the order in which they
// were enqueued, each once, and attempts count 1, 2, 3 without a gap.
func TestAnyCommandsKeepTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s deliveries.State
		var order, ended []string
		attempts := map[string]int{}
		id := rapid.SampledFrom([]string{"n1", "n2", "n3"})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n, at := id.Draw(t, "notice"), noon.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "second"))*time.Second)
			number := rapid.IntRange(1, 3).Draw(t, "attempt")
			c := rapid.SampledFrom([]command{
				enqueue(n), deliveries.RecordSuccess{NoticeID: n, Attempt: number, Status: 200, At: at},
				failing(n, 500, attempt.Failure{Number: number, At: at}),
				deliveries.Wake{At: at}, deliveries.GiveUp{NoticeID: n, At: at},
			}).Draw(t, "command")
			events, err := c.Decide(s)
			require.NoError(t, err)
			for _, e := range events {
				switch e := e.(type) {
				case deliveries.Enqueued:
					order = append(order, e.NoticeID)
				case deliveries.AttemptFailed:
					require.Equal(t, attempts[e.NoticeID]+1, e.Attempt)
					attempts[e.NoticeID] = e.Attempt
				case deliveries.Delivered:
					require.Equal(t, attempts[e.NoticeID]+1, e.Attempt)
					ended = append(ended, e.NoticeID)
				case deliveries.Undelivered:
					ended = append(ended, e.NoticeID)
				}
				deliveries.Deliveries.Fold(&s, e)
			}
			require.True(t, slices.Equal(order[:len(ended)], ended), "%v of %v", ended, order)
			require.Len(t, s.Queue, len(order)-len(ended))
		}
	})
}
