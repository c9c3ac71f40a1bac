//go:build apache

package kafka_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/kafka/kafkatest"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Given a topic that was deleted and made anew, or whose start was cut off by
// DeleteRecords, then Apache Kafka's answers lead to the same refusals.
func TestVerifyOnApacheKafka(t *testing.T) {
	brokers := embeddedtest.Broker(t)
	l := opened(t, brokers)
	_, err := l.Produce(t.Context(), "parley.boxes", 0, records("box-1", 1, "{}"))
	require.NoError(t, err)
	deleted, err := l.Client().DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{lidsTopic}})
	require.NoError(t, err)
	require.NoError(t, deleted.Errors[lidsTopic])
	require.Eventually(t, func() bool { return connect(t, brokers).Open(t.Context(), []*event.Category{lids}) == nil }, 20*time.Second,
		100*time.Millisecond)
	require.Eventually(t, func() bool { return errors.Is(l.Verify(t.Context(), lidsTopic, 0), eventstore.ErrOutOfRange) }, 20*time.Second,
		20*time.Millisecond)
	require.ErrorContains(t, l.Verify(t.Context(), lidsTopic, 0), "the topic was replaced")

	deleteRecords(t, brokers, "parley.boxes", 1)
	require.ErrorIs(t, l.Verify(t.Context(), "parley.boxes", 0), eventstore.ErrOutOfRange)
	require.ErrorContains(t, l.Verify(t.Context(), "parley.boxes", 0), "its start was cut off")
	_, err = l.Fetch(t.Context(), "parley.boxes", 0, 0)
	require.ErrorIs(t, err, eventstore.ErrOutOfRange)
}

// deleteRecords cuts off a partition's records before an offset.
func deleteRecords(t *testing.T, brokers []string, topic string, before int64) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	require.NoError(t, err)
	defer client.Close()
	req := kmsg.NewDeleteRecordsRequest()
	req.TimeoutMillis = 10_000
	rp := kmsg.NewDeleteRecordsRequestTopicPartition()
	rp.Offset = before
	rt := kmsg.NewDeleteRecordsRequestTopic()
	rt.Topic, rt.Partitions = topic, []kmsg.DeleteRecordsRequestTopicPartition{rp}
	req.Topics = []kmsg.DeleteRecordsRequestTopic{rt}
	res, err := req.RequestWith(t.Context(), client)
	require.NoError(t, err)
	require.Zero(t, res.Topics[0].Partitions[0].ErrorCode)
}

// Given TLS, SCRAM and an authorizer that allows nothing by itself, and topics that an
// administrator made, then the rights to read, write and describe are enough to run,
// and without them nothing is written and the refusal says so.
func TestTheServersRightsOnApacheKafka(t *testing.T) {
	secure := &kafkatest.Security{User: "admin", Password: uuid.NewString(), Others: map[string]string{"parley": uuid.NewString()}}
	c := kafkatest.Start(t, kafkatest.Options{Owned: true, Secure: secure})
	as := func(user string) *kafka.Log {
		l := kafka.New(kafka.Config{Brokers: c.Addresses(), ClientID: user, TLS: secure.TLS(), SASL: secure.Mechanism(user),
			Log: slog.New(slog.DiscardHandler)})
		t.Cleanup(l.Close)
		return l
	}
	admin, server := as("admin"), as("parley")
	require.NoError(t, admin.Open(t.Context(), categories()))
	require.Error(t, server.Open(t.Context(), categories()), "without a right")

	grant(t, admin, "parley.", kafkago.ACLOperationTypeRead, kafkago.ACLOperationTypeWrite, kafkago.ACLOperationTypeDescribe,
		kafkago.ACLOperationTypeDescribeConfigs)
	require.Eventually(t, func() bool { return server.Open(t.Context(), categories()) == nil }, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, admin.LogID(), server.LogID())
	base, err := server.Produce(t.Context(), lidsTopic, 0, records("lid-1", 2, "{}"))
	require.NoError(t, err)
	got, err := server.Fetch(t.Context(), lidsTopic, 0, base)
	require.NoError(t, err)
	require.Len(t, got.Entries, 2)
	require.NoError(t, server.Check(t.Context()))

	// then nothing can be deleted or altered with these rights
	deleted, err := server.Client().DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{lidsTopic}})
	require.NoError(t, err)
	require.ErrorIs(t, deleted.Errors[lidsTopic], kafkago.TopicAuthorizationFailed)
	altered, err := server.Client().IncrementalAlterConfigs(t.Context(), &kafkago.IncrementalAlterConfigsRequest{
		Resources: []kafkago.IncrementalAlterConfigsRequestResource{{
			ResourceType: kafkago.ResourceTypeTopic, ResourceName: lidsTopic, Configs: []kafkago.IncrementalAlterConfigsRequestConfig{
				{Name: "retention.ms", Value: "1000", ConfigOperation: kafkago.ConfigOperationSet}}}}})
	require.NoError(t, err)
	require.Error(t, altered.Resources[0].Error)
}

// grant gives the user parley operations on all topics that begin so.
func grant(t *testing.T, admin *kafka.Log, topics string, operations ...kafkago.ACLOperationType) {
	t.Helper()
	req := &kafkago.CreateACLsRequest{}
	for _, operation := range operations {
		req.ACLs = append(req.ACLs, kafkago.ACLEntry{ResourceType: kafkago.ResourceTypeTopic, ResourceName: topics,
			ResourcePatternType: kafkago.PatternTypePrefixed,
			Principal:           "User:parley", Host: "*", Operation: operation, PermissionType: kafkago.ACLPermissionTypeAllow})
	}
	res, err := admin.Client().CreateACLs(t.Context(), req)
	require.NoError(t, err)
	for _, err := range res.Errors {
		require.NoError(t, err)
	}
}
