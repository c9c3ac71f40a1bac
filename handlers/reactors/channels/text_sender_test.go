package channels_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	channelreactors "github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/projections"
)

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
	*testing.T
	log      *memory.Log
	store    *eventstore.Store
	provider *scripted
	sender   textSender
	now      time.Time
}

const textID = "018f0000-0000-7000-8000-000000000001"

var (
	wasTaken = channels.Outcome{Status: channels.Taken, ProviderMessageID: "p-1", Segments: 1}
	notNow   = channels.Outcome{Status: channels.NotTaken, Code: "BUSY", Reason: "busy"}
)

func newTextWorld(t *testing.T, answers ...channels.Outcome) *textWorld {
	t.Helper()
	log := memory.New()
	w := &textWorld{T: t, log: log, store: log.Open(eventstore.Config{Node: "n-1"}), provider: &scripted{answers: answers},
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	t.Cleanup(w.store.Close)
	w.sender = w.another()
	w.do("", texts.Request{MessageID: textID, TenantID: "acme", ProjectID: "a-1",
		From: "+15550100", To: "+15550000001", Text: "Hello",
		At: w.now, SendBy: w.now.Add(10 * time.Minute)}.Decide)
	return w
}

// do is a command of somebody else; step names it as the sender's own, if it is not empty.
func (w *textWorld) do(step string, decide func(texts.State) ([]event.Payload, error)) {
	w.Helper()
	cmd := eventstore.Command{Tenant: "acme", Actor: "test"}
	if step != "" {
		cmd.RequestID = eventstore.CauseID("message-sender", textID, step)
	}
	_, err := eventstore.Execute(w.Context(), w.store, texts.Texts, texts.Texts.Stream(textID), cmd, decide)
	require.NoError(w, err)
}

func (w *textWorld) state() texts.State {
	return texts.Texts.State(memory.Events(w.log, texts.Texts.Category, texts.Texts.Stream(textID))...)
}

// textSender is a process that sends texts.
type textSender struct {
	*reactors.Attempts[texts.State]
}

// Wanted tells it of an event.
func (s textSender) Wanted(ctx context.Context, textID, cause string) error {
	return s.Reactor().Handle(ctx, reactors.Event{Stream: texts.Texts.Stream(textID), ID: cause})
}

// Expire is the text's timer.
func (s textSender) Expire(ctx context.Context, textID string, now time.Time) error {
	_, timer, fire := s.Wakes()
	return fire(ctx, projections.Timer{Stream: texts.Texts.Stream(textID), Name: timer}, now)
}

// another is a sender on another node.
func (w *textWorld) another() textSender {
	delivery := channelreactors.Delivery{Provider: w.provider}
	sender := channelreactors.TextSender{Node: "n-1", Store: w.store, Delivery: delivery, Now: func() time.Time { return w.now },
		Log: slog.New(slog.DiscardHandler)}
	return textSender{sender.Attempts()}
}

func (w *textWorld) passes(d time.Duration) { w.now = w.now.Add(d) }

func TestATextIsHandedOverOnce(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.True(t, w.state().Sent)
	for _, s := range []textSender{w.sender, w.another()} { // the same event again, here and elsewhere
		require.NoError(t, s.Wanted(t.Context(), textID, "e-1"))
		require.NoError(t, s.Expire(t.Context(), textID, w.now.Add(time.Hour)))
	}
	require.Equal(t, []channels.Outbound{{Reference: textID, Attempt: 1, From: "+15550100", To: "+15550000001", Text: "Hello"}},
		w.provider.sent)
}

func TestTheAttemptIsOnTheLogBeforeTheProviderIsAsked(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.provider.asking = func() { require.True(t, w.state().Attempt.Claimed()) }
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
}

func TestWhatWasNotTakenIsTriedAgainByItsTimer(t *testing.T) {
	w := newTextWorld(t, notNow, wasTaken)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.True(t, w.state().Attempt.Waiting())
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now), "early")
	w.passes(5 * time.Second)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now), "twice")
	require.True(t, w.state().Attempt.Wanted())
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"), "the first event again, late: its attempt is over")
	require.Len(t, w.provider.sent, 1)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-2"))
	require.True(t, w.state().Sent)
	require.Len(t, w.provider.sent, 2)
}

