package kafka_test

import (
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// A reader that attaches makes nothing: not the topic, not the genesis.
func TestAttachWritesNothing(t *testing.T) {
	_, brokers := broker(t)
	l := connect(t, brokers)
	require.ErrorContains(t, l.Attach(t.Context(), boxes.Topic()), "is not on the brokers")
	res, err := l.Client().Metadata(t.Context(), &kafkago.MetadataRequest{})
	require.NoError(t, err)
	require.Empty(t, res.Topics)

	require.NoError(t, connect(t, brokers).Plain(t.Context(), 2, boxes.Topic()))
	err = connect(t, brokers).Attach(t.Context(), boxes.Topic())
	require.ErrorIs(t, err, eventstore.ErrOutOfRange)
	require.ErrorContains(t, err, "its genesis is missing")

	l = connect(t, brokers)
	require.NoError(t, l.Plain(t.Context(), 1, lids.Topic())) // as it will be
	writer := connect(t, brokers)
	require.NoError(t, writer.Open(t.Context(), []*event.Category{lids}))
	require.NoError(t, l.Attach(t.Context(), lids.Topic()))
	require.Equal(t, writer.LogID(), l.LogID())
}

// Copies keep key, bytes and headers, say where the original stands, and are in
// topics with the partitions of the original; another count is refused.
func TestCopiesAreAsTheOriginal(t *testing.T) {
	_, brokers := broker(t)
	l := opened(t, brokers)
	copies, err := l.OpenCopies(t.Context(), categories(), 0)
	require.NoError(t, err)
	again, err := l.OpenCopies(t.Context(), categories(), 0)
	require.NoError(t, err, "they may be there already")
	require.NotNil(t, again)

	original := records("lid-1", 2, `{"a": 1}`)
	at, err := l.Produce(t.Context(), lids.Topic(), 0, original)
	require.NoError(t, err)
	got, err := l.Fetch(t.Context(), lids.Topic(), 0, at)
	require.NoError(t, err)
	var read []*eventstore.Record
	for _, e := range got.Entries {
		e.Record.Sealed, e.Record.Data = e.Record.Data, []byte(`"opened by a reactor"`)
		read = append(read, e.Record)
	}
	_, err = copies.Produce(t.Context(), kafka.CopyTopic(lids.Topic()), 0, read)
	require.NoError(t, err)

	res, err := l.Client().Fetch(t.Context(), &kafkago.FetchRequest{Topic: "parley.lids.accepted", Partition: 0, MinBytes: 1,
		MaxBytes: 1 << 20})
	require.NoError(t, err)
	for i, want := range original {
		r, err := res.Records.ReadRecord()
		require.NoError(t, err)
		key, err := kafkago.ReadAll(r.Key)
		require.NoError(t, err)
		value, err := kafkago.ReadAll(r.Value)
		require.NoError(t, err)
		require.Equal(t, want.Stream, string(key))
		require.Equal(t, `{"a": 1}`, string(value))
		n := len(r.Headers) - 3
		require.Equal(t, want.Headers(), r.Headers[:n])
		require.Equal(t, "parley-topic=parley.lids parley-partition=0 parley-offset="+string(rune('1'+i)),
			r.Headers[n].Key+"="+string(r.Headers[n].Value)+" "+r.Headers[n+1].Key+"="+string(r.Headers[n+1].Value)+" "+r.Headers[n+2].Key+"="+
				string(r.Headers[n+2].Value))
	}

	_, other := broker(t)
	l = opened(t, other)
	require.NoError(t, l.Plain(t.Context(), 2, "parley.boxes.accepted"))
	_, err = l.OpenCopies(t.Context(), categories(), 0)
	require.ErrorContains(t, err, "parley.boxes.accepted has 2 partitions, the events it copies are in 3")
}

// Opened copies hold what is personal as it is, name no key, and are kept for a time only; a
// topic whose copies are kept for ever is not filled with them.
func TestOpenedCopiesAreKeptForATime(t *testing.T) {
	_, brokers := broker(t)
	l := opened(t, brokers)
	copies, err := l.OpenCopies(t.Context(), categories(), 48*time.Hour)
	require.NoError(t, err)
	_, err = l.OpenCopies(t.Context(), categories(), 48*time.Hour)
	require.NoError(t, err, "another node was told the same")
	_, err = l.OpenCopies(t.Context(), categories(), 0)
	require.ErrorContains(t, err, "retention.ms=172800000, events could be lost")

	was := records("lid-1", 1, `{"a":"~1.k.x"}`)[0]
	was.KeyID, was.Time = "k", time.Now()
	was.Sealed, was.Data = was.Data, []byte(`{"a":"Ann"}`)
	_, err = copies.Produce(t.Context(), kafka.CopyTopic(lids.Topic()), 0, []*eventstore.Record{was})
	require.NoError(t, err)
	res, err := l.Client().Fetch(t.Context(), &kafkago.FetchRequest{Topic: "parley.lids.accepted", Partition: 0, MinBytes: 1,
		MaxBytes: 1 << 20})
	require.NoError(t, err)
	r, err := res.Records.ReadRecord()
	require.NoError(t, err)
	value, err := kafkago.ReadAll(r.Value)
	require.NoError(t, err)
	require.Equal(t, `{"a":"Ann"}`, string(value))
	for _, h := range r.Headers {
		require.NotEqual(t, "ce_keyid", h.Key)
	}
	require.Equal(t, "k", was.KeyID, "the original is as it was")

	_, sealed := broker(t)
	l = opened(t, sealed)
	_, err = l.OpenCopies(t.Context(), categories(), 0)
	require.NoError(t, err)
	_, err = l.OpenCopies(t.Context(), categories(), time.Hour)
	require.ErrorContains(t, err, "retention.ms=-1, and who is erased")
	require.ErrorContains(t, err, "--add-config retention.ms=3600000")
}
