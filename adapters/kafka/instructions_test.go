package kafka_test

import (
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/domain/event"
)

// What an operator is told to do works when it is done to the letter.

func TestATopicThatIsNotOursIsDeletedAndMadeAgain(t *testing.T) {
	c, brokers := broker(t)
	require.NoError(t, c.CreateTopic(lidsTopic, 1, nil))
	client := kafkago.Client{Addr: kafkago.TCP(brokers...)}
	_, err := client.Produce(t.Context(), &kafkago.ProduceRequest{Topic: lidsTopic, RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(kafkago.Record{Value: kafkago.NewBytes([]byte("hello"))})})
	require.NoError(t, err)
	require.ErrorContains(t, connect(t, brokers).Open(t.Context(), categories()), "If nobody needs it, delete it and start again")
	require.NoError(t, c.DeleteTopic(lidsTopic))
	opened(t, brokers)
}

func TestTheTopicsOfTwoLogsAreDeletedAndAnEmptyLogBegins(t *testing.T) {
	c, brokers := broker(t)
	first := opened(t, brokers)
	require.NoError(t, c.DeleteTopic("parley.boxes"))
	require.NoError(t, connect(t, brokers).Open(t.Context(), []*event.Category{boxes}))
	require.ErrorContains(t, connect(t, brokers).Open(t.Context(), categories()), "delete all topics of both to begin an empty log")
	for _, category := range categories() {
		require.NoError(t, c.DeleteTopic(category.Topic()))
	}
	require.NotEqual(t, first.LogID(), opened(t, brokers).LogID())
}

// Given a topic whose start was cut off, when it is made again from a backup with all
// of its records, then the log opens as it was.
func TestATopicWhoseStartWasCutOffIsRestored(t *testing.T) {
	c, brokers := broker(t)
	first := opened(t, brokers)
	direct, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		lidsTopic: {0: kgo.NewOffset().At(0)}}), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer direct.Close()
	require.NoError(t, direct.ProduceSync(t.Context(), &kgo.Record{Topic: lidsTopic, Partition: 0, Key: []byte("k"),
		Value: []byte("v")}).FirstErr())
	var backup []*kgo.Record
	for len(backup) < 2 {
		backup = append(backup, direct.PollFetches(t.Context()).Records()...)
	}

	cut := kmsg.NewDeleteRecordsRequest()
	partition := kmsg.NewDeleteRecordsRequestTopicPartition()
	partition.Offset = 1
	topic := kmsg.NewDeleteRecordsRequestTopic()
	topic.Topic, topic.Partitions = lidsTopic, append(topic.Partitions, partition)
	cut.Topics = append(cut.Topics, topic)
	_, err = cut.RequestWith(t.Context(), direct)
	require.NoError(t, err)
	require.ErrorContains(t, connect(t, brokers).Open(t.Context(), categories()),
		"its start was cut off. Delete the topic and make it again from a backup")
	require.ErrorContains(t, first.Verify(t.Context(), lidsTopic, 0), "its start was cut off")

	partitions, err := first.Partitions(lidsTopic)
	require.NoError(t, err)
	require.Equal(t, 1, partitions)
	require.NoError(t, c.DeleteTopic(lidsTopic))
	require.NoError(t, c.CreateTopic(lidsTopic, int32(partitions), map[string]string{"retention.ms": "-1", "retention.bytes": "-1",
		"max.message.bytes": "8388608"}))
	restoring, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer restoring.Close()
	for _, r := range backup {
		again := kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp}
		require.NoError(t, restoring.ProduceSync(t.Context(), &again).FirstErr())
	}
	again := opened(t, brokers)
	require.Equal(t, first.LogID(), again.LogID())
}
