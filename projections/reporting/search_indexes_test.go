package reporting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/searchindexes"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given a search index that was defined twice, then its project has it at the second version, and no other place has one.
func TestAnswersAboutSearchIndexes(t *testing.T) {
	w := given.Open(t)
	w.Given(reporting.SearchIndexesModel, "x", given.Filled[searchindexes.IndexDefined](), given.Filled[searchindexes.IndexDefined]())
	for place, want := range map[[2]string]reporting.SearchIndex{{"tenantId", "projectId"}: {ID: "indexId", Version: 2},
		{"other", "projectId"}: {}, {"tenantId", "other"}: {}} {
		index, err := reporting.NewSearchIndexes(w.DB).Of(t.Context(), place[0], place[1])
		require.NoError(t, err)
		require.Equal(t, want, index)
	}
}
