package embedded

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

const killedPartitions = 3

// produceUntilKilled starts a broker in this process and appends to each partition
// from two goroutines, saying each value once the broker has acknowledged it.
func produceUntilKilled(dir string) error {
	broker, err := StartBroker(BrokerConfig{Dir: dir})
	if err != nil {
		return err
	}
	client := clientOf(broker)
	failed := make(chan error)
	for writer := range 2 * killedPartitions {
		go func() {
			for n := 0; ; n++ {
				value := fmt.Sprintf("%d-%d-%d", time.Now().UnixNano(), writer, n)
				if err := append1(client, writer%killedPartitions, value); err != nil {
					failed <- err
					return
				}
				fmt.Println(writer%killedPartitions, value)
			}
		}()
	}
	return <-failed
}

func append1(client *kafka.Client, partition int, value string) error {
	produced, err := client.Produce(context.Background(), &kafka.ProduceRequest{
		Topic: "parley.calls", Partition: partition, RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte(value))}),
	})
	if err != nil {
		return err
	}
	return produced.Error
}

// Given a broker whose process is killed while clients append, when it starts
// again, then every acknowledged record is there. Three lives: after a fresh start,
// after a kill, and after a clean stop, since each is loaded in another way.
func TestBrokerKeepsAcknowledgedRecordsThroughKill9(t *testing.T) {
	dir := t.TempDir()
	broker := startBroker(t, dir)
	createTopic(t, broker, "parley.calls", killedPartitions)
	require.NoError(t, broker.Close())

	acknowledged := map[string][]string{}
	total := 0
	for life := range 3 {
		producer := childtest.Start(t, "produce", dir)
		lines := producer.Said(300)
		lines = append(lines, producer.Kill9()...)
		require.GreaterOrEqual(t, len(lines), 300)
		for _, line := range lines {
			var partition, value string
			_, err := fmt.Sscanf(line, "%s %s", &partition, &value)
			require.NoError(t, err, line)
			acknowledged[partition] = append(acknowledged[partition], value)
		}
		total += len(lines)
		if life == 0 {
			continue // the next life starts from what the kill left
		}
		broker := startBroker(t, dir)
		found := requireAll(t, broker.client, acknowledged)
		t.Logf("life %d: %d acknowledged, %d found", life, total, found)
		require.NoError(t, broker.Close())
	}
}

func requireAll(t *testing.T, client *kafka.Client, acknowledged map[string][]string) (found int) {
	t.Helper()
	for name, want := range acknowledged {
		partition, err := strconv.Atoi(name)
		require.NoError(t, err)
		got := values(t, client, "parley.calls", partition)
		found += len(got)
		lost := slices.DeleteFunc(slices.Clone(want), func(value string) bool { return slices.Contains(got, value) })
		require.Empty(t, lost, "partition %d lost acknowledged records", partition)
	}
	return found
}
