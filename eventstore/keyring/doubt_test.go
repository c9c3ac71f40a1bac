package keyring_test

import (
	"context"
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
