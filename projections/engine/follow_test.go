package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// Given two nodes that share the partitions and one that projects nothing, when one of them writes to a stream, then those who follow
// it hear of it, whoever projects it, and find it; those of another stream hear nothing.
func TestAStreamIsFollowedOnAnyNode(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	idle := enginetest.Start(t, "idle", brokers, url, func(c *engine.Config) { c.Idle = true })
	holdAll(t, a, b)
	hears := func(f *engine.Follower) {
		t.Helper()
		select {
		case <-f.C():
		case <-time.After(30 * time.Second):
			t.Fatal("nothing was heard")
		}
	}
	follow := func(n *enginetest.Node, id string) *engine.Follower {
		f, err := n.Projector.Follow(enginetest.Counters.Category, enginetest.Counters.Stream(id))
		require.NoError(t, err)
		t.Cleanup(f.Stop)
		return f
	}
	for partition := range enginetest.Counters.Partitions {
		id := enginetest.IDOn(partition)
		stream := enginetest.Counters.Stream(id)
		silent := follow(a, id+"-another")
		var all []*engine.Follower
		nodes := []*enginetest.Node{a, b, idle}
		for _, n := range nodes {
			all = append(all, follow(n, id))
		}
		for version := range int64(3) {
			_, err := a.Add(t, id, 1)
			require.NoError(t, err)
			for i, f := range all {
				for { // until what was heard is what was written: the first look tells of what was there
					hears(f)
					found, err := nodes[i].Projector.Index().After(t.Context(), stream, version, 10)
					require.NoError(t, err)
					if len(found) == 1 {
						require.Equal(t, version+1, found[0].Version)
						break
					}
				}
			}
		}
		require.Empty(t, silent.C())
		for _, f := range all {
			f.Stop()
			f.Stop() // twice is once
		}
	}
}
