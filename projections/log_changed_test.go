package projections_test

import (
	"context"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// troubled waits until the node says of the partition that it was given up.
func (n *node) troubled(t *testing.T, partition string) string {
	t.Helper()
	var what string
	soon(t, "the partition is given up", func() bool { what = n.projector.Lag().Given[counters.Topic()+partition]; return what != "" })
	require.Contains(t, what, projections.ErrGivenUp.Error())
	return what
}

// Given read models of one log and the brokers of another, then nothing is projected
// nor served, and the operator is told what to do.
func TestAnotherLogIsRefused(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	_, err := n.add(t, idOn(0), 1)
	require.NoError(t, err)
	before := n.dump(t)
	n.stop()

	other := begin(t, "a", embeddedtest.Broker(t), url)
	require.Contains(t, other.troubled(t, "/0"), "drop the database")
	require.Equal(t, before, other.dump(t))
	require.True(t, fault.Is(other.projector.Gate(), fault.CatchingUp))
	_, err = other.add(t, idOn(1), 1)
	require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
}

// deleteAndFill makes the topic anew with the genesis of the same log and some records,
// as a restored backup that lacks the newest would be.
func (n *node) deleteAndFill(t *testing.T, partitions int, fill ...[]kafkago.Record) {
	t.Helper()
	client := n.log.Client()
	deleted, err := client.DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{counters.Topic()}})
	require.NoError(t, err)
	require.NoError(t, deleted.Errors[counters.Topic()])
	made, err := client.CreateTopics(t.Context(), &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{Topic: counters.Topic(), NumPartitions: partitions, ReplicationFactor: 1, ConfigEntries: []kafkago.ConfigEntry{
		{ConfigName: "retention.ms", ConfigValue: "-1"}, {ConfigName: "max.message.bytes", ConfigValue: "8388608"}}}}})
	require.NoError(t, err)
	require.NoError(t, made.Errors[counters.Topic()])
	for partition := range partitions {
		headers, value, err := eventstore.Genesis{LogID: n.log.LogID(), Topic: counters.Topic(), Partition: partition, Partitions: partitions, Rule: eventstore.Rule}.Message()
		require.NoError(t, err)
		records := []kafkago.Record{{Value: kafkago.NewBytes(value), Headers: headers}}
		if partition < len(fill) {
			records = append(records, fill[partition]...)
		}
		soon(t, "the topic is there", func() bool {
			res, err := client.Produce(t.Context(), &kafkago.ProduceRequest{Topic: counters.Topic(), Partition: partition, RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(records...)})
			return err == nil && res.Error == nil
		})
	}
}

func TestALogCutBehindTheCheckpointIsRefused(t *testing.T) {
	for name, fill := range map[string][]kafkago.Record{
		"and shorter":               nil,
		"and grown again by others": messages(append(commitOf(idOn(0), 1, "", 1), commitOf(idOn(0), 2, "", 4)...)...),
	} {
		t.Run(name, func(t *testing.T) {
			brokers, url := parts(t)
			n := start(t, "a", brokers, url)
			for range 3 {
				_, err := n.add(t, idOn(0), 1)
				require.NoError(t, err)
			}
			n.projector.Close(t.Context())
			n.deleteAndFill(t, counters.Partitions, fill)
			before := n.dump(t)

			other := begin(t, "b", brokers, url)
			require.Contains(t, other.troubled(t, "/0"), "bring the old log back")
			require.Equal(t, before, other.dump(t))
			require.Error(t, other.projector.Gate())
		})
	}
}

// Given a running node whose topic gets more partitions, then commands are refused as
// not executed, a partition that has to look again is given up, and a start is refused.
func TestAnotherPartitionCountStopsWritersAndProjector(t *testing.T) {
	brokers, url := parts(t)
	n := start(t, "a", brokers, url)
	_, err := n.add(t, idOn(0), 1)
	require.NoError(t, err)
	res, err := n.log.Client().CreatePartitions(t.Context(), &kafkago.CreatePartitionsRequest{Topics: []kafkago.TopicPartitionsConfig{{Name: counters.Topic(), Count: 5}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors[counters.Topic()])

	soon(t, "the look of each minute finds it", func() bool { err = n.log.Check(t.Context()); return err != nil })
	require.ErrorContains(t, err, "began with 3 partitions and has 5 now")
	_, err = n.add(t, idOn(0), 1)
	require.True(t, fault.Is(err, fault.NotExecuted), "%v", err)
	require.Equal(t, 1, n.total(t, idOn(0)), "reads go on")

	n.projector.Reset("to make it look again")
	require.Contains(t, n.troubled(t, "/0"), "3 partitions")

	again := kafka.New(kafka.Config{Brokers: brokers})
	defer again.Close()
	require.ErrorContains(t, again.Open(context.WithoutCancel(t.Context()), []*event.Category{counters.Category}), "began with 3 partitions and has 5 now")
}
