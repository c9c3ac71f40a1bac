package embedded

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// Given a disk that fills up, then nothing is appended, what is there is read and
// consumers go on; when there is room, it goes on by itself.
func TestAFullDiskTakesNothingAndLosesNothing(t *testing.T) {
	childtest.Integration(t)
	dir := t.TempDir()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(dir), kfake.SyncWrites())
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	var free atomic.Int64
	var failure atomic.Pointer[error]
	(&diskGuard{cluster: cluster, folder: dir, reserve: 100, log: childtest.Log(t), free: func(string) (int64, error) {
		if err := failure.Load(); err != nil {
			return 0, *err
		}
		return free.Load(), nil
	}}).install()
	b := &Broker{addrs: cluster.ListenAddrs()}
	broker := running{Broker: b, client: clientOf(b)}
	createTopic(t, broker, "parley.calls", 1)
	say := func(what string) error {
		return broker.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte(what))})
	}

	free.Store(100)
	require.NoError(t, say("first"))
	require.NoError(t, say("second"))
	free.Store(99)
	for range 3 {
		require.ErrorIs(t, say("lost?"), kafka.PolicyViolation)
	}
	require.Equal(t, []string{"first", "second"}, values(t, broker.client, "parley.calls", 0))
	require.Equal(t, "first", readOneAndCommit(t, broker), "a group notes its offset on the full disk")
	free.Store(100)
	require.NoError(t, say("third"))
	unknown := errors.New("no such disk")
	failure.Store(&unknown)
	require.ErrorIs(t, say("lost?"), kafka.PolicyViolation, "who cannot tell does not promise")
	failure.Store(nil)
	require.NoError(t, say("fourth"))
	require.Equal(t, []string{"first", "second", "third", "fourth"}, values(t, broker.client, "parley.calls", 0))
}

func TestTheFreeSpaceOfAFolder(t *testing.T) {
	free, err := freeSpace(t.TempDir())
	require.NoError(t, err)
	require.Positive(t, free)
	_, err = freeSpace("/nowhere")
	require.Error(t, err)
}
