package embeddedtest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	kafkago "github.com/segmentio/kafka-go"
)

// clustersVariable names Apache Kafka clusters for tests, set by `make test-kafka`:
// host:port,... of each cluster, semicolons between clusters. With it, Broker gives a
// test one of these, emptied, in place of an embedded broker.
const clustersVariable = "PARLEY_TEST_KAFKA"

// marker is a topic that says: what is on this cluster are leftovers of tests.
const marker = "parley-tests-may-delete"

// OnApache tells whether Broker gives Apache Kafka.
func OnApache() bool { return os.Getenv(clustersVariable) != "" }

// apache lends the test a cluster of its own for its length. Which are taken is
// known by locks, which a killed test process gives back; what it left is removed by
// the next who takes the cluster.
func apache(t testing.TB) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	addresses, release, err := takeCluster(ctx, strings.Split(os.Getenv(clustersVariable), ";"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	if err := empty(ctx, addresses); err != nil {
		t.Fatalf("emptying the Kafka at %v for a test: %v", addresses, err)
	}
	return addresses
}

func takeCluster(ctx context.Context, clusters []string) (addresses []string, release func(), err error) {
	for {
		for _, cluster := range clusters {
			release, err := datafolder.Lock(lockOf(cluster))
			if err == nil {
				return strings.Split(cluster, ","), release, nil
			}
			if !errors.Is(err, datafolder.ErrLocked) {
				return nil, nil, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("all %d clusters of %s are taken by other tests: a test that wants two at once needs more of them",
				len(clusters), clustersVariable)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func lockOf(cluster string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(cluster))
	return filepath.Join(os.TempDir(), "parley-test-kafka-"+strconv.Itoa(os.Geteuid()), strconv.FormatUint(h.Sum64(), 36))
}

// empty removes the topics and groups of earlier tests, and refuses a cluster that
// holds somebody's log.
func empty(ctx context.Context, addresses []string) error {
	transport := &kafkago.Transport{MetadataTTL: metadataTTL, DialTimeout: 3 * time.Second}
	defer transport.CloseIdleConnections()
	client := &kafkago.Client{Addr: kafkago.TCP(addresses...), Timeout: 20 * time.Second, Transport: transport}
	topics, marked, err := topicsOf(ctx, client)
	if err != nil {
		return err
	}
	if !marked && slices.ContainsFunc(topics, func(t string) bool { return strings.HasPrefix(t, "parley.") }) {
		return fmt.Errorf("it holds topics parley.* that no test made: tests delete what they find, so give them a cluster of their own (or "+
			"create the topic %s on this one, if all of it may go)", marker)
	}
	if !marked {
		if err := mark(ctx, client); err != nil {
			return err
		}
	}
	if err := removeGroups(ctx, client); err != nil {
		return err
	}
	return removeTopics(ctx, client, topics)
}

// metadataTTL is short: removeTopics waits for it.
const metadataTTL = 50 * time.Millisecond

func isLate(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// topicsOf lists what tests made; Kafka's own and the marker are none of it.
func topicsOf(ctx context.Context, client *kafkago.Client) (topics []string, marked bool, err error) {
	m, err := client.Metadata(ctx, &kafkago.MetadataRequest{})
	for isLate(err) && ctx.Err() == nil { // busy: the client gives it no longer than it keeps metadata
		time.Sleep(metadataTTL)
		m, err = client.Metadata(ctx, &kafkago.MetadataRequest{})
	}
	if err != nil {
		return nil, false, err
	}
	for _, t := range m.Topics {
		switch {
		case t.Name == marker:
			marked = true
		case !strings.HasPrefix(t.Name, "__"):
			topics = append(topics, t.Name)
		}
	}
	return topics, marked, nil
}

func mark(ctx context.Context, client *kafkago.Client) error {
	res, err := client.CreateTopics(ctx, &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{Topic: marker, NumPartitions: 1,
		ReplicationFactor: 1}}})
	if err == nil && !errors.Is(res.Errors[marker], kafkago.TopicAlreadyExists) {
		err = res.Errors[marker]
	}
	return err
}

// removeTopics deletes and waits until no broker shows them any more.
func removeTopics(ctx context.Context, client *kafkago.Client, topics []string) error {
	for len(topics) > 0 {
		res, err := client.DeleteTopics(ctx, &kafkago.DeleteTopicsRequest{Topics: topics})
		if err != nil {
			return err
		}
		for topic, err := range res.Errors {
			if err != nil && !errors.Is(err, kafkago.UnknownTopicOrPartition) {
				return fmt.Errorf("deleting %s: %w", topic, err)
			}
		}
		time.Sleep(metadataTTL + 10*time.Millisecond) // longer than the client keeps metadata
		if topics, _, err = topicsOf(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// removeGroups deletes consumer groups. Members that were killed are still in theirs
// until their session ends: they are shown out.
func removeGroups(ctx context.Context, client *kafkago.Client) error {
	listed, err := client.ListGroups(ctx, &kafkago.ListGroupsRequest{})
	if err != nil {
		return err
	}
	var groups []string
	for _, g := range listed.Groups {
		groups = append(groups, g.GroupID)
	}
	if len(groups) == 0 {
		return nil
	}
	described, err := client.DescribeGroups(ctx, &kafkago.DescribeGroupsRequest{GroupIDs: groups})
	if err != nil {
		return err
	}
	for _, g := range described.Groups {
		leave := &kafkago.LeaveGroupRequest{GroupID: g.GroupID}
		for _, m := range g.Members {
			leave.Members = append(leave.Members, kafkago.LeaveGroupRequestMember{ID: m.MemberID})
		}
		if len(leave.Members) > 0 {
			if _, err := client.LeaveGroup(ctx, leave); err != nil {
				return fmt.Errorf("showing the members out of group %s: %w", g.GroupID, err)
			}
		}
	}
	res, err := client.DeleteGroups(ctx, &kafkago.DeleteGroupsRequest{GroupIDs: groups})
	if err != nil {
		return err
	}
	for group, err := range res.Errors {
		if err != nil && !errors.Is(err, kafkago.GroupIdNotFound) {
			return fmt.Errorf("deleting group %s: %w", group, err)
		}
	}
	return nil
}
