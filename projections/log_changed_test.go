package projections_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

	elsewhere := embeddedtest.Broker(t)
	other := begin(t, "a", elsewhere, url)
	told := other.troubled(t, "/0")
	require.Contains(t, told, "the old brokers")
	require.Equal(t, before, other.dump(t))
	require.True(t, fault.Is(other.projector.Gate(), fault.CatchingUp))
	_, err = other.add(t, idOn(1), 1)
	require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
	require.False(t, other.projector.Lag().Ready())
	other.stop()

	back := start(t, "a", brokers, url) // the one remedy: the old brokers
	require.Equal(t, 1, back.total(t, idOn(0)))
	back.stop()
	buildAnew(t, told, url) // the other: the log as it is
	fresh := start(t, "a", elsewhere, url)
	require.Zero(t, fresh.total(t, idOn(0)))
	_, err = fresh.add(t, idOn(1), 1)
	require.NoError(t, err)
}

// buildAnew does what a message says makes the database empty.
func buildAnew(t *testing.T, told, url string) {
	t.Helper()
	command := regexp.MustCompile(`psql "\$DATABASE_URL" -c '([^']*)'`).FindStringSubmatch(told)
	require.NotNil(t, command, told)
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), command[1])
	require.NoError(t, err)
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
		n.led(t, partition) // a record can be sent once: its value is read away
		soon(t, "the topic is there", func() bool {
			res, err := client.Produce(t.Context(), &kafkago.ProduceRequest{Topic: counters.Topic(), Partition: partition, RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(records...)})
			return err == nil && res.Error == nil
		})
	}
}

// led waits until the partition's leader knows that it is: on Apache Kafka that takes
// a moment after a topic was created.
func (n *node) led(t *testing.T, partition int) {
	t.Helper()
	soon(t, "the partition has a leader", func() bool {
		res, err := n.log.Client().ListOffsets(t.Context(), &kafkago.ListOffsetsRequest{Topics: map[string][]kafkago.OffsetRequest{counters.Topic(): {kafkago.LastOffsetOf(partition)}}})
		return err == nil && len(res.Topics[counters.Topic()]) == 1 && res.Topics[counters.Topic()][0].Error == nil
	})
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
			told := other.troubled(t, "/0")
			require.Contains(t, told, "Bring the old log back")
			require.Equal(t, before, other.dump(t))
			require.Error(t, other.projector.Gate())
			n.stop()
			other.stop()

			buildAnew(t, told, url)
			again := start(t, "c", brokers, url)
			require.Equal(t, min(1, len(fill)), again.total(t, idOn(0)), "what the log holds, no more and no less")
			_, err := again.add(t, idOn(0), 1)
			require.NoError(t, err)
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
	err = again.Open(context.WithoutCancel(t.Context()), []*event.Category{counters.Category})
	require.ErrorContains(t, err, "began with 3 partitions and has 5 now")
	require.ErrorContains(t, err, "make it again with 3 partitions, from a backup or from a copy of its partitions 0 to 2")

	n.stop()
	var copied [][]kafkago.Record
	for partition := range 3 {
		copied = append(copied, n.copyOf(t, partition))
	}
	n.deleteAndFill(t, 3, copied...)
	buildAnew(t, err.Error(), url)
	mended := start(t, "a", brokers, url)
	require.Equal(t, 1, mended.total(t, idOn(0)))
	_, err = mended.add(t, idOn(0), 1)
	require.NoError(t, err)
}

// copyOf reads all records of a partition behind its genesis.
func (n *node) copyOf(t *testing.T, partition int) (out []kafkago.Record) {
	t.Helper()
	client := kafkago.Client{Addr: n.log.Client().Addr}
	res, err := client.Fetch(t.Context(), &kafkago.FetchRequest{Topic: counters.Topic(), Partition: partition, Offset: 0, MinBytes: 1, MaxBytes: 8 << 20, MaxWait: time.Second})
	require.NoError(t, err)
	for {
		r, err := res.Records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		key, err := kafkago.ReadAll(r.Key)
		require.NoError(t, err)
		value, err := kafkago.ReadAll(r.Value)
		require.NoError(t, err)
		if !eventstore.IsGenesis(r.Headers) {
			out = append(out, kafkago.Record{Key: kafkago.NewBytes(key), Value: kafkago.NewBytes(value), Headers: r.Headers, Time: r.Time})
		}
	}
}
