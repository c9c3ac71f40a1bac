package reporting

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dashboards"
)

// TestEveryFieldOfADataSetHasAColumn: a widget that the domain takes can be asked.
func TestEveryFieldOfADataSetHasAColumn(t *testing.T) {
	require.Equal(t, dashboards.DataSets(), slices.Sorted(maps.Keys(recordsOf)))
	for name, r := range recordsOf {
		set, _ := dashboards.DataSetNamed(name)
		known := append(slices.Collect(maps.Keys(r.columns)), "date", "hour")
		require.ElementsMatch(t, set.Fields(), known, name)
	}
}
