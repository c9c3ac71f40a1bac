package kafka

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/segmentio/kafka-go/protocol/listoffsets"
	"github.com/segmentio/kafka-go/protocol/produce"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/domain/event"
)

// silence is a way to brokers that fall silent after so many questions about partitions.
type silence struct {
	kafkago.RoundTripper
	left atomic.Int64
}

func (s *silence) RoundTrip(ctx context.Context, to net.Addr, r kafkago.Request) (kafkago.Response, error) {
	switch r.(type) {
	case *fetch.Request, *listoffsets.Request, *produce.Request:
		if s.left.Add(-1) < 0 {
			return nil, context.DeadlineExceeded
		}
	}
	return s.RoundTripper.RoundTrip(ctx, to, r)
}

// Given brokers that fall silent while a log is opened, as on a machine that is too busy, then
// that is told from brokers that are not there, and opening the log again goes on from there.
func TestALogWhoseBrokersAreLateIsOpenedFurther(t *testing.T) {
	l := New(Config{Brokers: embeddedtest.Broker(t), ClientID: "late", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(l.Close)
	way := &silence{RoundTripper: l.client.Transport}
	l.client.Transport = way
	categories := []*event.Category{event.NewAggregate[struct{}]("latecomers", "latecomer", 2).Category}
	tries := 1
	for ; ; tries++ {
		way.left.Store(5)
		err := l.Open(t.Context(), categories)
		if err == nil {
			break
		}
		require.True(t, Late(err) && Away(err), "%v", err)
		require.Less(t, tries, 20, "it gets further with each try: %v", err)
	}
	require.Greater(t, tries, 1)
	n, err := l.Partitions(categories[0].Topic())
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

// muffled is a way to brokers on which one of several questions that go as one gets no answer, once: the client says of that one that it
// does not know why.
type muffled struct {
	kafkago.RoundTripper
	once atomic.Bool
}

func (m *muffled) RoundTrip(ctx context.Context, to net.Addr, r kafkago.Request) (kafkago.Response, error) {
	res, err := m.RoundTripper.RoundTrip(ctx, to, r)
	if ends, is := res.(*listoffsets.Response); is && len(ends.Topics) > 1 && m.once.CompareAndSwap(false, true) {
		ends.Topics[1].Partitions[0].ErrorCode = int16(kafkago.Unknown)
	}
	return res, err
}

// Given a machine that stands still while a log is opened, so that one partition of many does not say where it ends, then the brokers are
// late as well, and opening the log again goes on.
func TestAPartitionThatDoesNotSayWhereItEndsIsAskedAgain(t *testing.T) {
	first := New(Config{Brokers: embeddedtest.Broker(t), ClientID: "first", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(first.Close)
	categories := []*event.Category{event.NewAggregate[struct{}]("whispers", "whisper", 2).Category,
		event.NewAggregate[struct{}]("shouts", "shout", 2).Category}
	require.NoError(t, first.Open(t.Context(), categories)) // it makes the topics
	l := New(Config{Brokers: first.cfg.Brokers, ClientID: "muffled", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(l.Close)
	l.client.Transport = &muffled{RoundTripper: l.client.Transport}
	err := l.Open(t.Context(), categories)
	require.True(t, Late(err) && Away(err), "%v", err)
	require.NoError(t, l.Open(t.Context(), categories))
}
