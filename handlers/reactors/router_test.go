package reactors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Given an event on the log, when the checkpoint has not passed it, then no
// reactor sees it; when it has, the reactor gets the whole event.
func TestAReactorWaitsForTheCheckpoint(t *testing.T) {
	l := newLampLog(t)
	asked, passed := make(chan struct{}, 10), make(chan struct{})
	l.await = func(ctx context.Context, _ int64) error {
		asked <- struct{}{}
		select {
		case <-passed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	got := make(chan reactors.Event, 1)
	l.run(lampReactor(func(ctx context.Context, e reactors.Event) error {
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", trace.SpanContextFromContext(ctx).TraceID().String())
		require.NotSame(t, slog.Default(), acts.Logger(ctx))
		got <- e
		return nil
	}))
	l.append("lamp-1", lampLitV2, `{"watts":60}`)
	<-asked
	require.Empty(t, got)
	close(passed)
	e := <-got
	require.NotEmpty(t, e.ID)
	require.NotEmpty(t, e.Commit)
	require.Equal(t, e.ID, e.Record.ID)
	e.ID, e.Commit, e.Record = "", "", nil
	require.Equal(t, reactors.Event{Stream: "lamp-1", Type: lampLitV2, Version: 1, Tenant: "a-1", Actor: "user:u-1", CorrelationID: "tr-1",
		CausationID: "tr-1",
		Time:        time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC), Payload: lampLit{Watts: 60}, Topic: "parley.lamps", Partition: e.Partition,
		Offset: 0}, e)
}

func TestWhatLostNeverReachesAReactor(t *testing.T) {
	l := newLampLog(t)
	l.supersede("lamp-1", 1, 1)
	got := make(chan reactors.Event, 10)
	l.run(lampReactor(func(_ context.Context, e reactors.Event) error { got <- e; return nil }))
	l.appendAt("lamp-1", 1, lampLitV2, `{"watts":1}`)
	l.appendAt("lamp-1", 1, lampLitV2, `{"watts":2}`) // a rival of the first
	l.appendAt("lamp-1", 2, lampLitV2, `{"watts":3}`)
	require.Equal(t, lampLit{1}, (<-got).Payload)
	require.Equal(t, lampLit{3}, (<-got).Payload)
	require.EqualValues(t, 1, l.outcomes("superseded"))
}

// Given a node that catches up, then the wait goes on; it costs no try.
func TestCatchingUpIsWaitedOut(t *testing.T) {
	l := newLampLog(t)
	var asked atomic.Int32
	l.await = func(context.Context, int64) error {
		if asked.Add(1) < 6 {
			return fmt.Errorf("the gate: %w", fault.New(fault.CatchingUp, "the read models are behind the log"))
		}
		return nil
	}
	got := make(chan reactors.Event, 1)
	l.run(lampReactor(func(_ context.Context, e reactors.Event) error { got <- e; return nil }))
	l.append("lamp-1", lampLitV2, `{}`)
	<-got
	require.EqualValues(t, 6, asked.Load())
}

// Given types that a reactor does not handle, then they are passed without asking
// for a checkpoint, undecoded; old versions of a handled type are lifted.
func TestDispatchLooksAtTheTypeFirst(t *testing.T) {
	l := newLampLog(t)
	var asked atomic.Int32
	l.await = func(context.Context, int64) error { asked.Add(1); return nil }
	got := make(chan reactors.Event, 1)
	l.run(lampReactor(func(_ context.Context, e reactors.Event) error { got <- e; return nil }))
	for _, ceType := range []string{lampDimmedV1, "parley.lamps.painted.v7", "parley.doors.lit.v1", "parley.genesis.v1", "nonsense"} {
		l.append("lamp-1", ceType, `not even JSON`)
	}
	l.until("all skipped and committed", func() bool { return l.outcomes("skipped") == 5 && l.committed() == 5 })
	require.Zero(t, asked.Load())
	l.append("lamp-1", lampLitV1, `{"watts":25}`)
	require.Equal(t, lampLit{25}, (<-got).Payload)
}

// Given an event of a version that only a newer binary knows, then it is neither
// passed over nor set aside: it waits.
func TestANewerVersionWaitsForANewerBinary(t *testing.T) {
	l := newLampLog(t)
	l.run(lampReactor(func(context.Context, reactors.Event) error { return errors.New("must not be called") }))
	l.append("lamp-1", "parley.lamps.lit.v3", `{}`)
	l.until("tried often", func() bool { return l.outcomes("failed") > 10 })
	require.Zero(t, l.outcomes("poisoned"))
	require.Zero(t, l.committed())
}

// Given an event that fails again and again, when its tries are used up, then it
// lies on the poison topic with everything needed to replay it and nothing secret,
// and its stream goes on.
func TestAHopelessEventIsSetAsideAfterItsTries(t *testing.T) {
	l := newLampLog(t)
	var tries atomic.Int32
	next := make(chan reactors.Event, 1)
	l.run(lampReactor(func(_ context.Context, e reactors.Event) error {
		if e.Payload.(lampLit).Watts == 13 {
			tries.Add(1)
			return fmt.Errorf("posting: %w", &url.Error{Op: "Post", URL: "https://u:hunter2@example.com/?token=hunter2",
				Err: errors.New("hunter2 refused")})
		}
		next <- e
		return nil
	}))
	l.append("lamp-1", lampLitV2, `{"watts":13}`)
	l.append("lamp-1", lampLitV2, `{"watts":14}`)
	require.Equal(t, lampLit{14}, (<-next).Payload)
	require.EqualValues(t, 3, tries.Load())
	require.EqualValues(t, 1, l.outcomes("poisoned"))

	m := l.poisonedMessage()
	p, err := reactors.ParsePoisoned(m)
	require.NoError(t, err)
	require.False(t, p.SetAside.IsZero())
	require.Equal(t, reactors.Poisoned{Reactor: "lamplighter", Reason: "INTERNAL_ERROR: *errors.errorString", Topic: "parley.lamps",
		Place: p.Place, Offset: 0, Attempts: 3, SetAside: p.SetAside}, p)
	require.Equal(t, `{"watts":13}`, string(m.Payload))
	require.Equal(t, "lamp-1", m.Metadata["ce_subject"])
	require.Equal(t, "lamp-1", m.Metadata["kafka_key"])
	for name, value := range m.Metadata {
		require.NotContains(t, value, "hunter2", name)
	}
}

func TestWhatIsSetAsideAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		attempts int
		data     string
		handle   func(context.Context, reactors.Event) error
		reason   string
	}{
		"a refusal that no try can heal": {attempts: 3, data: `{}`, reason: "VALIDATION_ERROR: to is no number",
			handle: func(context.Context, reactors.Event) error {
				return fmt.Errorf("sending: %w", reactors.Poison(fault.Field("to", "is no number").Because(errors.New("secret"))))
			}},
		"an event that does not decode": {attempts: 3, data: `[]`, reason: "INTERNAL_ERROR: *errors.errorString",
			handle: func(context.Context, reactors.Event) error { return errors.New("must not be called") }},
		"a panic, here at the last try": {attempts: 1, data: `{}`, reason: "INTERNAL_ERROR: *errors.errorString",
			handle: func(context.Context, reactors.Event) error { panic("secret") }},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLampLog(t)
			l.cfg.Attempts = c.attempts
			l.run(lampReactor(c.handle))
			l.append("lamp-1", lampLitV2, c.data)
			p, err := reactors.ParsePoisoned(l.poisonedMessage())
			require.NoError(t, err)
			require.NotContains(t, p.Reason, "secret")
			if name == "an event that does not decode" { // the type of a JSON error is the library's affair
				require.Contains(t, p.Reason, "INTERNAL_ERROR: ")
				return
			}
			require.Equal(t, c.reason, p.Reason)
		})
	}
}

