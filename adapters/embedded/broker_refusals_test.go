package embedded

import (
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Nobody deletes from the log of an embedded broker or changes its settings, not even
// with the login; making topics, appending and groups of one's own go on.
func TestTheLogOfABrokerIsNotDeletedByWhoeverLogsIn(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	createTopic(t, broker, "parley.calls", 1)
	require.NoError(t, broker.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte("first"))}))
	c := dial(t, broker)
	logIn(t, c, *broker.Login(), 1)
	topic, group, cluster := kerr.TopicAuthorizationFailed.Code, kerr.GroupAuthorizationFailed.Code, kerr.ClusterAuthorizationFailed.Code

	for _, version := range []int16{1, 4} {
		r := kmsg.NewPtrDeleteTopicsRequest()
		r.Version, r.TopicNames = version, []string{"parley.calls"}
		require.Equal(t, topic, ask(t, c, r).(*kmsg.DeleteTopicsResponse).Topics[0].ErrorCode)
	}
	byName := kmsg.NewDeleteTopicsRequestTopic()
	byName.Topic = kmsg.StringPtr("parley.calls")
	byID := &kmsg.DeleteTopicsRequest{Version: 6, Topics: []kmsg.DeleteTopicsRequestTopic{byName}}
	require.Equal(t, topic, ask(t, c, byID).(*kmsg.DeleteTopicsResponse).Topics[0].ErrorCode)

	cut := kmsg.NewDeleteRecordsRequestTopic()
	cut.Topic, cut.Partitions = "parley.calls", []kmsg.DeleteRecordsRequestTopicPartition{{Partition: 0, Offset: 1}}
	records := &kmsg.DeleteRecordsRequest{Version: 2, Topics: []kmsg.DeleteRecordsRequestTopic{cut}}
	require.Equal(t, topic, ask(t, c, records).(*kmsg.DeleteRecordsResponse).Topics[0].Partitions[0].ErrorCode)

	value := kmsg.StringPtr("1")
	for kind, want := range map[kmsg.ConfigResourceType]int16{kmsg.ConfigResourceTypeTopic: topic, kmsg.ConfigResourceTypeBroker: cluster} {
		name := map[bool]string{true: "parley.calls"}[want == topic]
		all := &kmsg.AlterConfigsRequest{Version: 1, Resources: []kmsg.AlterConfigsRequestResource{{ResourceType: kind, ResourceName: name,
			Configs: []kmsg.AlterConfigsRequestResourceConfig{{Name: "retention.ms", Value: value}}}}}
		require.Equal(t, want, ask(t, c, all).(*kmsg.AlterConfigsResponse).Resources[0].ErrorCode)
		some := &kmsg.IncrementalAlterConfigsRequest{Version: 1}
		some.Resources = []kmsg.IncrementalAlterConfigsRequestResource{{ResourceType: kind, ResourceName: name,
			Configs: []kmsg.IncrementalAlterConfigsRequestResourceConfig{{Name: "retention.ms", Value: value}}}}
		require.Equal(t, want, ask(t, c, some).(*kmsg.IncrementalAlterConfigsResponse).Resources[0].ErrorCode)
	}
	grow := &kmsg.CreatePartitionsRequest{Version: 3, Topics: []kmsg.CreatePartitionsRequestTopic{{Topic: "parley.calls", Count: 4}}}
	require.Equal(t, topic, ask(t, c, grow).(*kmsg.CreatePartitionsResponse).Topics[0].ErrorCode)
	allow := &kmsg.CreateACLsRequest{Version: 2, Creations: []kmsg.CreateACLsRequestCreation{{}}}
	require.Equal(t, cluster, ask(t, c, allow).(*kmsg.CreateACLsResponse).Results[0].ErrorCode)
	forbid := &kmsg.DeleteACLsRequest{Version: 2, Filters: []kmsg.DeleteACLsRequestFilter{{}}}
	require.Equal(t, cluster, ask(t, c, forbid).(*kmsg.DeleteACLsResponse).Results[0].ErrorCode)
	users := &kmsg.AlterUserSCRAMCredentialsRequest{Deletions: []kmsg.AlterUserSCRAMCredentialsRequestDeletion{{Name: "parley"}}}
	require.Equal(t, cluster, ask(t, c, users).(*kmsg.AlterUserSCRAMCredentialsResponse).Results[0].ErrorCode)
	require.Equal(t, cluster, ask(t, c, &kmsg.ElectLeadersRequest{Version: 2}).(*kmsg.ElectLeadersResponse).ErrorCode)
	elect := &kmsg.ElectLeadersRequest{Topics: []kmsg.ElectLeadersRequestTopic{{Topic: "parley.calls", Partitions: []int32{0}}}}
	require.Equal(t, cluster, ask(t, c, elect).(*kmsg.ElectLeadersResponse).Topics[0].Partitions[0].ErrorCode)
	move := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	require.Equal(t, cluster, ask(t, c, move).(*kmsg.AlterPartitionAssignmentsResponse).ErrorCode)

	ours := &kmsg.DeleteGroupsRequest{Version: 2, Groups: []string{"reports", "parley-dialer"}}
	require.Equal(t, group, ask(t, c, ours).(*kmsg.DeleteGroupsResponse).Groups[1].ErrorCode)
	require.Equal(t, group, ask(t, c, &kmsg.OffsetDeleteRequest{Group: "parley-dialer"}).(*kmsg.OffsetDeleteResponse).ErrorCode)
	others := &kmsg.DeleteGroupsRequest{Version: 2, Groups: []string{"reports"}}
	theirs := ask(t, c, others).(*kmsg.DeleteGroupsResponse)
	require.Equal(t, kerr.GroupIDNotFound.Code, theirs.Groups[0].ErrorCode, "a group of others is theirs")

	transaction := kmsg.NewPtrInitProducerIDRequest()
	transaction.TransactionalID = kmsg.StringPtr("t")
	require.Equal(t, kerr.TransactionalIDAuthorizationFailed.Code, ask(t, c, transaction).(*kmsg.InitProducerIDResponse).ErrorCode)
	once := ask(t, c, kmsg.NewPtrInitProducerIDRequest()).(*kmsg.InitProducerIDResponse)
	require.Zero(t, once.ErrorCode, "a producer that does not want to say things twice")

	createTopic(t, broker, "parley.messages", 1)
	require.NoError(t, broker.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte("second"))}))
	require.Equal(t, []string{"first", "second"}, values(t, broker.client, "parley.calls", 0))
}
