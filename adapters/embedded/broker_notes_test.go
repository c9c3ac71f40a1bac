package embedded

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// What a note costs beside the fsync of the batch that it is about.
func BenchmarkNote(b *testing.B) {
	dir := b.TempDir()
	found, err := logfolder.Scan(b.Context(), dir, logfolder.ScanConfig{})
	require.NoError(b, err)
	notes, err := logfolder.OpenNotes(dir, found)
	require.NoError(b, err)
	for n := int64(0); b.Loop(); n++ {
		require.NoError(b, notes.Acknowledge(filledTopic, 0, n))
	}
	require.NoError(b, notes.Close())
}

// What one batch costs from the client's side, fsync and note included.
func BenchmarkProduce(b *testing.B) {
	broker, err := StartBroker(BrokerConfig{Dir: b.TempDir()})
	require.NoError(b, err)
	defer broker.Close()
	client := clientOf(broker)
	createFor(b, client, 1)
	value := strings.Repeat("v", 1000)
	for b.Loop() {
		require.NoError(b, appendTo(client, filledTopic, 0, value))
	}
}

// How fast a log is read before it is opened.
func BenchmarkScan(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "kafka")
	broker, err := StartBroker(BrokerConfig{Dir: dir, UnsafeNoSync: true})
	require.NoError(b, err)
	client := clientOf(broker)
	createFor(b, client, 2)
	records := make([]kafka.Record, 1000)
	for n := range 400 {
		for i := range records {
			records[i] = kafka.Record{Value: kafka.NewBytes([]byte(filledValue(i, n) + strings.Repeat("v", 1000)))}
		}
		produced, err := client.Produce(context.Background(), &kafka.ProduceRequest{
			Topic: filledTopic, Partition: n % 2, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
		require.NoError(b, err)
		require.NoError(b, produced.Error)
	}
	require.NoError(b, broker.Close())
	for b.Loop() {
		found, err := logfolder.Scan(b.Context(), dir, logfolder.ScanConfig{})
		require.NoError(b, err)
		require.Empty(b, found.Damage)
		b.SetBytes(found.Bytes)
	}
}

func createFor(b *testing.B, client *kafka.Client, partitions int) {
	b.Helper()
	_, err := client.CreateTopics(context.Background(), &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: filledTopic, NumPartitions: partitions, ReplicationFactor: 1}}})
	require.NoError(b, err)
}
