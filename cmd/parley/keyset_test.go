package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

// The keyset of a node is lost, or another one is in its place: it does not start, says
// what to do, and makes none. With the copy it goes on.
func TestANodeDoesNotStartWithAnotherKeyset(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	keyset := filepath.Join(data, "keyset.json")
	listen := freeAddress(t)
	p := serveDev(t, data, listen)
	p.terminate()
	require.Zero(t, p.exit(patience))
	require.NoError(t, os.Rename(keyset, keyset+".copy"))

	refused := func(words ...string) {
		t.Helper()
		p := spawn(t, data, listen)
		require.Equal(t, 2, p.exit(patience), "it is not to be tried again")
		for _, w := range words {
			require.Contains(t, p.out.String(), w)
		}
	}
	refused(keyset, "is not there", "put the copy of that file back", "API key")
	require.NoFileExists(t, keyset)
	_, err := vault.Create(keyset)
	require.NoError(t, err)
	refused(keyset, "is not the one of this log", "its fingerprint is")
	said, code := run(t, "doctor", "--data", data)
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "is not the keyset of log")

	require.NoError(t, os.Rename(keyset+".copy", keyset))
	p = serve(t, data, listen)
	p.terminate()
	require.Zero(t, p.exit(patience))
}
