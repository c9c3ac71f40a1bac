package projections_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/search"
	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of search indexes, then these are the rows after each.
func TestRowsOfSearchIndexes(t *testing.T) {
	model := world(t).Follow(projections.SearchIndexesModel)
	model.After("x", given.Filled[search.IndexDefined](),
		"+ search_indexes tenant=tenantId project_id=projectId index_id=indexId version=1",
	)
	model.After("x", given.Filled[search.IndexDefined](),
		"~ search_indexes tenant=tenantId project_id=projectId: version=2",
	)
	model.After("x", given.Filled[search.IndexRemoved](),
		"- search_indexes tenant=tenantId project_id=projectId",
	)
}
