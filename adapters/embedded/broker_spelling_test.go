package embedded

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka's own kafka-consumer-groups asks for groups of the types "Classic" and "Consumer".
func TestGroupsAreListedHoweverTheirTypeIsWritten(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	createTopic(t, broker, "parley.calls", 1)
	c := dial(t, broker)
	logIn(t, c, *broker.Login(), 1)
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.Partitions = "parley.calls", []kmsg.OffsetCommitRequestTopicPartition{{Partition: 0, Offset: 0}}
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Version, commit.Group, commit.Topics = 8, "readers", []kmsg.OffsetCommitRequestTopic{topic}
	require.Zero(t, ask(t, c, commit).(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode)

	for _, kinds := range [][]string{nil, {"classic"}, {"Consumer", "Classic"}} {
		list := kmsg.NewPtrListGroupsRequest()
		list.Version, list.TypesFilter = 5, kinds
		groups := ask(t, c, list).(*kmsg.ListGroupsResponse).Groups
		require.Len(t, groups, 1, kinds)
		require.Equal(t, "readers", groups[0].Group)
	}
	other := kmsg.NewPtrListGroupsRequest()
	other.Version, other.TypesFilter = 5, []string{"Share"}
	require.Empty(t, ask(t, c, other).(*kmsg.ListGroupsResponse).Groups)
}
