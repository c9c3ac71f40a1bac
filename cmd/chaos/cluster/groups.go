package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// Regroup takes every member out of the reactors' groups; those that live join again
// within a second or two.
//
// It stands in for what the embedded broker leaves undone: a member that dies between
// joining a group and its first heartbeat is never dropped there, and nobody reads the
// partitions that it was given, until the next rebalance. Parley's own use of that
// broker cannot meet it, since the one node and the broker are one process. Apache
// Kafka drops such a member after its session timeout.
func (c *Cluster) Regroup(ctx context.Context) error {
	client := &kafkago.Client{Addr: kafkago.TCP(c.Brokers.Addresses()...), Timeout: 10 * time.Second}
	groups, err := client.ListGroups(ctx, &kafkago.ListGroupsRequest{})
	if err != nil {
		return fmt.Errorf("listing groups: %w", err)
	}
	for _, g := range groups.Groups {
		if !strings.HasPrefix(g.GroupID, "parley-") {
			continue
		}
		described, err := client.DescribeGroups(ctx, &kafkago.DescribeGroupsRequest{GroupIDs: []string{g.GroupID}})
		if err != nil {
			return fmt.Errorf("describing %s: %w", g.GroupID, err)
		}
		for _, d := range described.Groups {
			for _, m := range d.Members {
				leave := &kafkago.LeaveGroupRequest{GroupID: g.GroupID, Members: []kafkago.LeaveGroupRequestMember{{ID: m.MemberID}}}
				if _, err := client.LeaveGroup(ctx, leave); err != nil {
					return fmt.Errorf("taking a member out of %s: %w", g.GroupID, err)
				}
			}
		}
	}
	return nil
}
