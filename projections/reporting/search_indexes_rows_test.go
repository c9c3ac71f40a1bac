package reporting_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/searchindexes"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given the events of search indexes, then these are the rows after each.
func TestRowsOfSearchIndexes(t *testing.T) {
	model := given.Open(t).Follow(reporting.SearchIndexesModel)
	model.After("x", given.Filled[searchindexes.IndexDefined](),
		"+ search_indexes tenant=tenantId project_id=projectId index_id=indexId version=1",
	)
	model.After("x", given.Filled[searchindexes.IndexDefined](),
		"~ search_indexes tenant=tenantId project_id=projectId: version=2",
	)
	model.After("x", given.Filled[searchindexes.IndexRemoved](),
		"- search_indexes tenant=tenantId project_id=projectId",
	)
}
