package catalog_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
)

var declared = regexp.MustCompile(`event\.NewAggregate\[[^\]]+\]\("([a-z-]+)"`)

// Every category that a package of domain/ declares is in the catalog: a missing
// line would leave its topic uncreated and its events unread.
func TestEveryCategoryIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range catalog.Categories() {
		require.False(t, listed[c.Name], "%s is listed twice", c.Name)
		listed[c.Name] = true
	}
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		if matched, _ := filepath.Match("*_test.go", filepath.Base(f)); matched {
			continue
		}
		source, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			found++
			require.True(t, listed[m[1]], "%s declares category %q: add it to catalog.Categories", f, m[1])
		}
	}
	require.Equal(t, len(listed), found)
}

func TestPrefixesTellCategoriesApart(t *testing.T) {
	seen := map[string]string{}
	for _, c := range catalog.Categories() {
		require.Empty(t, seen[c.Prefix], "%s and %s both name streams %s-", c.Name, seen[c.Prefix], c.Prefix)
		seen[c.Prefix] = c.Name
	}
}
