package enginetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parley-platform/parley/eventstore"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// IDOn is the id of a counter whose stream belongs to the partition.
func IDOn(partition int) string {
	for i := 0; ; i++ {
		id := fmt.Sprintf("p%d-%d", partition, i)
		if eventstore.PartitionOf(Counters.Stream(id), Counters.Partitions) == partition {
			return id
		}
	}
}

// CommitOf is a commit of that many events as another writer might append it.
func CommitOf(id string, version int64, parent string, events int) []*eventstore.Record {
	commit := uuid.NewString()
	var out []*eventstore.Record
	for i := range events {
		out = append(out, &eventstore.Record{ID: uuid.NewString(), Source: "/parley/stranger", Type: "parley.counters.added.v1",
			Stream: Counters.Stream(id),
			Time:   time.Now().UTC().Truncate(time.Microsecond), Tenant: "acme", Version: version + int64(i), Commit: commit, CommitIndex: i,
			CommitSize: events, Data: []byte(`{"by":1}`)})
	}
	out[0].Parent = parent
	return out
}

// AppendRaw puts messages on a partition as one batch and returns the first offset.
func AppendRaw(n *Node, t *testing.T, partition int, messages ...kafkago.Record) int64 {
	t.Helper()
	res, err := n.Log.Client().Produce(t.Context(), &kafkago.ProduceRequest{Topic: Counters.Topic(), Partition: partition,
		RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(messages...)})
	require.NoError(t, err)
	require.NoError(t, res.Error)
	return res.BaseOffset
}

// Messages are the records as Kafka has them.
func Messages(records ...*eventstore.Record) (out []kafkago.Record) {
	for _, r := range records {
		out = append(out, kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Data), Headers: r.Headers(),
			Time: r.Time})
	}
	return out
}

// Settled waits until the partition's read models hold the offset.
func Settled(n *Node, t *testing.T, partition int, offset int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, n.Projector.Await(ctx, Counters.Topic(), partition, offset))
}

// Soon waits for a condition that has to come true by itself.
func Soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 2*time.Minute, 5*time.Millisecond, what)
}
