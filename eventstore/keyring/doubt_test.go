package keyring_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// A copy of the topic stands in its place, a node makes keys there, and the right one comes
// back: nothing is sealed with a key that stands on the copy only.
func TestKeysMadeOnACopyOfTheTopicAreNotGivenOnTheRightOne(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	require.True(t, w.finds(one, w.take(one).ID))
	right := w.topic.copied()
	others := make([]keyring.Record, 20_000) // of which the copy knows nothing, and more than it gets however often a lot is dropped there
	for i := range others {
		others[i] = keyring.Record{ID: sealed.ID(uuid.New()), Wrapped: "w"}
	}
	require.NoError(t, right.Append(t.Context(), others))
	w.exchange(w.topic.copied())
	for range 40 { // more than one lot: the next stands on the copy
		w.take(one)
	}

	w.exchange(right)
	var given []keyring.Record
	for range 200 {
		given = append(given, keyring.Record{ID: w.take(one).ID})
	}
	all, err := keyring.ReadCopy(t.Context(), w.topic, w.vault)
	require.NoError(t, err)
	for i, r := range given {
		require.True(t, all.Has(r.ID), "key %d is not on the topic", i)
	}
}

// While a topic stands there that ends before what was read, no key is given: it would be
// gone with it. When the right one is back, the node goes on.
func TestNoKeyIsGivenWhileAnOlderTopicStandsInPlace(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	old := w.topic.copied()
	require.True(t, w.finds(one, w.take(one).ID))
	require.Eventually(t, func() bool { next, _ := w.table.Next(t.Context()); return next > 0 }, 5*time.Second, time.Millisecond)
	right := w.topic.copied()

	w.exchange(old)
	ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	defer cancel()
	_, err := one.Take(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	w.exchange(right)
	require.True(t, w.finds(one, w.take(one).ID))
}

// Given a command that took a key while a copy of the topic stood in place, when the right one
// is back before its commit is on the log, then it sees that there was a doubt; and when it has
// the key put there once more, every node finds it there. One that is erased stays so.
func TestAKeyThatWasTakenOnACopyIsPutOnTheRightTopic(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	require.True(t, w.finds(one, w.take(one).ID))
	right := w.topic.copied()
	others := make([]keyring.Record, 20_000)
	for i := range others {
		others[i] = keyring.Record{ID: sealed.ID(uuid.New()), Wrapped: "w"}
	}
	require.NoError(t, right.Append(t.Context(), others))
	before := one.Doubts()
	w.exchange(w.topic.copied())
	w.doubts(one, before)
	doubts, key, gone := one.Doubts(), w.take(one), w.take(one)

	w.exchange(right)
	w.doubts(one, doubts)
	all, err := keyring.ReadCopy(t.Context(), w.topic, w.vault)
	require.NoError(t, err)
	require.False(t, all.Has(key.ID), "it stands on the copy only")

	require.NoError(t, one.Erase(t.Context(), []sealed.ID{gone.ID}))
	require.NoError(t, one.Again(t.Context(), []sealed.Key{key, gone}))
	w.table.drop()
	late := w.node()
	require.True(t, w.finds(late, key.ID))
	require.False(t, w.finds(late, gone.ID))
}

// While nobody can tell which topic stands there, a key is not put on it: it may be the copy.
func TestAKeyIsNotPutOnATopicInDoubt(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	old := w.topic.copied()
	key := w.take(one)
	require.True(t, w.finds(one, key.ID))
	require.Eventually(t, func() bool { next, _ := w.table.Next(t.Context()); return next > 0 }, 5*time.Second, time.Millisecond)
	right, before := w.topic.copied(), one.Doubts()
	w.exchange(old)
	w.doubts(one, before)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- one.Again(ctx, []sealed.Key{key}) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Empty(t, w.topic.copied().records)

	w.exchange(right)
	stood := len(right.records)
	require.NoError(t, one.Again(t.Context(), []sealed.Key{key}))
	require.Greater(t, len(w.topic.copied().records), stood)
}

// The database was away, and nobody followed the topic: what was taken meanwhile is in doubt.
func TestKeysThatWereTakenWhileTheTableWasAwayAreInDoubt(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	w.take(one)
	w.reads()
	before := one.Doubts()
	w.table.fail(errors.New("the database is away"))
	require.NoError(t, w.topic.Append(t.Context(), []keyring.Record{{ID: sealed.ID(uuid.New()), Wrapped: "w"}}))
	require.Eventually(t, func() bool {
		w.table.mu.Lock()
		defer w.table.mu.Unlock()
		return w.table.refused > 0
	}, time.Minute, time.Millisecond)
	w.table.fail(nil)
	w.doubts(one, before)
}

// doubts waits until a node was in doubt more often than before.
func (w *world) doubts(r *keyring.Ring, before uint64) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return r.Doubts() > before }, time.Minute, time.Millisecond)
}
