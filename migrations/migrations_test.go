package migrations_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/migrations"
)

// Two changes that were made side by side may have taken the same number; then goose
// refuses all of them, and no node starts.
func TestEachMigrationHasANumberOfItsOwn(t *testing.T) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	taken := map[string]string{}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		require.Empty(t, taken[number], "%s has the number of %s: take the next free one", name, taken[number])
		taken[number] = name
	}
}
