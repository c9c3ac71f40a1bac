package reactors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// copyTopic is the log of copies: it remembers what was written, in batches, and
// now and then says that it does not know, or fails before it wrote.
type copyTopic struct {
	mu      sync.Mutex
	rnd     *rand.Rand
	largest int                  // batch
	written []*eventstore.Record // with repetitions
	hold    chan struct{}        // every batch waits until it is closed
	held    int                  // batches that have come to that
}

func (c *copyTopic) Produce(ctx context.Context, topic string, partition int, records []*eventstore.Record) (int64, error) {
	c.mu.Lock()
	c.held++
	c.mu.Unlock()
	<-c.hold
	c.mu.Lock()
	defer c.mu.Unlock()
	if records[0].Stream == occupying {
		return 0, nil
	}
	if topic != "parley.lamps.accepted" {
		return 0, fmt.Errorf("unexpected topic %s: %w: %w", topic, eventstore.ErrNotWritten, eventstore.ErrRefused)
	}
	c.largest = max(c.largest, len(records))
	switch c.rnd.IntN(10) {
	case 0: // written, and the answer lost
		c.written = append(c.written, records...)
		return 0, fmt.Errorf("lost: %w", eventstore.ErrRefused)
	case 1:
		return 0, fmt.Errorf("away: %w: %w", eventstore.ErrNotWritten, eventstore.ErrRefused)
	}
	c.written = append(c.written, records...)
	return 0, nil
}

// occupying is the stream of records that are on their way to each partition before any copy is.
const occupying = "lamp-occupying"

// occupied has a batch of one wait in each of the first partitions: whatever comes then waits behind it.
func (c *copyTopic) occupied(l *lampLog, producer *eventstore.Producer, partitions int) {
	for p := range partitions {
		_, err := producer.Append(l.t.Context(), "parley.lamps.accepted", p, []*eventstore.Record{{Stream: occupying}})
		require.NoError(l.t, err)
	}
	l.until("partitions are occupied", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.held == partitions
	})
}

func (c *copyTopic) ids() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]bool{}
	for _, r := range c.written {
		out[r.ID] = true
	}
	return out
}

// Given a log full of events of many streams, some of them superseded, when the
// copying is switched on and the log of copies fails now and then, then every
// accepted event is copied, whole and in the order of its stream, nothing else is,
// nothing is set aside, and what waits goes out together.
func TestAcceptedEventsAreCopied(t *testing.T) {
	l := newLampLog(t)
	const streams, versions = 60, 5
	for v := range versions {
		for s := range streams {
			kind, data := lampLitV2, `{"watts":5}`
			if v%2 == 1 {
				kind, data = lampDimmedV1, `{}`
			}
			l.append(fmt.Sprintf("lamp-%d", s), kind, data)
		}
	}
	l.appendAt("lamp-0", versions, lampLitV2, `{"watts":666}`) // lost against the version that is there
	l.supersede("lamp-0", versions, l.lastOffset("lamp-0"))
	topic := &copyTopic{rnd: rand.New(rand.NewPCG(1, 2)), hold: make(chan struct{})}
	producer := eventstore.NewProducer(topic, nil)
	t.Cleanup(producer.Close)
	release := sync.OnceFunc(func() { close(topic.hold) })
	t.Cleanup(release) // also where the test has failed: the producer waits for what it holds
	topic.occupied(l, producer, 8)
	l.run(reactors.AcceptedTopics{Categories: []*event.Category{lamps.Category}, CopyTopic: func(topic string) string {
		return topic + ".accepted"
	}, Append: producer.Append}.Reactor())
	l.until("a queue has formed", func() bool { return producer.Depth() > 40 })
	release()
	l.until("all is copied", func() bool { return len(topic.ids()) == streams*versions })
	l.until("all is handled", func() bool { return l.outcomesOf(reactors.AcceptedTopicsName, "handled") == streams*versions })
	require.Zero(t, l.outcomesOf(reactors.AcceptedTopicsName, "poisoned"))

	seen, next := map[string]bool{}, map[string]int64{}
	for _, r := range topic.written {
		require.NotContains(t, string(r.Data), "666")
		require.NotEmpty(t, r.Traceparent, "the whole envelope")
		require.Equal(t, lamps.Topic(), r.Topic)
		if seen[r.ID] {
			continue // at least once
		}
		seen[r.ID] = true
		require.Equal(t, next[r.Stream]+1, r.Version, "the first copies of %s come in order", r.Stream)
		next[r.Stream] = r.Version
	}
	require.Greater(t, topic.largest, 20, "what waits goes out together")
}

// outcomesOf counts what became of a reactor's events.
func (l *lampLog) outcomesOf(reactor, outcome string) (n float64) {
	l.t.Helper()
	families, err := l.metrics.Gather()
	require.NoError(l.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, label := range m.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if f.GetName() == "parley_reactor_events_total" && labels["reactor"] == reactor && labels["outcome"] == outcome {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// lastOffset is the offset of the last record of the stream's partition.
func (l *lampLog) lastOffset(stream string) int64 {
	l.t.Helper()
	p := eventstore.PartitionOf(stream, 2)
	res, err := l.client.ListOffsets(context.Background(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		lamps.Topic(): {kafka.LastOffsetOf(p)}}})
	require.NoError(l.t, err)
	return res.Topics[lamps.Topic()][0].LastOffset - 1
}

// A reactor of all events names none.
func TestAllAndEventsExcludeOneAnother(t *testing.T) {
	l := newLampLog(t)
	r := lampReactor(func(context.Context, reactors.Event) error { return nil })
	r.All = true
	_, err := reactors.NewRouter(l.cfg, r)
	require.ErrorContains(t, err, "exclude one another")
}
