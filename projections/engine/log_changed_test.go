package engine_test

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
	"github.com/parley-platform/parley/projections/engine/enginetest"
	"github.com/parley-platform/parley/projections/sink"
)

// troubled waits until the node says of the partition that it was given up.
func troubled(n *enginetest.Node, t *testing.T, partition string) string {
	t.Helper()
	var what string
	enginetest.Soon(t, "the partition is given up", func() bool {
		what = n.Projector.Lag().Given[enginetest.Counters.Topic()+
			partition]
		return what != ""
	})
	require.Contains(t, what, sink.ErrGivenUp.Error())
	return what
}

// Given read models of one log and the brokers of another, then nothing is projected
// nor served, and the operator is told what to do.
func TestAnotherLogIsRefused(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	_, err := n.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)
	before := dump(n, t)
	n.Stop()

	elsewhere := embeddedtest.Broker(t)
	other := enginetest.Begin(t, "a", elsewhere, url)
	told := troubled(other, t, "/0")
	require.Contains(t, told, "the old brokers")
	require.Equal(t, before, dump(other, t))
	require.True(t, fault.Is(other.Projector.Gate(), fault.CatchingUp))
	_, err = other.Add(t, enginetest.IDOn(1), 1)
	require.True(t, fault.Is(err, fault.CatchingUp), "%v", err)
	require.False(t, other.Projector.Lag().Ready())
	other.Stop()

	back := enginetest.Start(t, "a", brokers, url) // the one remedy: the old brokers
	require.Equal(t, 1, back.Total(t, enginetest.IDOn(0)))
	back.Stop()
	buildAnew(t, told, url) // the other: the log as it is
	fresh := enginetest.Start(t, "a", elsewhere, url)
	require.Zero(t, fresh.Total(t, enginetest.IDOn(0)))
	_, err = fresh.Add(t, enginetest.IDOn(1), 1)
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
func deleteAndFill(n *enginetest.Node, t *testing.T, partitions int, fill ...[]kafkago.Record) {
	t.Helper()
	client := n.Log.Client()
	deleted, err := client.DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{enginetest.Counters.Topic()}})
	require.NoError(t, err)
	require.NoError(t, deleted.Errors[enginetest.Counters.Topic()])
	made, err := client.CreateTopics(t.Context(), &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{
		{Topic: enginetest.Counters.Topic(), NumPartitions: partitions, ReplicationFactor: 1, ConfigEntries: []kafkago.ConfigEntry{
			{ConfigName: "retention.ms", ConfigValue: "-1"}, {ConfigName: "max.message.bytes", ConfigValue: "8388608"}}}}})
	require.NoError(t, err)
	require.NoError(t, made.Errors[enginetest.Counters.Topic()])
	for partition := range partitions {
		headers, value, err := eventstore.Genesis{LogID: n.Log.LogID(), Topic: enginetest.Counters.Topic(), Partition: partition,
			Partitions: partitions, Rule: eventstore.Rule}.Message()
		require.NoError(t, err)
		records := []kafkago.Record{{Value: kafkago.NewBytes(value), Headers: headers}}
		if partition < len(fill) {
			records = append(records, fill[partition]...)
		}
		led(n, t, partition) // a record can be sent once: its value is read away
		enginetest.Soon(t, "the topic is there", func() bool {
			res, err := client.Produce(t.Context(), &kafkago.ProduceRequest{Topic: enginetest.Counters.Topic(), Partition: partition,
				RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(records...)})
			return err == nil && res.Error == nil
		})
	}
}

// led waits until the partition's leader knows that it is: on Apache Kafka that takes
// a moment after a topic was created.
func led(n *enginetest.Node, t *testing.T, partition int) {
	t.Helper()
	enginetest.Soon(t, "the partition has a leader", func() bool {
		res, err := n.Log.Client().ListOffsets(t.Context(), &kafkago.ListOffsetsRequest{Topics: map[string][]kafkago.OffsetRequest{
			enginetest.Counters.Topic(): {kafkago.LastOffsetOf(partition)}}})
		return err == nil && len(res.Topics[enginetest.Counters.Topic()]) == 1 && res.Topics[enginetest.Counters.Topic()][0].Error == nil
	})
}