func TestANodeDiesBetweenStartAndOutcome(t *testing.T) {
	dead := func(t *testing.T, later channels.Outcome) *textWorld {
		w := newTextWorld(t, wasTaken)
		w.provider.later = later
		w.do("start/e-1", texts.StartAttempt{AttemptID: "of the dead", Node: "n-0",
			Provider: "scripted", At: w.now, LeaseUntil: w.now.Add(40 * time.Second)}.Decide)
		require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"), "its event comes to another node")
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now.Add(39*time.Second)))
		require.True(t, w.state().Attempt.Claimed(), "while the lease holds")
		w.passes(40 * time.Second)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.Empty(t, w.provider.sent, "never blindly")
		return w
	}
	t.Run("nobody can tell", func(t *testing.T) {
		require.Equal(t, texts.CodeOutcomeUnknown, dead(t, channels.Outcome{}).state().Code)
	})
	t.Run("the provider has it", func(t *testing.T) {
		require.True(t, dead(t, wasTaken).state().Sent)
	})
	t.Run("the provider has not", func(t *testing.T) {
		require.True(t, dead(t, notNow).state().Attempt.Waiting())
	})
	t.Run("the provider was changed", func(t *testing.T) {
		w := newTextWorld(t)
		w.provider.later = wasTaken
		w.do("", texts.StartAttempt{AttemptID: "a", Provider: "twilio", At: w.now,
			LeaseUntil: w.now}.Decide)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.Equal(t, texts.CodeOutcomeUnknown, w.state().Code)
	})
}

func TestTheProviderDoesNotAnswer(t *testing.T) {
	w := newTextWorld(t, channels.Outcome{Reason: "timeout"})
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.True(t, w.state().Attempt.Claimed())
	require.Len(t, w.provider.sent, 1)
	w.passes(40 * time.Second)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.Equal(t, texts.CodeOutcomeUnknown, w.state().Code)
}

// refuses is a store that takes nothing; what it says is not worth repeating at once, so
// that the test need not wait.
var refuses = memory.Faults{Gate: func() error { return fault.New(fault.Validation, "gone") }}

func TestAnOutcomeThatCannotBeRecordedIsKept(t *testing.T) {
	unrecorded := func(t *testing.T) *textWorld {
		w := newTextWorld(t, wasTaken)
		w.provider.asking = func() { w.log.Fail(refuses) }
		require.Error(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		require.True(t, w.state().Attempt.Claimed())
		w.log.Fail(memory.Faults{})
		return w
	}
	t.Run("until the event comes again", func(t *testing.T) {
		w := unrecorded(t)
		require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		require.True(t, w.state().Sent)
		require.Len(t, w.provider.sent, 1)
	})
	t.Run("until the lease is over", func(t *testing.T) {
		w := unrecorded(t)
		w.passes(40 * time.Second)
		require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
		require.True(t, w.state().Sent)
	})
}

func TestTheStoreIsAwayAtTheStart(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.log.Fail(refuses)
	require.Error(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	w.log.Fail(memory.Faults{})
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Len(t, w.provider.sent, 1)
}

// atStart is asked for the verdict of the start of an attempt, the first time.
func (w *textWorld) atStart(verdict func() error) {
	asked := false
	w.log.Fail(memory.Faults{Verdict: func(commit []*eventstore.Record) error {
		p, _ := memory.Payload(texts.Texts.Category, commit[0]).(texts.AttemptStarted)
		if asked || p.AttemptID == "" {
			return nil
		}
		asked = true
		return verdict()
	}})
}

func TestTheAnswerToTheStartIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it waits before it asks again
		w := newTextWorld(t, wasTaken)
		w.atStart(func() error { return errors.New("no answer") })
		require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
		require.True(t, w.state().Sent, "the start is this try's own")
		require.Len(t, w.provider.sent, 1)
	})
}

func TestAStartThatTookTooLongAsksNobody(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.atStart(func() error { w.passes(39 * time.Second); return nil })
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	require.Equal(t, "LATE", w.state().Code)
	require.True(t, w.state().Attempt.Waiting())
}

func TestAnOutcomeIsRecordedAlthoughTheNodeStops(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	ctx, stop := context.WithCancel(t.Context())
	w.provider.asking = stop
	require.NoError(t, w.sender.Wanted(ctx, textID, "e-1"))
	require.True(t, w.state().Sent)
}

func TestNobodySendsAfterSendBy(t *testing.T) {
	w := newTextWorld(t, wasTaken)
	w.passes(10 * time.Minute)
	require.NoError(t, w.sender.Wanted(t.Context(), textID, "e-1"))
	require.Empty(t, w.provider.sent)
	require.NoError(t, w.sender.Expire(t.Context(), textID, w.now))
	require.Equal(t, texts.CodeExpired, w.state().Code)
}

func TestPausesOfTexts(t *testing.T) {
	for attempt, middle := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 4: 16 * time.Second, 40: 10 * time.Minute} {
		pause := reactors.Pause(texts.Attempts("local").Backoff, attempt)
		require.GreaterOrEqual(t, pause, middle/2)
		require.LessOrEqual(t, pause, middle*3/2)
	}
}
