package channels_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/texts"
	channelreactors "github.com/parley-platform/parley/handlers/reactors/channels"
)

// textLog is a store of one text in memory, with faults to order.
type textLog struct {
	mu      sync.Mutex
	history []event.Payload
	byID    map[string][]event.Payload
	before  func(requestID string) error // the store is away before it writes
	after   func(requestID string) error // it has written, and its answer is lost
}

func (l *textLog) Decide(_ context.Context, _, requestID string, decide func(texts.State) ([]event.Payload, error)) ([]event.Payload,
	bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before != nil {
		if err := l.before(requestID); err != nil {
			return nil, false, err
		}
	}
	if done, ok := l.byID[requestID]; ok && requestID != "" {
		return done, true, nil
	}
	events, err := decide(texts.Texts.State(l.history...))
	if err != nil {
		return nil, false, err
	}
	l.history = append(l.history, events...)
	if requestID != "" && len(events) > 0 {
		l.byID[requestID] = events
	}
	if l.after != nil {
		if err := l.after(requestID); err != nil {
			return nil, false, err
		}
	}
	return events, false, nil
}

func (l *textLog) state() texts.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return texts.Texts.State(l.history...)
}

// scripted is a provider that gives its answers in order and counts the questions.
type scripted struct {
	answers []channels.Outcome
	sent    []channels.Outbound
	later   channels.Outcome
	asking  func()
}

func (p *scripted) Name() string { return "scripted" }

func (p *scripted) Send(_ context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	p.sent = append(p.sent, m)
	if p.asking != nil {
		p.asking()
	}
	return p.answers[len(p.sent)-1]
}

func (p *scripted) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return p.later, nil
}

type textWorld struct {
	log      *textLog
	provider *scripted
	sender   *channelreactors.TextSender
	now      time.Time
}

const textID = "018f0000-0000-7000-8000-000000000001"

var (
	wasTaken = channels.Outcome{Status: channels.Taken, ProviderMessageID: "p-1", Segments: 1}
	notNow   = channels.Outcome{Status: channels.NotTaken, Code: "BUSY", Reason: "busy"}
)

func newTextWorld(t *testing.T, answers ...channels.Outcome) *textWorld {
	t.Helper()
	w := &textWorld{log: &textLog{byID: map[string][]event.Payload{}}, provider: &scripted{answers: answers},
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.sender = w.another()
	_, _, err := w.log.Decide(t.Context(), textID, "", texts.Request{MessageID: textID, TenantID: "acme", ProjectID: "a-1",
		From: "+15550100", To: "+15550000001", Text: "Hello",
		At: w.now, SendBy: w.now.Add(10 * time.Minute)}.Decide)
	require.NoError(t, err)
	return w
}

// another is a sender on another node.
func (w *textWorld) another() *channelreactors.TextSender {
	delivery := channelreactors.Delivery{Provider: w.provider, Log: slog.New(slog.DiscardHandler)}
	return &channelreactors.TextSender{Node: "n-1", Store: w.log, Delivery: delivery, Now: func() time.Time { return w.now },
		Backoff: func(int) time.Duration { return 5 * time.Second }}
}

func (w *textWorld) passes(d time.Duration) { w.now = w.now.Add(d) }

func TestATextIsHandedOverOnce(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Equal(t, texts.PhaseSent, w.log.state().Phase)
	for _, s := range []*channelreactors.TextSender{w.sender, w.another()} { // the same event again, here and elsewhere
		require.NoError(t, s.Wanted(t.Context(), textID, "e-1"))
		require.NoError(t, s.Expire(t.Context(), textID, w.now.Add(time.Hour)))
	}
	require.Equal(t, []channels.Outbound{{Reference: textID, Attempt: 1, From: "+15550100", To: "+15550000001", Text: "Hello"}},
		w.provider.sent)
}

func TestTheAttemptIsOnTheLogBeforeTheProviderIsAsked(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.provider.asking = func() { require.Equal(t, texts.PhaseSending, w.log.state().Phase) }
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
}

func TestWhatWasNotTakenIsTriedAgainByItsTimer(t *testing.T) {
	w := newTextWorld(t, notNow, wasTaken)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Equal(t, texts.PhaseWaiting, w.log.state().Phase)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now), "early")
	w.passes(5 * time.Second)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now), "twice")
	require.Equal(t, texts.PhaseDue, w.log.state().Phase)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"), "the first event again, late: its attempt is over")
	require.Len(t, w.provider.sent, 1)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-2"))
	require.Equal(t, texts.PhaseSent, w.log.state().Phase)
	require.Len(t, w.provider.sent, 2)
}

