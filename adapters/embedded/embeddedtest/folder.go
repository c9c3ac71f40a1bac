package embeddedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// DataFolder is a folder of the test for a whole Parley (`--data`): like t.TempDir(),
// but such that the user as whom Postgres runs under root can reach it.
func DataFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
