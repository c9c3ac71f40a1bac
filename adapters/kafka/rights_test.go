package kafka_test

import (
	"context"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// The rights that docs/how-to/secure-kafka-and-postgres.md names.
var (
	onTopics = []kmsg.ACLOperation{kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe, kmsg.ACLOperationDescribeConfigs}
	onGroups = []kmsg.ACLOperation{kmsg.ACLOperationRead, kmsg.ACLOperationDescribe}
)

func allow(kind kmsg.ACLResourceType, prefix string, operations ...kmsg.ACLOperation) (out []kfake.ACL) {
	for _, o := range operations {
		out = append(out, kfake.ACL{Resource: kind, Name: prefix, Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: o, Allow: true})
	}
	return out
}

// Given the rights of the documentation and no others, then the log is opened, written,
// read and followed by a group; and nothing can be deleted or changed.
func TestTheRightsThatTheDocumentationNamesAreEnough(t *testing.T) {
	childtest.Integration(t)
	server := append(allow(kmsg.ACLResourceTypeTopic, "parley.", onTopics...), allow(kmsg.ACLResourceTypeGroup, "parley-", onGroups...)...)
	creator := append(allow(kmsg.ACLResourceTypeTopic, "parley.", kmsg.ACLOperationCreate), server...)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(t.TempDir()), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("PLAIN", "admin", "admin"),
		kfake.User("PLAIN", "parley-setup", "p", creator...), kfake.User("PLAIN", "parley", "p", server...), kfake.User("PLAIN", "nobody", "p"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	as := func(user string) error {
		return connecting(t, cluster.ListenAddrs(), nil, login(t, "PLAIN", user, "p")).Open(ctx, categories())
	}
	require.Error(t, as("parley"), "without Create nothing is created")
	require.NoError(t, as("parley-setup"))
	require.NoError(t, as("parley"))
	require.Error(t, as("nobody"))

	log := connecting(t, cluster.ListenAddrs(), nil, login(t, "PLAIN", "parley", "p"))
	require.NoError(t, log.Open(ctx, categories()))
	require.NoError(t, log.Check(ctx))
	reader := kafkago.NewReader(kafkago.ReaderConfig{Brokers: cluster.ListenAddrs(), GroupID: "parley-dialer", Topic: boxes.Topic(),
		Dialer: log.Dialer(), StartOffset: kafkago.FirstOffset, MaxWait: 100 * time.Millisecond})
	defer func() { _ = reader.Close() }()
	message, err := reader.FetchMessage(ctx)
	require.NoError(t, err)
	require.NoError(t, reader.CommitMessages(ctx, message))

	deleted, err := log.Client().DeleteTopics(ctx, &kafkago.DeleteTopicsRequest{Topics: []string{boxes.Topic()}})
	require.NoError(t, err)
	require.ErrorIs(t, deleted.Errors[boxes.Topic()], kafkago.TopicAuthorizationFailed)
	altered, err := log.Client().AlterConfigs(ctx, &kafkago.AlterConfigsRequest{Resources: []kafkago.AlterConfigRequestResource{
		{ResourceType: kafkago.ResourceTypeTopic, ResourceName: boxes.Topic(),
			Configs: []kafkago.AlterConfigRequestConfig{{Name: "retention.ms", Value: "1"}}}}})
	require.NoError(t, err)
	for _, refusal := range altered.Errors {
		require.ErrorIs(t, refusal, kafkago.TopicAuthorizationFailed)
	}
	require.Len(t, altered.Errors, 1)
}
