package watermillkafka

import (
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// A broker names the partitions of a topic in any order; each member has a range of their numbers all the same.
func TestMembersHaveTheSameNumbersInWhateverOrderTheyAreListed(t *testing.T) {
	members := []kafka.GroupMember{{ID: "node-b-7", Topics: []string{"calls"}}, {ID: "node-a-9", Topics: []string{"calls"}}}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {3, 0, 4, 2, 1}, {4, 3, 2, 1, 0}} {
		var listed []kafka.Partition
		for _, number := range order {
			listed = append(listed, kafka.Partition{Topic: "calls", ID: number})
		}
		require.Equal(t, kafka.GroupMemberAssignments{"node-a-9": {"calls": {0, 1}}, "node-b-7": {"calls": {2, 3, 4}}},
			inOrder{}.AssignGroups(members, listed), "listed as %v", order)
	}
}
