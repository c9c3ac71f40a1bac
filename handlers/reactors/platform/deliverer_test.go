package platform_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

func TestNoticesOfAStreamAreSentInOrder(t *testing.T) {
	w := newWorld(t)
	w.enqueue(t, "n1", "n2", "n3", "n4")
	w.settle(t, w.sender())
	require.Equal(t, []string{"n1/1", "n2/1", "n3/1", "n4/1"}, w.sent())
	require.Equal(t, []string{"n1 delivered 1", "n2 delivered 1", "n3 delivered 1", "n4 delivered 1"}, w.outcomes())
}

func TestAnAttemptCarriesWhatTheNoticeHolds(t *testing.T) {
	w := newWorld(t)
	w.enqueue(t, "n1")
	w.settle(t, w.sender())
	require.Equal(t, []deliveries.Post{{URL: "https://receiver.example/hook", Headers: map[string]string{"X-Opened": "sealed"},
		Body: []byte(`{"notice":"n1"}`), Secrets: [][]byte{[]byte("s1")}, DeliveryID: "n1", Attempt: 1}}, w.posts)
}

func TestASealedURLIsOpenedForTheAttemptOnly(t *testing.T) {
	w := newWorld(t)
	secret := deliveries.Enqueue{NoticeID: "n1", TenantID: "t1", ProjectID: "p1", URL: "https://receiver.example/hook", URLSealed: "token",
		Body: []byte(`{}`), QueuedAt: start}
	w.do(subject, secret.Decide)
	w.settle(t, w.sender())
	require.Equal(t, "https://receiver.example/hook?token", w.posts[0].URL)
	require.Equal(t, []string{"n1 delivered 1"}, w.outcomes())
}

func TestASealedURLThatDoesNotOpenIsAFailedAttempt(t *testing.T) {
	w := newWorld(t)
	w.openURL = func(string, string) (string, error) { return "", errors.New("wrong key") }
	secret := deliveries.Enqueue{NoticeID: "n1", TenantID: "t1", ProjectID: "p1", URL: "https://receiver.example/hook", URLSealed: "token",
		Body: []byte(`{}`), QueuedAt: start}
	w.do(subject, secret.Decide)
	require.NoError(t, w.sender().Changed(t.Context(), subject))
	require.Empty(t, w.sent(), "nothing goes to the URL without its query")
	require.Equal(t, "the notice's URL cannot be opened", w.history()[1].(deliveries.AttemptFailed).Error)
}

func TestA500ForAWhileHoldsTheRestUntilItIsOver(t *testing.T) {
	w := newWorld(t)
	w.receive = func(deliveries.Post) deliveries.Answer {
		if w.clock().Before(start.Add(time.Minute)) {
			return answer5
		}
		return deliveries.Answer{Status: 200}
	}
	w.enqueue(t, "n1", "n2")
	w.settle(t, w.sender())

	sent := w.sent()
	last := len(sent) - 2
	require.Greater(t, last, 2)
	for i := range last + 1 {
		require.Equal(t, fmt.Sprintf("n1/%d", i+1), sent[i])
	}
	require.Equal(t, "n2/1", sent[last+1])
	require.Equal(t, []string{fmt.Sprintf("n1 delivered %d", last+1), "n2 delivered 1"}, w.outcomes())
}

func TestAnHourOf500EndsTheNoticeAndTheNextGoes(t *testing.T) {
	w := newWorld(t)
	w.receive = func(p deliveries.Post) deliveries.Answer {
		if p.DeliveryID == "n1" {
			return answer5
		}
		return deliveries.Answer{Status: 200}
	}
	w.enqueue(t, "n1", "n2")
	w.settle(t, w.sender())
	require.Equal(t, []string{"n1 undelivered deadline", "n2 delivered 1"}, w.outcomes())
	require.LessOrEqual(t, w.now, start.Add(time.Hour), "no attempt starts past the deadline")
	require.Greater(t, w.now, start.Add(50*time.Minute), "nor is the hour cut short")
}

