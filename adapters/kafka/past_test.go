package kafka_test

import (
	"context"
	"log/slog"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/eventstore"
)

const boxesTopic = "parley.boxes"

// remembering is what others than the brokers know.
type remembering func(context.Context) ([]kafka.Remembered, error)

// readModelsOf a log have a checkpoint on the lids.
func readModelsOf(logID string) remembering {
	return func(context.Context) ([]kafka.Remembered, error) {
		return []kafka.Remembered{{Topic: lidsTopic, Partition: 0, LogID: logID, Who: "the checkpoint of the read models"}}, nil
	}
}

// begunEmpty is a topic that the brokers lost and somebody made again, empty.
func begunEmpty(t *testing.T, c *kfake.Cluster, topic string, partitions int32) {
	t.Helper()
	require.NoError(t, c.DeleteTopic(topic))
	require.NoError(t, c.CreateTopic(topic, partitions, map[string]string{"retention.ms": "-1", "max.message.bytes": "8388608"}))
}

// Given a partition that is empty, or a topic that is gone, when anything remembers that
// it had a genesis, then it gets no other one, and the message says who remembers.
func TestNoGenesisIsWrittenWhereThereWasOne(t *testing.T) {
	for name, c := range map[string]struct {
		before func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering
		says   string
	}{
		"a consumer group, of an emptied topic": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			committed(t, log, 2)
			begunEmpty(t, c, lidsTopic, 1)
			committed(t, log, 2) // real brokers forget a deleted topic's places, these too
			return nil
		}, "the consumer group parley-dialer remembers"},
		"the read models, of an emptied topic": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			begunEmpty(t, c, lidsTopic, 1)
			return readModelsOf(log.LogID())
		}, "the checkpoint of the read models (log "},
		"the read models, of a deleted topic": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			require.NoError(t, c.DeleteTopic(lidsTopic))
			return readModelsOf(log.LogID())
		}, "topic parley.lids is not on the brokers"},
		"the read models, of brokers that are empty": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			require.NoError(t, c.DeleteTopic(lidsTopic))
			require.NoError(t, c.DeleteTopic(boxesTopic))
			return readModelsOf(log.LogID())
		}, "the checkpoint of the read models (log "},
		"the rest of its topic, of which more was written": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			begunEmpty(t, c, boxesTopic, 3)
			writeAs(t, log, boxesTopic, 0, 2)
			_, err := log.Produce(t.Context(), boxesTopic, 0, records("box-1", 1, "{}"))
			require.NoError(t, err)
			return nil
		}, "parley.boxes/1 is empty"},
		"a later partition of its topic": {func(t *testing.T, c *kfake.Cluster, log *kafka.Log) remembering {
			begunEmpty(t, c, boxesTopic, 3)
			writeAs(t, log, boxesTopic, 2, 1)
			return nil
		}, "parley.boxes/0 is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, brokers := broker(t)
			log := opened(t, brokers)
			remembered := c.before(t, cluster, log)
			again := kafka.New(kafka.Config{Brokers: brokers, Log: slog.New(slog.DiscardHandler), Remembered: remembered})
			t.Cleanup(again.Close)
			before := written(cluster)
			err := again.Open(t.Context(), categories())
			require.ErrorIs(t, err, eventstore.ErrOutOfRange)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "no new one is written")
			require.Equal(t, before, written(cluster), "something was written")
		})
	}
}

// Given a first start that ended while it wrote the genesis records, then the next one
// writes those that are missing.
func TestAFirstStartThatWasCutShortGoesOn(t *testing.T) {
	cluster, brokers := broker(t)
	log := opened(t, brokers)
	begunEmpty(t, cluster, boxesTopic, 3)
	writeAs(t, log, boxesTopic, 0, 1)
	again := opened(t, brokers)
	require.Equal(t, log.LogID(), again.LogID())
	ends, err := again.Ends(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[int]int64{0: 1, 1: 1, 2: 1}, ends[boxesTopic])
}

// Given read models of another log, then a new category of this one begins: which log
// they are of is theirs to say, when they are read.
func TestWhatIsRememberedOfAnotherLogIsNoMatterOfThisOne(t *testing.T) {
	cluster, brokers := broker(t)
	log := opened(t, brokers)
	require.NoError(t, cluster.DeleteTopic(lidsTopic))
	again := kafka.New(kafka.Config{Brokers: brokers, Log: slog.New(slog.DiscardHandler), Remembered: readModelsOf("another")})
	t.Cleanup(again.Close)
	require.NoError(t, again.Open(t.Context(), categories()))
	require.Equal(t, log.LogID(), again.LogID())
}

// written is how far each partition is.
func written(c *kfake.Cluster) map[string][]int64 {
	out := map[string][]int64{}
	for _, topic := range []string{boxesTopic, lidsTopic} {
		for _, p := range c.PartitionInfos(topic) {
			out[topic] = append(out[topic], p.HighWatermark)
		}
	}
	return out
}

// committed puts the dialer's group somewhere.
func committed(t *testing.T, log *kafka.Log, offset int64) {
	t.Helper()
	_, err := log.Client().OffsetCommit(t.Context(), &kafkago.OffsetCommitRequest{GroupID: "parley-dialer", GenerationID: -1,
		Topics: map[string][]kafkago.OffsetCommit{lidsTopic: {{Partition: 0, Offset: offset}}}})
	require.NoError(t, err)
}

// writeAs writes a genesis of the log, and as many records that in all there are so many.
func writeAs(t *testing.T, log *kafka.Log, topic string, partition, count int) {
	t.Helper()
	g := eventstore.Genesis{LogID: log.LogID(), Topic: topic, Partition: partition, Partitions: 3, Rule: eventstore.Rule}
	headers, value, err := g.Message()
	require.NoError(t, err)
	for range count {
		res, err := log.Client().Produce(t.Context(), &kafkago.ProduceRequest{
			Topic: topic, Partition: partition, RequiredAcks: kafkago.RequireAll,
			Records: kafkago.NewRecordReader(kafkago.Record{Value: kafkago.NewBytes(value), Headers: headers})})
		require.NoError(t, err)
		require.NoError(t, res.Error)
	}
}
