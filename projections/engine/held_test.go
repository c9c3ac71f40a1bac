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