func TestAFinalAnswerEndsTheNoticeAtOnce(t *testing.T) {
	w := newWorld(t)
	w.receive = func(deliveries.Post) deliveries.Answer { return answer4 }
	w.enqueue(t, "n1", "n2")
	w.settle(t, w.sender())
	require.Equal(t, []string{"n1/1", "n2/1"}, w.sent())
	require.Equal(t, []string{"n1 undelivered final", "n2 undelivered final"}, w.outcomes())
}

func TestNoticesWhoseHourPassedUntriedAreGivenUp(t *testing.T) {
	w := newWorld(t)
	w.enqueue(t, "n1", "n2")
	w.now = w.now.Add(time.Hour + time.Second)
	w.enqueue(t, "n3")
	w.settle(t, w.sender())
	require.Equal(t, []string{"n3/1"}, w.sent())
	require.Equal(t, []string{"n1 undelivered deadline", "n2 undelivered deadline", "n3 delivered 1"}, w.outcomes())
}

func TestRetryAfterIsALeastPause(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{2 * time.Minute: 2 * time.Minute, 50 * time.Minute: deliveries.MaxDelay} {
		w := newWorld(t)
		w.receive = func(deliveries.Post) deliveries.Answer {
			return deliveries.Answer{Status: 429, Retryable: true, RetryAfter: asked, Err: errors.New("status 429")}
		}
		w.enqueue(t, "n1")
		require.NoError(t, w.sender().Changed(t.Context(), subject))
		w.hear()
		require.Equal(t, start.Add(want), w.timers[0].NextAttemptAt)
	}
}

func TestARestartBetweenTheAttemptAndItsRecordRepeatsTheAttempt(t *testing.T) {
	w := newWorld(t)
	w.enqueue(t, "n1", "n2")
	w.away(true)
	require.ErrorIs(t, w.sender().Changed(t.Context(), subject), errAway)
	w.away(false)
	w.settle(t, w.sender()) // another process
	require.Equal(t, []string{"n1/1", "n1/1", "n2/1"}, w.sent(), "the same delivery id and number")
	require.Equal(t, []string{"n1 delivered 1", "n2 delivered 1"}, w.outcomes())
}

func TestAStoreThatIsAwayDoesNotMakeUsSendAgain(t *testing.T) {
	w := newWorld(t)
	s := w.sender()
	w.enqueue(t, "n1")
	w.away(true)
	for range 5 {
		require.ErrorIs(t, s.Changed(t.Context(), subject), errAway)
	}
	w.away(false)
	w.now = w.now.Add(2 * time.Hour)
	w.settle(t, s)
	require.Equal(t, []string{"n1/1"}, w.sent())
	require.Equal(t, []string{"n1 delivered 1"}, w.outcomes())
	require.Equal(t, start, w.history()[1].(deliveries.Delivered).At, "when it was, not when it could be written")
}

func TestRepeatedMessagesSendNothingTwice(t *testing.T) {
	w := newWorld(t)
	s := w.sender()
	w.enqueue(t, "n1")
	w.settle(t, s)
	for range 3 {
		require.NoError(t, s.Changed(t.Context(), subject))
	}
	require.Equal(t, []string{"n1/1"}, w.sent())
}

func TestMessagesOfOneStreamAtOnceGoOneAfterTheOther(t *testing.T) {
	w := newWorld(t)
	s := w.sender()
	arrived, goOn := make(chan struct{}, 8), make(chan struct{})
	w.receive = func(deliveries.Post) deliveries.Answer {
		arrived <- struct{}{}
		<-goOn
		return deliveries.Answer{Status: 200}
	}
	w.enqueue(t, "n1")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { require.NoError(t, s.Changed(context.Background(), subject)) })
	}
	<-arrived
	close(goOn)
	all.Wait()
	require.Equal(t, []string{"n1/1"}, w.sent())
}

