package embedded

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
)

// What docs/architecture.md "Topics and genesis" asks of a topic, for one replica.
var topicSettings = map[string]string{
	"retention.ms":                   "-1",
	"retention.bytes":                "-1",
	"cleanup.policy":                 "delete",
	"max.message.bytes":              "8388608",
	"unclean.leader.election.enable": "false",
	"min.insync.replicas":            "1",
}

func TestBrokerKeepsTheSettingsOfATopic(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	createTopic(t, broker, "parley.calls", 6)

	described, err := broker.client.DescribeConfigs(t.Context(), &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: "parley.calls"}},
	})

	require.NoError(t, err)
	require.NoError(t, described.Resources[0].Error)
	got := map[string]string{}
	for _, entry := range described.Resources[0].ConfigEntries {
		got[entry.ConfigName] = entry.ConfigValue
	}
	for name, value := range topicSettings {
		require.Equal(t, value, got[name], name)
	}
}

func TestBrokerMakesNoTopicsUnasked(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	_, err := broker.client.Metadata(t.Context(), &kafka.MetadataRequest{Topics: []string{"parley.calls"}})
	require.NoError(t, err)

	all, err := broker.client.Metadata(t.Context(), &kafka.MetadataRequest{})
	require.NoError(t, err)
	require.Empty(t, all.Topics)
}

func TestBrokerTakesBatchesUpToTheTopicsLimit(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	createTopic(t, broker, "parley.calls", 1)
	const megabyte = 1 << 20

	require.NoError(t, broker.produce(t, "parley.calls", record(megabyte+megabyte/2)), "one record of 1.5 MB")
	require.NoError(t, broker.produce(t, "parley.calls", record(3*megabyte), record(3*megabyte)), "a batch of 6 MB")
	require.ErrorIs(t, broker.produce(t, "parley.calls", record(9*megabyte)), kafka.MessageSizeTooLarge)

	require.Equal(t, []int{megabyte + megabyte/2, 3 * megabyte, 3 * megabyte}, broker.sizes(t, "parley.calls"))
}

func TestBrokerServesConsumerGroupsAcrossARestart(t *testing.T) {
	dir := t.TempDir()
	broker := startBroker(t, dir)
	createTopic(t, broker, "parley.calls", 1)
	require.NoError(t, broker.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte("first"))}))
	require.Equal(t, "first", readOneAndCommit(t, broker))
	require.NoError(t, broker.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte("second"))}))

	require.NoError(t, broker.Close())
	restarted := startBroker(t, dir)

	require.Equal(t, broker.Addrs(), restarted.Addrs(), "consumers find it where it was")
	require.Equal(t, "second", readOneAndCommit(t, restarted))
}

func TestBrokerRefusesAFolderInUse(t *testing.T) {
	dir := t.TempDir()
	startBroker(t, dir)
	_, err := StartBroker(BrokerConfig{Dir: dir, Log: childtest.Log(t)})
	require.ErrorIs(t, err, datafolder.ErrLocked)
}

// running is a broker with a client.
type running struct {
	*Broker
	client *kafka.Client
}

func startBroker(t *testing.T, dir string) running {
	t.Helper()
	childtest.Integration(t)
	broker, err := StartBroker(BrokerConfig{Dir: dir, Log: childtest.Log(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, broker.Close()) })
	return running{Broker: broker, client: clientOf(broker)}
}

// clientOf has connections of its own: the default transport would offer those to
// an earlier broker of the same address, and their end would be this one's error.
func clientOf(broker *Broker) *kafka.Client {
	tlsConfig, mechanism, err := broker.Client()
	if err != nil {
		panic(err)
	}
	transport := &kafka.Transport{TLS: tlsConfig, SASL: mechanism}
	return &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 20 * time.Second, Transport: transport}
}

func createTopic(t *testing.T, broker running, name string, partitions int) {
	t.Helper()
	topic := kafka.TopicConfig{Topic: name, NumPartitions: partitions, ReplicationFactor: 1}
	for name, value := range topicSettings {
		topic.ConfigEntries = append(topic.ConfigEntries, kafka.ConfigEntry{ConfigName: name, ConfigValue: value})
	}
	created, err := broker.client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{topic}})
	require.NoError(t, err)
	require.NoError(t, created.Errors[name])
}

// record's value does not compress away: it is sent as it is.
func record(size int) kafka.Record {
	return kafka.Record{Key: kafka.NewBytes([]byte("call-1")), Value: kafka.NewBytes(bytes.Repeat([]byte{'x'}, size))}
}

func (r running) produce(t *testing.T, topic string, records ...kafka.Record) error {
	t.Helper()
	produced, err := r.client.Produce(t.Context(), &kafka.ProduceRequest{
		Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...),
	})
	if err != nil {
		return err
	}
	return produced.Error
}

// sizes reads the partition from its start to its end.
func (r running) sizes(t *testing.T, topic string) (sizes []int) {
	t.Helper()
	for _, value := range values(t, r.client, topic, 0) {
		sizes = append(sizes, len(value))
	}
	return sizes
}

func values(t *testing.T, client *kafka.Client, topic string, partition int) (values []string) {
	t.Helper()
	for offset := int64(0); ; {
		fetched, err := client.Fetch(t.Context(), &kafka.FetchRequest{
			Topic: topic, Partition: partition, Offset: offset, MinBytes: 1, MaxBytes: 8 << 20, MaxWait: 100 * time.Millisecond,
		})
		require.NoError(t, err)
		require.NoError(t, fetched.Error)
		for {
			r, err := fetched.Records.ReadRecord()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if r.Offset < offset { // a batch is fetched whole, from its first record
				continue
			}
			value, err := kafka.ReadAll(r.Value)
			require.NoError(t, err)
			values = append(values, string(value))
			offset = r.Offset + 1
		}
		if offset >= fetched.HighWatermark {
			return values
		}
	}
}

func readOneAndCommit(t *testing.T, broker running) string {
	t.Helper()
	_, mechanism, err := broker.Client()
	require.NoError(t, err)
	reader := kafka.NewReader(kafka.ReaderConfig{
		Dialer:  &kafka.Dialer{Timeout: 10 * time.Second, SASLMechanism: mechanism},
		Brokers: broker.Addrs(), GroupID: "reactor", Topic: "parley.calls", StartOffset: kafka.FirstOffset,
		MinBytes: 1, MaxBytes: 8 << 20, MaxWait: 100 * time.Millisecond,
	})
	defer reader.Close()
	message, err := reader.FetchMessage(t.Context())
	require.NoError(t, err)
	require.NoError(t, reader.CommitMessages(t.Context(), message))
	return string(message.Value)
}
