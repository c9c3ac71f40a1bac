package consumer_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

type counter struct{ N int }

type added struct {
	By int `json:"by"`
}

func (e added) Apply(c *counter) { c.N += e.By }

var (
	counters = event.NewAggregate[counter]("counters", "counter", 3)
	_        = event.Register[added](counters, "added", 1)
	topic    = counters.Topic()
)

// world is a log that strangers append to, too.
type world struct {
	brokers []string
	log     *kafka.Log
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{brokers: embeddedtest.Broker(t)}
	w.log = kafka.New(kafka.Config{Brokers: w.brokers, ClientID: "test", Log: quiet})
	t.Cleanup(w.log.Close)
	require.NoError(t, w.log.Open(t.Context(), []*event.Category{counters.Category}))
	return w
}

var quiet = slog.New(slog.DiscardHandler)

// streamOn is the name of a stream of the partition; n tells them apart.
func streamOn(partition, n int) string {
	for i := 0; ; i++ {
		stream := counters.Stream(fmt.Sprintf("p%d-%d-%d", partition, n, i))
		if eventstore.PartitionOf(stream, counters.Partitions) == partition {
			return stream
		}
	}
}

// commitOf is a commit as any writer might append it.
func commitOf(stream string, version int64, parent string, events int) []*eventstore.Record {
	commit := uuid.NewString()
	var out []*eventstore.Record
	for i := range events {
		out = append(out, &eventstore.Record{ID: uuid.NewString(), Source: "/parley/test", Type: "parley.counters.added.v1", Stream: stream,
			Time: time.Now().UTC().Truncate(time.Microsecond), Tenant: "acme", Actor: "test", Version: version + int64(i), Commit: commit,
			CommitIndex: i, CommitSize: events, Data: []byte(`{"by":1}`)})
	}
	out[0].Parent = parent
	return out
}

func messages(records ...*eventstore.Record) (out []kafkago.Record) {
	for _, r := range records {
		out = append(out, kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Data), Headers: r.Headers(),
			Time: r.Time})
	}
	return out
}

// append puts records on a partition as one batch and returns the first offset.
func (w *world) append(t *testing.T, partition int, records ...kafkago.Record) int64 {
	t.Helper()
	res, err := w.log.Client().Produce(t.Context(), &kafkago.ProduceRequest{Topic: topic, Partition: partition,
		RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(records...)})
	require.NoError(t, err)
	require.NoError(t, res.Error)
	return res.BaseOffset
}

// memory is a Sink in memory, which keeps heads apart from the reader's.
type memory struct {
	mu     sync.Mutex
	states map[consumer.Place]consumer.State
	events []*consumer.Event
	skips  map[eventstore.Reason]int
	refuse func(consumer.Batch) error
}

func newMemory() *memory {
	return &memory{states: map[consumer.Place]consumer.State{}, skips: map[eventstore.Reason]int{}}
}

func (m *memory) Load(_ context.Context, at consumer.Place) (consumer.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var copied consumer.State
	copied.Add(consumer.Progress(m.states[at]))
	return copied, nil
}

func (m *memory) Take(_ context.Context, b consumer.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		if err := m.refuse(b); err != nil {
			return err
		}
	}
	for _, c := range b.Commits {
		m.events = append(m.events, c...)
	}
	for _, s := range b.Skipped {
		m.skips[s.Reason]++
	}
	s := m.states[b.Place]
	s.Add(b.Progress)
	m.states[b.Place] = s
	return nil
}

// read runs a consumer to the end of the log.
func (w *world) read(t *testing.T, sink consumer.Sink, change ...func(*consumer.Config)) error {
	t.Helper()
	cfg := consumer.Config{Brokers: w.brokers, Topics: []string{topic}, Sink: sink, ToEnd: true, Log: quiet}
	for _, c := range change {
		c(&cfg)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := consumer.Run(ctx, cfg); err != nil {
		return err
	}
	return ctx.Err()
}