func TestANodeDiesBetweenStartAndOutcome(t *testing.T) {
	dead := func(t *testing.T, later channels.Outcome) *textWorld {
		w := newTextWorld(t, wasTaken)
		w.provider.later = later
		_, _, err := w.log.Decide(t.Context(), textID, "start/e-1", texts.StartAttempt{AttemptID: "of the dead", Node: "n-0",
			Provider: "scripted", At: w.now, LeaseUntil: w.now.Add(40 * time.Second)}.Decide)
		require.NoError(t, err)
		require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"), "its event comes to another node")
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now.Add(39*time.Second)))
		require.Equal(t, texts.PhaseSending, w.log.state().Phase, "while the lease holds")
		w.passes(40 * time.Second)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.Empty(t, w.provider.sent, "never blindly")
		return w
	}
	t.Run("nobody can tell", func(t *testing.T) {
		require.Equal(t, texts.CodeOutcomeUnknown, dead(t, channels.Outcome{}).log.state().Code)
	})
	t.Run("the provider has it", func(t *testing.T) {
		require.Equal(t, texts.PhaseSent, dead(t, wasTaken).log.state().Phase)
	})
	t.Run("the provider has not", func(t *testing.T) {
		require.Equal(t, texts.PhaseWaiting, dead(t, notNow).log.state().Phase)
	})
	t.Run("the provider was changed", func(t *testing.T) {
		w := newTextWorld(t)
		w.provider.later = wasTaken
		_, _, err := w.log.Decide(t.Context(), textID, "", texts.StartAttempt{AttemptID: "a", Provider: "twilio", At: w.now,
			LeaseUntil: w.now}.Decide)
		require.NoError(t, err)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.Equal(t, texts.CodeOutcomeUnknown, w.log.state().Code)
	})
}

func TestTheProviderDoesNotAnswer(t *testing.T) {
	w := newTextWorld(t, channels.Outcome{Reason: "timeout"})
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Equal(t, texts.PhaseSending, w.log.state().Phase)
	require.Len(t, w.provider.sent, 1)
	w.passes(40 * time.Second)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.Equal(t, texts.CodeOutcomeUnknown, w.log.state().Code)
}

// away is a store that does not take the outcome until told.
func away(l *textLog, id string, is *bool) {
	l.before = func(requestID string) error {
		if *is && len(requestID) >= len(id) && requestID[:len(id)] == id {
			return fault.New(fault.Validation, "gone") // not worth repeating at once, so that the test need not wait
		}
		return nil
	}
}

func TestAnOutcomeThatCannotBeRecordedIsKept(t *testing.T) {
	gone := true
	t.Run("until the event comes again", func(t *testing.T) {
		gone = true
		w := newTextWorld(t, wasTaken)
		away(w.log, "outcome/", &gone)
		require.Error(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		gone = false
		require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		require.Equal(t, texts.PhaseSent, w.log.state().Phase)
		require.Len(t, w.provider.sent, 1)
	})
	t.Run("until the lease is over", func(t *testing.T) {
		gone = true
		w := newTextWorld(t, wasTaken)
		away(w.log, "outcome/", &gone)
		require.Error(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		w.passes(40 * time.Second)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.Equal(t, texts.PhaseSent, w.log.state().Phase)
	})
}

func TestTheStoreIsAwayAtTheStart(t *testing.T) {
	gone := true
	w := newTextWorld(t, wasTaken)
	away(w.log, "start/", &gone)
	require.Error(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	gone = false
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Len(t, w.provider.sent, 1)
}

func TestTheAnswerToTheStartIsLost(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	lost := false
	w.log.after = func(requestID string) error {
		if requestID == "start/e-1" && !lost {
			lost = true
			return fault.New(fault.OutcomeUnknown, "no answer")
		}
		return nil
	}
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Equal(t, texts.PhaseSent, w.log.state().Phase, "the start is this try's own")
	require.Len(t, w.provider.sent, 1)
}

func TestAStartThatTookTooLongAsksNobody(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.log.after = func(requestID string) error {
		if requestID == "start/e-1" {
			w.passes(39 * time.Second)
		}
		return nil
	}
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	require.Equal(t, "LATE", w.log.state().Code)
	require.Equal(t, texts.PhaseWaiting, w.log.state().Phase)
}

func TestAnOutcomeIsRecordedAlthoughTheNodeStops(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	ctx, stop := context.WithCancel(t.Context())
	w.provider.asking = stop
	require.NoError(t, w.sender.Wanted(ctx, textID, "e-1"))
	require.Equal(t, texts.PhaseSent, w.log.state().Phase)
}

func TestNobodySendsAfterSendBy(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.passes(10 * time.Minute)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.Equal(t, texts.CodeExpired, w.log.state().Code)
}

func TestTextBackoff(t *testing.T) {
	for attempt, middle := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 4: 16 * time.Second, 40: 10 * time.Minute} {
		pause := channelreactors.TextBackoff(attempt)
		require.GreaterOrEqual(t, pause, middle/2)
		require.LessOrEqual(t, pause, middle*3/2)
	}
}
