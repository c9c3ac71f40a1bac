package kafka_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// Given two nodes that begin the topic of keys at once, then it has keys of both, in one
// order, and whoever comes later opens it.
func TestTwoNodesBeginTheTopicOfKeys(t *testing.T) {
	brokers := anyBroker(t)
	first := opened(t, brokers)
	nodes := []*kafka.Log{first, opened(t, brokers)}
	var both sync.WaitGroup
	for i, node := range nodes {
		both.Go(func() {
			keys, err := node.OpenKeys(t.Context(), false)
			if err == nil {
				err = keys.Append(t.Context(), []keyring.Record{{ID: sealed.ID{byte(i + 1)}, Wrapped: "w", MadeAt: time.Now().UTC()}})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	keys, err := opened(t, brokers).OpenKeys(t.Context(), true)
	require.NoError(t, err)
	end, err := keys.End(t.Context())
	require.NoError(t, err)
	found := map[sealed.ID]keyring.Record{}
	for at := int64(0); at < end; {
		records, next, err := keys.Read(t.Context(), at)
		require.NoError(t, err)
		for _, r := range records {
			found[r.ID] = r
		}
		at = next
	}
	require.Len(t, found, 2)
	require.Equal(t, "w", found[sealed.ID{1}].Wrapped)
	require.False(t, found[sealed.ID{2}].MadeAt.IsZero())
}

// Given a log whose keys are gone, or a topic that somebody made otherwise, then it is not opened.
func TestATopicWithoutTheKeysOfTheLogIsRefused(t *testing.T) {
	cluster, brokers := broker(t)
	log := opened(t, brokers)
	_, err := log.OpenKeys(t.Context(), true)
	require.ErrorContains(t, err, "parley.keys is not on the brokers")
	_, err = log.OpenKeys(t.Context(), false)
	require.NoError(t, err)

	begunEmpty(t, cluster, kafka.KeysTopic, 1)
	_, err = log.OpenKeys(t.Context(), true)
	require.ErrorContains(t, err, "parley.keys is empty")

	_, err = log.OpenKeys(t.Context(), false)
	require.ErrorContains(t, err, "topic parley.keys has ", "somebody made it without compaction")
}
