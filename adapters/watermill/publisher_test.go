package watermillkafka_test

import (
	"sync"
	"testing"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

// The hashes are those that Kafka's own tests state for its Java client; half of
// them are negative, which is where ports go wrong.
func TestPartitionsAreThoseOfJavaClients(t *testing.T) {
	for key, hash := range map[string]int32{
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536, "a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971, "abc": 479470107,
	} {
		for _, count := range []int{1, 6, 7, 1000} {
			require.Equal(t, int(hash&0x7fffffff)%count, watermillkafka.PartitionOf([]byte(key), count), "%s of %d", key, count)
		}
	}
}

func TestOnePublishIsOneRequestPerPartitionWithAcksFromAll(t *testing.T) {
	b := newFake(t)
	topic := b.topic(t, 2)
	var mu sync.Mutex
	requests := map[int32]int{}
	b.current().ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		mu.Lock()
		defer mu.Unlock()
		p := req.(*kmsg.ProduceRequest)
		require.EqualValues(t, -1, p.Acks)
		for _, partition := range p.Topics[0].Partitions {
			requests[partition.Partition]++
		}
		return nil, nil, false
	})
	b.publish(t, topic, [2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"c", "1"}, [2]string{"d", "1"}, [2]string{"a", "2"})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, map[int32]int{0: 1, 1: 1}, requests)
}

// Given a message with every kind of metadata, when it went over the log, then
// headers are metadata one to one, byte for byte, and the place is known.
func TestHeadersAndKeysGoThroughUnchanged(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	sent := message.NewMessage("ignored, ce_id is there", message.Payload("{\"a\":\"\x00\xff\"}"))
	sent.Metadata = message.Metadata{"ce_id": "6c0d", "ce_type": "parley.doors.opened.v1", "raw": "\x00\xff\n", "empty": "",
		watermillkafka.MetadataKey:    "door-1",
		watermillkafka.MetadataOffset: "77", watermillkafka.MetadataTopic: "elsewhere"}
	require.NoError(t, b.publisher(t).Publish(topic, sent))

	got := join(t, b.config("headers"), topic).next(t)
	require.Equal(t, "6c0d", got.UUID)
	require.Equal(t, sent.Payload, got.Payload)
	require.Equal(t, message.Metadata{"ce_id": "6c0d", "ce_type": "parley.doors.opened.v1", "raw": "\x00\xff\n", "empty": "",
		watermillkafka.MetadataKey: "door-1", watermillkafka.MetadataTopic: topic, watermillkafka.MetadataPartition: "0",
		watermillkafka.MetadataOffset: "0"}, got.Metadata)
}

func TestARecordWithoutIDOrKeyGetsAUUIDThatStays(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	require.NoError(t, b.publisher(t).Publish(topic, message.NewMessage("", message.Payload("x"))))
	m := join(t, b.config("anonymous"), topic)
	first := m.next(t)
	require.NotEmpty(t, first.UUID)
	require.NotContains(t, first.Metadata, watermillkafka.MetadataKey)
	first.Nack()
	require.Equal(t, first.UUID, m.next(t).UUID)
}

func TestPublishingRefuses(t *testing.T) {
	b := newBroker(t)
	pub := b.publisher(t)
	require.ErrorIs(t, pub.Publish("parley.absent", keyed("a", "1")), kafka.UnknownTopicOrPartition)
	require.NoError(t, pub.Close())
	require.ErrorIs(t, pub.Publish("parley.absent", keyed("a", "1")), watermillkafka.ErrClosed)
	_, err := watermillkafka.NewPublisher(nil, nil)
	require.ErrorContains(t, err, "Brokers")
}
