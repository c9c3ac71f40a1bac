package engine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

func TestACommandIsVisibleWhenItsReplyArrives(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	res, err := n.Add(t, "a", 3)
	require.NoError(t, err)
	require.Len(t, res.Events, 1)
	require.EqualValues(t, 1, res.Events[0].Version)
	require.Equal(t, 3, n.Total(t, "a"))
}

func TestARefusalAndAnEmptyDecisionWriteNothing(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	n := enginetest.Start(t, "n1", brokers, url)
	_, err := n.Add(t, "a", 9)
	require.NoError(t, err)
	_, err = n.Add(t, "a", 2)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	res, err := n.Add(t, "a", 0)
	require.NoError(t, err)
	require.Empty(t, res.Events)
	require.Equal(t, 9, n.Total(t, "a"))
}

func TestManyWritersOfOneStreamNeverPassItsRule(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	nodes := []*enginetest.Node{enginetest.Start(t, "n1", brokers, url), enginetest.Start(t, "n2", brokers, url)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for i := range 40 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := nodes[i%2].Add(t, "hot", 1); err == nil {
				mu.Lock()
				done++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	require.Equal(t, 10, done)
	require.Equal(t, 10, nodes[0].Total(t, "hot"))
	require.Equal(t, 10, nodes[1].Total(t, "hot"))
}
