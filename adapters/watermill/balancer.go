package watermillkafka

import (
	"cmp"
	"slices"

	"github.com/segmentio/kafka-go"
)

// inOrder gives each member a range of the partitions by their numbers, members by their names. A broker may list the
// partitions of a topic in any order, and the library's ranges are of the list as it comes: two groups of the same
// nodes would then have two different halves of topics with as many partitions, and what one node could do by itself
// goes back and forth between them.
type inOrder struct{ kafka.RangeGroupBalancer }

// AssignGroups implements kafka.GroupBalancer.
func (b inOrder) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	sorted := slices.SortedFunc(slices.Values(partitions), func(a, b kafka.Partition) int { return cmp.Compare(a.ID, b.ID) })
	return b.RangeGroupBalancer.AssignGroups(members, sorted)
}
