package keyring_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// Given keys of an older master key, when they are wrapped anew, then the older one is needed
// no more for any of them, and all open as before.
func TestRewrap(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	key, gone := w.take(one), w.take(one)
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{gone.ID}))
	id, err := w.vault.AddKey()
	require.NoError(t, err)
	require.NoError(t, w.vault.UseKey(id))

	var told int
	done, err := keyring.Rewrap(t.Context(), w.topic, w.vault, func(int, int) { told++ })
	require.NoError(t, err)
	require.NotZero(t, told)
	require.Equal(t, done.Keys-1, done.Wrapped)
	require.Equal(t, 1, done.Erased)
	w.requireNewest()
	w.table.drop()
	late := w.node()
	require.True(t, w.finds(late, key.ID))
	require.False(t, w.finds(late, gone.ID))

	again, err := keyring.Rewrap(t.Context(), w.topic, w.vault, nil)
	require.NoError(t, err)
	require.Zero(t, again.Wrapped, "nothing is done twice")
}

// Given a rewrap that ended in the middle, then the next one does the rest.
func TestARewrapGoesOn(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	for range 700 {
		w.take(one)
	}
	id, err := w.vault.AddKey()
	require.NoError(t, err)
	require.NoError(t, w.vault.UseKey(id))
	away := errors.New("cut off")
	first, err := keyring.Rewrap(t.Context(), w.topic, w.vault, func(done, _ int) {
		if done > 0 {
			w.topic.fail(away)
		}
	})
	require.ErrorIs(t, err, away)
	require.NotZero(t, first.Wrapped)
	w.topic.fail(nil)
	rest, err := keyring.Rewrap(t.Context(), w.topic, w.vault, nil)
	require.NoError(t, err)
	require.NotZero(t, rest.Wrapped)
	require.GreaterOrEqual(t, rest.Keys-first.Wrapped, rest.Wrapped, "what was done is not done twice")
	w.requireNewest()
}

// requireNewest looks at the topic: the newest master key has wrapped every key.
func (w *world) requireNewest() {
	w.t.Helper()
	w.topic.compact()
	w.topic.mu.Lock()
	defer w.topic.mu.Unlock()
	for _, r := range w.topic.records {
		if !r.Erased() {
			newest, err := w.vault.Newest(r.Wrapped)
			require.NoError(w.t, err)
			require.True(w.t, newest)
		}
	}
}

// Given a key that is erased while it is wrapped anew, then it is erased in the end.
func TestARewrapBringsNothingBack(t *testing.T) {
	w := newWorld(t)
	one := w.still()
	key := w.take(one)
	id, err := w.vault.AddKey()
	require.NoError(t, err)
	require.NoError(t, w.vault.UseKey(id))
	_, err = keyring.Rewrap(t.Context(), w.topic, w.vault, func(int, int) {
		require.NoError(t, one.Erase(t.Context(), []sealed.ID{key.ID}))
	})
	require.NoError(t, err)
	w.topic.compact()
	require.False(t, w.finds(w.node(), key.ID))
}