func TestALogCutBehindTheCheckpointIsRefused(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string][]kafkago.Record{
		"and shorter": nil,
		"and grown again by others": enginetest.Messages(append(enginetest.CommitOf(enginetest.IDOn(0), 1, "", 1),
			enginetest.CommitOf(enginetest.IDOn(0), 2, "", 4)...)...),
	} {
		t.Run(name, func(t *testing.T) {
			brokers, url := enginetest.Parts(t)
			n := enginetest.Start(t, "a", brokers, url)
			for range 3 {
				_, err := n.Add(t, enginetest.IDOn(0), 1)
				require.NoError(t, err)
			}
			n.Projector.Close(t.Context())
			deleteAndFill(n, t, enginetest.Counters.Partitions, fill)
			before := dump(n, t)

			other := enginetest.Begin(t, "b", brokers, url)
			told := troubled(other, t, "/0")
			require.Contains(t, told, "Bring the old log back")
			require.Equal(t, before, dump(other, t))
			require.Error(t, other.Projector.Gate())
			n.Stop()
			other.Stop()

			buildAnew(t, told, url)
			again := enginetest.Start(t, "c", brokers, url)
			require.Equal(t, min(1, len(fill)), again.Total(t, enginetest.IDOn(0)), "what the log holds, no more and no less")
			_, err := again.Add(t, enginetest.IDOn(0), 1)
			require.NoError(t, err)
		})
	}
}

// Given a running node whose topic gets more partitions, then commands are refused as
// not executed, a partition that has to look again is given up, and a start is refused.
func TestAnotherPartitionCountStopsWritersAndProjector(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "a", brokers, url)
	_, err := n.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)
	res, err := n.Log.Client().CreatePartitions(t.Context(), &kafkago.CreatePartitionsRequest{Topics: []kafkago.TopicPartitionsConfig{
		{Name: enginetest.Counters.Topic(), Count: 5}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors[enginetest.Counters.Topic()])

	enginetest.Soon(t, "the look of each minute finds it", func() bool { err = n.Log.Check(t.Context()); return err != nil })
	require.ErrorContains(t, err, "began with 3 partitions and has 5 now")
	_, err = n.Add(t, enginetest.IDOn(0), 1)
	require.True(t, fault.Is(err, fault.NotExecuted), "%v", err)
	require.Equal(t, 1, n.Total(t, enginetest.IDOn(0)), "reads go on")

	n.Projector.Reset("to make it look again")
	require.Contains(t, troubled(n, t, "/0"), "3 partitions")

	again := kafka.New(kafka.Config{Brokers: brokers})
	defer again.Close()
	err = again.Open(context.WithoutCancel(t.Context()), []*event.Category{enginetest.Counters.Category})
	require.ErrorContains(t, err, "began with 3 partitions and has 5 now")
	require.ErrorContains(t, err, "make it again with 3 partitions, from a backup or from a copy of its partitions 0 to 2")

	n.Stop()
	var copied [][]kafkago.Record
	for partition := range 3 {
		copied = append(copied, copyOf(n, t, partition))
	}
	deleteAndFill(n, t, 3, copied...)
	buildAnew(t, err.Error(), url)
	mended := enginetest.Start(t, "a", brokers, url)
	require.Equal(t, 1, mended.Total(t, enginetest.IDOn(0)))
	_, err = mended.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)
}

// copyOf reads all records of a partition behind its genesis.
func copyOf(n *enginetest.Node, t *testing.T, partition int) (out []kafkago.Record) {
	t.Helper()
	client := kafkago.Client{Addr: n.Log.Client().Addr}
	res, err := client.Fetch(t.Context(), &kafkago.FetchRequest{Topic: enginetest.Counters.Topic(), Partition: partition, Offset: 0,
		MinBytes: 1, MaxBytes: 8 << 20, MaxWait: time.Second})
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
