package keys

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

// Given a master key file, when a key is added and then used, then it seals, and what was
// sealed before still opens; a copy from before the first step opens nothing of it.
func TestTheMasterKeyIsRotatedInTwoSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keyset.json")
	before, err := vault.Create(file)
	require.NoError(t, err)
	old, err := before.Seal([]byte("secret"), "context")
	require.NoError(t, err)

	added, err := rotate(file, 0)
	require.NoError(t, err)
	require.False(t, added.Seals)
	require.Contains(t, added.String(), "give the file to every node")
	newest := func() bool {
		v, err := vault.Open(file)
		require.NoError(t, err)
		newest, err := v.Newest(old)
		require.NoError(t, err)
		return newest
	}
	require.True(t, newest(), "the added key seals nothing yet")

	used, err := rotate(file, added.Key)
	require.NoError(t, err)
	require.Contains(t, used.String(), "parley keys rewrap")
	require.False(t, newest())
	after, err := vault.Open(file)
	require.NoError(t, err)
	plain, err := after.Unseal(old, "context")
	require.NoError(t, err)
	require.Equal(t, "secret", string(plain))
	sealed, err := after.Seal([]byte("new"), "context")
	require.NoError(t, err)
	_, err = before.Unseal(sealed, "context")
	require.Error(t, err, "a node that was left out")

	_, err = rotate(file, 17)
	require.ErrorContains(t, err, "17")
	_, err = rotate(file+".away", 0)
	require.Error(t, err)
}
