package private

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

func TestBinariesAreThoseOfTheCluster(t *testing.T) {
	bin := t.TempDir()
	fakeBinaries(t, bin, "99.1 (Debian)")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	t.Run("a new cluster takes the first in PATH", func(t *testing.T) {
		b, err := findBinaries(t.Context(), folder{home: t.TempDir()}, childtest.Log(t))
		require.NoError(t, err)
		require.Equal(t, binaries{dir: bin, major: 99}, b)
	})
	t.Run("a cluster of a version that cannot be had is an error that says so", func(t *testing.T) {
		f := folder{home: t.TempDir()}
		require.NoError(t, os.Mkdir(f.cluster(), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(f.cluster(), "PG_VERSION"), []byte("98\n"), 0o600))
		_, err := findBinaries(t.Context(), f, childtest.Log(t))
		require.ErrorContains(t, err, "was made by Postgres 98")
		require.ErrorContains(t, err, "99 in "+bin)
		require.ErrorContains(t, err, f.home)
	})
}

func fakeBinaries(t *testing.T, dir, version string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
}

func TestAccountIsBlockedByAPrivateFolderAbove(t *testing.T) {
	private := filepath.Join(reachableFolder(t), "private")
	dir := filepath.Join(private, "data", "postgres")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	stranger := &account{name: "stranger", uid: 54321, gid: 54321}
	for mode, want := range map[os.FileMode]string{0o700: private, 0o710: private, 0o711: ""} {
		require.NoError(t, os.Chmod(private, mode))
		blocked, err := stranger.blockedAt(dir)
		require.NoError(t, err)
		require.Equal(t, want, blocked, "%o", mode)
	}
}
