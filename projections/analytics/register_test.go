package analytics_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/projections/analytics"
)

// Every event has its place in the analytics, or a reason why it has none. Without one
// it appears as its context's administration or system events do.
func TestEveryEventIsRegisteredOrNamedAsIgnored(t *testing.T) {
	require.Empty(t, strings.Join(analytics.Unregistered(catalog.Categories()), "\n"))
}

func TestEventTypesAreSnakeCaseAndOfOneCategory(t *testing.T) {
	require.Empty(t, analytics.Misnamed(catalog.Categories()))
}
