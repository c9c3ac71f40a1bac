package slices_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/catalog"
)

func TestEveryEventIsStoredOrNamedAsIgnored(t *testing.T) {
	for _, m := range slices.Models() {
		require.Empty(t, m.Unhandled())
	}
}

func TestEveryCategoryHasAReadModel(t *testing.T) {
	followed := map[string]bool{}
	for _, m := range slices.Models() {
		for topic := range m.Follows() {
			followed[topic] = true
		}
	}
	for _, c := range catalog.Categories() {
		require.True(t, followed[c.Topic()], "no read model follows %s: list it in a projections.NewModel, with projections.Ignore for events "+
			"without use", c.Topic())
	}
}
