package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
)

// Each category is found by what its topic and its streams are called, and by nothing else.
func TestCategoriesAreFound(t *testing.T) {
	for _, c := range catalog.Categories() {
		require.Same(t, c, catalog.OfTopic(c.Topic()))
		require.Same(t, c, catalog.OfStream(c.Stream("a-1")))
	}
	require.Nil(t, catalog.OfTopic("parley.keys"))
	require.Nil(t, catalog.OfStream("shoe-1"))
	require.Nil(t, catalog.OfStream(""))
}
