package reactors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Lamps: a category as small as can be.
type lampState struct{}

var lamps = event.NewAggregate[lampState]("lamps", "lamp", event.Busy)

type lampLit struct {
	Watts int `json:"watts"`
}

func (lampLit) Apply(*lampState) {}

type lampDimmed struct{}

func (lampDimmed) Apply(*lampState) {}

const (
	lampLitV1    = "parley.lamps.lit.v1"
	lampLitV2    = "parley.lamps.lit.v2"
	lampDimmedV1 = "parley.lamps.dimmed.v1"
)

var (
	_ = event.Register[lampLit](lamps, "lit", 2, func(old json.RawMessage) (json.RawMessage, error) { return old, nil })
	_ = event.Register[lampDimmed](lamps, "dimmed", 1)
)

const lampPatience = 30 * time.Second

// lampLog is a broker with the topics of lamps and of poison, and with fakes of
// what the projector knows: by default it has passed everything and all is accepted.
type lampLog struct {
	t       *testing.T
	addr    string
	client  *kafka.Client
	pub     *watermillkafka.Publisher
	metrics *prometheus.Registry
	cfg     reactors.Config

	mu         sync.Mutex
	await      func(ctx context.Context, offset int64) error
	superseded map[string]bool // stream/version/offset
	versions   map[string]int64
}

func newLampLog(t *testing.T) *lampLog {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, lamps.Topic()), kfake.SeedTopics(1, reactors.PoisonTopic))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	l := &lampLog{t: t, addr: c.ListenAddrs()[0], metrics: prometheus.NewRegistry(), superseded: map[string]bool{},
		versions: map[string]int64{}}
	l.await = func(context.Context, int64) error { return nil }
	l.client = &kafka.Client{Addr: kafka.TCP(l.addr), Timeout: 10 * time.Second, Transport: &kafka.Transport{
		MetadataTTL: 200 * time.Millisecond}}
	l.pub, err = watermillkafka.NewPublisher(nil, l.client)
	require.NoError(t, err)
	l.cfg = reactors.Config{Subscribe: l.subscribe, Publisher: l.pub, Positions: l, Verdicts: l, Attempts: 3,
		Draining: watermillkafka.Draining, Metrics: l.metrics, Log: slog.New(slog.DiscardHandler)}
	return l
}

func (l *lampLog) subscribe(group string) (message.Subscriber, error) {
	return watermillkafka.NewSubscriber(watermillkafka.Config{Brokers: []string{l.addr}, Group: group, Client: l.client,
		Backoff:   func() backoff.BackOff { return backoff.NewConstantBackOff(time.Millisecond) },
		Heartbeat: 100 * time.Millisecond, CommitEvery: 50 * time.Millisecond, RejoinAfter: 100 * time.Millisecond,
		DrainTimeout: 5 * time.Second, Logger: slog.New(slog.DiscardHandler)})
}

// Await is the projector's checkpoint.
func (l *lampLog) Await(ctx context.Context, _ string, _ int, offset int64) error {
	l.mu.Lock()
	await := l.await
	l.mu.Unlock()
	return await(ctx, offset)
}

// HeldBy is the stream index.
func (l *lampLog) HeldBy(_ context.Context, stream string, version int64, _ string, _ int, offset int64) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.superseded[heldKey(stream, version, offset)], nil
}

func (l *lampLog) supersede(stream string, version, offset int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.superseded[heldKey(stream, version, offset)] = true
}

func heldKey(stream string, version, offset int64) string {
	return stream + "/" + strconv.FormatInt(version, 10) + "/" + strconv.FormatInt(offset, 10)
}

// append writes the next version of a stream.
func (l *lampLog) append(stream, ceType, data string) {
	l.t.Helper()
	l.versions[stream]++
	l.appendAt(stream, l.versions[stream], ceType, data)
}

func (l *lampLog) appendAt(stream string, version int64, ceType, data string) {
	l.t.Helper()
	r := &eventstore.Record{ID: uuid.NewString(), Source: "/parley/test", Type: ceType, Stream: stream, Time: time.Date(2026, 3, 1, 12, 0, 0,
		5, time.UTC),
		Tenant: "a-1", Actor: "user:u-1", Version: version, Commit: uuid.NewString(), CommitSize: 1, CorrelationID: "tr-1", CausationID: "tr-1",
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	m := message.NewMessage(r.ID, message.Payload(data))
	for _, h := range r.Headers() {
		m.Metadata.Set(h.Key, string(h.Value))
	}
	m.Metadata.Set(watermillkafka.MetadataKey, stream)
	require.NoError(l.t, l.pub.Publish(lamps.Topic(), m))
}

// run starts a router and closes it with the test.
func (l *lampLog) run(all ...reactors.Reactor) *reactors.Router {
	l.t.Helper()
	r, err := reactors.NewRouter(l.cfg, all...)
	require.NoError(l.t, err)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(context.Background()) }()
	<-r.Running()
	l.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), lampPatience)
		defer cancel()
		require.NoError(l.t, r.Close(ctx))
		require.NoError(l.t, <-ended)
	})
	return r
}

func lampReactor(handle func(context.Context, reactors.Event) error) reactors.Reactor {
	return reactors.Reactor{Name: "lamplighter", Categories: []*event.Category{lamps.Category}, Events: []event.Payload{lampLit{}},
		Side: reactors.AtLeastOnce, Handle: handle}
}

// until waits for a condition.
func (l *lampLog) until(what string, ok func() bool) {
	l.t.Helper()
	require.Eventually(l.t, ok, lampPatience, 5*time.Millisecond, what)
}

func (l *lampLog) outcomes(outcome string) float64 {
	l.t.Helper()
	families, err := l.metrics.Gather()
	require.NoError(l.t, err)
	for _, f := range families {
		if f.GetName() != "parley_reactor_events_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "outcome" && label.GetValue() == outcome {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}

func (l *lampLog) committed() (n int64) {
	l.t.Helper()
	got, err := watermillkafka.Committed(context.Background(), l.client, "parley-lamplighter", lamps.Topic())
	require.NoError(l.t, err)
	for _, o := range got[lamps.Topic()] {
		n += o
	}
	return n
}

// poisonedMessage waits for the first message of the poison topic.
func (l *lampLog) poisonedMessage() *message.Message {
	l.t.Helper()
	sub, err := l.subscribe("poison-" + uuid.NewString())
	require.NoError(l.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	messages, err := sub.Subscribe(ctx, reactors.PoisonTopic)
	require.NoError(l.t, err)
	select {
	case m := <-messages:
		m.Ack()
		return m
	case <-time.After(lampPatience):
		require.Fail(l.t, "nothing came to the poison topic")
		return nil
	}
}
