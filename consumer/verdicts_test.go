package consumer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections/engine"
)

// traffic appends what many writers, a bad network and strangers might.
type traffic struct {
	rnd  *rand.Rand
	sent [3][][]*eventstore.Record // per partition, in the order of the log, resends included
}

// next is some batch for a partition: mostly a commit on what was sent last, now and
// then one on an older head, a resend of an old commit, part of one, or rubbish.
func (f *traffic) next(partition int) []kafkago.Record {
	stream := streamOn(partition, f.rnd.IntN(4))
	sent := f.sent[partition]
	x := f.rnd.IntN(100)
	if len(sent) > 0 && x < 12 { // once more, perhaps long after
		c := sent[f.rnd.IntN(len(sent))]
		f.sent[partition] = append(sent, c)
		return messages(c...)
	}
	version, parent := int64(1), ""
	back := 0
	if x < 30 {
		back = 1 + f.rnd.IntN(3) // decided on a head that may not be the newest
	}
	for _, c := range slices.Backward(sent) {
		if c[0].Stream == stream {
			version, parent = c[len(c)-1].Version+1, c[0].Commit
			if back--; back < 0 {
				break
			}
		}
	}
	c := commitOf(stream, version, parent, 1+f.rnd.IntN(4))
	switch {
	case x < 36 && len(c) > 1: // torn, at either end
		cut := 1 + f.rnd.IntN(len(c)-1)
		if x%2 == 0 {
			return messages(c[cut:]...)
		}
		return messages(c[:cut]...)
	case x < 39:
		for _, r := range c {
			r.Tenant = "evil"
		}
	case x < 42:
		c[0].Commit = "rubbish"
		return messages(c...)
	case x < 45:
		c[0].Parent = uuid.NewString()
	}
	f.sent[partition] = append(sent, c)
	return messages(c...)
}

var errKilled = errors.New("killed")

// Given random traffic with duplicates, late resends, rivals and torn commits, when
// a consumer that is stopped again and again reads it, then it delivers exactly what
// the projector's index holds, each event once and in the order of its stream.
func TestItJudgesAsTheProjectorDoes(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		w := newWorld(t)
		f := &traffic{rnd: rand.New(rand.NewPCG(seed, 0))}
		sink := newMemory()
		sink.refuse = func(consumer.Batch) error {
			if f.rnd.IntN(30) == 0 {
				return errKilled
			}
			return nil
		}
		small := func(c *consumer.Config) { c.BatchRecords = 1 + f.rnd.IntN(7) }
		for range 15 {
			for range 20 {
				p := f.rnd.IntN(3)
				w.append(t, p, f.next(p)...)
			}
			if err := w.read(t, sink, small); err != nil {
				require.ErrorIs(t, err, errKilled)
			}
		}
		for p := range 3 { // what is torn at the very end is seen to be torn
			w.append(t, p, messages(commitOf(streamOn(p, 99), 1, "", 1)...)...)
		}
		for err := errKilled; err != nil; {
			if err = w.read(t, sink, small); err != nil {
				require.ErrorIs(t, err, errKilled)
			}
		}
		got := map[string][]*eventstore.Record{}
		for _, e := range sink.events {
			got[e.Stream] = append(got[e.Stream], e)
		}
		require.Equal(t, w.indexed(t), offsets(got), "seed %d", seed)
		for _, why := range []eventstore.Reason{eventstore.Duplicate, eventstore.Superseded, eventstore.Torn, eventstore.Malformed,
			eventstore.Foreign} {
			require.NotZero(t, sink.skips[why], "seed %d has nothing %s", seed, why)
		}
	}
}

// offsets is the place of each version of each stream.
func offsets(streams map[string][]*eventstore.Record) map[string][]int64 {
	out := map[string][]int64{}
	for stream, events := range streams {
		for _, e := range events {
			out[stream] = append(out[stream], e.Offset)
		}
	}
	return out
}

// indexed lets a projector read the log and returns what its index holds.
func (w *world) indexed(t *testing.T) map[string][]int64 {
	t.Helper()
	db, err := postgres.Open(t.Context(), embeddedtest.Database(t), func() {})
	require.NoError(t, err)
	defer db.Close()
	p := engine.NewProjector(engine.Config{Node: "n1", Log: w.log, Queries: db.Queries, Writes: db.Projector, Categories: []*event.Category{
		counters.Category}, Logger: quiet,
		Prepare: func(ctx context.Context) error { return db.Migrate(ctx, migrations.Files) }})
	require.NoError(t, p.Start(t.Context()))
	defer p.Close(t.Context())
	require.Eventually(t, func() bool { return p.Gate() == nil }, 20*time.Second, 10*time.Millisecond)
	found := map[string][]*eventstore.Record{}
	for partition := range 3 {
		for _, n := range []int{0, 1, 2, 3, 99} {
			stream := streamOn(partition, n)
			records, err := p.Index().Load(t.Context(), stream)
			require.NoError(t, err)
			if len(records) > 0 {
				found[stream] = records
			}
		}
	}
	return offsets(found)
}
