package engine_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/engine/enginetest"
	"github.com/parley-platform/parley/projections/sink"
)

// said is what a node logged.
type said struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *said) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(line)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// held is a partition of a node, as its row has it, and as another one knows it that has been there for a while.
func held(t *testing.T, n *enginetest.Node, owner string, by *enginetest.Node) (at sink.Place, next, epoch int64) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(),
		`SELECT topic, partition, next_offset, owner_epoch FROM checkpoints WHERE owner = $1 ORDER BY partition LIMIT 1`, owner).Scan(
		&at.Topic, &at.Partition, &next, &epoch))
	require.NoError(t, by.Projector.Await(t.Context(), at.Topic, at.Partition, next-1))
	enginetest.Soon(t, "all have seen the other one", func() bool { return !by.Projector.Unseen() })
	return at, next, epoch
}

// epochs is how often a partition has changed hands.
func epochs(t *testing.T, n *enginetest.Node, at sink.Place) (epoch int64) {
	t.Helper()
	require.NoError(t, n.DB.Queries.QueryRow(t.Context(), `SELECT owner_epoch FROM checkpoints WHERE topic = $1 AND partition = $2`, at.Topic,
		at.Partition).Scan(&epoch))
	return epoch
}

// Given an owner whose transaction takes its time, when another node sees no progress, then
// the partition is not taken: that transaction would be in vain, and the next one as well.
func TestAPartitionIsNotTakenFromWhoWritesATransaction(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	addEverywhere(a, t)
	at, next, epoch := held(t, a, "a", b)
	tx, err := a.DB.Projector.Begin(t.Context()) // which has the row, as one of the owner has
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `SELECT FROM checkpoints WHERE topic = $1 AND partition = $2 FOR UPDATE`, at.Topic, at.Partition)
	require.NoError(t, err)

	asked := make(chan struct{})
	go func() {
		defer close(asked)
		b.Projector.Stalled(context.Background(), at, next)
	}()
	enginetest.Soon(t, "the other node has decided, or waits for the row", func() bool {
		select {
		case <-asked:
			return true
		default:
		}
		var waits bool
		require.NoError(t, a.DB.Queries.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%owner_epoch + 1%')`).Scan(&waits))
		return waits
	})
	require.NoError(t, tx.Commit(t.Context()))
	<-asked

	require.Equal(t, epoch, epochs(t, a, at))
}

// Given a node with a transaction that takes long, when another one comes and it has to hand
// that very partition over, then it goes on saying that it lives, and keeps its other leases.
func TestALongTransactionKeepsNoNodeFromSayingThatItLives(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	addEverywhere(a, t)
	tx, err := a.DB.Queries.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `SELECT FROM checkpoints WHERE topic = $1 AND partition = 0 FOR UPDATE`, enginetest.Counters.Topic())
	require.NoError(t, err)
	added := make(chan error, 1)
	go func() {
		_, err := a.Add(t, enginetest.IDOn(0), 1)
		added <- err
	}()
	b := enginetest.Begin(t, "b", brokers, url)
	type signs struct {
		seen, lease time.Time
		waits       bool
	}
	look := func() (s signs) {
		require.NoError(t, a.DB.Queries.QueryRow(t.Context(), `SELECT (SELECT seen_at FROM nodes WHERE node = 'a'),
			(SELECT max(lease_until) FROM checkpoints WHERE owner = 'a'), EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT advance(%')`).Scan(
			&s.seen, &s.lease, &s.waits))
		return s
	}
	enginetest.Soon(t, "the transaction waits", func() bool { return look().waits })
	enginetest.Soon(t, "the other node is noticed", func() bool { return a.Projector.Live() == 2 && len(a.Projector.Holds()) == 2 })
	before := look()
	enginetest.Soon(t, "another sign of life, and longer leases, while the transaction waits", func() bool {
		now := look()
		return now.waits && now.seen.After(before.seen) && now.lease.After(before.lease)
	})
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-added)
	b.Open(t)
	holdAll(t, a, b)
}

// Given a partition so busy that no heartbeat finds its row free, then its lease goes on with each transaction.
func TestALeaseGoesOnWithTheCheckpoint(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	addEverywhere(a, t)
	at, next, epoch := held(t, a, "a", a)
	tx, err := a.DB.Queries.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	left := func() (lease time.Duration) {
		require.NoError(t, tx.QueryRow(t.Context(), `SELECT lease_until - now() FROM checkpoints WHERE topic = $1 AND partition = $2`,
			at.Topic, at.Partition).Scan(&lease))
		return lease
	}
	_, err = tx.Exec(t.Context(), `UPDATE checkpoints SET lease_until = now() + interval '1 second' WHERE topic = $1 AND partition = $2`,
		at.Topic, at.Partition)
	require.NoError(t, err)
	require.Equal(t, time.Second, left())
	_, err = tx.Exec(t.Context(), `SELECT advance('live', $1, $2, $3, $4, $5, 'x')`, at.Topic, at.Partition, next, epoch, next+1)
	require.NoError(t, err)
	require.Equal(t, 10*time.Second, left())
}

// Given a waiter that saw no progress, when there was some by the time that its node gets
// to it, then the partition stays where it is.
func TestAPartitionThatHasMovedSinceIsNotTakenOver(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a, b := enginetest.Start(t, "a", brokers, url), enginetest.Start(t, "b", brokers, url)
	holdAll(t, a, b)
	addEverywhere(a, t)
	at, next, epoch := held(t, a, "a", b)
	b.Projector.Stalled(t.Context(), at, next-1)
	require.Equal(t, epoch, epochs(t, a, at))

	b.Projector.Stalled(t.Context(), at, next)
	require.Greater(t, epochs(t, a, at), epoch, "from one that does not move it is taken")
}

// Given a node that has just come, when it sees no progress of a partition of another one, which may take itself to be alone,
// then it does not take that yet.
func TestANodeThatHasJustComeTakesNothingFromAnother(t *testing.T) {
	t.Parallel()
	brokers, url := enginetest.Parts(t)
	a := enginetest.Start(t, "a", brokers, url)
	holdAll(t, a)
	addEverywhere(a, t)
	at, next, epoch := held(t, a, "a", a)
	b := enginetest.Begin(t, "b", brokers, url)
	b.Projector.Stalled(t.Context(), at, next)
	if b.Projector.Unseen() {
		require.Equal(t, epoch, epochs(t, a, at))
	}
}
