package embedded

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/eventstore"
)

const (
	filledTopic      = "parley.calls"
	plainTopic       = "copies"
	filledPartitions = 3
	filledRecords    = 40
	filledLog        = "5a2a7c6e-0d5f-4c25-8a6c-0d3f2a1b4c5d"
)

// fillAndWait writes a log with several segments for each partition, beginning with
// genesis records as Parley's do, and a group's place on it; then it says so and waits
// to be killed.
func fillAndWait(dir string) error {
	if _, err := filled(dir); err != nil {
		return err
	}
	fmt.Println("filled")
	select {}
}

// fillAndStop does the same and stops in an orderly way.
func fillAndStop(dir string) error {
	broker, err := filled(dir)
	if err != nil {
		return err
	}
	if err := broker.Close(); err != nil {
		return err
	}
	fmt.Println("filled")
	select {}
}

func filled(dir string) (*Broker, error) {
	broker, err := StartBroker(BrokerConfig{Dir: dir})
	if err != nil {
		return nil, err
	}
	client := clientOf(broker)
	small := []kafka.ConfigEntry{{ConfigName: "retention.ms", ConfigValue: "-1"}, {ConfigName: "segment.bytes", ConfigValue: "2000"}}
	_, err = client.CreateTopics(context.Background(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{
		{Topic: filledTopic, NumPartitions: filledPartitions, ReplicationFactor: 1, ConfigEntries: small},
		{Topic: plainTopic, NumPartitions: 2, ReplicationFactor: 1, ConfigEntries: small},
	}})
	for p := range filledPartitions {
		err = errors.Join(err, writeGenesis(client, p))
	}
	for n := range filledRecords {
		for p := range filledPartitions {
			err = errors.Join(err, appendTo(client, filledTopic, p, filledValue(p, n)))
		}
		err = errors.Join(err, appendTo(client, plainTopic, n%2, filledValue(n%2, n)))
	}
	_, committed := client.OffsetCommit(context.Background(), &kafka.OffsetCommitRequest{GroupID: "parley-dialer", GenerationID: -1,
		Topics: map[string][]kafka.OffsetCommit{
			filledTopic: {{Partition: 0, Offset: filledRecords}, {Partition: 1, Offset: filledRecords + 1}, {Partition: 2, Offset: 2}}}})
	return broker, errors.Join(err, committed)
}

func filledValue(p, n int) string { return fmt.Sprintf("%d-%d-%s", p, n, strings.Repeat("v", 150)) }

func writeGenesis(client *kafka.Client, partition int) error {
	genesis := eventstore.Genesis{LogID: filledLog, Topic: filledTopic, Partition: partition,
		Partitions: filledPartitions, Rule: eventstore.Rule}
	headers, value, err := genesis.Message()
	if err != nil {
		return err
	}
	return produceTo(client, filledTopic, partition, kafka.Record{Value: kafka.NewBytes(value), Headers: headers, Time: time.Now()})
}

func appendTo(client *kafka.Client, topic string, partition int, value string) error {
	record := kafka.Record{Value: kafka.NewBytes([]byte(value)), Time: time.Now()}
	if topic == filledTopic { // as the event store writes them
		record.Key = kafka.NewBytes([]byte(streamIn(partition)))
		record.Headers = []kafka.Header{{Key: "ce_type", Value: []byte(filledTopic + ".requested.v1")}}
	}
	return produceTo(client, topic, partition, record)
}

// streamIn is a stream that belongs to a partition.
func streamIn(partition int) string {
	for n := 0; ; n++ {
		if stream := fmt.Sprintf("call-%d", n); eventstore.PartitionOf(stream, filledPartitions) == partition {
			return stream
		}
	}
}

func produceTo(client *kafka.Client, topic string, partition int, r kafka.Record) error {
	produced, err := client.Produce(context.Background(), &kafka.ProduceRequest{
		Topic: topic, Partition: partition, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(r)})
	if err != nil {
		return err
	}
	return produced.Error
}

// logOnDisk is one that a test may damage.
type logOnDisk struct {
	t   *testing.T
	dir string
}

func (f logOnDisk) partition(topic string, n int) string {
	return filepath.Join(f.dir, "log", "partitions", topic+"-"+strconv.Itoa(n))
}

// segments are the files of a partition in their order.
func (f logOnDisk) segments(topic string, n int) []string {
	files, err := filepath.Glob(filepath.Join(f.partition(topic, n), "*.dat"))
	require.NoError(f.t, err)
	slices.SortFunc(files, func(a, b string) int { return baseOf(a) - baseOf(b) })
	require.Greater(f.t, len(files), 2)
	return files
}

func baseOf(file string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".dat"))
	return n
}

func (f logOnDisk) read(file string) []byte {
	data, err := os.ReadFile(file)
	require.NoError(f.t, err)
	return data
}

func (f logOnDisk) write(file string, data []byte) {
	require.NoError(f.t, os.WriteFile(file, data, 0o644))
}

func (f logOnDisk) flip(file string, at int) {
	data := f.read(file)
	data[at] ^= 0x10
	f.write(file, data)
}

func (f logOnDisk) swap(a, b string) {
	require.NoError(f.t, os.Rename(a, a+".x"))
	require.NoError(f.t, os.Rename(b, a))
	require.NoError(f.t, os.Rename(a+".x", b))
}

func (f logOnDisk) remove(path string) { require.NoError(f.t, os.RemoveAll(path)) }

// batches are where the batches of a segment begin, and its size.
func (f logOnDisk) batches(file string) (starts []int) {
	data := f.read(file)
	at := 0
	for at < len(data) {
		starts = append(starts, at)
		at += 12 + int(data[at+8])<<24 + int(data[at+9])<<16 + int(data[at+10])<<8 + int(data[at+11])
	}
	return append(starts, at)
}

// digest is everything in the folder but the lock.
func (f logOnDisk) digest() map[string]string {
	sums := map[string]string{}
	require.NoError(f.t, filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == datafolder.LockFile {
			return err
		}
		what := "folder"
		if !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%x %s", sha256.Sum256(f.read(path)), info.ModTime())
		}
		sums[path] = what
		return nil
	}))
	return sums
}
