package keyring_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// A copy finds what was there when it was made and what came since, tells erased from lost,
// and gives nothing new.
func TestACopyReadsOn(t *testing.T) {
	w := newWorld(t)
	one := w.node()
	before, erased := w.take(one), w.take(one)
	require.NoError(t, one.Erase(t.Context(), []sealed.ID{erased.ID}))
	c, err := keyring.ReadCopy(t.Context(), w.topic, w.vault)
	require.NoError(t, err)
	var since sealed.Key
	for range 200 { // of lots that were not there yet
		since = w.take(one)
	}
	found, err := c.Find(t.Context(), []sealed.ID{before.ID, erased.ID, since.ID})
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.NotNil(t, found[before.ID])
	require.Nil(t, found[erased.ID])
	require.NotNil(t, found[since.ID])

	_, err = c.Find(t.Context(), []sealed.ID{{9}})
	require.ErrorIs(t, err, keyring.ErrLost)
	_, err = c.Take(t.Context())
	require.Error(t, err)
}
