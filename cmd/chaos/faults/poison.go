package faults

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
)

// poison appends by hand what no node would: records that do not parse, a commit
// without its rest, and some that follow commits which never were. All of it must be passed over, by everyone alike.
func poison(ctx context.Context, f Fault, brokers []string) error {
	r := rand.New(rand.NewPCG(f.Seed, 5))
	client := &kafkago.Client{Addr: kafkago.TCP(brokers...), Timeout: 5 * time.Second}
	for end := time.Now().Add(f.For); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, time.Duration(r.Int64N(int64(100*ms)))) {
		stream := calls.Calls.Stream(uuid.NewString())
		torn := record(stream, "stranger")
		torn.CommitSize = 2
		third := record(stream, "another")
		third.Version, third.Parent = 2, uuid.NewString() // of a commit that never was
		batches := [][]kafkago.Record{
			{{Key: kafkago.NewBytes([]byte(stream)), Value: kafkago.NewBytes([]byte("not an event"))}},
			{{Key: kafkago.NewBytes([]byte("")), Value: kafkago.NewBytes([]byte("{}"))}},
			{onLog(torn)},
			{onLog(record(stream, ""))},
			{onLog(withoutParent(record(stream, "stranger")))},
			{onLog(third)},
		}
		batch := batches[r.IntN(len(batches))]
		// Its outcome does not matter: a broker may be away at the moment.
		_, _ = client.Produce(ctx, &kafkago.ProduceRequest{Topic: calls.Calls.Topic(), Partition: r.IntN(calls.Calls.Partitions),
			RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(batch...)})
	}
	return nil
}

func record(stream, tenant string) *eventstore.Record {
	return &eventstore.Record{ID: uuid.NewString(), Source: "/somebody", Type: "parley.calls.requested.v1", Stream: stream,
		Time: time.Now().UTC(), Tenant: tenant,
		Version: 1, Commit: uuid.NewString(), CommitSize: 1, Data: []byte(`{"callId":"poison"}`)}
}

// withoutParent claims a version in the middle of a stream that has no beginning.
func withoutParent(r *eventstore.Record) *eventstore.Record {
	r.Version = 7
	return r
}

func onLog(r *eventstore.Record) kafkago.Record {
	return kafkago.Record{Key: kafkago.NewBytes([]byte(r.Stream)), Value: kafkago.NewBytes(r.Data), Headers: r.Headers(), Time: r.Time}
}