func TestASlowReceiverHoldsItsOwnStreamOnly(t *testing.T) {
	w := newWorld(t)
	s := w.sender()
	arrived, goOn := make(chan struct{}), make(chan struct{})
	w.receive = func(p deliveries.Post) deliveries.Answer {
		if p.DeliveryID == "slow" {
			close(arrived)
			<-goOn
		}
		return deliveries.Answer{Status: 200}
	}
	w.enqueue(t, "slow")
	other := deliveries.Enqueue{NoticeID: "quick", TenantID: "t1", ProjectID: "p1", URL: "https://r.example", Body: []byte(`{}`),
		QueuedAt: start}
	w.do("delivery-call-2", other.Decide)
	var slow sync.WaitGroup
	slow.Go(func() { require.NoError(t, s.Changed(context.Background(), subject)) })
	<-arrived
	require.NoError(t, s.Changed(t.Context(), "delivery-call-2"))

	waiting, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Changed(waiting, subject), context.Canceled, "who waits for the stream can leave")
	close(goOn)
	slow.Wait()
	require.Equal(t, []string{"slow/1", "quick/1"}, w.sent())
}

func TestAnAttemptCutShortByOurOwnEndIsNotTheReceiversFault(t *testing.T) {
	w := newWorld(t)
	w.enqueue(t, "n1")
	ctx, cancel := context.WithCancel(t.Context())
	w.receive = func(deliveries.Post) deliveries.Answer {
		cancel()
		return deliveries.Answer{Retryable: true, Err: errors.New("the attempt was cancelled")}
	}
	require.ErrorIs(t, w.sender().Changed(ctx, subject), context.Canceled)
	require.Len(t, w.history(), 1)
}

func TestSecretsThatCannotBeHad(t *testing.T) {
	t.Run("a fault of the store: the message comes again", func(t *testing.T) {
		w := newWorld(t)
		w.secrets = func() ([][]byte, error) { return nil, errAway }
		w.enqueue(t, "n1")
		require.ErrorIs(t, w.sender().Changed(t.Context(), subject), errAway)
		require.Empty(t, w.sent())
	})
	for name, spoil := range map[string]func(*world){
		"no webhook secret":  func(w *world) { w.secrets = func() ([][]byte, error) { return nil, unknown } },
		"has no webhook sec": func(w *world) { w.secrets = func() ([][]byte, error) { return nil, nil } },
		"cannot be opened": func(w *world) {
			w.openHeader = func(string) (map[string]string, error) { return nil, errors.New("wrong key") }
		},
	} {
		t.Run("a failed attempt: "+name, func(t *testing.T) {
			w := newWorld(t)
			spoil(w)
			w.enqueue(t, "n1")
			require.NoError(t, w.sender().Changed(t.Context(), subject))
			require.Empty(t, w.sent(), "nothing goes out unsigned")
			failed := w.history()[1].(deliveries.AttemptFailed)
			require.Contains(t, failed.Error, name)
			require.NotContains(t, failed.Error, "wrong key")
		})
	}
}

func TestTheBackoffGrowsAndStaysBounded(t *testing.T) {
	for attempt, middle := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 8: 200 * time.Second,
		1000: 200 * time.Second} {
		for range 50 {
			d := reactors.Pause(deliveries.Attempts.Backoff, attempt)
			require.GreaterOrEqual(t, d, middle/2, attempt)
			require.LessOrEqual(t, d, min(middle*3/2, deliveries.MaxDelay), attempt)
		}
	}
}

func TestRequestIDsTellAttemptsApart(t *testing.T) {
	w := newWorld(t)
	w.receive = func(p deliveries.Post) deliveries.Answer {
		if p.Attempt < 3 {
			return answer5
		}
		return deliveries.Answer{Status: 200}
	}
	w.enqueue(t, "n1")
	w.settle(t, w.sender())
	var ids, want []string
	for _, r := range w.log.Accepted() {
		if r.RequestID != "" {
			ids = append(ids, r.RequestID)
		}
	}
	for _, attempt := range []string{"1", "2", "3"} { // these names are on logs that exist
		want = append(want, eventstore.CauseID("webhook-sender", subject, "webhook-sender/"+subject+"/n1/"+attempt))
	}
	require.Equal(t, want, ids)
}