// What says nothing about the event never uses up its tries.
func TestTroubleElsewhereNeverCounts(t *testing.T) {
	for _, code := range []fault.Code{fault.CatchingUp, fault.NotExecuted, fault.OutcomeUnknown} {
		t.Run(string(code), func(t *testing.T) {
			l := newLampLog(t)
			var tries atomic.Int32
			l.run(lampReactor(func(context.Context, reactors.Event) error {
				if tries.Add(1) <= 20 {
					return fault.New(code, "not now")
				}
				return nil
			}))
			l.append("lamp-1", lampLitV2, `{}`)
			l.until("handled in the end", func() bool { return l.outcomes("handled") == 1 })
			require.EqualValues(t, 20, l.outcomes("failed"))
			require.Zero(t, l.outcomes("poisoned"))
		})
	}
}

// Given many streams and a handler that fails at random, then each stream is
// handled in order and never twice at once, and different streams side by side.
func TestOrderPerStream(t *testing.T) {
	const streams, each = 8, 15
	l := newLampLog(t)
	l.cfg.Attempts = 1000
	var mu sync.Mutex
	last, busy, wrong := map[string]int64{}, map[string]bool{}, []string{}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	l.run(lampReactor(func(_ context.Context, e reactors.Event) error {
		mu.Lock()
		if busy[e.Stream] || e.Version != last[e.Stream]+1 {
			wrong = append(wrong, fmt.Sprintf("%s: version %d after %d, busy %v", e.Stream, e.Version, last[e.Stream], busy[e.Stream]))
		}
		busy[e.Stream] = true
		fail := random.Intn(3) == 0
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			busy[e.Stream] = false
		}()
		if fail {
			return errors.New("chance")
		}
		mu.Lock()
		defer mu.Unlock()
		last[e.Stream] = e.Version
		return nil
	}))
	for range each {
		for s := range streams {
			l.append("lamp-"+strconv.Itoa(s), lampLitV2, `{}`)
		}
	}
	l.until("all handled", func() bool { return l.outcomes("handled") == streams*each })
	mu.Lock()
	defer mu.Unlock()
	require.Empty(t, wrong)
}

