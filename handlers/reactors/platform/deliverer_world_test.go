package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/platform"
)

const subject = "delivery-call-1"

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is all that a sender meets, in memory: the log of the streams, the
// messages that the log causes, the timers, the secrets and the receiver.
type world struct {
	t        *testing.T
	mu       sync.Mutex
	now      time.Time
	log      *memory.Log
	store    *eventstore.Store
	heard    int      // records that the world has heard of
	messages []string // streams whose events the sender has still to be told of
	timers   []deliveries.AttemptFailed
	posts    []deliveries.Post

	client     func(context.Context, deliveries.Post) deliveries.Answer // how it goes out
	receive    func(deliveries.Post) deliveries.Answer
	secrets    func() ([][]byte, error)
	openURL    func(tenant, sealed string) (string, error)
	openHeader func(sealed string) (map[string]string, error)
}

func newWorld(t *testing.T) *world {
	log := memory.New()
	store := log.Open(eventstore.Config{Node: "n-1"})
	t.Cleanup(store.Close)
	w := &world{
		t: t, now: start, log: log, store: store,
		receive:    func(deliveries.Post) deliveries.Answer { return deliveries.Answer{Status: 200} },
		secrets:    func() ([][]byte, error) { return [][]byte{[]byte("s1")}, nil },
		openURL:    func(_, sealed string) (string, error) { return "https://receiver.example/hook?" + sealed, nil },
		openHeader: func(sealed string) (map[string]string, error) { return map[string]string{"X-Opened": sealed}, nil },
	}
	w.client = w.post
	return w
}

// sender is a process that delivers.
type sender struct {
	*reactors.Attempts[deliveries.State]
}

// Changed tells it that something happened on the stream.
func (s sender) Changed(ctx context.Context, stream string) error {
	return s.Reactor().Handle(ctx, reactors.Event{Stream: stream})
}

// sender is a process; a second one is what runs after a restart.
func (w *world) sender() sender {
	return sender{platform.Deliverer{Store: w.store, Secrets: w, Post: w.client, Now: w.clock, Log: slog.New(slog.DiscardHandler)}.Attempts()}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) post(_ context.Context, p deliveries.Post) deliveries.Answer {
	w.mu.Lock()
	w.posts = append(w.posts, p)
	w.mu.Unlock()
	return w.receive(p)
}

// WebhookSecrets implements webhookSecrets.
func (w *world) WebhookSecrets(context.Context, string, string) ([][]byte, error) { return w.secrets() }

// OpenURL implements webhookSecrets.
func (w *world) OpenURL(_ context.Context, tenant, sealed string) (string, error) {
	return w.openURL(tenant, sealed)
}

// OpenHeaders implements webhookSecrets.
func (w *world) OpenHeaders(_ context.Context, _, sealed string) (map[string]string, error) {
	return w.openHeader(sealed)
}

// do is a command of somebody else on a stream.
func (w *world) do(stream string, decide func(deliveries.State) ([]event.Payload, error)) {
	w.t.Helper()
	_, err := eventstore.Execute(w.t.Context(), w.store, deliveries.Deliveries, stream, eventstore.Command{Tenant: "t1"}, decide)
	require.NoError(w.t, err)
}

// history is what happened on the stream.
func (w *world) history() []event.Payload {
	return memory.Events(w.log, deliveries.Deliveries.Category, subject)
}

// away is a log that takes nothing, or does so again.
func (w *world) away(is bool) {
	if !is {
		w.log.Fail(memory.Faults{})
		return
	}
	w.log.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errAway }})
}

// hear reads on in the log: what the sender has still to be told of, and the timers.
func (w *world) hear() {
	all := w.log.Accepted()
	for _, r := range all[w.heard:] {
		if failed, ok := memory.Payload(deliveries.Deliveries.Category, r).(deliveries.AttemptFailed); ok {
			w.timers = append(w.timers, failed)
			continue
		}
		w.messages = append(w.messages, r.Stream)
	}
	w.heard = len(all)
}

// enqueue puts notices on the stream, as the notifier does.
func (w *world) enqueue(t *testing.T, ids ...string) {
	for _, id := range ids {
		c := deliveries.Enqueue{NoticeID: id, TenantID: "t1", ProjectID: "p1", URL: "https://receiver.example/hook", HeadersSealed: "sealed",
			Body: json.RawMessage(`{"notice":"` + id + `"}`), QueuedAt: w.clock()}
		w.do(subject, c.Decide)
	}
}

// settle tells the sender of everything that happens, and lets time pass to the
// next timer when nothing does, until nothing is left.
func (w *world) settle(t *testing.T, s sender) {
	for range 10_000 {
		w.hear()
		switch {
		case len(w.messages) > 0:
			stream := w.messages[0]
			w.messages = w.messages[1:]
			require.NoError(t, s.Changed(t.Context(), stream))
		case len(w.timers) > 0:
			w.fire()
		default:
			return
		}
	}
	t.Fatal("the sender never comes to rest")
}

// fire is the timer: it moves the clock to the time of the oldest one.
func (w *world) fire() {
	timer := w.timers[0]
	w.timers = w.timers[1:]
	if timer.NextAttemptAt.After(w.now) {
		w.now = timer.NextAttemptAt
	}
	w.do(subject, deliveries.Wake{At: w.now}.Decide)
}

// outcomes are the ends of the notices, in their order: "n1 delivered 2".
func (w *world) outcomes() []string {
	var out []string
	for _, e := range w.history() {
		switch e := e.(type) {
		case deliveries.Delivered:
			out = append(out, e.NoticeID+" delivered "+strconv.Itoa(e.Attempt))
		case deliveries.Undelivered:
			out = append(out, e.NoticeID+" undelivered "+e.Reason)
		}
	}
	return out
}

// sent are the attempts the receiver saw: "n1/2".
func (w *world) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, p := range w.posts {
		out = append(out, p.DeliveryID+"/"+strconv.Itoa(p.Attempt))
	}
	return out
}

var (
	errAway = errors.New("the log is away")
	answer5 = deliveries.Answer{Status: 500, Retryable: true, Err: errors.New("status 500")}
	answer4 = deliveries.Answer{Status: 404, Err: errors.New("status 404")}
	unknown = fault.New(fault.NotFound, "no such project")
)
