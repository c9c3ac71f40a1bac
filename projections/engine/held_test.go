package engine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// Given records that hold their versions and some that do not, when who holds them is asked
// by many at once, then each is told of the very record it asked for.
func TestManyAskAtOnceWhichRecordHoldsItsVersion(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	type question struct {
		stream          string
		version, offset int64
		partition       int
		topic           string
		want            bool
	}
	var all []question
	for i := range 30 {
		res, err := n.Add(t, string(rune('a'+i%3)), 1)
		require.NoError(t, err)
		r := res.Events[0].Record
		right := question{r.Stream, r.Version, r.Offset, r.Partition, r.Topic, true}
		all = append(all, right)
		for _, change := range []func(*question){
			func(q *question) { q.version++ },
			func(q *question) { q.offset++ },
			func(q *question) { q.partition++ },
			func(q *question) { q.topic += "x" },
			func(q *question) { q.stream += "x" },
		} {
			wrong := right
			wrong.want = false
			change(&wrong)
			all = append(all, wrong)
		}
	}
	var asking sync.WaitGroup
	for _, q := range all {
		asking.Go(func() {
			held, err := n.Projector.Index().HeldBy(t.Context(), q.stream, q.version, q.topic, q.partition, q.offset)
			if err != nil || held != q.want {
				t.Errorf("%+v: %v, %v", q, held, err)
			}
		})
	}
	asking.Wait()
}

// Given records that nobody could project yet, then whoever waits for the end of their category finds them, and whoever waits for that of
// none waits for nobody.
func TestTheEndOfACategoryIsAwaited(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	_, err := n.Add(t, enginetest.IDOn(0), 1)
	require.NoError(t, err)
	held, err := n.DB.Queries.Begin(t.Context())
	require.NoError(t, err)
	_, err = held.Exec(t.Context(), `SELECT FROM checkpoints FOR UPDATE`)
	require.NoError(t, err)
	id := enginetest.IDOn(1)
	offset := enginetest.AppendRaw(n, t, 1, enginetest.Messages(enginetest.CommitOf(id, 1, "", 1)...)...)
	require.NoError(t, n.Projector.AwaitEndOf(t.Context()))
	awaited := make(chan error, 1)
	go func() { awaited <- n.Projector.AwaitEndOf(t.Context(), enginetest.Counters.Category) }()
	require.NoError(t, held.Rollback(t.Context()))
	require.NoError(t, <-awaited)
	is, err := n.Projector.Index().HeldBy(t.Context(), enginetest.Counters.Stream(id), 1, enginetest.Counters.Topic(), 1, offset)
	require.NoError(t, err)
	require.True(t, is)
}
