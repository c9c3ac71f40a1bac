package embedded

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// served are the requests that the embedded broker takes: reading, appending, groups,
// new topics, and questions. What is not here, and not refused with an answer, ends
// the connection; the broker behind the door may know it or not. DescribeTopicPartitions
// is not here: kfake answers it with null where Kafka's own tools want a list, and
// without it they ask for metadata, as they do of older brokers.
var served = []kmsg.Key{
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
	kmsg.JoinGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.SyncGroup, kmsg.DescribeGroups, kmsg.ListGroups,
	kmsg.SASLHandshake, kmsg.ApiVersions, kmsg.SASLAuthenticate, kmsg.CreateTopics, kmsg.InitProducerID, kmsg.OffsetForLeaderEpoch,
	kmsg.DescribeConfigs, kmsg.DescribeLogDirs, kmsg.DeleteGroups, kmsg.OffsetDelete, kmsg.DescribeACLs, kmsg.ListPartitionReassignments,
	kmsg.DescribeCluster, kmsg.DescribeProducers, kmsg.ConsumerGroupHeartbeat, kmsg.ConsumerGroupDescribe,
}

// taken tells whether a request reaches the broker.
func taken(key int16) bool {
	_, refused := refusals[kmsg.Key(key)]
	return refused || slices.Contains(served, kmsg.Key(key))
}

// guest is a connection of a client that has logged in. It looks at the size and the
// kind of each request as it passes, and ends at one that the broker must not see.
type guest struct {
	net.Conn
	head [6]byte // size and key of the request that comes
	have int     // bytes of head
	rest uint32  // bytes of the request that are still to pass
}

// Read implements net.Conn.
func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if wrong := g.pass(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

func (g *guest) pass(bytes []byte) error {
	for len(bytes) > 0 {
		if g.have == len(g.head) {
			n := min(uint32(len(bytes)), g.rest)
			bytes, g.rest = bytes[n:], g.rest-n
			if g.rest == 0 {
				g.have = 0
			}
			continue
		}
		n := copy(g.head[g.have:], bytes)
		bytes, g.have = bytes[n:], g.have+n
		if g.have >= 4 {
			if err := g.begin(); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin judges the request whose head comes in.
func (g *guest) begin() error {
	size := binary.BigEndian.Uint32(g.head[:4])
	if size < leastFrame || size > mostFrame {
		return fmt.Errorf("a request of %d bytes; at most %d are taken", size, mostFrame)
	}
	if g.have < len(g.head) {
		return nil
	}
	if key := int16(binary.BigEndian.Uint16(g.head[4:])); !taken(key) {
		return fmt.Errorf("request %d (%s) is not taken by the embedded broker", key, kmsg.NameForKey(key))
	}
	if g.rest = size - 2; g.rest == 0 {
		g.have = 0
	}
	return nil
}