// Two streams whose handlers wait for each other only finish when both run.
func TestStreamsRunSideBySide(t *testing.T) {
	l := newLampLog(t)
	var both sync.WaitGroup
	both.Add(2)
	l.run(lampReactor(func(context.Context, reactors.Event) error {
		both.Done()
		both.Wait()
		return nil
	}))
	l.append("lamp-1", lampLitV2, `{}`)
	l.append("lamp-2", lampLitV2, `{}`)
	l.until("both handled", func() bool { return l.outcomes("handled") == 2 })
}

// Given one handler at work and one event that only waits, when the router is
// closed, then the first may finish and counts, the second stops at once and comes
// again.
func TestCloseLetsHandlersFinish(t *testing.T) {
	l := newLampLog(t)
	waiting := make(chan struct{}, 10)
	l.await = func(ctx context.Context, _ int64) error { return nil }
	working, finish := make(chan struct{}), make(chan struct{})
	r, err := reactors.NewRouter(l.cfg, lampReactor(func(ctx context.Context, _ reactors.Event) error {
		close(working)
		<-finish
		return ctx.Err()
	}))
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(context.Background()) }()
	<-r.Running()
	l.append("lamp-1", lampLitV2, `{}`)
	<-working
	l.mu.Lock()
	l.await = func(ctx context.Context, _ int64) error {
		waiting <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	l.mu.Unlock()
	l.append("lamp-2", lampLitV2, `{}`)
	<-waiting

	short, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.Close(short), context.Canceled, "a handler is still at work")
	close(finish)
	require.NoError(t, r.Close(context.Background()))
	require.NoError(t, <-ended)
	require.EqualValues(t, 1, l.outcomes("handled"))
	require.EqualValues(t, 1, l.committed())
	require.Error(t, r.Run(context.Background()), "a closed router does not run again")
}

func TestACloseBeforeRunIsNoTrouble(t *testing.T) {
	l := newLampLog(t)
	r, err := reactors.NewRouter(l.cfg, lampReactor(func(context.Context, reactors.Event) error { return nil }))
	require.NoError(t, err)
	require.NoError(t, r.Close(context.Background()))
	require.NoError(t, r.Close(context.Background()))
}

func TestTheAgeOfTheLastHandledEvent(t *testing.T) {
	l := newLampLog(t)
	var now atomic.Int64
	l.cfg.Now = func() time.Time { return time.Unix(now.Load(), 0) }
	l.run(lampReactor(func(context.Context, reactors.Event) error { return nil }))
	l.append("lamp-1", lampLitV2, `{}`)
	l.until("handled", func() bool { return l.outcomes("handled") == 1 })
	now.Store(90)
	families, err := l.metrics.Gather()
	require.NoError(t, err)
	ages := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			ages[f.GetName()] += m.GetGauge().GetValue()
		}
	}
	require.Equal(t, 90.0, ages["parley_reactor_last_handled_age_seconds"])
}

func TestADeclarationSaysWhatIsMissing(t *testing.T) {
	l := newLampLog(t)
	good := lampReactor(func(context.Context, reactors.Event) error { return nil })
	require.Equal(t, "parley-lamplighter", good.Group())
	for want, spoil := range map[string]func(*reactors.Reactor){
		"Name":           func(r *reactors.Reactor) { r.Name = "LampLighter" },
		"Handle":         func(r *reactors.Reactor) { r.Handle = nil },
		"Side":           func(r *reactors.Reactor) { r.Side = 0 },
		"Categories":     func(r *reactors.Reactor) { r.Categories = nil },
		"Events is":      func(r *reactors.Reactor) { r.Events = nil },
		"is not an even": func(r *reactors.Reactor) { r.Events = []event.Payload{struct{}{}} },
	} {
		l.cfg.Metrics = nil
		r := good
		spoil(&r)
		_, err := reactors.NewRouter(l.cfg, r)
		require.ErrorContains(t, err, want)
	}
	_, err := reactors.NewRouter(l.cfg, good, good)
	require.ErrorContains(t, err, "twice")
	for want, spoil := range map[string]func(*reactors.Config){
		"Subscribe": func(c *reactors.Config) { c.Subscribe = nil },
		"Publisher": func(c *reactors.Config) { c.Publisher = nil },
		"Positions": func(c *reactors.Config) { c.Positions = nil },
		"Attempts":  func(c *reactors.Config) { c.Attempts = -1 },
	} {
		c := l.cfg
		spoil(&c)
		_, err := reactors.NewRouter(c, good)
		require.ErrorContains(t, err, want)
	}
}
