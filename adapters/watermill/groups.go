package watermillkafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// Groups asks and tells a broker about consumer groups, from outside of them.
type Groups struct{ Client *kafka.Client }

// Committed is where the group stands on topics, by partition; one without an offset is absent.
func (g Groups) Committed(ctx context.Context, group string, topics ...string) (map[string]map[int]int64, error) {
	return Committed(ctx, g.Client, group, topics...)
}

// Bounds tells where each partition of the topic begins, and the offset that its next
// record will get.
func (g Groups) Bounds(ctx context.Context, topic string) (starts, ends map[int]int64, err error) {
	count, err := countPartitions(ctx, g.Client, topic)
	if err != nil {
		return nil, nil, fmt.Errorf("asking for the partitions of %s: %w", topic, err)
	}
	req := &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{}}
	for i := range count {
		req.Topics[topic] = append(req.Topics[topic], kafka.FirstOffsetOf(i), kafka.LastOffsetOf(i))
	}
	res, err := g.Client.ListOffsets(ctx, req)
	if err != nil {
		return nil, nil, fmt.Errorf("asking where %s begins and ends: %w", topic, err)
	}
	starts, ends = map[int]int64{}, map[int]int64{}
	for _, p := range res.Topics[topic] {
		if p.Error != nil {
			return nil, nil, fmt.Errorf("asking where %s/%d begins and ends: %w", topic, p.Partition, p.Error)
		}
		starts[p.Partition], ends[p.Partition] = p.FirstOffset, p.LastOffset
	}
	if len(ends) != count {
		return nil, nil, fmt.Errorf("asking where %s begins and ends: %d of %d partitions answered", topic, len(ends), count)
	}
	return starts, ends, nil
}

// Commit sets a group down that nobody is a member of; the broker refuses it for one
// that is being read.
func (g Groups) Commit(ctx context.Context, group, topic string, at map[int]int64) error {
	req := &kafka.OffsetCommitRequest{GroupID: group, GenerationID: -1, Topics: map[string][]kafka.OffsetCommit{}}
	for p, offset := range at {
		req.Topics[topic] = append(req.Topics[topic], kafka.OffsetCommit{Partition: p, Offset: offset})
	}
	res, err := g.Client.OffsetCommit(ctx, req)
	if err != nil {
		return fmt.Errorf("committing offsets of group %s on %s: %w", group, topic, err)
	}
	for _, p := range res.Topics[topic] {
		if p.Error != nil {
			return fmt.Errorf("committing the offset of group %s on %s/%d: %w", group, topic, p.Partition, p.Error)
		}
	}
	return nil
}

// Members counts who is reading as the group now.
func (g Groups) Members(ctx context.Context, group string) (int, error) {
	res, err := g.Client.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})
	if err != nil {
		return 0, fmt.Errorf("asking for the members of group %s: %w", group, err)
	}
	for _, d := range res.Groups {
		if d.GroupID == group && d.Error == nil {
			return len(d.Members), nil
		}
	}
	return 0, nil
}

// Leave takes members out of a group that cannot say so themselves any more: they
// were of a process that was killed. Without it the others wait for their session
// to end. Members that are gone already are no error.
func (g Groups) Leave(ctx context.Context, group string, members ...string) error {
	for _, id := range members { // one by one: old brokers know no more
		_, err := g.Client.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: group, Members: []kafka.LeaveGroupRequestMember{{ID: id}}})
		if err != nil && !errors.Is(err, kafka.UnknownMemberId) && !errors.Is(err, kafka.GroupIdNotFound) {
			return fmt.Errorf("leaving group %s: %w", group, err)
		}
	}
	return nil
}
